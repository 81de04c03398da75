"""What the scan remembers of a path: a signature quick to compare, and where the bytes are that stood there.

A signature is ``(ctime_ns, mtime_ns, size, inode, mode)``. Nothing changes a file without a new change time, save when
both happen within one tick of the file system's clock; an entry looked at that soon is remembered with ``RACY`` as its
change time, so that it never compares equal and its bytes are compared again (git calls this "racily clean").

A content is a plain tuple, the tag first:
``("pile", sha256, offset, length)``   the bytes lie in the baseline's own pile; shorter than the file: a zlib stream
``("git", sha256, object id, repository)``   the repository holds an object of exactly these raw bytes
``("link", text)``   ``("other",)``   ``("unread", reason)``: tracked by signature only

Standard library only, and little of it: the hook path imports this.
"""

import marshal
import os
import stat
from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Signature = tuple[int, int, int, int, int]
    Content = tuple[Any, ...]
    Entry = tuple[Signature, Content]
    State = dict[str, Any]

ABSENT: "State" = {"kind": "absent"}
RACY = -1
TICK_NS = 20_000_000
"""A kernel with 100 ticks a second stamps up to 10 ms late."""
COARSE_NS = 2_000_000_000
"""FAT counts in two seconds; a change time without a fraction may come from a file system like that."""
FORMAT = 4
_NOATIME = getattr(os, "O_NOATIME", 0)

signature = attrgetter("st_ctime_ns", "st_mtime_ns", "st_size", "st_ino", "st_mode")


def is_racy(ctime_ns: int, looked_ns: int) -> bool:
    """Whether a change after a look begun at ``looked_ns`` could have left this change time as it is."""
    return ctime_ns >= looked_ns - (TICK_NS if ctime_ns % 1_000_000 else COARSE_NS)


def settled(found: "Signature", looked_ns: int) -> "Signature":
    """The signature to remember."""
    return (RACY, *found[1:]) if is_racy(found[0], looked_ns) else found


def state_of(entry: "Entry | None") -> tuple["State | None", str | None]:
    """State as the change log writes it; ``None`` and a reason where the bytes are not known."""
    if entry is None:
        return ABSENT, None
    (_, _, size, _, mode), content = entry
    tag = content[0]
    if tag == "unread":
        return None, content[1]
    if tag == "link":
        return {"kind": "link", "link": content[1]}, None
    if tag == "other":
        return {"kind": "other", "mode": stat.S_IMODE(mode)}, None
    return {"kind": "file", "size": size, "mode": stat.S_IMODE(mode), "sha256": content[1].hex()}, None


def folder_state(mode: int) -> "State":
    """State of a folder."""
    return {"kind": "folder", "mode": stat.S_IMODE(mode)}


def held_bytes(entry: "Entry") -> int:
    """How much content is kept for an entry."""
    return entry[0][2] if entry[1][0] in ("pile", "git") else 0


def _held(entries: "Iterable[Entry]") -> tuple[int, int]:
    everything = piled = 0
    for found, content in entries:
        if content[0] in ("pile", "git"):
            everything += found[2]
            piled += content[3] if content[0] == "pile" else 0
    return everything, piled


class Folder:
    """A folder as last looked at.

    ``rule``: why it is not looked into (then it may still hold what was known before), or ``None``. ``folders``: names
    of folders in it; ``names``: of everything else, in the order of ``details``, which are read only when ``digest``, a
    hash over all their signatures, no longer agrees. ``linked``: a file in it has other names elsewhere. ``held``:
    bytes of content that are kept, and how many bytes of the pile they take.
    """

    __slots__ = ("details", "digest", "folders", "held", "linked", "names", "rule", "signature")

    def __init__(
        self,
        found: "Signature",
        rule: str | None = None,
        folders: tuple[str, ...] = (),
        names: tuple[str, ...] = (),
        digest: int = 0,
        details: bytes = b"",
        linked: bool = False,
        held: tuple[int, int] = (0, 0),
    ) -> None:
        self.signature, self.rule, self.folders = found, rule, folders
        self.names, self.digest, self.details, self.linked, self.held = names, digest, details, linked, held

    @classmethod
    def of(
        cls,
        found: "Signature",
        rule: str | None,
        folders: tuple[str, ...],
        entries: "dict[str, Entry]",
        linked: bool = False,
    ) -> "Folder":
        """One with these entries."""
        digest = hash(tuple([entry[0] for entry in entries.values()]))
        details = marshal.dumps(list(entries.values()), FORMAT)
        return cls(found, rule, folders, tuple(entries), digest, details, linked, _held(entries.values()))

    def row(self) -> tuple[object, ...]:
        """What is written of it."""
        kept = (self.signature, self.rule, self.folders, self.names)
        return (*kept, self.digest, self.details, self.linked, self.held)

    def entries(self) -> "dict[str, Entry]":
        """Name → entry."""
        return dict(zip(self.names, marshal.loads(self.details), strict=True)) if self.names else {}

    def ruled(self, rule: str, found: "Signature") -> "Folder":
        """The same, not looked into for now."""
        return Folder(found, rule, *self.row()[2:])  # type: ignore[arg-type]


def joined(folder: str, name: str) -> str:
    """A path below the workspace; the workspace itself is the empty one."""
    return f"{folder}/{name}" if folder else name


def lstat(path: str) -> os.stat_result | None:
    """Status, or ``None`` when nothing stands there or nobody may say."""
    try:
        return os.lstat(path)
    except OSError:
        return None


def opened(path: str, flags: int) -> int:
    """Open without leaving an access time, where we may. Raises ``OSError``."""
    try:
        return os.open(path, flags | _NOATIME)
    except PermissionError:
        return os.open(path, flags)
