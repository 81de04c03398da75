"""A message of a conversation as it is shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from respool.model.ids import MessageId

JsonObject = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Message:
    """One visible or hidden record of a transcript.

    ``line`` is physical and 1-based; ``text`` is the typed or answered text; ``blocks`` are the record's
    own, with text that cannot be encoded replaced by U+FFFD. ``hidden`` marks what a user never sees.
    """

    id: MessageId
    line: int
    role: str
    text: str
    blocks: tuple[JsonObject, ...]
    checkpoint: bool
    hidden: bool = False
    timestamp: str = ""


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """The messages the model sees: folded at the last compaction."""

    session_id: str
    title: str
    header: JsonObject | None
    messages: tuple[Message, ...]
