"""Fingerprints of transcripts. A file that is provably the one just hashed is not hashed again.

Proof: inode, size and both times are the same, and the last change was old when the hashing began. The kernel sets a
file's ctime at every write and nobody else can; only a change within one tick of the clock could hide, so a file that
was changed less than ``SETTLED_NS`` ago is always read again.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from respool.model.transcript import Fingerprint
from respool.storage.files.atomic import copy_range, pieces

SETTLED_NS = 2_000_000_000
"""The coarsest time stamps of a file system anybody uses are two seconds apart."""
MOST_KNOWN = 16

Identity = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Fingerprints:
    """What this process has hashed, by path."""

    _known: dict[str, tuple[Identity, Fingerprint]] = field(default_factory=dict)

    def of(self, path: str) -> Fingerprint:
        """Size and sha256 of a file. Raises ``OSError``."""
        with open(path, "rb", buffering=0) as file:
            return self.of_open(file, path)

    def of_open(self, file: BinaryIO, path: str) -> Fingerprint:
        """The same of an open file, which was opened by that path."""
        known = self._known.get(path)
        if known is not None and known[0] == _identity(file):
            return known[1]
        with self.reading(file, path) as whole:
            digest, size = hashlib.sha256(), 0
            file.seek(0)
            for piece in pieces(file):
                digest.update(piece)
                size += len(piece)
            return whole.is_now(size, digest.hexdigest())

    @contextlib.contextmanager
    def reading(self, file: BinaryIO, path: str) -> Iterator["Whole"]:
        """Hash a whole file inside the block, and tell the result; it is remembered if the file stood still."""
        self._known.pop(path, None)
        whole, began_ns, before = Whole(), time.time_ns(), _identity(file)
        yield whole
        settled = began_ns - before[-1] > SETTLED_NS
        if settled and whole.found is not None and whole.found.size == before[2] and _identity(file) == before:
            self._known[path] = (before, whole.found)
            while len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]


@dataclass
class Whole:
    """What reading a whole file came to."""

    found: Fingerprint | None = None

    def is_now(self, size: int, sha256: str) -> Fingerprint:
        """Tell the result."""
        self.found = Fingerprint(size=size, sha256=sha256)
        return self.found


def _identity(file: BinaryIO) -> Identity:
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def prefix_sha256(path: str, size: int) -> str | None:
    """sha256 of the first ``size`` bytes, or ``None`` when the file is shorter or gone."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb", buffering=0) as file:
            copy_range(file, 0, size, digest.update)
    except (EOFError, OSError):
        return None
    return digest.hexdigest()
