"""Results as the outside sees them: camelCase objects of fixed shapes, and their bytes.

Every door (command line, language server, panel) sends what these functions return. The shapes are part of the
contract, so each is written out: a new field of a model value does not leak by itself.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from respool.model.errors import Refusal
from respool.model.filestate import FileState, Kind
from respool.model.message import Conversation, Message
from respool.model.operation import OperationInfo, Outcome, Status
from respool.model.plan import FileChange, Notice, NotRestored, RewindPlan, Task
from respool.model.transcript import Checkpoint, CheckpointList, SessionInfo
from respool.service.plans import Planned

Json = dict[str, Any]


def session_json(info: SessionInfo) -> Json:
    """A row of the session list."""
    return {
        "sessionId": info.session_id,
        "path": info.path,
        "dialect": info.dialect,
        "title": info.title,
        "workdir": info.workdir,
        "createdAt": info.created_at,
        "gitBranch": info.git_branch,
        "lastActiveAt": info.last_active_at,
        "live": info.live.value,
    }


def sessions_json(infos: Iterable[SessionInfo]) -> Json:
    """``sessions``."""
    return {"sessions": [session_json(info) for info in infos]}


def checkpoint_json(checkpoint: Checkpoint) -> Json:
    """A row of the ``/rewind`` list."""
    return {
        "id": checkpoint.id,
        "line": checkpoint.line,
        "preview": checkpoint.preview,
        "timestamp": checkpoint.timestamp,
        "removes": checkpoint.removes,
    }


def checkpoints_json(found: CheckpointList) -> Json:
    """``checkpoints``."""
    return {
        "sessionId": found.session_id,
        "title": found.title,
        "checkpoints": [checkpoint_json(checkpoint) for checkpoint in found.checkpoints],
    }


def _message_json(message: Message) -> Json:
    return {
        "id": message.id,
        "line": message.line,
        "role": message.role,
        "text": message.text,
        "blocks": list(message.blocks),
        "checkpoint": message.checkpoint,
    }


def show_json(conversation: Conversation) -> Json:
    """``show``."""
    return {
        "sessionId": conversation.session_id,
        "title": conversation.title,
        "header": conversation.header,
        "messages": [_message_json(message) for message in conversation.messages],
    }


def state_json(state: FileState) -> Json | None:
    """What stands at a path; nothing there is ``null``. ``mode`` is octal text: ``"0644"``."""
    if state.kind is Kind.ABSENT:
        return None
    return {
        "kind": state.kind.value,
        "size": state.size,
        "mode": None if state.mode is None else f"{state.mode:04o}",
        "sha256": state.sha256,
    }


def _file_json(change: FileChange) -> Json:
    return {
        "path": change.path,
        "action": change.action.value,
        "before": state_json(change.before),
        "added": change.added,
        "deleted": change.deleted,
        "changedSince": change.changed_since,
        "outside": change.outside,
        "actor": change.actor,
        "how": change.how,
    }


def _not_restored_json(rows: Iterable[NotRestored]) -> list[Json]:
    return [{"path": row.path, "reason": row.reason} for row in rows]


def _task_json(task: Task) -> Json:
    return {"id": task.id, "kind": task.kind, "description": task.description, "stoppable": task.stoppable}


def _warnings_json(notices: Iterable[Notice]) -> list[Json]:
    return [{"code": notice.code, "text": notice.rendered} for notice in notices]


def plan_json(planned: Planned) -> Json:
    """``plan``, also of an undo."""
    plan: RewindPlan = planned.plan
    return {
        "digest": plan.digest,
        "sessionId": plan.session_id,
        "target": {"id": plan.target.id, "line": plan.target.line},
        "mode": plan.mode.value,
        "inputContent": planned.input_content,
        "messages": {"removed": len(plan.removed_lines), "lines": list(plan.removed_lines)},
        "files": [_file_json(change) for change in plan.files],
        "notRestorable": _not_restored_json(plan.not_restorable),
        "tasks": [_task_json(task) for task in plan.tasks],
        "warnings": _warnings_json(plan.warnings),
    }


def outcome_json(outcome: Outcome) -> Json:
    """``rewind``, ``undo``, ``repair``; one that is not completed carries ``error`` too."""
    result: Json = {
        "operation": {"id": outcome.operation_id, "status": outcome.status.value},
        "inputContent": outcome.input_content,
        "removed": outcome.removed,
        "restored": list(outcome.restored),
        "notRestored": _not_restored_json(outcome.not_restored),
        "stoppedTasks": list(outcome.stopped_tasks),
        "undo": outcome.undo,
        "resume": outcome.resume,
        "forkedTo": outcome.forked_to,
        "warnings": _warnings_json(outcome.warnings),
    }
    if outcome.status is not Status.COMPLETED:
        result["error"] = {
            "code": outcome.error_code or outcome.status.value,
            "text": outcome.error_text or "",
            "hint": _failure_hint(outcome),
        }
    return result


def _failure_hint(outcome: Outcome) -> str:
    if outcome.status is Status.REPAIR_REQUIRED:
        return f"See `respool operations`, then `respool repair {outcome.operation_id}`."
    return "What had been restored was taken back; look at the plan again."


def operations_json(rows: Iterable[OperationInfo]) -> Json:
    """``operations``."""
    return {
        "operations": [
            {
                "id": row.id,
                "sessionId": row.session_id,
                "kind": row.kind,
                "mode": row.mode.value,
                "target": row.target,
                "status": row.status.value,
                "startedAt": row.started_at,
                "undoable": row.undoable,
                "leftOver": _not_restored_json(row.left_over),
            }
            for row in rows
        ]
    }


def hint_text(refusal: Refusal) -> str:
    """The hint with what is known filled in; it may name the operation as well as the parameters of the text."""
    known = {"operation": refusal.operation or "OPERATION", **refusal.params}
    return refusal.hint.format_map(defaultdict(str, known))


def refusal_json(refusal: Refusal) -> Json:
    """What is inside ``error``."""
    error: Json = {"code": refusal.code, "text": str(refusal), "hint": hint_text(refusal)}
    if refusal.needs:
        error["needs"] = list(refusal.needs)
    if refusal.operation is not None:
        error["operation"] = refusal.operation
    return error


def error_json(refusal: Refusal) -> Json:
    """What ``--json`` prints for a refusal."""
    return {"error": refusal_json(refusal)}


def to_wire(value: object) -> Json:
    """The object of whatever a service returned for one command."""
    match value:
        case Planned():
            return plan_json(value)
        case Outcome():
            return outcome_json(value)
        case CheckpointList():
            return checkpoints_json(value)
        case Conversation():
            return show_json(value)
        case SessionInfo():
            return session_json(value)
        case Refusal():
            return error_json(value)
        case _:
            raise TypeError(f"no wire shape for {type(value).__name__}")


def dumps(value: object) -> bytes:
    """One line of UTF-8 JSON. A lone surrogate (a path that is not UTF-8) becomes a ``\\udcXX`` escape."""
    try:
        return msgspec.json.encode(value, enc_hook=_plain)
    except UnicodeEncodeError:
        text = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8", "backslashreplace")


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def _finite(value: object) -> object:
    """The same value with plain containers, and ``null`` for the numbers JSON has no word for."""
    match value:
        case float() if not math.isfinite(value):
            return None
        case Mapping():
            return {key: _finite(member) for key, member in value.items()}
        case list() | tuple():
            return [_finite(member) for member in value]
        case _:
            return value
