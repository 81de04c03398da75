"""Values of the model, made for tests of the wire."""

from typing import Any

from respool.model.filestate import ABSENT, FileState, Kind
from respool.model.ids import BlobId, MessageId, OperationId
from respool.model.operation import Outcome, Status
from respool.model.plan import Action, FileChange, Mode, Notice, NotRestored, RewindPlan, Target
from respool.model.transcript import Fingerprint, Live, SessionInfo
from respool.service.plans import Planned

WRITTEN = FileState(kind=Kind.FILE, size=3, mode=0o644, sha256=BlobId("ab" * 32))


def change(**fields: Any) -> FileChange:
    """A file that would be restored."""
    path = fields.get("path", "/w/a.txt")
    given = {"path": path, "real_path": path, "action": Action.RESTORE, "before": WRITTEN, "now": ABSENT, **fields}
    return FileChange(**given)


def plan(**fields: Any) -> RewindPlan:
    """A plan that removes lines 4 and 5."""
    given: dict[str, Any] = {
        "kind": "rewind",
        "session_id": "s1",
        "transcript": "/h/s1.jsonl",
        "dialect": "wave",
        "mode": Mode.BOTH,
        "target": Target(id=MessageId("u2"), line=4),
        "fingerprint": Fingerprint(size=9, sha256="cd" * 32),
        "cut": None,
        "removed_lines": (4, 5),
        "files": (change(added=1, deleted=2),),
        "not_restorable": (),
        "left_out": (),
        "digest": "d1",
    }
    return RewindPlan(**{**given, **fields})


def planned(**fields: Any) -> Planned:
    """A plan and the text that goes back into the input."""
    text = fields.pop("input_content", "hello")
    return Planned(plan=plan(**fields), input_content=text)


def outcome(**fields: Any) -> Outcome:
    """A rewind that worked."""
    given: dict[str, Any] = {
        "operation_id": OperationId("20260101T000000Z-abcd"),
        "status": Status.COMPLETED,
        "input_content": "hello",
        "removed": 2,
        "restored": ("/w/a.txt",),
        "not_restored": (NotRestored(path="/w/b.txt", reason="left_out"),),
        "stopped_tasks": (),
        "undo": True,
        "resume": None,
        "forked_to": None,
        "warnings": (Notice(code="not_captured", text="{tool} at {line}", params={"tool": "Bash", "line": 7}),),
    }
    return Outcome(**{**given, **fields})


def session(**fields: Any) -> SessionInfo:
    """A row of the session list."""
    given: dict[str, Any] = {
        "session_id": "s1",
        "path": "/h/s1.jsonl",
        "dialect": "wave",
        "title": "A title",
        "workdir": "/w",
        "created_at": None,
        "git_branch": None,
        "last_active_at": "2026-01-01T00:00:00Z",
        "live": Live.NO,
    }
    return SessionInfo(**{**given, **fields})
