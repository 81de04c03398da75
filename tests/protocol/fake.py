"""Services in memory, with handles a test can pull: hold a call, let it fail, see what was asked."""

import sys
import threading
from collections.abc import Callable
from typing import Any, cast

from respool.model.errors import LiveAgent, NotRestorable, StalePlan, UnknownMessage, UnknownSession
from respool.model.ids import MessageId
from respool.model.message import Conversation, Message
from respool.model.operation import Outcome, Status
from respool.model.plan import Consent
from respool.model.recording import Laid
from respool.model.transcript import Checkpoint, CheckpointList, SessionInfo
from respool.service.plans import Planned
from respool.service.services import Services
from tests.protocol import made

HOLDS = threading.Event()
"""Set by nobody: a call that waits for it is running until its process ends or it is cancelled."""

TIMEOUT_S = 60


class FakeSessions:
    """One session, ``s1``; other names do what they say."""

    def __init__(self) -> None:
        self.changed: Callable[[str], None] = lambda transcript: None

    def list(self, workspace: str, *, every_project: bool = False) -> tuple[SessionInfo, ...]:
        """The rows; their workdir says whose list this is."""
        rows = (made.session(workdir=workspace),)
        return rows * 2 if every_project else rows

    def find(self, session: str | None, *, workspace: str) -> str:
        """``crash`` raises, ``print`` writes to stdout, ``hold`` never returns, ``s1`` is there."""
        if session == "crash":
            raise ZeroDivisionError("secret text of the user")
        if session == "print":
            print("a library said hello")
            sys.__stdout__.write("and again, by the old name")  # type: ignore[union-attr]
            sys.__stdout__.flush()  # type: ignore[union-attr]
        if session == "hold":
            HOLDS.wait(TIMEOUT_S)
        if session == "unknown":
            raise UnknownSession(session=session)
        return f"/h/{session or 's1'}.jsonl"

    def info(self, transcript: str) -> SessionInfo:
        """The row of a transcript."""
        return made.session(path=transcript)

    def checkpoints(self, transcript: str) -> CheckpointList:
        """One row, or ten thousand."""
        count = 10_000 if "many" in transcript else 1
        rows = tuple(
            Checkpoint(id=MessageId(f"u{n}"), line=n + 1, preview=f"prompt {n}", timestamp="", removes=count - n)
            for n in range(count)
        )
        return CheckpointList(session_id="s1", title="A title", checkpoints=rows)

    def show(self, transcript: str) -> Conversation:
        """A message that holds a message of another protocol."""
        block = {"type": "tool", "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"class": 1, "a b": 2}}
        message = Message(id=MessageId("u1"), line=1, role="user", text="hi \ufffd", blocks=(block,), checkpoint=True)
        return Conversation(session_id="s1", title="A title", header={"jsonrpc": "2.0"}, messages=(message,))

    def watch(self, workspace: str, changed: Callable[[str], None]) -> Callable[[], None]:
        """Keeps the callback."""
        self.changed = changed
        return lambda: None


class FakeRewinds:
    """Records what was asked; the id of the target says what happens."""

    def __init__(self, operations: "FakeOperations") -> None:
        self.calls: list[dict[str, Any]] = []
        self._operations = operations

    def plan(self, transcript: str, to: str, **asked: Any) -> Planned:
        """A plan with one file."""
        self.calls.append({"transcript": transcript, "to": to, **asked})
        if to == "gone":
            raise UnknownMessage(message=to)
        return made.planned()

    def rewind(self, transcript: str, to: str, **asked: Any) -> Outcome:
        """``stale``, ``needs``, ``fails``, ``broken`` and ``slow`` do what they say."""
        assert self._operations.settled.is_set()
        self.calls.append({"transcript": transcript, "to": to, **asked})
        consent: Consent = asked["consent"]
        if to == "stale":
            raise StalePlan
        if to == "needs" and not consent.partial:
            raise NotRestorable(count=2, needs=("partial",))
        if to == "needs" and not consent.live:
            raise LiveAgent(needs=("live",))
        if to == "fails":
            return made.outcome(status=Status.FAILED, error_code="restore_failed", error_text="no room", undo=False)
        if to == "broken":
            return made.outcome(status=Status.REPAIR_REQUIRED, error_code="restore_failed", error_text="no room")
        if asked["progress"] is not None:
            for done in range(3):
                asked["progress"](done, 2)
        if to == "slow":
            poll = threading.Event()
            while not asked["cancelled"]():
                poll.wait(0.01)
            return made.outcome(status=Status.FAILED, error_code="cancelled", error_text="cancelled", undo=False)
        return made.outcome()

    def plan_undo(self, transcript: str, **asked: Any) -> Planned:
        """A plan."""
        self.calls.append({"transcript": transcript, "undo": True, **asked})
        return made.planned(kind="undo", input_content="")

    def undo(self, transcript: str, **asked: Any) -> Outcome:
        """Works."""
        self.calls.append({"transcript": transcript, "undo": True, **asked})
        return made.outcome(undo=False)

    def undoable(self, *, workspace: str) -> str:
        """The newest."""
        return "/h/newest.jsonl"


class FakeOperations:
    """Nothing to settle, or so it says."""

    def __init__(self) -> None:
        self.settled = threading.Event()

    def settle(self) -> None:
        """Done once."""
        self.settled.set()


class FakeRetention:
    """Nothing is old."""

    def daily_aside(self) -> None:
        """Nothing to do."""


def services() -> Services:
    """All of them."""
    sessions, operations = FakeSessions(), FakeOperations()
    rewinds = FakeRewinds(operations)
    return Services(
        sessions=cast(Any, sessions),
        rewinds=cast(Any, rewinds),
        operations=cast(Any, operations),
        retention=cast(Any, FakeRetention()),
    )


def no_demo(folder: str) -> Laid:
    """There is nothing to make one of."""
    raise NotADirectoryError(folder)


if __name__ == "__main__":
    from respool.protocol.lsp import serve_stdio

    sys.exit(serve_stdio(services, no_demo))
