"""The end of a Wave transcript: messages appended as Wave (469391bb) writes them.

Lazily created with the header line, private to the user. The file is opened anew for every line, since a rewind puts
another one in its place; a torn last line is closed, never glued to. Every call is made with the session's change log
locked, so no rewind of ours cuts the file meanwhile.
"""

import contextlib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from respool.storage.files.atomic import fsync_folder, make_folder, write_whole

PIECE_BYTES = 1 << 20
TAIL_BYTES = 64
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class _Known:
    """A transcript as it was last seen: how many lines end before ``size``."""

    identity: tuple[int, int] = (0, 0)
    size: int = 0
    lines: int = 0
    tail: bytes = b""


@dataclass
class WaveConversation:
    """``stamp(transcript, size)`` is told of every append, so that ours is not taken for a live agent's."""

    transcript: str
    workspace: str
    stamp: Callable[[str, int], None] = lambda transcript, size: None
    _known: _Known = field(default_factory=_Known)

    def next_line(self) -> int:
        """Physical line, 1-based, the next message will stand on."""
        try:
            fd = os.open(self.transcript, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return 2
        try:
            return self._count(fd) + 1 if os.fstat(fd).st_size else 2
        finally:
            os.close(fd)

    def line_count(self) -> int:
        """How many lines there are."""
        return self.next_line() - 1 if os.path.exists(self.transcript) else 0

    def append(self, message: Mapping[str, Any]) -> int:
        """Make a message durable; return its physical line. Raises ``OSError``; then the file is as it was."""
        data = stringify(message) + b"\n"
        fd = self._opened()
        try:
            size = os.fstat(fd).st_size
            head = b"" if size else stringify(self._header()) + b"\n"
            if size and os.pread(fd, 1, size - 1) != b"\n":
                head = b"\n"
            line = self._count(fd) + 1 if size else 2
            _add(fd, size, head + data)
            self._known = _Known(_identity(fd), size + len(head) + len(data), line, data[-TAIL_BYTES:])
        finally:
            os.close(fd)
        with contextlib.suppress(OSError):  # the message is there; without a stamp a rewind only asks once more
            self.stamp(self.transcript, self._known.size)
        return line

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
        try:
            return os.open(self.transcript, flags)
        except FileNotFoundError:
            folder = os.path.dirname(os.path.realpath(self.transcript))
            make_folder(folder)
            fd = os.open(self.transcript, flags | os.O_CREAT, 0o600)
            fsync_folder(folder)
            return fd

    def _count(self, fd: int) -> int:
        """Lines of the file, a torn last one too; what was counted before is not read again."""
        status, known = os.fstat(fd), self._known
        same = known.identity == _identity(fd) and known.size <= status.st_size
        if not same or os.pread(fd, len(known.tail), known.size - len(known.tail)) != known.tail:
            known = _Known(_identity(fd))
        lines, offset, piece = known.lines, known.size, b"\n"
        while more := os.pread(fd, PIECE_BYTES, offset):
            piece = more
            lines, offset = lines + piece.count(b"\n"), offset + len(piece)
        return lines if piece.endswith(b"\n") else lines + 1

    def _header(self) -> dict[str, str]:
        branch = git_branch(self.workspace)
        made: dict[str, str] = {"type": "metadata", "workdir": os.path.realpath(self.workspace), "createdAt": now()}
        return made | ({"gitBranch": branch} if branch else {})


def _identity(fd: int) -> tuple[int, int]:
    status = os.fstat(fd)
    return status.st_dev, status.st_ino


def _add(fd: int, size: int, data: bytes) -> None:
    """One write where the system lets it be one; after a failure (a full disk) no half of it stays."""
    try:
        write_whole(fd, data)
        os.fsync(fd)
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(fd, size)
        raise


def stringify(value: object) -> bytes:
    """JSON the way ``JSON.stringify`` writes it. Raises ``ValueError`` for a number JSON has no word for."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode("utf-8")


def now() -> str:
    """ISO 8601 with milliseconds, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def git_branch(workspace: str) -> str | None:
    """The branch a work tree is on, read from ``.git`` itself: git is never run on a user's tree."""
    folder = os.path.realpath(workspace)
    while not os.path.lexists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    try:
        git = os.path.join(folder, ".git")
        if os.path.isfile(git):
            git = os.path.join(folder, _first_line(git).removeprefix("gitdir:").strip())
        head = _first_line(os.path.join(git, "HEAD"))
    except OSError:
        return None
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else None


def _first_line(path: str) -> str:
    with open(path, "rb") as file:
        return file.readline(4096).decode("utf-8", "replace").strip()
