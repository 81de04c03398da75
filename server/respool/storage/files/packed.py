"""Before-images in the blob store: found by the sha256 of their raw bytes, compressed where that pays.

``aa/<sha256>`` holds the bytes as they are, ``aa/<sha256>.z`` a zlib stream of them. Whether it pays is tried on the
first block. Reusing a blob renews its time, so that a collection that spares the young spares it.

Standard library only, and little of it: the hook path imports this.
"""

import fcntl
import os

from respool.storage.files.atomic import fsync_folder, make_folder, unlink_if_there, write_whole
from respool.storage.files.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    class _Packer(Protocol):
        """What is asked of ``zlib.compressobj``."""

        def compress(self, piece: bytes, /) -> bytes: ...
        def flush(self) -> bytes: ...


PIECE_BYTES = 1 << 20
TRIAL_BYTES = 1 << 16
SMALLEST_BYTES = 4096
PAYS_BELOW = 0.8
LEVEL = 1
"""Half of what a slow level saves, at a tenth of its time: the agent waits for this."""
UNFINISHED = 0o100
"""The bit of the mode that says that a blob is not whole yet, or was not when its writer died."""


def keep(folder: str, fd: int) -> tuple[str, int]:
    """Store the bytes of an open file from its beginning, durably; sha256 and size in bytes. Raises ``OSError``."""
    keeper = Keeper(folder)
    kept = keeper.keep(fd)
    keeper.settle()
    return kept


class Keeper:
    """Stores contents for somebody who is waited for.

    What is kept is durable where syncing a new file makes its name durable too, as on Linux; POSIX promises
    that only after ``settle``, which may come later.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._unsynced: set[str] = set()

    def keep(self, fd: int) -> tuple[str, int]:
        """Take the bytes of an open file from its beginning; sha256 and size in bytes. Raises ``OSError``.

        A file is read once to know whether its bytes are there already, and written only if they are not.
        """
        whole: bytes | None = None
        size = os.fstat(fd).st_size
        digest = sha256(size)
        if size <= PIECE_BYTES:
            whole = _whole(fd)
            digest.update(whole)
            size = len(whole)
        else:
            size = 0
            for piece in _pieces(fd):
                digest.update(piece)
                size += len(piece)
        sha = digest.hexdigest()
        if not _is_kept(self._folder, sha, size):
            sha, size = _stored(self._folder, sha, iter((whole,)) if whole is not None else _pieces(fd), size)
        self._unsynced.add(os.path.join(self._folder, sha[:2]))
        return sha, size

    def settle(self) -> None:
        """Sync the folders of what was kept since the last time. Raises ``OSError``."""
        while self._unsynced:
            fsync_folder(self._unsynced.pop())


class unpurged:  # noqa: N801 - a context manager, read as an adjective; `contextlib` is too much for a hook
    """While it lasts no purge looks at the folder: what is found or put there is young when the purge comes to it.

    A shared ``flock`` on the folder itself; the purge takes an exclusive one for each blob it removes.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        self._fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._fd, fcntl.LOCK_SH)

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def stored_at(folder: str, sha: str) -> str | None:
    """Where the bytes are, raw or packed; ``None`` when they are not there."""
    raw = os.path.join(folder, sha[:2], sha)
    return next((name for name in (raw, f"{raw}.z") if os.path.exists(name)), None)


def pieces_of(path: str) -> "Iterator[bytes]":
    """The raw bytes behind a name ``stored_at`` gave, unverified. Raises ``OSError``, also for a damaged stream."""
    with open(path, "rb", buffering=0) as file:
        if not path.endswith(".z"):
            while piece := file.read(PIECE_BYTES):
                yield piece
            return
        import zlib

        unpack = zlib.decompressobj()
        try:
            while not unpack.eof:
                packed = unpack.unconsumed_tail or file.read(PIECE_BYTES)
                if not packed:
                    raise OSError(f"damaged: {path}")
                yield unpack.decompress(packed, PIECE_BYTES)
        except zlib.error as error:
            raise OSError(f"damaged: {path}") from error


def _pieces(fd: int) -> "Iterator[bytes]":
    offset = 0
    while piece := os.pread(fd, PIECE_BYTES, offset):
        offset += len(piece)
        yield piece


def _whole(fd: int) -> bytes:
    return b"".join(_pieces(fd))


def _is_kept(folder: str, sha: str, size: int) -> bool:
    found = stored_at(folder, sha)
    if found is None:
        return False
    try:
        with unpurged(os.path.dirname(found)):
            status = os.stat(found)
            if status.st_mode & UNFINISHED or (not found.endswith(".z") and status.st_size != size):
                return False
            os.utime(found)
    except FileNotFoundError:
        return False
    return True


def _stored(folder: str, sha: str, pieces: "Iterator[bytes]", size: int) -> tuple[str, int]:
    """Write a new blob; its sha256 and size.

    It is written under its own name, which saves syncing twice, and marked as unfinished until it is whole and synced.
    Where the name is taken, by another writer or by a half of a killed one, and where the file has changed since it was
    looked at, a temporary file takes its place.
    """
    _make_folders(folder)
    first = next(pieces, b"")
    pack = _packer(first, size)
    suffix = ".z" if pack else ""
    path = os.path.join(folder, sha[:2], sha + suffix)
    if os.path.lexists(path):
        path = os.path.join(folder, f"incoming-{os.urandom(6).hex()}.{os.getpid()}.tmp")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 | UNFINISHED)
    try:
        try:
            written_sha, written = _filled(fd, first, pieces, pack)
            os.fsync(fd)
            os.fchmod(fd, 0o600)
        finally:
            os.close(fd)
        right = os.path.join(folder, written_sha[:2], written_sha + suffix)
        if path != right:
            with unpurged(os.path.dirname(right)):
                os.replace(path, right)
            fsync_folder(os.path.dirname(right))
    except BaseException:
        unlink_if_there(path)
        raise
    return written_sha, written


def _make_folders(folder: str) -> None:
    """All 256 at the first time, so that no later one has to wait for a new folder."""
    if os.path.isdir(os.path.join(folder, "ff")):
        return
    make_folder(folder)
    for number in range(256):
        try:
            os.mkdir(os.path.join(folder, f"{number:02x}"), 0o700)
        except FileExistsError:
            continue
    fsync_folder(folder)


def _filled(fd: int, first: bytes, pieces: "Iterator[bytes]", pack: "_Packer | None") -> tuple[str, int]:
    digest, written = sha256(len(first)), 0
    piece: bytes | None = first
    while piece:
        digest.update(piece)
        written += len(piece)
        write_whole(fd, pack.compress(piece) if pack else piece)
        piece = next(pieces, None)
    if pack:
        write_whole(fd, pack.flush())
    return digest.hexdigest(), written


class _Ready:
    """Stands for a compressor where the trial was the whole file already."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    def compress(self, piece: bytes) -> bytes:
        """The one piece there is."""
        return self._packed

    def flush(self) -> bytes:
        """Nothing is left."""
        return b""


def _packer(first: bytes, size: int) -> "_Packer | None":
    if size <= SMALLEST_BYTES:
        return None
    import zlib

    block = first[:TRIAL_BYTES]
    packed = zlib.compress(block, LEVEL)
    if len(packed) > PAYS_BELOW * len(block):
        return None
    return _Ready(packed) if len(block) == size else zlib.compressobj(LEVEL)
