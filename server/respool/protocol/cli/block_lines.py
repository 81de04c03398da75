"""The parts of a message, for the terminal."""

from collections.abc import Iterator

from respool.model.message import JsonObject, Message
from respool.protocol.cli.lines import Line, indented
from respool.views.blocks import MAKERS, TEXT_CHARACTERS, Setting
from respool.views.models import BlockView
from respool.views.texts import Translate
from respool.views.visible import bounded, visible

OUTPUT_LINES = 12
AS_WRITTEN = ("text", "compact")
"""Kinds whose text is Markdown or typed: a terminal shows it as it was written."""


def block_lines(message: Message, workdir: str, t: Translate, width: int | None) -> Iterator[Line]:
    """Every part a person sees; paths below ``workdir`` are shown relative to it."""
    setting = Setting(typed=message.role == "user", workdir=workdir, t=t)
    if not message.blocks:
        yield from _written(message.text, "", t, width)
    for block in message.blocks:
        kind = str(block.get("type"))
        if kind in AS_WRITTEN:
            yield from _told(block, kind, t, width)
        elif kind in MAKERS:
            for view in MAKERS[kind](block, setting):
                yield from _made(view, t, width)


def _told(block: JsonObject, kind: str, t: Translate, width: int | None) -> Iterator[Line]:
    content = block.get("content")
    text = content if isinstance(content, str) else ""
    if kind == "compact":
        yield from indented(t("Summary of what came before"), width, first="── ", style="faint")
    yield from _written(text, "faint" if kind == "compact" else "", t, width)


def _written(text: str, style: str, t: Translate, width: int | None) -> Iterator[Line]:
    if text.strip():
        shown, more = bounded(text, TEXT_CHARACTERS)
        yield from indented(visible(shown).strip("\n"), width, first="  ", style=style)
        yield from _more(more, t, width)


def _made(view: BlockView, t: Translate, width: int | None) -> Iterator[Line]:
    signs = {"tool": "▸ ", "bang": "$ ", "error": "✗ ", "notification": "• ", "image": "▣ "}
    first = "  " + signs.get(view.kind, "")
    head = " ".join(filter(None, (view.title, view.note)))
    style = "bad" if view.failed or view.kind == "error" else "strong" if head else "faint"
    body = view.text.rstrip().split("\n") if view.text.strip() else []
    if head:
        yield from indented(head, width, first=first, style=style)
    for number, text in enumerate(body[:OUTPUT_LINES]):
        yield from indented(text, width, first="    " if head or number else first, style="faint" if head else style)
    left = sum(map(len, body[OUTPUT_LINES:])) + view.more
    yield from _more(left, t, width)


def _more(count: int, t: Translate, width: int | None) -> Iterator[Line]:
    if count:
        yield from indented(t("… {count} more characters").format(count=count), width, first="    ", style="faint")
