"""One pass over a workspace: what the walk finds becomes changes, and a newer baseline.

Standard library only, and little of it: the hook path imports this.
"""

import os
import stat
import time

from respool.storage.files.scan_changes import Changes, without
from respool.storage.files.scan_contents import Gone, Slot, read_file
from respool.storage.files.scan_entry import RACY, Folder, held_bytes, joined, settled
from respool.storage.files.scan_rules import RETRIED
from respool.storage.files.scan_walk import Lost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from respool.storage.files.scan_baseline import Baseline
    from respool.storage.files.scan_changes import Record
    from respool.storage.files.scan_contents import Contents
    from respool.storage.files.scan_entry import Content, Entry, Signature
    from respool.storage.files.scan_rules import Limits
    from respool.storage.files.scan_walk import Found

FILES_AT_ONCE = 4000
BYTES_AT_ONCE = 64 << 20
"""So much is made durable at a time: a first look that is killed goes on where it was."""


class _Pending:
    """A folder whose new contents have no place yet. ``entries``: as before; ``fresh``: what takes their place."""

    __slots__ = ("entries", "found", "fresh", "linked")

    def __init__(self, found: "Found") -> None:
        self.found = found
        self.linked = found.known is not None and found.known.linked
        self.entries: dict[str, Entry] = found.known.entries() if found.known is not None else {}
        self.fresh: dict[str, tuple[Signature, Content | Slot]] = {}


class Pass:
    """``dry``: the baseline stays as it is. ``record``: what was found since changes were last made durable."""

    def __init__(self, root: str, baseline: "Baseline", contents: "Contents", limits: "Limits", *, dry: bool) -> None:
        self._root, self._baseline, self._contents, self._limits, self._dry = root, baseline, contents, limits, dry
        self._looked_ns = time.time_ns()
        self._done: set[str] = set()
        self._room = limits.most_bytes - baseline.held[0]
        self.record: Record = ([], {}, False)
        self._begin()

    def _begin(self) -> None:
        self._changes = Changes(telling=self._dry or self._baseline.opened() > 0)
        self._pending: list[_Pending] = []
        self._left: dict[str, Folder] = {}
        self._lost: dict[str, None] = {}
        self._files = self._bytes = 0

    def run(self, walk: "Iterable[Found | Lost]") -> None:
        """Take everything the walk finds. Raises ``OSError`` when our own state cannot be written."""
        for found in walk:
            if isinstance(found, Lost):
                self._lose(found.folder)
            elif found.folder not in self._done:
                self._done.add(found.folder)
                self._take(found)
            if not self._dry and (self._files > FILES_AT_ONCE or self._bytes > BYTES_AT_ONCE):
                self._settle()
                self._baseline.commit()
        self._settle()

    def _take(self, found: "Found") -> None:
        known = found.known
        if found.rule is not None and (known is None or (known.rule, known.signature) != (found.rule, found.found)):
            self._changes.out(found.folder, found.rule)
        if found.rule is not None and found.rule != "too_many":
            kept = known if found.rule in RETRIED else None
            self._left[found.folder] = kept.ruled(found.rule, found.found) if kept else Folder(found.found, found.rule)
            return
        self._changes.folder(found.folder, known.signature if known else None, found.found, found.unseen)
        for name in set(known.folders if known else ()) - set(found.folders):
            self._lose(joined(found.folder, name))
        pending = _Pending(found)
        for name in set(pending.entries) - set(found.names):
            self._lose_name(pending, name)
        for name, seen in found.fresh.items():
            self._inspect(pending, name, seen)
        self._pending.append(pending)

    def _lose_name(self, pending: _Pending, name: str) -> None:
        unseen = pending.found.unseen if pending.found.unseen in UNSURE else None
        self._changes.gone(joined(pending.found.folder, name), pending.entries.pop(name), unseen)

    def _lose(self, folder: str) -> None:
        known = self._baseline.tree.get(folder)
        if known is None or folder in self._lost:
            return
        self._lost[folder] = None
        if known.rule is not None:
            self._changes.out(folder, known.rule)
        if known.rule is None or known.rule in RETRIED:
            self._changes.folder_gone(folder, known.signature)
            for name, entry in known.entries().items():
                self._changes.gone(joined(folder, name), entry, known.rule if known.rule in UNSURE else None)
        for name in known.folders:
            self._lose(joined(folder, name))

    def _inspect(self, pending: _Pending, name: str, seen: "Signature") -> None:
        """Read what is new at a name."""
        known = pending.entries.get(name)
        self._room += held_bytes(known) if known else 0
        try:
            found, content, links = self._seen(joined(pending.found.folder, name), seen, pending.found.repository)
        except Gone:
            if known is not None:
                self._lose_name(pending, name)
            return
        pending.linked = pending.linked or links > 1
        pending.fresh[name] = (found, content)
        self._files += 1

    def _seen(self, name: str, seen: "Signature", repository: str | None) -> "tuple[Signature, Content | Slot, int]":
        path = os.path.join(self._root, name)
        if stat.S_ISLNK(seen[4]):
            return settled(seen, self._looked_ns), ("link", _link_text(path)), 1
        if not stat.S_ISREG(seen[4]):
            return seen, ("other",), 1
        largest = self._limits.largest_bytes
        read = "over_limit" if self._room < seen[2] <= largest else read_file(path, largest)
        if isinstance(read, str):
            return (RACY, *seen[1:]) if read == "changing" else seen, ("unread", read), 1
        found, links, data = read
        self._room -= len(data)
        self._bytes += len(data)
        return settled(found, self._looked_ns), self._contents.take(data, repository), links

    def _settle(self) -> None:
        """Give every new content its place, and the baseline its newer folders."""
        self._contents.settle()
        folders = {path: folder.row() for path, folder in self._left.items()}
        for pending in self._pending:
            folders[pending.found.folder] = self._settled(pending).row()
        changes = self._changes.all()
        gone = self._contents.keep(self._changes.entries(changes))
        self.record = (without(gone, changes), self._changes.left_out, self._baseline.opened() > 1)
        if not self._dry and (folders or self._lost):
            self._baseline.add(("look", folders, list(self._lost), *self.record))
        self._begin()

    def _settled(self, pending: _Pending) -> Folder:
        found, entries = pending.found, {}
        for name in found.names:
            known = pending.entries.get(name)
            if name in pending.fresh:
                seen, content = pending.fresh[name]
                entries[name] = (seen, content.content if isinstance(content, Slot) else content)
                self._changes.seen(joined(found.folder, name), known, entries[name], found.unseen)
            elif known is not None:
                entries[name] = known
        own = found.found if found.rule else settled(found.found, self._looked_ns)
        return Folder.of(own, found.rule, found.folders, entries, pending.linked)


UNSURE = ("unreadable", "mount")
"""While a folder was left out for these, what was known of its inside may have changed."""


def _link_text(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        raise Gone from None
