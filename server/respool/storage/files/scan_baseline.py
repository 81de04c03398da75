"""What a workspace looked like at the last look, and which windows are open; shared by processes, under a lock.

``baselines/<key>/`` holds ``lock`` (``flock``, exclusive, for as long as a look takes), ``tree`` (`scan_frames`) and
one ``pile-*`` (`scan_pile`). Frames:
``("base", pile, windows, history, held, folders)``    everything so far
``("look", folders, lost, changes, left_out, shared)``  what one look found; no changes unless a window is open
``("open", token, at_ms)``  ``("close", token, at_ms)``

A window is a stretch of the history, so windows may overlap, and one can be closed again after a crash swallowed the
answer.

Standard library only, and little of it: the hook path imports this.
"""

import fcntl
import gc
import os
import time

from respool.storage.files.atomic import make_folder
from respool.storage.files.digest import sha256
from respool.storage.files.scan_entry import Folder
from respool.storage.files.scan_frames import Frames, removed
from respool.storage.files.scan_pile import Pile, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from respool.storage.files.scan_entry import Content, Entry
    from respool.storage.files.scan_frames import Frame

GROWN_BYTES = 4 << 20
DEAD_BYTES = 64 << 20
KEPT_CLOSED_MS = 24 * 3600 * 1000
KEPT_OPEN_MS = 7 * KEPT_CLOSED_MS
COPY_BYTES = 1 << 20


def baseline_key(root: str) -> str:
    """Name of a workspace in our state folder."""
    digest = sha256()
    digest.update(os.fsencode(root))
    return digest.hexdigest()[:32]


class Window:
    """A stretch of the history: from ``start`` up to ``end``, ``None`` = still open."""

    __slots__ = ("at_ms", "end", "start")

    def __init__(self, start: int, end: int | None, at_ms: int) -> None:
        self.start, self.end, self.at_ms = start, end, at_ms


class Baseline:
    """One workspace's. Use it as a context: within, nobody else looks at or changes it.

    ``tree``: path below the workspace → folder. ``entries``: how many names are tracked. ``held``: how many bytes, and
    how many of the pile's count.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._frames = Frames(os.path.join(folder, "tree"))
        self._waiting: list[Frame] = []
        self._lock = -1
        self._clear()

    def _clear(self) -> None:
        self.tree: dict[str, Folder] = {}
        self.windows: dict[str, Window] = {}
        self.history: list[Frame] = []
        self.entries = 0
        self.held = (0, 0)
        self.pile = Pile("")

    def exists(self) -> bool:
        """Whether this workspace was ever looked at."""
        return os.path.exists(self._frames.path)

    def __enter__(self) -> "Baseline":
        make_folder(self.folder)
        lock = os.open(os.path.join(self.folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._catch_up()
        except BaseException:
            self._frames.forget()
            os.close(lock)
            raise
        self._lock = lock  # not before it is held: another thread may be within
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None or self._waiting:
            self._waiting = []
            self._frames.forget()
        os.close(self._lock)

    def _catch_up(self) -> None:
        another, frames = self._frames.news()
        if another:
            self._clear()
        collecting = gc.isenabled()
        gc.disable()  # thousands of small objects, none of them garbage
        try:
            for frame in frames:
                self._apply(frame)
        finally:
            if collecting:
                gc.enable()

    def begin(self) -> None:
        """Make the files of a workspace that is looked at for the first time."""
        if not self.pile.path:
            self._clear()
            self.rewrite(f"pile-{os.urandom(4).hex()}")

    def add(self, frame: "Frame") -> None:
        """Take a frame in; ``commit`` makes it durable."""
        self._waiting.append(frame)
        self._apply(frame)

    def commit(self) -> None:
        """Make added frames durable. Raises ``OSError``."""
        if self._waiting:
            self._frames.append(self._waiting)
            self._waiting = []

    def opened(self) -> int:
        """How many windows are open."""
        return sum(window.end is None for window in self.windows.values())

    def since(self, window: Window) -> "list[Frame]":
        """What looks found in a window."""
        return self.history[window.start : window.end]

    def contents(self) -> "dict[bytes, Content]":
        """Every content that is kept, by its sha256."""
        found = {}
        for folder in self.tree.values():
            for _, content in folder.entries().values():
                if content[0] in ("pile", "git"):
                    found[content[1]] = content
        return found

    def _apply(self, frame: "Frame") -> None:
        kind = frame[0]
        if kind == "look":
            self._take(frame[1], frame[2])
            if self.windows and (frame[3] or frame[4]):
                self.history.append(frame[3:])
        elif kind == "open":
            self.windows[frame[1]] = Window(len(self.history), None, frame[2])
        elif kind == "close":
            self.windows[frame[1]].end = len(self.history)
        elif kind == "base":
            self._clear()
            self.pile = Pile(os.path.join(self.folder, frame[1]))
            self.windows = {token: Window(*row) for token, row in frame[2].items()}
            self.history = list(frame[3])
            self.held = tuple(frame[4])
            self.tree = {path: Folder(*row) for path, row in frame[5].items()}
            self.entries = sum(1 + len(folder.names) for folder in self.tree.values())

    def _take(self, folders: "dict[str, tuple[object, ...]]", lost: list[str]) -> None:
        for path, row in folders.items():
            self._count(self.tree.get(path), -1)
            self.tree[path] = Folder(*row)  # type: ignore[arg-type]
            self._count(self.tree[path], 1)
        for path in lost:
            self._count(self.tree.pop(path, None), -1)

    def _count(self, folder: Folder | None, sign: int) -> None:
        if folder is not None:
            self.entries += sign * (1 + len(folder.names))
            self.held = (self.held[0] + sign * folder.held[0], self.held[1] + sign * folder.held[1])

    def trim(self) -> None:
        """Write the files anew when most of what is in them no longer counts. A full disk is no reason to fail here."""
        try:
            if self.pile.size() > 2 * self.held[1] + DEAD_BYTES:
                self.rewrite(f"pile-{os.urandom(4).hex()}")
            elif self._frames.bytes > 2 * self._useful() + GROWN_BYTES:
                self.rewrite()
        except OSError:
            self._frames.forget()

    def _useful(self) -> int:
        return sum(len(folder.details) + 200 for folder in self.tree.values())

    def rewrite(self, pile: str = "") -> None:
        """Write the file anew, without what no longer counts; ``pile``: the contents too, under that name."""
        self._drop_old_windows()
        pile = pile or os.path.basename(self.pile.path)
        tree = self.tree
        if pile != os.path.basename(self.pile.path):
            tree = self._moved(os.path.join(self.folder, pile))
        windows = {token: (window.start, window.end, window.at_ms) for token, window in self.windows.items()}
        rows = {path: folder.row() for path, folder in tree.items()}
        base = ("base", pile, windows, self.history, self.held, rows)
        self._frames.replace(base)
        self._apply(base)
        for name in os.listdir(self.folder):
            if name.startswith("pile-") and name != pile:
                removed(os.path.join(self.folder, name))

    def _drop_old_windows(self) -> None:
        now = int(time.time() * 1000)
        for token, window in list(self.windows.items()):
            if now - window.at_ms > (KEPT_OPEN_MS if window.end is None else KEPT_CLOSED_MS):
                del self.windows[token]
        first = min((window.start for window in self.windows.values()), default=len(self.history))
        self.history = self.history[first:]
        for window in self.windows.values():
            window.start -= first
            window.end = None if window.end is None else window.end - first

    def _moved(self, path: str) -> dict[str, Folder]:
        """Copy the contents that still count into another pile."""
        places: dict[int, int] = {}
        tree = {}
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            for folder, known in self.tree.items():
                entries = {name: self._copied(entry, fd, places) for name, entry in known.entries().items()}
                tree[folder] = Folder.of(known.signature, known.rule, known.folders, entries, known.linked)
            os.fsync(fd)
        finally:
            os.close(fd)
        return tree

    def _copied(self, entry: "Entry", fd: int, places: dict[int, int]) -> "Entry":
        found, content = entry
        if content[0] != "pile":
            return entry
        _, sha, offset, length = content
        if offset not in places:
            places[offset] = os.lseek(fd, 0, os.SEEK_END)
            write_all(fd, self.pile.raw(offset, length))
        return found, ("pile", sha, places[offset], length)
