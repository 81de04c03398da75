"""Bytes going into a baseline, and coming out of it into the blob store.

Standard library only, and little of it: the hook path imports this.
"""

import os
import stat

from respool.storage.files.digest import sha256
from respool.storage.files.scan_entry import opened, signature
from respool.storage.files.scan_git import Objects, object_name
from respool.storage.files.scan_pile import Pile, in_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Protocol

    from respool.storage.files.scan_entry import Content, Entry, Signature

    class Batch(Protocol):
        """Blobs that are durable at the end of the ``with`` block."""

        def __enter__(self) -> "Batch": ...

        def __exit__(self, kind: object, error: object, trace: object, /) -> None: ...

        def put(self, feed: "Callable[[Callable[[bytes], object]], object]") -> tuple[str, int]:
            """Take what ``feed`` writes."""

    class Store(Protocol):
        """What is asked of the blob store (`blobs.Blobs`)."""

        def has(self, blob: Any, size: int) -> bool:
            """Whether it is there."""

        def together(self) -> Batch:
            """Store many."""


PIECE_BYTES = 1 << 20
ATTEMPTS = 3
WAITING_BYTES = 32 << 20
WORTH_ASKING_GIT = 64
"""Fewer new contents than this go to the pile unasked: starting git costs more than they do."""
THREADS = 4
READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Slot:
    """A content whose place is not decided yet."""

    __slots__ = ("content", "data", "repository", "sha")

    def __init__(self, data: bytes, sha: bytes, repository: str | None) -> None:
        self.data, self.sha, self.repository = data, sha, repository
        self.content: Content = ("unread", "unsettled")


class Contents:
    """Where contents are kept. ``known()`` lists those the baseline has already, by sha256. ``dry``: only hashed."""

    def __init__(
        self, pile: Pile, blobs: "Store", known: "Callable[[], dict[bytes, Content]]", *, dry: bool = False
    ) -> None:
        self._pile, self._blobs, self._known, self._dry = pile, blobs, known, dry
        self._index: dict[bytes, Content] | None = None
        self._repositories: dict[str, Objects] = {}
        self._waiting: list[Slot] = []
        self._bytes = 0
        self._seen = 0

    def take(self, data: bytes, repository: str | None) -> Slot:
        """Hand bytes over; their place is known after ``settle``."""
        digest = sha256(len(data))
        digest.update(data)
        slot = Slot(data, digest.digest(), repository)
        if self._dry:
            slot.content, slot.data = ("pile", slot.sha, 0, 0), b""
            return slot
        self._waiting.append(slot)
        self._bytes += len(data)
        self._seen += 1
        if self._bytes > WAITING_BYTES:
            self._place()
        return slot

    def settle(self) -> None:
        """Decide every place and make it durable."""
        self._place()
        self._pile.sync()

    def close(self) -> None:
        """End git, if it ran."""
        for objects in self._repositories.values():
            objects.close()

    def keep(self, entries: "Iterable[Entry]") -> set[str]:
        """Bring the bytes of entries into the blob store, durably; returns the sha256 of those that are gone."""
        wanted = {entry[1][1]: entry for entry in entries if entry[1][0] in ("pile", "git")}
        missing = [entry for sha, entry in wanted.items() if not self._blobs.has(sha.hex(), entry[0][2])]
        gone: set[str] = set()
        # Git answers one question at a time.
        parts = THREADS if all(entry[1][0] == "pile" for entry in missing) else 1
        jobs = [part for part in (missing[start::parts] for start in range(parts)) if part]
        in_threads([lambda part=part: self._keep(part, gone) for part in jobs])  # type: ignore[misc]
        return gone

    def _keep(self, entries: "list[Entry]", gone: set[str]) -> None:
        with self._blobs.together() as batch:
            for entry in entries:
                data = self.read(entry)
                if data is None:
                    gone.add(entry[1][1].hex())
                else:
                    batch.put(_feeding(data))

    def read(self, entry: "Entry") -> bytes | None:
        """The bytes of an entry, verified."""
        size, content = entry[0][2], entry[1]
        if content[0] == "pile":
            data = self._pile.read(content[2], content[3], size)
        else:
            data = self._objects(content[3]).read(content[2])
        if data is None or len(data) != size:
            return None
        digest = sha256(size)
        digest.update(data)
        return data if digest.digest() == content[1] else None

    def _place(self) -> None:
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        if self._seen >= WORTH_ASKING_GIT:
            waiting = self._without_known(waiting)
            self._ask_git(waiting)
        for slot in waiting:
            if slot.content[0] == "unread":
                slot.content = ("pile", slot.sha, *self._pile.add(slot.data))
                self._note(slot)
            slot.data = b""

    def _without_known(self, waiting: list[Slot]) -> list[Slot]:
        """A file that was only moved, or is one of many copies, has its bytes here already."""
        if self._index is None:
            self._index = self._known()
        rest = []
        for slot in waiting:
            known = self._index.get(slot.sha)
            if known is None:
                rest.append(slot)
            else:
                slot.content, slot.data = known, b""
        return rest

    def _ask_git(self, waiting: list[Slot]) -> None:
        for repository in {slot.repository for slot in waiting}:
            if repository is None:
                continue
            mine = [(slot, object_name(slot.data)) for slot in waiting if slot.repository == repository]
            held = self._objects(repository).hold([(name, len(slot.data)) for slot, name in mine])
            for (slot, name), there in zip(mine, held, strict=True):
                if there:
                    slot.content = ("git", slot.sha, name, repository)
                    self._note(slot)

    def _note(self, slot: Slot) -> None:
        if self._index is not None:
            self._index[slot.sha] = slot.content

    def _objects(self, repository: str) -> Objects:
        if repository not in self._repositories:
            self._repositories[repository] = Objects(repository)
        return self._repositories[repository]


def _feeding(data: bytes) -> "Callable[[Callable[[bytes], object]], object]":
    return lambda write: write(data)


class Gone(Exception):
    """Nothing stands there any more."""


def read_file(path: str, largest: int) -> "tuple[Signature, int, bytes] | str":
    """Signature, number of links and bytes of a regular file, or the reason why not. Raises ``Gone``."""
    try:
        fd = opened(path, READING)
    except FileNotFoundError:
        raise Gone from None
    except OSError:
        return "unreadable"
    try:
        return _read(fd, largest)
    except OSError:
        return "unreadable"
    finally:
        os.close(fd)


def _read(fd: int, largest: int) -> "tuple[Signature, int, bytes] | str":
    for _ in range(ATTEMPTS):
        begun = os.fstat(fd)
        if not stat.S_ISREG(begun.st_mode):
            return "changing"
        if begun.st_size > largest:
            return "too_large"
        os.lseek(fd, 0, os.SEEK_SET)
        data = _whole(fd, begun.st_size)
        ended = os.fstat(fd)
        if signature(begun) == signature(ended) and len(data) == begun.st_size:
            return signature(ended), ended.st_nlink, data
    return "changing"


def _whole(fd: int, size: int) -> bytes:
    data = os.read(fd, size + 1)
    if len(data) == size:
        return data
    pieces = [data]
    while len(data) and sum(map(len, pieces)) <= size:
        data = os.read(fd, PIECE_BYTES)
        pieces.append(data)
    return b"".join(pieces)
