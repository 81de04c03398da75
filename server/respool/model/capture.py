"""What our own change log knows about the turns a rewind would take out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from respool.model.errors import Refusal
from respool.model.filestate import FileState
from respool.model.plan import Notice, Task
from respool.model.recovery import RecoveryPoint


@dataclass(frozen=True, kw_only=True)
class PromptPlace:
    """A prompt as it stands in the transcript now. ``ids``: message id; Claude: uuid and promptId."""

    ids: tuple[str, ...]
    line: int


@dataclass(frozen=True, kw_only=True)
class Captured:
    """Everything known about the removed range.

    ``points``: every change, ``seq`` = (line of the prompt that was newest when it happened, place in the log); its
    first half makes them comparable with imported points, its second half is the order in which things happened.
    ``left``: path, as spelled and as real → how the agent last left it, where that was looked at.
    ``made_folders``: folders a shell command made. ``tasks``: launched in the removed range and not ended;
    ``kept_tasks``: running ones launched before it. ``shared``: paths one of those has written after a removed change.
    ``unsteady``: those, and paths a running task of the removed range writes.
    ``covered_calls``: tool calls whose changes are known; ``covered_shells``: line of a prompt → windows with an end.
    ``recorded_turns``: lines of the prompts that were recorded. ``children``: transcripts of sub-agents launched there.
    """

    points: tuple[RecoveryPoint, ...] = ()
    left: Mapping[str, FileState] = field(default_factory=dict)
    made_folders: tuple[str, ...] = ()
    tasks: tuple[Task, ...] = ()
    kept_tasks: tuple[str, ...] = ()
    unsteady: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    notices: tuple[Notice, ...] = ()
    covered_calls: frozenset[str] = frozenset()
    covered_shells: Mapping[int, int] = field(default_factory=dict)
    recorded_turns: frozenset[int] = frozenset()
    children: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class HostEvent:
    """Something a running host has to be told. ``stop``: end that task; ``rewound``: turns were taken out, or back."""

    kind: str
    task: str = ""
    kept_lines: int = 0
    generation: int = 0


class Rewound(Refusal):
    """The turn was taken out, or the actor stopped: the host must not write."""

    code = "rewound"
    text = "this turn was rewound"
    hint = "Do not write; wait for the next prompt."
