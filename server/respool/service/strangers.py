"""Files of a plan that another session, which is still open, wrote last (they go back only with consent)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from respool.engine.ports import Neighbours
from respool.model.filestate import FileState
from respool.model.plan import Action, FileChange, Notice, RewindPlan
from respool.model.transcript import Live

OTHER_SESSION = "other_session"


@dataclass(frozen=True, kw_only=True)
class Strangers:
    """``live(transcript)``: whether a process may own a session right now."""

    neighbours: Neighbours
    live: Callable[[str], Live]

    def notices(self, plan: RewindPlan, workspace: str | None) -> Iterator[Notice]:
        """One for each file that holds what a living other session left there."""
        touched = [change for change in plan.files if change.action is not Action.KEEP]
        if not touched or workspace is None or plan.undoes is not None:
            return
        left = self.neighbours.left(plan.transcript, workspace)
        for change in touched:
            for other in self._writers(change, left.get(change.real_path, ())):
                yield Notice(
                    code=OTHER_SESSION,
                    text="{path} was last written by another session that is still open",
                    params={"path": change.path, "session": other},
                )

    def _writers(self, change: FileChange, left: tuple[tuple[str, FileState], ...]) -> Iterator[str]:
        for other, state in left:
            if state.same_content(change.now) and other and self.live(other) is not Live.NO:
                yield other
                return
