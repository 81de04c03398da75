"""Services in memory, for what real ones cannot be made to do at will: fail, wait, be busy."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event

from respool.model.errors import Refusal, StalePlan, UnknownMessage
from respool.model.filestate import ABSENT, FileState, Kind
from respool.model.ids import MessageId, OperationId, SessionId
from respool.model.message import Conversation, Message
from respool.model.operation import Outcome, Status
from respool.model.plan import Action, Consent, FileChange, Mode, Notice, NotRestored, RewindPlan, Target, Task
from respool.model.recording import Laid
from respool.model.transcript import Checkpoint, CheckpointList, Fingerprint, Live, SessionInfo
from respool.service.plans import Planned

PATH = "/home/ana/.wave/projects/home-ana-demo/11111111-2222-4333-8444-555555555555.jsonl"
NO_CONSENT = Consent()
WORKSPACE = "/home/ana/demo"


def file_change(path: str, action: Action = Action.RESTORE, **more: object) -> FileChange:
    """A change of a text file, three lines back and one away."""
    state = FileState(kind=Kind.FILE, size=10)
    before = ABSENT if action is Action.DELETE else state
    values = {"added": 3, "deleted": 1, **more}
    return FileChange(path=path, real_path=path, action=action, before=before, now=state, **values)  # type: ignore[arg-type]


@dataclass
class FakeSessions:
    """One session of user prompts and answers. ``gone``: it is not there; ``elsewhere``: in another project."""

    prompts: list[str] = field(
        default_factory=lambda: ["add a parser", "write a test for it", "now rename the function"]
    )
    live: Live = Live.NO
    listeners: list[Callable[[str], None]] = field(default_factory=list)
    gone: bool = False
    elsewhere: bool = False

    def list(self, workspace: str, *, every_project: bool = False) -> tuple[SessionInfo, ...]:
        return () if self.gone or (self.elsewhere and not every_project) else (self.info(PATH),)

    def find(self, session: str | None, *, workspace: str) -> str:
        return PATH

    def info(self, transcript: str) -> SessionInfo:
        self._there()
        return SessionInfo(
            session_id="11111111-2222-4333-8444-555555555555",
            path=PATH,
            dialect="wave",
            title="Payments refactor",
            workdir=WORKSPACE,
            created_at=None,
            git_branch="main",
            last_active_at="2026-03-01T09:00:00.000Z",
            live=self.live,
        )

    def checkpoints(self, transcript: str) -> CheckpointList:
        self._there()
        count = len(self.prompts)
        rows = tuple(
            Checkpoint(
                id=MessageId(f"u{n + 1}"),
                line=2 * n + 2,
                preview=text,
                timestamp=f"2026-03-01T09:{n % 60:02}:00.000Z",
                removes=2 * (count - n),
            )
            for n, text in enumerate(self.prompts)
        )
        return CheckpointList(session_id="1", title="Payments refactor", checkpoints=rows)

    def show(self, transcript: str) -> Conversation:
        self._there()
        messages: list[Message] = []
        for n, text in enumerate(self.prompts):
            messages.append(_message(f"u{n + 1}", 2 * n + 2, "user", text))
            messages.append(_message(f"a{n + 1}", 2 * n + 3, "assistant", f"Done: **{n + 1}**"))
        return Conversation(session_id="1", title="Payments refactor", header=None, messages=tuple(messages))

    def watch(self, workspace: str, changed: Callable[[str], None]) -> Callable[[], None]:
        self.listeners.append(changed)
        return lambda: self.listeners.remove(changed)

    def _there(self) -> None:
        if self.gone:
            raise UnknownMessage(message="session")


@dataclass
class FakeRewinds:
    """Plans what it is told to, and does it to the prompts."""

    sessions: FakeSessions
    files: tuple[FileChange, ...] = (
        file_change("/home/ana/demo/src/main.ts"),
        file_change("/home/ana/demo/tests/new_test.ts", Action.DELETE),
    )
    not_restorable: tuple[NotRestored, ...] = ()
    warnings: tuple[Notice, ...] = ()
    tasks: tuple[Task, ...] = ()
    version: int = 0
    refuse: Refusal | None = None
    fail: Status | None = None
    crash: Exception | None = None
    gate: Event | None = None
    plan_gate: Event | None = None
    calls: list[tuple[str, object]] = field(default_factory=list)
    undone: list[list[str]] = field(default_factory=list)

    def plan(
        self, transcript: str, to: str, *, mode: Mode = Mode.BOTH, leave_out: tuple[str, ...] = (), workspace: str
    ) -> Planned:
        self.calls.append(("plan", to))
        gate, version = self.plan_gate, self.version
        if gate:
            gate.wait(10)
        number = self._number(to)
        kept = tuple(file for file in self.files if file.path not in leave_out)
        lines = tuple(range(2 * number, 2 * len(self.sessions.prompts) + 2))
        plan = RewindPlan(
            kind="rewind",
            session_id="1",
            transcript=PATH,
            dialect="wave",
            mode=mode,
            target=Target(id=MessageId(to), line=2 * number),
            fingerprint=Fingerprint(size=0, sha256=""),
            cut=None,
            removed_lines=lines,
            files=() if mode is Mode.CONVERSATION else kept,
            not_restorable=() if mode is Mode.CONVERSATION else self.not_restorable,
            left_out=tuple(NotRestored(path=path, reason="left_out") for path in leave_out),
            tasks=self.tasks,
            warnings=self.warnings,
            digest=f"{to}/{mode}/{','.join(leave_out)}/{version}",
        )
        return Planned(plan=plan, input_content=self.sessions.prompts[number - 1])

    def rewind(
        self,
        transcript: str,
        to: str,
        *,
        mode: Mode = Mode.BOTH,
        leave_out: tuple[str, ...] = (),
        digest: str | None = None,
        consent: Consent = NO_CONSENT,
        workspace: str,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Outcome:
        self.calls.append(("rewind", consent))
        self._trouble()
        planned = self.plan(transcript, to, mode=mode, leave_out=leave_out, workspace=workspace)
        if digest != planned.plan.digest:
            raise StalePlan
        if self.fail:
            return replace(_outcome(planned, self.fail), error_code="restore_failed", error_text="the disk said no")
        if mode is not Mode.FILES:
            self.undone.append(list(self.sessions.prompts))
            del self.sessions.prompts[self._number(to) - 1 :]
        return _outcome(planned, Status.COMPLETED)

    def plan_undo(self, transcript: str, *, workspace: str) -> Planned:
        planned = self.plan(transcript, "u1", workspace=workspace)
        return Planned(plan=replace(planned.plan, kind="undo", digest="undo"), input_content="")

    def undo(
        self,
        transcript: str,
        *,
        digest: str | None = None,
        consent: Consent = NO_CONSENT,
        workspace: str,
        progress: Callable[[int, int], None] | None = None,
    ) -> Outcome:
        self.calls.append(("undo", consent))
        planned = self.plan_undo(transcript, workspace=workspace)
        self.sessions.prompts[:] = self.undone.pop()
        return replace(_outcome(planned, Status.COMPLETED), undo=False, removed=0, input_content="")

    def undoable(self, *, workspace: str) -> str:
        return PATH

    def _trouble(self) -> None:
        if self.gate:
            self.gate.wait(10)
        if self.crash:
            raise self.crash
        if self.refuse:
            raise self.refuse

    def _number(self, to: str) -> int:
        name = to.partition("@")[0].removeprefix("u")
        number = int(name) if name.isdigit() else sys.maxsize
        if number > len(self.sessions.prompts):
            raise UnknownMessage(message=to)
        return number


@dataclass
class FakeServices:
    """What a panel uses of ``Services``."""

    sessions: FakeSessions = field(default_factory=FakeSessions)
    rewinds: FakeRewinds = field(init=False)
    demos: list[str] = field(default_factory=list)
    demo_error: OSError | None = None
    demo_gate: Event | None = None

    def __post_init__(self) -> None:
        self.rewinds = FakeRewinds(sessions=self.sessions)

    def demo(self, folder: str) -> Laid:
        """Makes a demo: from now on the session is there, in another project."""
        self.demos.append(folder)
        if self.demo_gate:
            self.demo_gate.wait(10)
        if self.demo_error:
            raise self.demo_error
        self.sessions.gone, self.sessions.elsewhere = False, True
        return Laid(session_id=SessionId("1"), workspace=folder, transcript=PATH)


def _message(name: str, line: int, role: str, text: str) -> Message:
    return Message(
        id=MessageId(name),
        line=line,
        role=role,
        text=text,
        blocks=({"type": "text", "content": text},),
        checkpoint=role == "user",
        timestamp="2026-03-01T09:00:00.000Z",
    )


def _outcome(planned: Planned, status: Status) -> Outcome:
    plan = planned.plan
    return Outcome(
        operation_id=OperationId("20260301T090000-ab"),
        status=status,
        input_content=planned.input_content,
        removed=len(plan.removed_lines),
        restored=tuple(file.path for file in plan.files),
        not_restored=(*plan.not_restorable, *plan.left_out),
        stopped_tasks=(),
        undo=True,
        resume=None,
        forked_to=None,
        warnings=(),
    )
