"""``respool show``: the conversation as the model sees it."""

import argparse
from collections.abc import Iterator

from respool.model.message import Conversation, Message
from respool.protocol.cli.door import Door
from respool.protocol.cli.lines import EMPTY, Line, text_line
from respool.protocol.cli.local_time import local_clock
from respool.protocol.messages import show_json
from respool.views.conversation import ROLES, shown_messages
from respool.views.times import Clock, shown_time
from respool.views.visible import one_line


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Print it, oldest first; messages a person never sees only with ``--json``."""
    conversation = door.services().sessions.show(door.transcript(arguments.session))
    if door.out.json:
        door.out.answer(show_json(conversation))
    else:
        door.out.print(_told(conversation, door))
    return 0


def _told(conversation: Conversation, door: Door) -> Iterator[Line]:
    yield text_line(one_line(conversation.title) or door.t("New conversation"), "strong")
    messages = shown_messages(conversation.messages)
    if not messages:
        yield text_line(door.t("Nothing has been said yet."), "faint")
    clock = local_clock()
    before = ""
    for message in messages:
        yield from _message(message, before, clock, door)
        before = message.role


def _message(message: Message, before: str, clock: Clock, door: Door) -> Iterator[Line]:
    from respool.protocol.cli.block_lines import block_lines  # brings the Markdown reader of the panel with it

    t = door.t
    lines = list(block_lines(message, door.workspace, t, door.out.width))
    if not lines:
        return
    yield EMPTY
    if message.checkpoint:
        time = shown_time(message.timestamp, clock, t)
        yield (("strong", t(ROLES["user"])), ("faint", f"  {time}  {one_line(message.id, 80)}"))
    elif message.role == "assistant" and before != "assistant":
        yield text_line(t(ROLES["assistant"]), "strong")
    yield from lines
