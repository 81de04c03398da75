"""What stands where the agent is about to write: state with its bytes kept, links on the way, parents that are absent.

A link is followed, as the agent's own write will follow it: the state is that of the real file, and every link met is
named with its text. What cannot be read has no state at all and a reason, never "absent".

Standard library only, and little of it: the hook path imports this.
"""

import os
import stat

from respool.storage.files.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Keep = Callable[[int], tuple[str, int]]
    Image = dict[str, Any]

MOST_LINKS = 40
"""As many as Linux follows."""
ATTEMPTS = 3
PIECE_BYTES = 1 << 20


class Unknown(Exception):
    """The state cannot be told; the text is a reason code."""


class _Way:
    """Where a path leads. ``absent_parents``: outermost first; ``status``: ``None`` when nothing stands there."""

    __slots__ = ("absent_parents", "links", "real", "status")

    def __init__(self) -> None:
        self.real = ""
        self.links: list[list[str]] = []
        self.absent_parents: list[str] = []
        self.status: os.stat_result | None = None


def before_image(path: str, keep: "Keep") -> "Image":
    """The fields of a ``before`` record for an absolute path.

    ``keep(fd)`` makes the bytes of an open file durable and returns their sha256 and size; it may raise ``OSError``.
    """
    image: Image = {"path": spelled(path)}
    try:
        way = _way(path)
        image["parents"], image["links"] = way.absent_parents, way.links
        if way.real != image["path"]:
            image["real"] = way.real
        image["state"] = _state(way, keep)
    except Unknown as unknown:
        image.setdefault("parents", [])
        image.setdefault("links", [])
        image["state"], image["reason"] = None, str(unknown)
    return image


def after_image(path: str) -> "Image":
    """The fields of an ``after`` record: as above, but no bytes are kept."""
    return before_image(path, _hashed)


def followed(path: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Where a path really leads now, and path and text of every link on the way. Raises ``Unknown``."""
    way = _way(path)
    return way.real, tuple((place, text) for place, text in way.links)


def spelled(path: str) -> str:
    """The path's own spelling, normalised; where a link makes ``..`` mean something else, the way it really goes."""
    normal = os.path.normpath(path)
    normal = normal[1:] if normal.startswith("//") else normal
    if "/../" not in f"{path}/":
        return normal
    try:
        real = _way(path).real
        return normal if _way(normal).real == real else real
    except Unknown:
        return normal


def _way(path: str) -> _Way:
    way = _Way()
    if not os.path.isabs(path) or "\0" in path:
        raise Unknown("bad_path")
    ahead = _parts(path)
    while ahead:
        name = ahead.pop()
        if name == "..":
            way.real = os.path.dirname(way.real).rstrip("/")
            continue
        here = f"{way.real}/{name}"
        way.status = None if way.absent_parents else _lstat(here)
        if way.status is None and ahead:
            way.absent_parents.append(here)
        if way.status is None or not stat.S_ISLNK(way.status.st_mode):
            way.real = here
            continue
        text = _readlink(here)
        way.links.append([here, text])
        if len(way.links) > MOST_LINKS:
            raise Unknown("link_loop")
        way.real = "" if text.startswith("/") else way.real
        ahead.extend(_parts(text))
    if not way.real:
        way.real = "/"
    if way.status is None and not way.absent_parents:
        way.status = _lstat(way.real)  # the last part was ".."
    return way


def _parts(path: str) -> list[str]:
    """The names on the way, the next one last."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        raise Unknown("unreadable") from None


def _readlink(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        raise Unknown("unreadable") from None


def _state(way: _Way, keep: "Keep") -> "Image":
    """Absent, file, folder or other; never a link, since those were followed."""
    for _ in range(ATTEMPTS):
        status = way.status
        if status is None:
            return {"kind": "absent"}
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISDIR(status.st_mode):
            return {"kind": "folder", "mode": mode}
        if not stat.S_ISREG(status.st_mode):
            return {"kind": "other", "mode": mode}
        found = _file(way.real, keep)
        if found is not None:
            return found
        way.status = _lstat(way.real)
    raise Unknown("changes_all_the_time")


def _file(real: str, keep: "Keep") -> "Image | None":
    """State of a regular file; ``None`` when it was replaced or written to meanwhile."""
    try:
        fd = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:
        raise Unknown("unreadable") from None
    try:
        begun = os.fstat(fd)
        if not stat.S_ISREG(begun.st_mode):
            return None
        sha, size = _kept(fd, keep)
        ended = os.fstat(fd)
    finally:
        os.close(fd)
    if (size, begun.st_mtime_ns) != (ended.st_size, ended.st_mtime_ns):
        return None
    image: Image = {"kind": "file", "size": size, "mode": stat.S_IMODE(ended.st_mode), "sha256": sha}
    if ended.st_nlink > 1:
        image["hard_links"] = ended.st_nlink
    return image


def _kept(fd: int, keep: "Keep") -> tuple[str, int]:
    try:
        return keep(fd)
    except OSError as error:
        # Reading fails with these; whatever else went wrong is about our own store.
        raise Unknown("unreadable" if error.errno in (5, 13, 1) and error.filename is None else "not_kept") from error


def _hashed(fd: int) -> tuple[str, int]:
    digest, size = sha256(os.fstat(fd).st_size), 0
    while piece := os.read(fd, PIECE_BYTES):
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size
