"""Git's objects as before-images, and what of a repository can be seen to change.

Only ``git cat-file`` runs, never another command. The names of objects are computed by us from the raw bytes of files,
so filters, line ends and the index have no say; replacements, hooks, fsmonitor, locks and fetching are switched off.

Standard library only; ``subprocess`` is imported when git is really asked: the hook path imports this.
"""

import os

from respool.storage.files.scan_entry import lstat, opened, signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

COMMAND = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
SETTINGS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
KEPT_VARIABLES = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES")
AT_ONCE = 400
"""Names sent before the answers are read: less than a pipe holds, both ways."""
WATCHED = ("HEAD", "logs/HEAD")
WATCHED_IN_COMMON = ("packed-refs", "config", "refs/heads", "refs/tags", "refs/stash", "hooks")
"""Not the index: any ``git status`` rewrites it."""


class Objects:
    """Objects of the repository at ``root``; processes start when needed, ``close`` ends them."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._running: dict[str, Popen[bytes]] = {}
        self._usable = not _fetches(root)

    def hold(self, wanted: list[tuple[str, int]]) -> list[bool]:
        """For each object id and size, whether the repository has exactly that blob."""
        found: list[bool] = []
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            lines = self._asked("--batch-check", [name for name, _ in some]) if self._usable else []
            expected = [f"{name} blob {size}\n".encode() for name, size in some]
            found += [line == hoped for line, hoped in zip(lines, expected, strict=False)]
            found += [False] * (len(some) - len(lines))
        return found

    def read(self, name: str) -> bytes | None:
        """The bytes of an object, unverified; ``None`` when git does not have it any more."""
        head = self._asked("--batch", [name]) if self._usable else []
        words = head[0].split() if head else []
        if len(words) != 3 or words[1] != b"blob":
            return None
        size = int(words[2])
        output = self._running["--batch"].stdout
        data = output.read(size + 1) if output else b""
        return data[:-1] if len(data) == size + 1 else None

    def close(self) -> None:
        """End the processes."""
        for process in self._running.values():
            for pipe in (process.stdin, process.stdout):
                _closed(pipe)
            process.wait()
        self._running.clear()

    def _asked(self, how: str, names: list[str]) -> list[bytes]:
        """A line for each name, as far as git answers."""
        try:
            process = self._process(how)
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("".join(f"{name}\n" for name in names).encode())
            process.stdin.flush()
            lines = [process.stdout.readline() for _ in names]
        except OSError:
            self._usable = False
            return []
        return [line for line in lines if line]

    def _process(self, how: str) -> "Popen[bytes]":
        if how not in self._running:
            import subprocess

            kept = {name: value for name, value in os.environ.items() if name[:4] != "GIT_" or name in KEPT_VARIABLES}
            self._running[how] = subprocess.Popen(
                [*COMMAND, "-C", self._root, "cat-file", how],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**kept, **SETTINGS},
            )
        return self._running[how]


def object_name(data: bytes) -> str:
    """The id git gives to a blob of these bytes."""
    import hashlib

    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def repository_above(folder: str) -> str | None:
    """Root of the repository a folder lies in, itself included."""
    while True:
        if lstat(os.path.join(folder, ".git")) is not None:
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def git_signature(path: str) -> tuple[object, ...] | None:
    """Something that changes when commits, branches, stashes or the configuration do; ``path`` ends in ``.git``."""
    own = lstat(path)
    if own is None:
        return None
    folder, common = _folders(path)
    places = [os.path.join(folder, name) for name in WATCHED]
    places += [os.path.join(common, name) for name in WATCHED_IN_COMMON]
    seen = [lstat(place) for place in places]
    return (own.st_ino, own.st_mode, *(None if status is None else signature(status) for status in seen))


def _folders(path: str) -> tuple[str, str]:
    """Of a ``.git`` folder, or of the file a worktree or submodule has instead: its own folder, and the shared one."""
    folder = path
    if not os.path.isdir(path):
        named = _text(path).removeprefix("gitdir:").strip()
        folder = os.path.normpath(os.path.join(os.path.dirname(path), named))
    shared = _text(os.path.join(folder, "commondir")).strip()
    return folder, os.path.normpath(os.path.join(folder, shared)) if shared else folder


def _fetches(root: str) -> bool:
    """Whether asking for an object could reach a network: an old git has no switch against that."""
    _, common = _folders(os.path.join(root, ".git"))
    settings = _text(os.path.join(common, "config")).lower()
    return "promisor" in settings or "partialclone" in settings


def _text(path: str) -> str:
    """A small regular file; empty when there is none."""
    try:
        fd = opened(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.fsdecode(os.read(fd, 1 << 16))
    except OSError:
        return ""
    finally:
        os.close(fd)


def _closed(pipe: object) -> None:
    try:
        pipe.close()  # type: ignore[attr-defined]
    except OSError:
        return
