"""The tree of a Claude Code transcript: what stands before a row, over gaps and compactions.

Rules as measured with Claude Code 2.1.332, for the whole file: at a compaction the conversation goes on with the later
of its logical parent and the last row it preserved; a row whose parent was never written goes on with the nearest
earlier row of the main conversation (decision S16).
"""

from collections.abc import Set
from dataclasses import dataclass

from respool.storage.files.claude_index import Boundary, ClaudeIndex

Link = tuple[int, int]
"""A row and the one it is bridged to, by place."""


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Rows from the first to the last, by place, signs of progress left out; and where a gap was bridged."""

    places: tuple[int, ...]
    bridges: tuple[Link, ...]


def parent_of(index: ClaudeIndex, place: int) -> tuple[int | None, bool]:
    """Place of the row before this one, and whether a gap had to be bridged for it."""
    row = index.rows[place]
    boundary = index.boundaries.get(place)
    wanted = (row.parent, row.logical_parent, boundary.tail) if boundary else (row.parent,)
    known = [index.place[uuid] for uuid in wanted if uuid and uuid in index.place]
    known = [before for before in known if index.rows[before].main and before != place]
    if known:
        return max(known), False
    if row.parent is None and boundary is None:
        return None, False
    earlier = earlier_row(index, place)
    return earlier, earlier is not None


def earlier_row(index: ClaudeIndex, place: int, seen: Set[int] = frozenset()) -> int | None:
    """The nearest earlier row of the main conversation that is not among those seen."""
    for earlier in range(place - 1, -1, -1):
        if index.rows[earlier].real and earlier not in seen:
            return earlier
    return None


def chain_from(index: ClaudeIndex, place: int | None) -> Chain:
    """The rows up to and with ``place``, over every compaction. Ends, whatever the parents say."""
    found: list[int] = []
    bridges: list[Link] = []
    seen: set[int] = set()
    while place is not None:
        seen.add(place)
        if index.rows[place].type != "progress":
            found.append(place)
        before, bridged = parent_of(index, place)
        if before in seen:
            before = earlier_row(index, place, seen)
            bridged = before is not None
        if bridged and before is not None:
            bridges.append((place, before))
        place = before
    return Chain(places=tuple(reversed(found)), bridges=tuple(reversed(bridges)))


def preserved(index: ClaudeIndex, boundary: Boundary) -> tuple[int, ...]:
    """The rows a compaction kept in view, by place, in file order."""
    found = {index.place[uuid] for uuid in boundary.preserved if uuid in index.place}
    head, tail = index.place.get(boundary.head), index.place.get(boundary.tail)
    if head is not None and tail is not None:
        chain = chain_from(index, tail).places
        if head in chain:
            found.update(chain[chain.index(head) :])
    return tuple(sorted(place for place in found if index.rows[place].main))
