"""The Wave dialect: what one line of a transcript is.

Format: JSON Lines as written by Wave (469391bb), read leniently. A record is a message when it carries
``timestamp``, ``role`` and ``blocks``; ``{"type": "metadata"}`` is the header, ``{"type": "custom-title"}`` a title;
anything else that is JSON is unknown to us and none of our business.
"""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import msgspec

from respool.model.message import JsonObject

BOM = b"\xef\xbb\xbf"
RESERVED = {"metadata", "custom-title"}
MESSAGE_KEYS = {"timestamp", "role", "blocks"}
_SURROGATE = re.compile("[\ud800-\udfff]")
PREVIEW_CHARACTERS = 200


class LineKind(StrEnum):
    """What a line is to a rewind."""

    HEADER = "header"
    TITLE = "title"
    MESSAGE = "message"
    UNKNOWN = "unknown"
    BLANK = "blank"
    BAD = "bad"
    """Not JSON, or a message whose parts have the wrong types: nothing in it can be relied on."""


class _Block(msgspec.Struct, gc=False):
    type: str = ""


class _AssistantRecord(msgspec.Struct, gc=False):
    """The usual case, proven without building its contents. Anything else takes the slow way."""

    timestamp: str
    id: str
    role: Literal["assistant"]
    blocks: list[_Block]
    isMeta: Any = False  # noqa: N815 - the name on the wire


_fast = msgspec.json.Decoder(_AssistantRecord)
_quick = msgspec.json.Decoder()
_ASSISTANT = b'"role":"assistant"'
_HEAD_BYTES = 200


@dataclass(frozen=True, slots=True)
class Record:
    """A classified line. ``value`` is decoded JSON, or ``None`` where it was not needed (assistant messages)."""

    kind: LineKind
    value: Any = None
    timestamp: str = ""
    id: str = ""
    hidden: bool = False
    block_types: tuple[str, ...] = ()

    @property
    def user(self) -> bool:
        """Whether the message is in the user's name (not necessarily typed)."""
        return self.value is not None and self.kind is LineKind.MESSAGE and self.value["role"] == "user"


_BLANK = Record(LineKind.BLANK)
_BAD = Record(LineKind.BAD)


def classify(data: bytes | None, *, first: bool = False) -> Record:
    """Tell what a line is. Never raises; ``data`` is ``None`` for a line too long to decode."""
    if data is None:
        return _BAD
    if first and data.startswith(BOM):
        data = data[len(BOM) :]
    if _ASSISTANT not in data[:_HEAD_BYTES]:
        return _classify_slowly(data)
    try:
        quick = _fast.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _classify_slowly(data)
    kinds = tuple({block.type for block in quick.blocks})
    return Record(LineKind.MESSAGE, None, quick.timestamp, quick.id, bool(quick.isMeta), kinds)


def _classify_slowly(data: bytes) -> Record:
    if not data.strip():
        return _BLANK
    value = decode(data)
    if value is _UNDECODABLE:
        return _BAD
    if not isinstance(value, dict):
        return Record(LineKind.UNKNOWN, value)
    if value.get("type") == "metadata" and "blocks" not in value:
        return Record(LineKind.HEADER, value)
    if value.get("type") == "custom-title" and "blocks" not in value:
        return Record(LineKind.TITLE, value)
    if not value.keys() >= MESSAGE_KEYS:
        return Record(LineKind.UNKNOWN, value)
    return _message(value)


def _message(value: dict[str, Any]) -> Record:
    blocks = value["blocks"]
    sound = (
        isinstance(value["timestamp"], str)
        and value["role"] in ("user", "assistant")
        and isinstance(value.get("id", ""), str)
        and isinstance(blocks, list)
        and all(isinstance(block, dict) for block in blocks)
    )
    if not sound:
        return _BAD
    kinds = tuple({str(block.get("type", "")) for block in blocks})
    return Record(LineKind.MESSAGE, value, value["timestamp"], value.get("id", ""), bool(value.get("isMeta")), kinds)


_UNDECODABLE = object()


def decode(data: bytes) -> Any:
    """JSON value of a line, or a private marker. Bytes that are not UTF-8 become surrogate escapes."""
    try:
        return _quick.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        # It refuses lone surrogates, bytes that are not UTF-8 and NaN, which must do for us.
        pass
    try:
        return json.loads(data.decode("utf-8", "surrogateescape"), parse_int=_integer)
    except (ValueError, RecursionError):
        return _UNDECODABLE


def message_value(data: bytes, *, first: bool = False) -> dict[str, Any]:
    """Decoded message of a line that ``classify`` called one."""
    value = decode(data[len(BOM) :] if first and data.startswith(BOM) else data)
    return value if isinstance(value, dict) else {}


def shown_message(data: bytes, *, first: bool = False) -> dict[str, Any]:
    """Decoded message whose every text can be encoded; the quick way where nothing in it can be a lone surrogate."""
    if not first and b"\\u" not in data:
        try:
            value = _quick.decode(data)
            return value if isinstance(value, dict) else {}
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            pass
    value = shown_deep(message_value(data, first=first))
    return value if isinstance(value, dict) else {}


def _integer(digits: str) -> int:
    """Python refuses integers of more than 4300 digits; nothing here needs their value."""
    return int(digits) if len(digits) < 4000 else 0


def is_checkpoint(value: JsonObject) -> bool:
    """Visible, typed human message: by structure, never by text (spec story 4, scenario 7)."""
    if value["role"] != "user" or value.get("isMeta") or not value.get("id"):
        return False
    for block in value["blocks"]:
        if block.get("type") in ("task_notification", "bang"):
            return False
        if block.get("type") == "text" and block.get("source") == "hook":
            return False
    return True


def typed_text(value: JsonObject) -> str:
    """What the user typed: the first text block, as it stands (not the expanded command)."""
    for block in value["blocks"]:
        if block.get("type") == "text":
            content = block.get("content")
            return content if isinstance(content, str) else ""
    return ""


def preview(text: str) -> str:
    """One bounded line of a text: trimmed, white space collapsed."""
    return shown(" ".join(text[: PREVIEW_CHARACTERS * 20].split())[:PREVIEW_CHARACTERS])


def shown(text: str) -> str:
    """A text that any encoder takes: lone surrogates become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def shown_deep(value: Any) -> Any:
    """``shown`` for every string inside a JSON value."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, list):
        return [shown_deep(item) for item in value]
    if isinstance(value, dict):
        return {shown(key): shown_deep(item) for key, item in value.items()}
    return value


def title_of(value: JsonObject) -> str:
    """The title a ``custom-title`` record sets, trimmed; an empty one sets nothing."""
    title = value.get("customTitle")
    return title.strip() if isinstance(title, str) else ""
