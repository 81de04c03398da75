"""A model that does what the prompt says: Anthropic's Messages API on loopback, every request written to a file.

A prompt that holds ``CALLS [...]`` gets these tool calls, one an answer; a list in the list is one answer with several
calls side by side. ``{"name": "Write", "input": {...}}``; a sub-agent's prompt holds calls of its own. After the last
one, and to a prompt without any, the answer is "done".
"""

import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MARK = "CALLS "
ANSWER = "done"


class Stub(ThreadingHTTPServer):
    """The server; ``log``: one JSON line a request, ``{"path", "body"}``."""

    daemon_threads = True

    def __init__(self, log: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._log, self._lock, self._answers = log, threading.Lock(), 0

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def write_down(self, path: str, body: Any) -> int:
        """Log one request; its number in the log of this test."""
        with self._lock, self._log.open("a") as file:
            file.write(json.dumps({"path": path, "body": body}) + "\n")
            self._answers += 1
            return self._answers


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Stub

    def do_HEAD(self) -> None:
        self._send(b"")

    def do_GET(self) -> None:
        self.server.write_down(self.path, None)
        self._send(b"{}")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"null")
        number = self.server.write_down(self.path, body)
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send(b'{"input_tokens": 100}')
        elif not path.endswith("/messages"):
            self._send(b"{}")
        elif body.get("stream"):
            self._send(b"".join(events(message(body, number))), kind="text/event-stream")
        else:
            self._send(json.dumps(message(body, number)).encode())

    def _send(self, data: bytes, kind: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on stderr: the log is the file."""


def message(body: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The answer to a request."""
    calls = next_calls(body)
    content: list[dict[str, Any]] = [
        {"type": "tool_use", "id": f"toolu_{_key(body)}{number:04}{place:02}", **call}
        for place, call in enumerate(calls)
    ]
    return {
        "id": f"msg_{_key(body)}{number:04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "stub"),
        "content": content or [{"type": "text", "text": ANSWER}],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def _key(body: Mapping[str, Any]) -> str:
    """Ids must differ from those of earlier processes of the same session, and be the same in every run."""
    return f"{len(body.get('messages', ())):04}"


def next_calls(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls of the next answer: those the newest prompt with calls asks for, less those already made."""
    messages = body.get("messages", [])
    prompts = [(place, text) for place, one in enumerate(messages) for text in texts(one) if MARK in text]
    if not prompts:
        return []
    place, text = prompts[-1]
    answers = [one for one in messages[place + 1 :] if one["role"] == "assistant"]
    made = [[block for block in blocks(answer) if block.get("type") == "tool_use"] for answer in answers]
    steps = json.JSONDecoder().raw_decode(text[text.index(MARK) + len(MARK) :])[0]
    if not all(made) or len(made) >= len(steps):
        return []
    step = steps[len(made)]
    return list(step) if isinstance(step, list) else [step]


def texts(one: Mapping[str, Any]) -> list[str]:
    """What a user-side message says, without results of tools and without what the client adds."""
    if one.get("role") != "user":
        return []
    said = [str(block.get("text", "")) for block in blocks(one) if block.get("type") == "text"]
    return [text for text in said if not text.startswith("<system-reminder>")]


def blocks(one: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Content as a list of blocks."""
    content = one.get("content", [])
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def events(answer: Mapping[str, Any]) -> Iterator[bytes]:
    """An answer as server-sent events."""
    yield _event("message_start", message={**answer, "content": [], "stop_reason": None})
    for index, block in enumerate(answer["content"]):
        if block["type"] == "text":
            start: dict[str, Any] = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ending = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage=answer["usage"])
    yield _event("message_stop")


def _event(name: str, **fields: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()
