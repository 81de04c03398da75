"""Plays a small session over a workspace and leaves what Wave would: files, transcript, backups; and the right values.

A write or removal through the agent's own tools is recorded the way Wave records it: a copy of the old bytes under
``file-history``, a snapshot on the next answer. What a shell does is not recorded, by whomever it was started.
"""

import hashlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness.place import Place, lines
from tests.harness.tree import State, picture, state

FIRST_MS = 1_772_355_600_000
"""2026-03-01T09:00:00Z, when every played session begins."""
BRANCHLESS_CREATED = "2026-03-01T08:59:30.000Z"
GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"} | {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "t"), ("EMAIL", "t@example.invalid"))
}


@dataclass(frozen=True)
class Expected:
    """How the workspace must look after one rewind. ``must``: path → state, ``None`` = absent."""

    must: Mapping[str, State | None]
    untouched: Mapping[str, State]


def stamp(minute: int) -> str:
    """Time stamp of a message."""
    return f"2026-03-01T{9 + minute // 60:02d}:{minute % 60:02d}:00.000Z"


def message(ident: str, role: str, text: str, minute: int, *blocks: Mapping[str, Any], **extra: Any) -> dict[str, Any]:
    """A message line with one text block and whatever follows it."""
    text_block = {"type": "text", "content": text, "stage": "end"}
    return {"timestamp": stamp(minute), "id": ident, "role": role, "blocks": [text_block, *blocks], **extra}


def tool(name: str, parameters: str, result: str = "", **extra: Any) -> dict[str, Any]:
    """A finished tool block."""
    ended = {"stage": "end", "success": True}
    return {"type": "tool", "id": "call_1", "name": name, "parameters": parameters, "result": result, **ended, **extra}


@dataclass
class Play:
    """A session while it is being played."""

    place: Place
    session: str = "5e551041-0000-4000-8000-000000000200"
    same_instant: bool = False
    records: list[dict[str, Any]] = field(default_factory=list)
    _minute: int = 0
    _changes: int = 0
    _pending: list[dict[str, Any]] = field(default_factory=list)
    _answer: str = "msg-a0"
    _must: dict[str, dict[str, State | None]] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        """The workspace."""
        return self.place.work

    def put(self, path: "str | bytes", data: "str | bytes", mode: int | None = None) -> None:
        """A file that stood there before the session."""
        full = self._full(path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        os.chmod(full, 0o644 if mode is None else mode)

    def user(self, ident: str, text: str = "Hi.") -> None:
        """The user sends a prompt."""
        self._minute += 1
        self._must[ident] = {}
        self._answer = ident.replace("msg-u", "msg-a")
        self.records.append(message(ident, "user", text, self._minute))

    def answer(self, text: str = "Done.", *blocks: Mapping[str, Any]) -> None:
        """The agent ends its answer; recorded changes hang on it."""
        self._minute += 1
        history = [{"type": "file_history", "snapshots": self._pending}] if self._pending else []
        self._pending = []
        self.records.append(message(self._answer, "assistant", text, self._minute, *blocks, *history))

    def turn(self, ident: str, **written: str) -> None:
        """A prompt, its writes (dots in names as ``_dot_``) and the answer."""
        self.user(ident)
        for name, text in written.items():
            self.write(name.replace("_dot_", "."), text)
        self.answer()

    def write(self, path: str, data: "str | bytes") -> None:
        """The agent writes a file with its tool."""
        full = self._full(path)
        self._remember(full)
        self._snapshot(full, "modify" if os.path.lexists(full) else "create")
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)

    def remove(self, path: str) -> None:
        """The agent deletes a file with its tool."""
        full = self._full(path)
        self._remember(full)
        self._snapshot(full, "delete")
        os.unlink(full)

    def shell(self, script: str) -> None:
        """Somebody's shell does something in the workspace; nothing records it."""
        subprocess.run(
            ["bash", "-euc", script], cwd=self.work, env={**os.environ, **GIT}, check=True, stdout=subprocess.DEVNULL
        )

    def agent_shell(self, script: str) -> None:
        """The agent's shell does something; Wave does not record that."""
        self.shell(script)

    def finish(self, *, header: bool = True, append: tuple[Mapping[str, Any], ...] = ()) -> "Played":
        """Write the transcript down."""
        head = {"type": "metadata", "workdir": os.path.realpath(self.work), "createdAt": BRANCHLESS_CREATED}
        data = lines([*([head] if header else []), *self.records, *append])
        transcript = self.place.session(data, session=self.session)
        now = {name: value for name, value in picture(self.work).items() if value[0] != "dir"}
        expected = {
            ident: Expected(must=with_folders(must), untouched={k: v for k, v in now.items() if k not in must})
            for ident, must in self._must.items()
        }
        return Played(place=self.place, transcript=transcript, data=data, expected=expected)

    def _full(self, path: "str | bytes") -> str:
        return os.path.join(str(self.work), os.fsdecode(path))

    def _remember(self, full: str) -> None:
        """Remember for every prompt sent so far how the file (and the one behind a link) looked."""
        spelled = os.path.join(os.path.realpath(os.path.dirname(full)), os.path.basename(full))
        for path in {spelled, os.path.realpath(full)}:
            for must in self._must.values():
                must.setdefault(os.path.relpath(path, os.path.realpath(self.work)), state(path))

    def _snapshot(self, full: str, operation: str) -> None:
        self._changes += 1
        backup = self._backup(full) if os.path.isfile(full) else ""
        self._pending.append(
            {
                "messageId": self._answer,
                "filePath": full,
                "timestamp": FIRST_MS if self.same_instant else FIRST_MS + self._changes * 1000,
                "operation": operation,
                "snapshotPath": backup,
            }
        )

    def _backup(self, full: str) -> str:
        folder = self.place.home / ".wave" / "file-history" / self.session
        folder.mkdir(parents=True, exist_ok=True)
        key = hashlib.sha256(os.fsencode(full)).hexdigest()[:16]
        copy = folder / f"{key}@v{1 + len(list(folder.glob(f'{key}@v*')))}"
        with open(full, "rb") as file:
            copy.write_bytes(file.read())
        return str(copy)


@dataclass(frozen=True)
class Played:
    """A finished session on disk with the right values of every rewind."""

    place: Place
    transcript: Path
    data: bytes
    expected: Mapping[str, Expected]

    def backups(self, path: str) -> list[Path]:
        """Copies of one file, oldest first."""
        key = hashlib.sha256(os.fsencode(os.path.join(str(self.place.work), path))).hexdigest()[:16]
        return sorted((self.place.home / ".wave" / "file-history").glob(f"*/{key}@v*"))


def with_folders(must: Mapping[str, State | None]) -> dict[str, State | None]:
    """A path with restored things below it is a folder afterwards."""
    return {
        path: ("dir", "", 0o755)
        if any(value and other.startswith(f"{path}/") for other, value in must.items())
        else was
        for path, was in must.items()
    }
