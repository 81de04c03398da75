"""The Claude Code dialect: what one line of a transcript is.

Format: JSON Lines as written by Claude Code (2.1.332; older ones leniently). A record with a ``uuid`` and one of the
types of ``CHAIN`` is a row of the tree that ``parentUuid`` spans; anything else is state of the file. The request log
(``api-request*``) is the bulk of a file and none of our business: it is passed over without being decoded.
"""

import json
from enum import StrEnum
from typing import Any

import msgspec

from respool.storage.files.wave import BOM

CHAIN = frozenset({"user", "assistant", "system", "attachment", "progress"})
NO_UUID = "00000000-0000-0000-0000-000000000000"
_REQUEST_LOG = b'{"type":"api-request'
_UUID_KEY = b'"uuid"'


class LineKind(StrEnum):
    """What a line is to us."""

    ROW = "row"
    STATE = "state"
    """A record of its own: titles, file history, settings, anything unknown."""
    REQUEST = "request"
    BLANK = "blank"
    BAD = "bad"
    """Not JSON, or no object."""


class Block(msgspec.Struct, gc=False):
    """A part of a message; only what tells rows apart."""

    type: str = ""
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    text: str | None = None


Content = str | list[Block] | None


class Body(msgspec.Struct, gc=False):
    """The message of a row."""

    id: str | None = None
    content: Content = None


class Origin(msgspec.Struct, gc=False):
    """Who wrote a prompt."""

    kind: str | None = None


class Attached(msgspec.Struct, gc=False, rename="camel"):
    """What hangs in the tree beside messages."""

    type: str = ""
    prompt: Content = None
    command_mode: str | None = None
    origin: Origin | None = None
    is_meta: bool | None = None


class Segment(msgspec.Struct, gc=False, rename="camel"):
    """Ends of the rows a compaction preserved."""

    head_uuid: str | None = None
    tail_uuid: str | None = None
    anchor_uuid: str | None = None


class Preserved(msgspec.Struct, gc=False, rename="camel"):
    """The rows a compaction preserved, and the row they follow."""

    anchor_uuid: str | None = None
    uuids: list[str] = []
    all_uuids: list[str] = []


class Compaction(msgspec.Struct, gc=False, rename="camel"):
    """What a boundary says about the rows it keeps in view."""

    preserved_segment: Segment | None = None
    preserved_messages: Preserved | None = None


class Record(msgspec.Struct, gc=False, rename="camel"):
    """A decoded line: the keys we need, everything else checked and passed over."""

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    prompt_id: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    hook_text: bool | None = None
    source_tool_use_id: str | None = msgspec.field(default=None, name="sourceToolUseID")
    prompt_source: str | None = None
    row_source: str | None = None
    origin: Origin | None = None
    message: Body | None = None
    attachment: Attached | None = None
    compact_metadata: Compaction | None = None
    message_id: str | None = None
    snapshot_message_id: str | None = None
    leaf_uuid: str | None = None
    explicit: bool | None = None
    last_prompt: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    summary: str | None = None

    @property
    def in_chain(self) -> bool:
        """Whether the line is a row of the tree."""
        return self.type in CHAIN and bool(self.uuid)


_strict = msgspec.json.Decoder(Record)


def read_record(data: bytes | None, *, first: bool = False) -> tuple[LineKind, Record | None]:
    """Tell what a line is. Never raises; ``data`` is ``None`` for a line too long to hold."""
    if data is None:
        return LineKind.BAD, None
    if first and data.startswith(BOM):
        data = data[len(BOM) :]
    if data.startswith(_REQUEST_LOG) and _UUID_KEY not in data:
        # Sound: only a line with that key can be a row, and no state we read begins like this.
        return LineKind.REQUEST, None
    try:
        record = _strict.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _read_slowly(data)
    return (LineKind.ROW if record.in_chain else LineKind.STATE), record


def _read_slowly(data: bytes) -> tuple[LineKind, Record | None]:
    """A line with keys of unexpected types, or with text no encoder takes: what can be understood counts."""
    if not data.strip():
        return LineKind.BLANK, None
    value = decode(data)
    if not isinstance(value, dict):
        return LineKind.BAD, None
    record = _fitted(value, Record)
    return (LineKind.ROW if record.in_chain else LineKind.STATE), record


def decode(data: bytes, *, first: bool = False) -> Any:
    """JSON value of a line, or ``None``. Bytes that are not UTF-8 become surrogate escapes."""
    try:
        text = (data[len(BOM) :] if first and data.startswith(BOM) else data).decode("utf-8", "surrogateescape")
        return json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> int:
    """Python refuses integers of more than 4300 digits; nothing here needs their value."""
    return int(digits) if len(digits) < 4000 else 0


def _fitted(value: dict[str, Any], kind: type[Any]) -> Any:
    """An instance of a struct from the values that have the right type; the others keep their defaults."""
    found = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in value:
            fitting = _fitting(value[field.encode_name], field.name)
            if fitting is not None:
                found[field.name] = fitting
    return kind(**found)


_STRUCTS: dict[str, type[Any]] = {
    "message": Body,
    "attachment": Attached,
    "origin": Origin,
    "compact_metadata": Compaction,
    "preserved_segment": Segment,
    "preserved_messages": Preserved,
}
_FLAGS = {
    "is_sidechain", "is_meta", "is_compact_summary", "is_visible_in_transcript_only", "hook_text", "explicit",
}  # fmt: skip


def _fitting(value: Any, name: str) -> Any:
    if name in _STRUCTS:
        return _fitted(value, _STRUCTS[name]) if isinstance(value, dict) else None
    if name in _FLAGS:
        return value is True
    if name in ("content", "prompt") and isinstance(value, list):
        return [_fitted(block, Block) for block in value if isinstance(block, dict)]
    if name in ("uuids", "all_uuids"):
        return [uuid for uuid in value if isinstance(uuid, str)] if isinstance(value, list) else None
    return value if isinstance(value, str) else None
