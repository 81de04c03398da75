"""Small transcripts for tests of single rules."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cases.play import message
from tests.harness.place import Place, lines

SESSION = "7e551041-0000-4000-8000-000000000001"


def header(place: Place) -> dict[str, Any]:
    """First line of a session in the workspace."""
    created = "2026-03-01T08:59:30.000Z"
    return {"type": "metadata", "workdir": str(place.work.resolve()), "createdAt": created, "gitBranch": "main"}


def user(number: int, text: str | None = None, **extra: Any) -> dict[str, Any]:
    """Prompt ``msg-u<number>``."""
    return message(f"msg-u{number}", "user", f"question {number}" if text is None else text, number, **extra)


def answer(number: int, *blocks: Mapping[str, Any], **extra: Any) -> dict[str, Any]:
    """Its answer ``msg-a<number>``."""
    return message(f"msg-a{number}", "assistant", f"answer {number}", number, *blocks, **extra)


def summary(number: int) -> dict[str, Any]:
    """A compaction."""
    blocks = [{"type": "compact", "content": f"Summary {number}"}]
    return {
        "timestamp": f"2026-03-01T12:{number:02d}:00.000Z",
        "id": f"msg-c{number}",
        "role": "assistant",
        "blocks": blocks,
    }


def title(text: str) -> dict[str, Any]:
    """A name the user gave."""
    return {"type": "custom-title", "customTitle": text, "sessionId": SESSION}


def snapshot(
    path: "str | Path", operation: str, backup: "str | Path" = "", at_ms: int = 1_772_355_600_000
) -> dict[str, Any]:
    """A ``file_history`` block with one change."""
    one = {
        "messageId": "msg-a1",
        "filePath": str(path),
        "timestamp": at_ms,
        "operation": operation,
        "snapshotPath": str(backup),
    }
    return {"type": "file_history", "snapshots": [one]}


def write(place: Place, *records: Mapping[str, Any]) -> Path:
    """Header and records as a session of the workspace."""
    return place.session(lines([header(place), *records]), session=SESSION)


def turns(count: int) -> list[dict[str, Any]]:
    """``count`` prompts with their answers."""
    return [record for number in range(1, count + 1) for record in (user(number), answer(number))]


def backup(place: Place, name: str, data: bytes, folder: str = SESSION) -> Path:
    """A copy in a history folder."""
    path = place.home / ".wave" / "file-history" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
