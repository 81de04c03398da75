"""A conversation as view models: what a person sees of each message, bounded and harmless."""

from collections.abc import Iterable, Iterator, Mapping

from respool.model.message import Message
from respool.model.transcript import Checkpoint
from respool.views.blocks import block_views
from respool.views.models import EarlierView, MessageView
from respool.views.texts import Translate, mark
from respool.views.times import Clock, shown_time
from respool.views.visible import one_line

ROLES = {"user": mark("You"), "assistant": mark("Agent")}
SHOWN_AT_ONCE = 200
"""Messages a conversation opens with; the earlier ones come on demand."""


def shown_messages(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Those a person sees."""
    return tuple(message for message in messages if not message.hidden)


def earlier_view(messages: tuple[Message, ...], first: int) -> EarlierView:
    """``first``: index of the first message on the page."""
    return EarlierView(hidden_count=first, empty=not messages)


def message_view(message: Message, to: str, workdir: str, clock: Clock, t: Translate) -> MessageView:
    """``to`` is the checkpoint the message stands for, if any; paths are shown relative to ``workdir``."""
    role = _role(message)
    return MessageView(
        key=f"m-{message.line}",
        role=role,
        label=t(ROLES.get(role, "")) if role in ROLES else "",
        to=to,
        preview=one_line(message.text, 80),
        time=shown_time(message.timestamp, clock, t),
        stamp=message.timestamp,
        blocks=tuple(block_views(message, workdir, t)),
    )


def _role(message: Message) -> str:
    """Whose bubble it is: a notification, a hook's text or a shell escape is nobody's prompt."""
    kinds = {str(block.get("type")) for block in message.blocks}
    if "compact" in kinds:
        return "compact"
    if message.role == "user" and not message.checkpoint:
        return "bang" if "bang" in kinds else "note"
    return message.role


def targets(messages: Iterable[Message], checkpoints: Iterable[Checkpoint]) -> Mapping[int, str]:
    """Line of a shown prompt → ``ID@LINE`` of its checkpoint, which after a compaction was sent further up."""
    by_id: dict[str, list[Checkpoint]] = {}
    for checkpoint in checkpoints:
        by_id.setdefault(checkpoint.id, []).append(checkpoint)
    return dict(_targets(messages, by_id))


def _targets(messages: Iterable[Message], by_id: Mapping[str, list[Checkpoint]]) -> Iterator[tuple[int, str]]:
    for message in messages:
        found = by_id.get(message.id, []) if message.checkpoint else []
        exact = [one for one in found if one.line == message.line] or [
            one for one in found if one.timestamp == message.timestamp
        ]
        for checkpoint in (exact or found)[:1]:
            yield message.line, checkpoint_key(checkpoint)


def checkpoint_key(checkpoint: Checkpoint) -> str:
    """``ID@LINE``, right whatever ids repeat."""
    return f"{checkpoint.id}@{checkpoint.line}"
