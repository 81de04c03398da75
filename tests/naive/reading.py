"""List, cut, fold and undo of a Wave transcript in the plainest words that can be said in Python.

Nothing here is fast, incremental or careful; it is only obviously what decisions S1 to S4, S19 and S21 say.
"""

import json
from dataclasses import dataclass
from typing import Any

BOM = b"\xef\xbb\xbf"
ROLES = ("user", "assistant")


@dataclass(frozen=True)
class Row:
    """One physical line, 1-based. ``kind``: header, title, message, half (a broken one), unknown, blank, bad."""

    number: int
    data: bytes
    kind: str
    value: Any


@dataclass(frozen=True)
class Prompt:
    """One row of the ``/rewind`` list."""

    id: str
    line: int
    text: str


def rows(data: bytes) -> list[Row]:
    """Every line of a file."""
    pieces = data.split(b"\n")
    lines = [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
    return [Row(number, line, *_kind(line, number == 1)) for number, line in enumerate(lines, start=1)]


def _kind(line: bytes, first: bool) -> tuple[str, Any]:
    body = line.removesuffix(b"\n")
    if first:
        body = body.removeprefix(BOM)
    if not body.strip():
        return "blank", None
    try:
        value = json.loads(body.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return "bad", None
    if not isinstance(value, dict):
        return "unknown", value
    if value.get("type") == "metadata" and "blocks" not in value:
        return "header", value
    if value.get("type") == "custom-title" and "blocks" not in value:
        return "title", value
    if not {"timestamp", "role", "blocks"} <= set(value):
        return "unknown", value
    blocks = value["blocks"]
    whole = isinstance(blocks, list) and all(isinstance(block, dict) for block in blocks) and value["role"] in ROLES
    return ("message" if whole else "half"), value


def typed(message: dict[str, Any]) -> str:
    """What the user typed: the first text block, raw."""
    for block in message["blocks"]:
        if block.get("type") == "text":
            return str(block.get("content", ""))
    return ""


def hidden(message: dict[str, Any]) -> bool:
    """Whether the user never sees it."""
    return bool(message.get("isMeta"))


def is_prompt(message: dict[str, Any]) -> bool:
    """A visible message the user typed; structure decides, never text."""
    if message["role"] != "user" or hidden(message) or not isinstance(message.get("id"), str):
        return False
    kinds = [block.get("type") for block in message["blocks"]]
    hooked = any(block.get("type") == "text" and block.get("source") == "hook" for block in message["blocks"])
    return "task_notification" not in kinds and "bang" not in kinds and not hooked


def prompts(data: bytes) -> list[Prompt]:
    """The list: first copies, in file order."""
    found: list[Prompt] = []
    seen: set[tuple[str, str, str]] = set()
    for row in rows(data):
        if row.kind == "message" and is_prompt(row.value):
            copy = (row.value["id"], row.value["timestamp"], typed(row.value))
            if copy not in seen:
                found.append(Prompt(row.value["id"], row.number, typed(row.value)))
            seen.add(copy)
    return found


def fold(data: bytes) -> list[str]:
    """Ids the model sees: from the last summary on."""
    messages = [row.value for row in rows(data) if row.kind == "message"]
    start = 0
    for number, message in enumerate(messages):
        if any(block.get("type") == "compact" for block in message["blocks"]):
            start = number
    return [message.get("id", "") for message in messages[start:]]


def title(data: bytes) -> str | None:
    """The title the user gave last."""
    named = [str(row.value.get("customTitle", "")).strip() for row in rows(data) if row.kind == "title"]
    named = [name for name in named if name]
    return named[-1] if named else None


def kept_lines(data: bytes, target: int) -> list[int]:
    """Numbers of the lines that stay when the prompt on line ``target`` goes."""
    every = rows(data)
    first_prompt = min((prompt.line for prompt in prompts(data)), default=target)
    before = [row for row in every if row.kind == "message" and row.number < target]
    cut = target
    if target == first_prompt or all(hidden(row.value) for row in before):
        cut = before[0].number if before else target
    return [row.number for row in every if row.number < cut or row.kind in ("header", "title", "unknown")]


def last_title_row(data: bytes) -> Row | None:
    """The title line that is repeated at the end."""
    named = [row for row in rows(data) if row.kind == "title" and str(row.value.get("customTitle", "")).strip()]
    return named[-1] if named else None


def kept_bytes(data: bytes, target: int) -> bytes:
    """The kept lines, byte for byte, ending in a newline if there are any."""
    every = rows(data)
    kept = b"".join(every[number - 1].data for number in kept_lines(data, target))
    return kept if not kept or kept.endswith(b"\n") else kept + b"\n"


def matches_cut(after: bytes, data: bytes, target: int) -> bool:
    """Whether a file is what a cut before ``target`` must leave: kept bytes, then the last title once more."""
    kept = kept_bytes(data, target)
    if not after.startswith(kept):
        return False
    again = last_title_row(data)
    rest = after[len(kept) :]
    if again is None:
        return rest == b""
    return rest.endswith(b"\n") and rest.count(b"\n") == 1 and json.loads(rest) == again.value
