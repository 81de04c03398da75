"""Which transcripts we wrote last, so that our own write is not taken for a live agent's (decision S17)."""

import contextlib
import hashlib
import os
from dataclasses import dataclass

from respool.storage.files.atomic import make_folder, write_file


@dataclass(frozen=True)
class Stamps:
    """``stamps/<key>`` holds inode, size and mtime_ns of a transcript right after we wrote it."""

    folder: str

    def _path(self, transcript: str) -> str:
        return os.path.join(self.folder, "stamps", hashlib.sha256(os.fsencode(transcript)).hexdigest()[:32])

    def write(self, transcript: str, size: int) -> None:
        """Remember the file as ours up to ``size`` bytes; not if somebody has appended to it already."""
        status = os.stat(transcript)
        make_folder(os.path.join(self.folder, "stamps"))
        text = f"{status.st_ino} {size} {status.st_mtime_ns if status.st_size == size else 0}"
        write_file(self._path(transcript), text.encode())

    def read(self, transcript: str) -> tuple[int, int, int] | None:
        """Inode, size in bytes and mtime_ns, or ``None``."""
        with contextlib.suppress(OSError, ValueError):
            with open(self._path(transcript), "rb") as file:
                inode, size, mtime_ns = (int(part) for part in file.read().split())
            return inode, size, mtime_ns
        return None

    def has_grown(self, transcript: str, status: os.stat_result) -> bool:
        """Whether somebody appended to the file we left."""
        known = self.read(transcript)
        return known is not None and known[0] == status.st_ino and known[1] < status.st_size

    def is_ours(self, transcript: str, status: os.stat_result) -> bool:
        """Whether nobody has written to the transcript since we did."""
        return self.read(transcript) == (status.st_ino, status.st_size, status.st_mtime_ns)
