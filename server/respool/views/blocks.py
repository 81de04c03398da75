"""The parts of a message. Kinds are Wave's (469391bb); an unknown one is named and not shown."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from respool.model.message import JsonObject, Message
from respool.views.markdown import markdown
from respool.views.models import BlockView
from respool.views.paths import shown_path
from respool.views.texts import Translate, mark
from respool.views.visible import bounded, one_line, visible

TEXT_CHARACTERS = 30_000
OUTPUT_CHARACTERS = 6_000
IMAGE_CHARACTERS = 2_000_000
_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+")
_SUBJECTS = ("file_path", "path", "command", "pattern", "url", "query", "description", "subagent_type", "prompt")
_PATHS = ("file_path", "path")
STATUSES = {
    "completed": mark("completed"),
    "failed": mark("failed"),
    "killed": mark("stopped"),
    "aborted": mark("aborted"),
}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a block stands in: a message that was ``typed`` or answered, in a workspace."""

    typed: bool
    workdir: str
    t: Translate


Maker = Callable[[JsonObject, Setting], Iterator[BlockView]]


def block_views(message: Message, workdir: str, t: Translate) -> Iterator[BlockView]:
    """Every part a person sees. A message without blocks shows its text."""
    setting = Setting(typed=message.role == "user", workdir=workdir, t=t)
    if not message.blocks and message.text:
        yield from _text({"content": message.text}, setting)
    for block in message.blocks:
        maker = MAKERS.get(str(block.get("type")))
        if maker:
            yield from maker(block, setting)


def _field(block: JsonObject, name: str) -> str:
    value = block.get(name)
    return value if isinstance(value, str) else ""


def _text(block: JsonObject, setting: Setting) -> Iterator[BlockView]:
    """What was typed stays as typed; what was answered is Markdown."""
    content = _field(block, "content") or _field(block, "text")
    if not content.strip():
        return
    text, more = bounded(content, TEXT_CHARACTERS)
    if setting.typed:
        yield BlockView(kind="typed", text=visible(text), more=more)
    else:
        yield BlockView(kind="markdown", html=markdown(text), more=more)


def _compact(block: JsonObject, setting: Setting) -> Iterator[BlockView]:
    text, more = bounded(_field(block, "content"), TEXT_CHARACTERS)
    yield BlockView(kind="compact", title=setting.t("Summary of what came before"), html=markdown(text), more=more)


def _tool(block: JsonObject, setting: Setting) -> Iterator[BlockView]:
    failed = block.get("success") is False or bool(block.get("error"))
    output = _field(block, "error") or _field(block, "result")
    text, more = bounded(visible(output), OUTPUT_CHARACTERS)
    running = block.get("stage") in ("start", "streaming", "running") and not failed
    yield BlockView(
        kind="tool",
        title=one_line(_field(block, "name"), 80) or setting.t("tool"),
        note=_subject(_field(block, "parameters"), setting.workdir),
        text=text,
        more=more,
        failed=failed,
        running=running,
    )


def _subject(parameters: str, workdir: str) -> str:
    """The one argument that says what a call is about."""
    try:
        values = json.loads(parameters[:200_000]) if parameters else {}
    except (ValueError, RecursionError):
        return one_line(parameters, 160)
    if not isinstance(values, dict):
        return one_line(parameters, 160)
    name = next((name for name in _SUBJECTS if isinstance(values.get(name), str)), None)
    if name is None:
        return ""
    value: str = values[name]
    return (
        shown_path(os.path.normpath(value), workdir)
        if name in _PATHS and os.path.isabs(value)
        else one_line(value, 160)
    )


def _bang(block: JsonObject, setting: Setting) -> Iterator[BlockView]:
    text, more = bounded(visible(_field(block, "output")), OUTPUT_CHARACTERS)
    code = block.get("exitCode")
    failed = isinstance(code, int) and code != 0
    yield BlockView(
        kind="bang",
        title=one_line(_field(block, "command"), 400),
        text=text,
        more=more,
        failed=failed,
        note=setting.t("exit code {code}").format(code=code) if failed else "",
    )


def _image(block: JsonObject, setting: Setting) -> Iterator[BlockView]:
    urls = block.get("imageUrls")
    for url in urls if isinstance(urls, list) else []:
        if isinstance(url, str):
            yield _one_image(url, setting)


def _one_image(url: str, setting: Setting) -> BlockView:
    """Shown when the picture itself is in the transcript; a path or an address is only named."""
    if len(url) <= IMAGE_CHARACTERS and _IMAGE.fullmatch(url):
        return BlockView(kind="image", title=setting.t("image"), image=url)
    name = "" if url.startswith("data:") else one_line(url, 160)
    return BlockView(kind="image", title=setting.t("image"), note=name)


def _notification(block: JsonObject, setting: Setting) -> Iterator[BlockView]:
    status = _field(block, "status")
    yield BlockView(
        kind="notification",
        title=setting.t(STATUSES[status]) if status in STATUSES else one_line(status, 40),
        text=one_line(_field(block, "summary"), 400),
        failed=status in ("failed", "killed", "aborted"),
    )


def _subagent(block: JsonObject, setting: Setting) -> Iterator[BlockView]:
    yield BlockView(kind="tool", title=setting.t("Sub-agent"), note=one_line(_field(block, "subagentName"), 80))


def _plain(kind: str) -> Maker:
    def make(block: JsonObject, setting: Setting) -> Iterator[BlockView]:
        text, more = bounded(visible(_field(block, "content")), OUTPUT_CHARACTERS)
        if text.strip():
            yield BlockView(kind=kind, text=text, more=more)

    return make


MAKERS: Mapping[str, Maker] = {
    "text": _text,
    "compact": _compact,
    "tool": _tool,
    "bang": _bang,
    "image": _image,
    "task_notification": _notification,
    "subagent": _subagent,
    "error": _plain("error"),
    "info": _plain("info"),
    "reasoning": _plain("reasoning"),
}
