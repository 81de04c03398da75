"""File changes a Wave transcript records, read as recovery points, and tools that may have changed files unrecorded.

Source: ``file_history`` blocks of Wave (469391bb): ``operation == "create"`` wins over "a backup exists";
a snapshot belongs to the message that carries it; copies after a compaction repeat it.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from respool.model.filestate import ABSENT, FileState, Kind
from respool.model.message import JsonObject
from respool.model.plan import Notice
from respool.model.recovery import RecoveryPoint
from respool.storage.files.wave import decode

RECORDED_TOOLS = {"Write", "Edit", "MultiEdit", "Delete", "TaskCreate", "TaskUpdate", "TodoWrite"}
WRITING_TOOLS = {"Write", "Edit", "MultiEdit"}
READING_TOOLS = {
    "Read", "Glob", "Grep", "LS", "LSP", "WebFetch", "WebSearch", "TaskGet", "TaskList", "TaskOutput", "TaskStop",
    "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "BashOutput", "KillBash",
    "CronCreate", "CronList", "CronDelete",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Records:
    """What the removed messages say about files. ``paths`` may hold names that cannot be restored at all."""

    points: tuple[RecoveryPoint, ...]
    warnings: tuple[Notice, ...]
    last_change: Mapping[str, tuple[int | None, str]]
    """Path → epoch milliseconds and operation of the newest record of it."""
    agents: tuple[str, ...] = ()
    """Session ids of sub-agents, where a block names them (Wave did until 2026-02)."""


def records(messages: Iterable[tuple[int, JsonObject]], history_roots: tuple[str, ...]) -> Records:
    """Collect the records of messages given as ``(line, message)`` in file order, copies of kept ones left out."""
    points: list[RecoveryPoint] = []
    warnings: list[Notice] = []
    latest: dict[str, tuple[int | None, str]] = {}
    writes: list[tuple[int, str, str]] = []
    agents: dict[str, None] = {}
    seen: set[tuple[str, object, str, str]] = set()
    for line, message in messages:
        for order, snapshot in enumerate(_snapshots(message)):
            point = _point(snapshot, (line, order), history_roots)
            if point is None:
                warnings.append(unreadable(line))
                continue
            identity = (
                point.path,
                snapshot.get("timestamp"),
                str(snapshot.get("snapshotPath")),
                str(snapshot.get("operation")),
            )
            if identity in seen:
                continue
            seen.add(identity)
            points.append(point)
            latest[point.path] = (point.changed_ms, str(snapshot.get("operation")))
        warnings.extend(_not_captured(line, message))
        writes.extend(_writes(line, message))
        agents.update(dict.fromkeys(_agents(message)))
    paths = {point.path for point in points}
    warnings.extend(_not_recorded(line, tool) for line, tool, path in writes if path not in paths)
    return Records(points=tuple(points), warnings=tuple(warnings), last_change=latest, agents=tuple(agents))


def _agents(message: JsonObject) -> Iterator[str]:
    for block in message["blocks"]:
        session = block.get("sessionId") if block.get("type") == "subagent" else None
        if isinstance(session, str):
            yield session


def _snapshots(message: JsonObject) -> Iterator[Mapping[str, Any]]:
    for block in message["blocks"]:
        if block.get("type") != "file_history":
            continue
        snapshots = block.get("snapshots")
        for snapshot in snapshots if isinstance(snapshots, list) else [None]:
            yield snapshot if isinstance(snapshot, dict) else {}


def _point(snapshot: Mapping[str, Any], seq: tuple[int, int], roots: tuple[str, ...]) -> RecoveryPoint | None:
    path, backup, operation = snapshot.get("filePath"), snapshot.get("snapshotPath"), snapshot.get("operation")
    stamp = snapshot.get("timestamp")
    changed_ms = int(stamp) if isinstance(stamp, int | float) and abs(stamp) < 1e16 else None
    if not isinstance(path, str) or not path or operation not in ("create", "modify", "delete"):
        return None
    before: FileState | None
    if not os.path.isabs(path) or "\0" in path or _unencodable(path):
        before, source, problem = None, None, "bad_path"
    elif operation == "create":
        before, source, problem = ABSENT, None, None
    elif not isinstance(backup, str) or not backup:
        before, source, problem = None, None, "missing_backup"
    else:
        before, source, problem = _backup_state(backup, roots)
    name = os.path.normpath(path) if problem != "bad_path" else path
    return RecoveryPoint(seq=seq, path=name, before=before, source=source, changed_ms=changed_ms, problem=problem)


def _unencodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return True
    return False


def _backup_state(backup: str, roots: tuple[str, ...]) -> tuple[FileState | None, str | None, str | None]:
    """State a backup stands for; its bytes are hashed when the plan is made. Kind and place are checked here."""
    if "\0" in backup or _unencodable(backup) or not os.path.isabs(backup):
        return None, None, "outside_history"
    name = os.path.normpath(backup)
    inside = [root for root in roots if name.startswith(root + os.sep)]
    if not inside:
        return None, None, "outside_history"
    if not os.path.lexists(name):
        return None, None, "missing_backup"
    if not any(os.path.realpath(name).startswith(os.path.realpath(root) + os.sep) for root in inside):
        return None, None, "outside_history"
    return FileState(kind=Kind.FILE), name, None


def _not_captured(line: int, message: JsonObject) -> Iterator[Notice]:
    for block in message["blocks"]:
        tool = _unrecorded_tool(block)
        if tool:
            yield _not_recorded(line, tool)


def _not_recorded(line: int, tool: str) -> Notice:
    return Notice(
        code="not_captured",
        text="what {tool} on line {line} did to files was not recorded and stays",
        params={"tool": tool, "line": line},
    )


def _writes(line: int, message: JsonObject) -> Iterator[tuple[int, str, str]]:
    """Finished writes by name: a hook that stops the turn makes Wave lose their record."""
    for block in message["blocks"]:
        if block.get("type") != "tool" or block.get("name") not in WRITING_TOOLS or block.get("success") is not True:
            continue
        parameters = decode(str(block.get("parameters", "")).encode("utf-8", "surrogatepass"))
        path = parameters.get("file_path") if isinstance(parameters, dict) else None
        if isinstance(path, str) and os.path.isabs(path):
            yield line, str(block["name"]), os.path.normpath(path)


def _unrecorded_tool(block: Mapping[str, Any]) -> str:
    if block.get("type") == "bang":
        return "!"
    if block.get("type") == "subagent":
        return "Agent"
    if block.get("type") != "tool" or block.get("stage") == "streaming":
        return ""
    name = block.get("name")
    if not isinstance(name, str) or name in RECORDED_TOOLS | READING_TOOLS:
        return ""
    return name[:80] or "?"


def unreadable(line: int) -> Notice:
    """A record of the removed range that says nothing."""
    return Notice(
        code="unreadable_record",
        text="line {line} cannot be read, so some file change may be unknown",
        params={"line": line},
    )
