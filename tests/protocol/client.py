"""A language client that sees the bytes: it frames by hand and keeps every message it is sent."""

import json
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from tests.harness.place import Place

TIMEOUT_S = 60

Json = dict[str, Any]


class Client:
    """One language server in a child process. Use as a context manager; leaving it ends the process."""

    def __init__(self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.messages: list[Json] = []
        self.raw: list[bytes] = []
        self.strays: list[bytes] = []
        """Bytes on stdout that were no part of a message."""
        self.log: list[str] = []
        self._arrived: queue.Queue[Json | None] = queue.Queue()
        self._next_id = 0
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_log)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exc: object) -> None:
        self._pipe("stdin").close()
        try:
            self.process.wait(TIMEOUT_S)
        finally:
            self.process.kill()
            self.process.wait()
            for thread in self._threads:
                thread.join(TIMEOUT_S)
            self._pipe("stdout").close()
            self._pipe("stderr").close()

    def _pipe(self, name: str) -> "IO[bytes]":
        pipe = getattr(self.process, name)
        assert pipe is not None
        return pipe  # type: ignore[no-any-return]

    def _read(self) -> None:
        out = self._pipe("stdout")
        while True:
            header = out.readline()
            if not header:
                break
            name, _, value = header.partition(b": ")
            if name != b"Content-Length" or out.readline() != b"\r\n":
                self.strays.append(header)
                continue
            body = out.read(int(value))
            self.raw.append(body)
            message = json.loads(body)
            self.messages.append(message)
            self._arrived.put(message)
        self._arrived.put(None)

    def _read_log(self) -> None:
        for line in self._pipe("stderr"):
            self.log.append(line.decode(errors="replace"))

    def send_bytes(self, data: bytes) -> None:
        """Send exactly these bytes."""
        pipe = self._pipe("stdin")
        pipe.write(data)
        pipe.flush()

    def send_body(self, body: bytes) -> None:
        """Send one framed body."""
        self.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def send(self, message: Any) -> None:
        """Send one message."""
        self.send_body(json.dumps(message).encode())

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, method: str, params: Any = None) -> int:
        """Send a request; return its id."""
        self._next_id += 1
        self.send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        return self._next_id

    def until(self, wanted: Callable[[Json], bool]) -> Json:
        """The next message that is wanted; others are kept in ``messages``."""
        while True:
            message = self._arrived.get(timeout=TIMEOUT_S)
            if message is None:
                raise AssertionError(f"the server ended: {''.join(self.log)}")
            if wanted(message):
                return message

    def answer(self, request: int | str | None) -> Json:
        """The answer to one request."""
        return self.until(lambda message: "method" not in message and message.get("id") == request)

    def ask(self, method: str, params: Any = None) -> Any:
        """The result of a request that must succeed."""
        answer = self.answer(self.start(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def refused(self, method: str, params: Any = None) -> Json:
        """The error of a request that must not succeed."""
        answer = self.answer(self.start(method, params))
        assert "error" in answer, answer
        error: Json = answer["error"]
        return error

    def initialize(self, folder: Path | None = None, **capabilities: Any) -> Json:
        """The handshake."""
        result: Json = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": None if folder is None else folder.as_uri(),
                "capabilities": capabilities,
            },
        )
        self.notify("initialized", {})
        return result

    def leave(self) -> int:
        """Say goodbye and read what is said until the end; return the exit code."""
        self.ask("shutdown")
        self.notify("exit")
        code = self.process.wait(TIMEOUT_S)
        for thread in self._threads:
            thread.join(TIMEOUT_S)
        return code


Start = Callable[[Place], Client]
"""Starts and greets the language server of a user."""
