"""Recovery points, and which one wins when a suffix holds several for one key."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from respool.model.filestate import FileState


@dataclass(frozen=True, kw_only=True)
class RecoveryPoint:
    """How one path looked before one change of the agent.

    ``seq``: position, comparable within one session (physical line, then order on the line). ``before`` is ``None``
    when it is not known; ``source`` names where its bytes are (path of a backup, or ``blob:<sha256>``).
    ``changed_ms``: epoch milliseconds of the change as recorded. ``absent_parents``: folders the change had to make.
    ``links``: path and text of every link the change was made through; ``None`` = not recorded (decision S10).
    ``itself``: the change was made to the name, not through it: a link that stands there is what changed.
    """

    seq: tuple[int, int]
    path: str
    before: FileState | None
    source: str | None = None
    changed_ms: int | None = None
    problem: str | None = None
    actor: str = "main"
    how: str = "import"
    absent_parents: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] | None = None
    itself: bool = False


def earliest(points: Iterable[RecoveryPoint]) -> tuple[RecoveryPoint, ...]:
    """Keep, for each path, the point furthest back in the suffix."""
    kept: dict[str, RecoveryPoint] = {}
    for point in sorted(points, key=attrgetter("seq")):
        kept.setdefault(point.path, point)
    return tuple(kept.values())
