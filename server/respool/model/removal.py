"""What going back to a checkpoint would take out of a transcript."""

from collections.abc import Mapping
from dataclasses import dataclass

from respool.model.capture import PromptPlace
from respool.model.plan import Cut, Fork, Notice, Target, Task
from respool.model.recovery import RecoveryPoint
from respool.model.transcript import Fingerprint


@dataclass(frozen=True, kw_only=True)
class Removal:
    """Read from one state of the transcript, named by ``fingerprint``.

    ``messages``: physical lines of the messages that go. ``last_change``: path → epoch ms and operation of its newest
    record. ``workdir``: the session's workspace, ``None`` when nothing tells.
    """

    session_id: str
    target: Target
    input_content: str
    fingerprint: Fingerprint
    cut: Cut | None
    messages: tuple[int, ...]
    points: tuple[RecoveryPoint, ...]
    last_change: Mapping[str, tuple[int | None, str]]
    notices: tuple[Notice, ...]
    tasks: tuple[Task, ...] = ()
    prompts: tuple[PromptPlace, ...] = ()
    """Every prompt of the transcript, in file order."""
    fork: Fork | None = None
    dialect: str = "wave"
    children: tuple[str, ...] = ()
    """Transcripts of sub-agents launched by the removed messages, where their records link to them."""


@dataclass(frozen=True, kw_only=True)
class Reversal:
    """What taking an operation back makes of the transcript, whose state now is ``fingerprint``."""

    fingerprint: Fingerprint
    cut: Cut | None = None
    fork: Fork | None = None
