"""Records as Claude Code writes them, as short as a test needs them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SESSION = "5e551041-0000-4000-8000-000000000001"
WORKDIR = "/home/ana/demo"
Rec = dict[str, Any]


def row(kind: str, uuid: str, parent: str | None, content: Any = "", **more: Any) -> Rec:
    """A row of the tree. ``content``: of its message."""
    found: Rec = {"parentUuid": parent, "isSidechain": False, "cwd": WORKDIR, "sessionId": SESSION, "type": kind}
    if kind in ("user", "assistant"):
        found["message"] = {"role": kind, "content": content}
    return found | {"uuid": uuid, "timestamp": "2026-03-01T09:00:00.000Z"} | more


def user(uuid: str, parent: str | None, text: str = "", **more: Any) -> Rec:
    """A typed prompt."""
    return row("user", uuid, parent, text or f"text of {uuid}", **more)


def said(uuid: str, parent: str | None, **more: Any) -> Rec:
    """An answer in words."""
    return row("assistant", uuid, parent, [{"type": "text", "text": f"text of {uuid}"}], **more)


def call(uuid: str, parent: str | None, ident: str, tool: str, given: Any = None, **more: Any) -> Rec:
    """A tool call."""
    block = {"type": "tool_use", "id": ident, "name": tool, "input": given or {}}
    return row("assistant", uuid, parent, [block], **more)


def result(uuid: str, parent: str | None, ident: str, text: str = "ok", *, failed: bool = False, **more: Any) -> Rec:
    """What a tool answered."""
    block = {"type": "tool_result", "tool_use_id": ident, "content": text, "is_error": failed}
    return row("user", uuid, parent, [block], **more)


def queued(uuid: str, parent: str, text: str, **more: Any) -> Rec:
    """A prompt taken up in the middle of a turn."""
    attached = {"type": "queued_command", "prompt": text, "commandMode": "prompt", "origin": {"kind": "human"}} | more
    return row("attachment", uuid, parent, attachment=attached)


def boundary(uuid: str, before: str | None, **compaction: Any) -> Rec:
    """A compaction; ``compaction``: its ``compactMetadata``."""
    return row("system", uuid, None, subtype="compact_boundary", logicalParentUuid=before, compactMetadata=compaction)


def summary(uuid: str, parent: str) -> Rec:
    """What a compaction makes of what was before."""
    return user(uuid, parent, f"summary {uuid}", isCompactSummary=True)


def hint(leaf: str, **more: Any) -> Rec:
    """A ``last-prompt`` line."""
    return {"type": "last-prompt", "leafUuid": leaf, "sessionId": SESSION} | more


def snapshot(prompt: str, tracked: Rec | None = None, **more: Any) -> Rec:
    """A file history snapshot; ``tracked``: key → backup entry."""
    inner = {"messageId": prompt, "trackedFileBackups": tracked or {}, "timestamp": "2026-03-01T09:00:00.000Z"}
    return {"type": "file-history-snapshot", "messageId": prompt, "snapshot": inner | more, "isSnapshotUpdate": False}


def delta(prompt: str, message: str, key: str, entry: Rec) -> Rec:
    """A file added to a snapshot."""
    names = {"messageId": message, "snapshotMessageId": prompt, "trackingPath": key}
    return {"type": "file-history-delta", **names, "backup": entry, "timestamp": "2026-03-01T09:00:00.000Z"}


def entry(name: str | None, parent: str | None = None) -> Rec:
    """A backup entry; ``None``: there was no such file."""
    found: Rec = {"backupFileName": name, "version": 1, "backupTime": "2026-03-01T09:00:00.000Z"}
    return found | ({"realParentDir": parent} if parent else {})


def lines(records: Iterable[Rec]) -> bytes:
    """Records as a transcript holds them."""
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)


def write(folder: Path, records: Iterable[Rec]) -> str:
    """A transcript below a folder; its path."""
    path = folder / f"{SESSION}.jsonl"
    path.write_bytes(lines(records))
    return str(path)
