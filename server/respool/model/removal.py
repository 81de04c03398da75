"""What going back to a checkpoint would take out of a transcript."""

from collections.abc import Mapping
from dataclasses import dataclass

from respool.model.plan import Cut, Notice, Target, Task
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
    cut: Cut
    messages: tuple[int, ...]
    points: tuple[RecoveryPoint, ...]
    last_change: Mapping[str, tuple[int | None, str]]
    notices: tuple[Notice, ...]
    tasks: tuple[Task, ...] = ()
