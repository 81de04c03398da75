"""A row of a Claude Code transcript as a message to show: its parts in the words of ``model.message``."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from respool.model.ids import MessageId
from respool.model.message import JsonObject, Message
from respool.storage.files.claude_index import Prompt, Row
from respool.storage.files.claude_typed import TypedKind
from respool.storage.files.wave import shown_deep

_TAG = re.compile(r"</?(?:local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)>")
_PART = re.compile(r"<(status|summary)>(.*?)</\1>", re.DOTALL)
_NOTES = ("<local-command-stdout>", "<local-command-stderr>", "[Request interrupted by user")
_SHELL_OUTPUT = ("<bash-stdout>", "<bash-stderr>")


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What came back: tool call → its ``tool_result`` block; a bash-mode row → what the command printed."""

    calls: Mapping[str, JsonObject] = field(default_factory=dict)
    shell: Mapping[str, str] = field(default_factory=dict)


def message(row: Row, value: JsonObject, prompt: Prompt | None, text: str, answers: Answers) -> Message:
    """The message a row is. ``text``: what was typed, if it was."""
    role, content = _said(value)
    if prompt is not None:
        blocks = list(_typed(row, prompt, text, content, answers))
    elif role == "assistant":
        blocks = list(_answered(value, content, answers))
    else:
        blocks = list(_told(row, content))
    blocks = shown_deep(blocks)
    return Message(
        id=MessageId(row.uuid),
        line=row.line,
        role=role,
        text=shown_deep(text) if prompt is not None else _all_text(blocks),
        blocks=tuple(blocks),
        checkpoint=prompt is not None,
        hidden=prompt is None and (row.meta or not any(block["type"] in _VISIBLE for block in blocks)),
        timestamp=row.timestamp,
    )


_VISIBLE = {"text", "tool", "compact", "error", "info", "image", "bang", "task_notification", "reasoning"}


def _said(value: JsonObject) -> tuple[str, list[JsonObject]]:
    """Role, and the content as blocks."""
    said = value.get("message")
    if not isinstance(said, dict):
        attached = value.get("attachment")
        said = {"role": "user", "content": attached.get("prompt") if isinstance(attached, dict) else None}
    role = said.get("role") if isinstance(said.get("role"), str) else value.get("type")
    content = said.get("content")
    if isinstance(content, str):
        return str(role), [{"type": "text", "text": content}]
    return str(role), [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _typed(
    row: Row, prompt: Prompt, text: str, content: list[JsonObject], answers: Answers
) -> Iterator[dict[str, Any]]:
    if prompt.kind is TypedKind.SHELL:
        yield {"type": "bang", "command": text.removeprefix("! "), "output": answers.shell.get(row.uuid, "")}
        return
    if text:
        yield {"type": "text", "content": text}
    yield from _images(content)


def _images(content: list[JsonObject]) -> Iterator[dict[str, Any]]:
    for block in content:
        source = block.get("source")
        if block.get("type") != "image" or not isinstance(source, dict):
            continue
        if source.get("type") == "base64":
            url = f"data:{source.get('media_type')};base64,{source.get('data')}"
        else:
            url = str(source.get("url", ""))
        yield {"type": "image", "imageUrls": [url]}


def _answered(value: JsonObject, content: list[JsonObject], answers: Answers) -> Iterator[dict[str, Any]]:
    for block in content:
        kind = block.get("type")
        if kind == "text":
            yield {"type": "error" if value.get("isApiErrorMessage") else "text", "content": _string(block.get("text"))}
        elif kind == "thinking":
            yield {"type": "reasoning", "content": _string(block.get("thinking"))}
        elif kind == "tool_use":
            yield _tool(block, answers.calls.get(_string(block.get("id"))))


def _tool(call: JsonObject, answer: JsonObject | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "tool",
        "id": _string(call.get("id")),
        "name": _string(call.get("name")),
        "parameters": json.dumps(call.get("input"), ensure_ascii=False),
        "stage": "running" if answer is None else "end",
    }
    if answer is not None:
        failed = answer.get("is_error") is True
        found["success"] = not failed
        found["error" if failed else "result"] = result_text(answer)
    return found


def result_text(answer: JsonObject) -> str:
    """The text of a ``tool_result`` block."""
    content = answer.get("content")
    if isinstance(content, str):
        return content
    parts = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return "\n".join(
        _string(part.get("text")) if part.get("type") == "text" else f"[{part.get('type')}]" for part in parts
    )


def _told(row: Row, content: list[JsonObject]) -> Iterator[dict[str, Any]]:
    """A row in the user's name that nobody typed."""
    for block in content:
        if block.get("type") == "tool_result":
            yield dict(block)
            continue
        text = _string(block.get("text"))
        if row.summary:
            yield {"type": "compact", "content": text}
        elif text.startswith("<task-notification>"):
            yield {"type": "task_notification", **dict(_PART.findall(text))}
        elif text.startswith(_NOTES):
            yield {"type": "info", "content": _TAG.sub("", text)}
        elif text.startswith(_SHELL_OUTPUT):
            yield {"type": "output", "content": shell_output(text)}
        elif text:
            yield {"type": "text", "content": text}
    yield from _images(content)


def shell_output(text: str) -> str:
    """What a bash-mode command printed."""
    return _TAG.sub("", text)


def _all_text(blocks: list[dict[str, Any]]) -> str:
    shown = ("text", "compact", "error", "info")
    return "\n\n".join(block["content"] for block in blocks if block["type"] in shown and block.get("content"))


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
