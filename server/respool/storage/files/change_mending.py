"""What a rewind took out of the middle of a path's history, seen from the changes that stayed.

A kept actor may have written a file after a turn that is out by now had written it. Its before-image then holds what
that turn wrote, and what stood there before it is what a later plan wants. The rewind itself put that back, too.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from respool.storage.files.change_points import Change


@dataclass(frozen=True)
class _Gone:
    """Changes of one path that are out: from ``first.before`` to ``last``'s after. ``until``: offset of the cut."""

    first: Change
    last: Change
    until: int


@dataclass
class Mending:
    """Fed in order: ``gone`` with changes that are out, ``mended`` with those that stayed."""

    _gone: dict[str, _Gone] = field(default_factory=dict)

    def gone(self, found: Iterable[Change], *, offset: int, until: int) -> list[Change]:
        """Remember them; the same changes as the cut left them: back at what stood there before."""
        undone = []
        for change in found:
            first, end = change, until
            known = self._gone.get(change.real)
            if known is not None and offset < known.until and _follows(known.last, change):
                first, end = known.first, min(until, known.until)
            self._gone[change.real] = _Gone(first, change, end)
            undone.append(replace(change, after=first.before))
        return undone

    def mended(self, found: Iterable[Change], *, offset: int) -> list[Change]:
        """The changes with their before-images free of what is out."""
        return [self._mended(change, offset) for change in found]

    def _mended(self, change: Change, offset: int) -> Change:
        known = self._gone.pop(change.real, None)
        if known is None or offset > known.until or not _follows(known.last, change):
            return change
        first = known.first
        parents = tuple(dict.fromkeys((*first.parents, *change.parents)))
        return replace(change, before=first.before, after=first.before, reason=first.reason, parents=parents)


def _follows(earlier: Change, later: Change) -> bool:
    """Whether nothing happened to the path in between."""
    return earlier.after is not None and later.before is not None and earlier.after.same_content(later.before)
