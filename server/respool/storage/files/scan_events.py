"""Where a workspace was touched, told by the kernel: for a host that lives long enough to listen (Linux ``inotify``).

One queue serves all workspaces, and a folder of our own. What it says about a workspace is trusted only when a file
just made in that folder was heard of too: then everything that happened before has been heard. After an overflow, a
missing watch, or on a file system that may change without this kernel, nobody is certain, and everything is looked at.

Not `watchdog`: it starts a queue for each watch, so that nothing orders our file after theirs, and it keeps moves back
for half a second.
"""

import contextlib
import ctypes
import errno
import os
import select
import struct
import threading

SENTINEL_S = 0.1
READ_BYTES = 1 << 18
LOCAL = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "f2fs", "zfs", "bcachefs", "overlay", "jfs"})
MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
DELETE_SELF, MOVE_SELF = 0x400, 0x800
OVERFLOW, IGNORED = 0x4000, 0x8000
ONLY_FOLDER, NO_LINK = 0x1000000, 0x2000000
TOUCHED = MODIFY | ATTRIB | CLOSE_WRITE | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF
NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP)
"""A look at the folder above, or at the folder itself, meets the same."""
_EVENT = struct.Struct("iIII")


class FolderEvents:
    """`scan.Events` by ``inotify``. ``state``: our own folder. Close it when done."""

    def __init__(self, state: str) -> None:
        self._sentinels = os.path.join(state, "events")
        self._changed = threading.Condition()
        self._places: dict[int, set[tuple[str, str]]] = {}
        self._watches: dict[tuple[str, str], int] = {}
        self._touched: dict[str, set[str]] = {}
        self._uncertain: set[str] = set()
        self._heard: set[str] = set()
        self._made = 0
        self._own = -1
        self._fd, self._libc = _queue()
        self._until, self._end = os.pipe()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        if self._fd >= 0:
            self._thread.start()

    def touched(self, root: str) -> set[str] | None:
        """Folders below ``root`` touched since the last call; ``None`` when that is not certain."""
        certain = self._fd >= 0 and _is_local(root) and self._has_heard_all()
        with self._changed:
            folders = self._touched.get(root)
            certain = certain and folders is not None and root not in self._uncertain
            self._touched[root] = set()
            self._uncertain.discard(root)
        return folders if certain else None

    def follow(self, root: str, folder: str) -> None:
        """Tell about a folder (its full path) from now on."""
        if self._fd < 0:
            return
        place = (root, folder[len(root) :].strip("/"))
        with self._changed:
            watch = self._watch(folder, TOUCHED)
            if watch < 0:
                if ctypes.get_errno() not in NOT_THERE:
                    self._uncertain.add(root)
                return
            before = self._watches.get(place)
            if before is not None and before != watch:
                self._places.get(before, set()).discard(place)
            self._watches[place] = watch
            self._places.setdefault(watch, set()).add(place)

    def close(self) -> None:
        """Stop listening."""
        if self._fd < 0:
            return
        os.close(self._end)
        self._thread.join()
        for fd in (self._fd, self._until):
            os.close(fd)
        self._fd = -1

    def heard(self, data: bytes) -> None:
        """Take in what the kernel says."""
        with self._changed:
            at = 0
            while at < len(data):
                watch, mask, _, length = _EVENT.unpack_from(data, at)
                name = data[at + _EVENT.size : at + _EVENT.size + length].rstrip(b"\0")
                at += _EVENT.size + length
                self._take(watch, mask, os.fsdecode(name))
            self._changed.notify_all()

    def _take(self, watch: int, mask: int, name: str) -> None:
        if mask & OVERFLOW:
            self._uncertain.update(self._touched)
        elif watch == self._own:
            self._heard.add(name)
            self._own = -1 if mask & IGNORED else self._own
        elif mask & IGNORED:
            for place in self._places.pop(watch, set()):
                if self._watches.get(place) == watch:
                    del self._watches[place]
        else:
            for root, folder in self._places.get(watch, ()):
                self._touched.setdefault(root, set()).add(folder)

    def _watch(self, folder: str, mask: int) -> int:
        return int(self._libc.inotify_add_watch(self._fd, os.fsencode(folder), mask | ONLY_FOLDER | NO_LINK))

    def _listen(self) -> None:
        while self._until not in select.select([self._fd, self._until], [], [])[0]:
            try:
                self.heard(os.read(self._fd, READ_BYTES))
            except OSError:
                with self._changed:
                    self._uncertain.update(self._touched)
                return

    def _has_heard_all(self) -> bool:
        if self._own < 0:
            self._begin()
        name = self._make_sentinel()
        with self._changed:
            there = name is not None and self._changed.wait_for(lambda: name in self._heard, SENTINEL_S)
            self._heard.clear()
        return there

    def _begin(self) -> None:
        """Listen to our own folder; somebody may have removed it."""
        with contextlib.suppress(OSError):
            os.makedirs(self._sentinels, mode=0o700, exist_ok=True)
        with self._changed:
            self._own = self._watch(self._sentinels, CREATE)

    def _make_sentinel(self) -> str | None:
        self._made += 1
        name = f"{self._made}-{os.urandom(4).hex()}.{os.getpid()}.tmp"
        path = os.path.join(self._sentinels, name)
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            os.unlink(path)
        except OSError:
            return None
        return name


def _queue() -> tuple[int, ctypes.CDLL]:
    """A new queue, negative where there is none to be had, and what to call."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "inotify_init1"):
        return -1, libc
    return int(libc.inotify_init1(os.O_CLOEXEC)), libc


def _is_local(path: str) -> bool:
    """Whether only this kernel can change the file system a path is on."""
    kind, longest = "", -1
    try:
        with open("/proc/self/mountinfo", "rb") as mounts:
            lines = mounts.read().splitlines()
    except OSError:
        return False
    for line in lines:
        words = os.fsdecode(line).split(" ")
        place = _unescaped(words[4])
        if (path == place or path.startswith(place.rstrip("/") + "/")) and len(place) >= longest:
            kind, longest = words[words.index("-") + 1], len(place)
    return kind in LOCAL


def _unescaped(text: str) -> str:
    """``mountinfo`` writes blanks and the like as octal numbers."""
    for code in ("040", "011", "012", "134"):
        text = text.replace(f"\\{code}", chr(int(code, 8)))
    return text
