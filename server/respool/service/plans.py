"""Planning: everything a rewind, its undo or a repair would do, decided by reading alone."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from respool.engine.ports import Captures, Entry, Keeping, Liveness, Removals, SessionStore, Targets, Writings, Written
from respool.engine.restores import FilePart, plan_files
from respool.engine.rewind import brought_folders
from respool.engine.session_plan import session_plan
from respool.model.capture import Captured
from respool.model.errors import StalePlan
from respool.model.filestate import Kind
from respool.model.ids import MessageId
from respool.model.plan import Mode, Notice, RewindPlan, Target, Task
from respool.model.recovery import RecoveryPoint, earliest
from respool.model.removal import Removal
from respool.model.transcript import Live
from respool.service.covering import notices
from respool.service.strangers import Strangers
from respool.service.undos import Undos

LIVE_AGENT = Notice(
    code="live_agent", text="an agent may still have this session open; it keeps what is removed in memory"
)
GOES_ON = Notice(
    code="live_agent",
    text="Claude Code still has this session open and goes on with it; resume the new one to leave it",
)
STILL_OPEN = Notice(code="still_open", text="the agent went on after the last rewind: resume the session there")


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A plan, and the typed text of the chosen prompt (``""`` for an undo)."""

    plan: RewindPlan
    input_content: str


@dataclass(frozen=True, kw_only=True)
class Plans:
    """Raises a ``Refusal`` for what cannot be planned; touches nothing.

    ``counted``: count lines, for somebody who looks. The digest is the same either way.
    """

    store: SessionStore
    removals: Removals
    keeping: Keeping
    writings: Writings
    liveness: Liveness
    targets: Callable[[str, str | None], Targets]
    undos: Undos
    captures: Captures
    strangers: Strangers

    def rewind(
        self, transcript: str, to: str, *, mode: Mode, leave_out: tuple[str, ...], workspace: str, counted: bool
    ) -> Planned:
        """Going back to ``ID`` or ``ID@LINE``."""
        removal = self.removals.removal(transcript, to)
        cut, fork = (None, None) if mode is Mode.FILES else (removal.cut, removal.fork)
        captured = self.captures.captured(transcript, removal.prompts, removal.target.line)
        plan = session_plan(
            kind="rewind",
            session_id=removal.session_id,
            transcript=transcript,
            mode=mode,
            target=removal.target,
            fingerprint=removal.fingerprint,
            cut=cut,
            removed_lines=() if mode is Mode.FILES else removal.messages,
            files=self._files(removal, captured, transcript, mode, leave_out, workspace, counted),
            notices=() if mode is Mode.CONVERSATION else notices(removal, captured),
            tasks=_once(*removal.tasks, *captured.tasks),
            dialect=removal.dialect,
            fork=fork,
            children=tuple(sorted({*removal.children, *captured.children})) if cut else (),
        )
        return Planned(plan=self._with_moment(plan), input_content=removal.input_content)

    def _files(
        self,
        removal: Removal,
        captured: Captured,
        transcript: str,
        mode: Mode,
        leave_out: tuple[str, ...],
        workspace: str,
        counted: bool,
    ) -> FilePart:
        carried = self.keeping.counting(transcript, removal.target.line)
        points = (*removal.points, *captured.points, *carried)
        if mode is Mode.CONVERSATION:
            part = FilePart(points=earliest(points))
        else:
            part = plan_files(
                points,
                self._targets(transcript, workspace),
                last_change=removal.last_change,
                written=self.writings.written(transcript),
                left=captured.left,
                unsteady=captured.unsteady,
                made_folders=captured.made_folders,
                leave_out=frozenset(leave_out),
                counted=counted,
            )
        _must_name_files(leave_out, part, points)
        return part

    def undo(self, transcript: str, *, workspace: str, counted: bool) -> Planned:
        """Taking the newest rewind back. Raises ``NothingToUndo``, ``UndoExpired``."""
        entry = self.undos.newest(transcript)
        transcript = entry.plan.transcript
        back = self.removals.reversal(transcript, entry)
        plan = session_plan(
            kind="undo",
            session_id=entry.plan.session_id,
            transcript=transcript,
            mode=entry.plan.mode,
            target=Target(id=MessageId(entry.id), line=entry.plan.target.line),
            fingerprint=back.fingerprint,
            cut=back.cut,
            removed_lines=(),
            files=plan_files(
                _image_points(entry),
                self._targets(transcript, workspace),
                last_change={},
                written={change.real_path: Written(state=change.before) for change in entry.plan.steps},
                made_folders=brought_folders(entry),
                counted=counted,
            ),
            undoes=entry.id,
            dialect=entry.plan.dialect,
            fork=back.fork,
        )
        return Planned(plan=self._with_moment(plan), input_content="")

    def left_over(self, entry: Entry, *, workspace: str) -> RewindPlan:
        """Trying again what an operation could not restore."""
        transcript = entry.plan.transcript
        return session_plan(
            kind="rewind",
            session_id=entry.plan.session_id,
            transcript=transcript,
            mode=Mode.FILES,
            target=entry.plan.target,
            fingerprint=self.removals.reversal(
                transcript, replace(entry, plan=replace(entry.plan, cut=None, fork=None))
            ).fingerprint,
            dialect=entry.plan.dialect,
            cut=None,
            removed_lines=(),
            files=plan_files(
                self.keeping.left_by(transcript, entry.id),
                self._targets(transcript, workspace),
                last_change={},
                counted=False,
            ),
        )

    def _targets(self, transcript: str, workspace: str) -> Targets:
        return self.targets(transcript, self.store.workspace(transcript, workspace))

    def _with_moment(self, plan: RewindPlan) -> RewindPlan:
        """The plan with what is true right now, which its digest does not cover."""
        workspace = self.store.workspace(plan.transcript, "/")
        plan = replace(plan, warnings=(*plan.warnings, *self.strangers.notices(plan, workspace)))
        if self.live(plan) is Live.NO:
            return plan
        found = [GOES_ON if plan.dialect == "claude" else LIVE_AGENT]
        if self.liveness.still_open(plan.transcript):
            found.append(STILL_OPEN)
        return replace(plan, warnings=(*plan.warnings, *found))

    def live(self, plan: RewindPlan) -> Live:
        """Whether a process may own the session of a plan right now."""
        return self.liveness.live(plan.transcript, self.store.info(plan.transcript).workdir)


def _must_name_files(leave_out: tuple[str, ...], part: FilePart, points: tuple[RecoveryPoint, ...]) -> None:
    known = {row.path for row in part.left_out} | {point.path for point in points}
    known |= {change.real_path for change in part.files}
    for path in leave_out:
        if path not in known and len(part.left_out) < len(leave_out):
            raise StalePlan("{path} is not among the files of this rewind", path=path)


def _image_points(entry: Entry) -> tuple[RecoveryPoint, ...]:
    """What an operation found, as recovery points of its undo."""
    links = {change.real_path for change in entry.plan.steps if change.before.kind is Kind.LINK}
    made = set(brought_folders(entry))
    return tuple(
        RecoveryPoint(
            seq=(0, order),
            path=image.real_path,
            before=image.state,
            source=f"blob:{image.state.sha256}" if image.state.kind is Kind.FILE else None,
            absent_parents=image.made_parents,
            how="undo",
            itself=image.state.kind is Kind.LINK or image.real_path in links,
        )
        for order, image in enumerate(entry.images)
        if image.state.kind is not Kind.ABSENT or image.real_path not in made
    )


def _once(*tasks: Task) -> tuple[Task, ...]:
    """A task the transcript names and our captures too is one task; the captures know more of it."""
    return tuple({task.id: task for task in tasks}.values())
