"""Changes: put together while looking, and over the looks of a window.

Standard library only, and little of it: the hook path imports this.
"""

import os

from respool.storage.files.scan_entry import ABSENT, folder_state, state_of
from respool.storage.files.scan_rules import SILENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from respool.storage.files.scan_entry import Entry, Signature, State

    Told = tuple[State | None, str | None]
    Change = tuple[str, State | None, State | None, str | None]
    """Path below the workspace, before, after, and why before is not known."""
    Record = tuple[Iterable[Change], dict[str, str], bool]
    """What one look found, what it left out, and whether several windows were open."""

NOT_THERE: "Told" = (ABSENT, None)


class ScanResult:
    """``changes``: ``{"path","before","after","reason"?,"shared"}``, paths absolute, folders before what is in them.

    A ``before`` of ``None`` is unknown, by ``reason``; its bytes, where known, are in the blob store. An ``after`` of
    ``None`` means only that nobody hashed it. ``shared``: another window was open as well.
    ``excluded``: ``{"path","rule"}``, what was left out and changed.
    """

    __slots__ = ("changes", "excluded")

    def __init__(self, changes: "list[dict[str, Any]]", excluded: list[dict[str, str]]) -> None:
        self.changes, self.excluded = changes, excluded


class Changes:
    """What one look found. Not ``telling``: nobody wants to know, so nothing is collected."""

    def __init__(self, *, telling: bool) -> None:
        self._telling = telling
        self._before: dict[str, Told] = {}
        self._after: dict[str, Told] = {}
        self._entries: dict[str, Entry] = {}
        self.left_out: dict[str, str] = {}

    def out(self, folder: str, rule: str) -> None:
        """A folder that is left out is new, changed or gone."""
        if self._telling and rule not in SILENT:
            self.left_out[folder] = rule

    def gone(self, path: str, entry: "Entry", unseen: str | None = None) -> None:
        """Something that was known is not there; ``unseen``: it could not be looked at lately."""
        if self._telling:
            self._before[path] = (None, unseen) if unseen else state_of(entry)
            self._entries[path] = entry

    def folder_gone(self, path: str, known: "Signature") -> None:
        """A folder is not there."""
        if self._telling:
            self._before[path] = (folder_state(known[4]), None)

    def folder(self, path: str, known: "Signature | None", now: "Signature", unseen: str | None) -> None:
        """A folder is there; ``unseen``: nobody knows whether it was before."""
        if self._telling and (known is None or known[4] != now[4]):
            before: Told = (folder_state(known[4]), None) if known else _new(unseen)
            self._before.setdefault(path, before)
            self._after[path] = (folder_state(now[4]), None)

    def seen(self, path: str, known: "Entry | None", now: "Entry", unseen: str | None) -> None:
        """Something else than a folder is there."""
        if not self._telling:
            return
        if known is not None:
            self._before[path] = state_of(known)
            self._entries[path] = known
        else:
            self._before.setdefault(path, _new(unseen))
        self._after[path] = state_of(now)

    def all(self) -> "list[Change]":
        """In the order of their paths."""
        found = []
        for path in sorted(self._before.keys() | self._after.keys()):
            before, reason = self._before.get(path, NOT_THERE)
            after, _ = self._after.get(path, NOT_THERE)
            if before is None or before != after:
                found.append((path, before, after, reason))
        return found

    def entries(self, changes: "Iterable[Change]") -> "list[Entry]":
        """What was known of these paths."""
        return [self._entries[path] for path, *_ in changes if path in self._entries]


def _new(unseen: str | None) -> "Told":
    return (None, unseen) if unseen else NOT_THERE


def without(gone: set[str], changes: "list[Change]") -> "list[Change]":
    """The same, but a state before whose bytes (by sha256) are gone is unknown."""
    return [
        (path, None, after, "before_gone") if before is not None and before.get("sha256") in gone else whole
        for whole in changes
        for path, before, after, _ in (whole,)
    ]


def merged(root: str, records: "Iterable[Record]") -> ScanResult:
    """What several looks found: the first state before, the last one after."""
    changes: dict[str, dict[str, Any]] = {}
    left_out: dict[str, str] = {}
    for found, rules, shared in records:
        left_out.update(rules)
        for path, before, after, reason in found:
            change = changes.setdefault(path, {"before": before, "reason": reason, "shared": False})
            change["after"] = after
            change["shared"] = change["shared"] or shared
    return ScanResult(
        [_written(root, path, changes[path]) for path in sorted(changes) if _differs(changes[path])],
        [{"path": _absolute(root, path), "rule": left_out[path]} for path in sorted(left_out)],
    )


def _differs(change: "dict[str, Any]") -> bool:
    return change["before"] is None or change["before"] != change["after"]


def _written(root: str, path: str, change: "dict[str, Any]") -> "dict[str, Any]":
    written = {"path": _absolute(root, path), "before": change["before"], "after": change["after"]}
    if change["before"] is None:
        written["reason"] = change["reason"]
    return {**written, "shared": change["shared"]}


def _absolute(root: str, path: str) -> str:
    return os.path.join(root, path) if path else root
