"""Which row a plain resume goes on from.

Source: measured on crafted files with Claude Code 2.1.332. Only rows from the last compaction on count, and what it
preserved. The newest ``last-prompt`` line with a leaf: explicit → exactly that row; explicit and all zeros → no hint;
else the newest leaf below it, or below what answers in parallel with it. Without a hint: the last row by position,
whatever the time stamps say.
"""

from respool.storage.files.claude_index import Boundary, ClaudeIndex
from respool.storage.files.claude_tree import parent_of, preserved

Tree = dict[int, int | None]
"""Place of a row that counts → place of its parent."""


def leaf(index: ClaudeIndex) -> int | None:
    """Place of the row, or ``None`` when there is none."""
    hint = index.hint
    if hint is not None and hint.leaf in index.place:
        tree, place = _loaded(index), index.place[hint.leaf]
        if place in tree and index.rows[place].real:
            return place if hint.explicit else _newest_below(index, tree, place)
    first = max(index.boundaries, default=0)
    for place in range(len(index.rows) - 1, first - 1, -1):
        if index.rows[place].real:
            return place
    return None


def _loaded(index: ClaudeIndex) -> Tree:
    boundary = max(index.boundaries, default=None)
    rows = range(boundary or 0, len(index.rows))
    tree: Tree = {place: parent_of(index, place)[0] for place in rows if index.rows[place].main}
    if boundary is not None:
        tree[boundary] = None
        _relink(index, index.boundaries[boundary], boundary, tree)
    return tree


def _relink(index: ClaudeIndex, boundary: Boundary, place: int, tree: Tree) -> None:
    """Hang the preserved rows below the row they follow, and what hung there below the last of them."""
    kept = preserved(index, boundary)
    anchor = index.place.get(boundary.anchor, place)
    if not kept or anchor not in tree or anchor in kept:
        return
    tail = index.place.get(boundary.tail, kept[-1])
    for child, parent in tree.items():
        if parent == anchor:
            tree[child] = tail
    for one in kept:
        before = parent_of(index, one)[0]
        tree[one] = before if before in kept else anchor


def _newest_below(index: ClaudeIndex, tree: Tree, top: int) -> int:
    """The last leaf, by position, that descends from a row."""
    children: dict[int, list[int]] = {}
    for place, parent in tree.items():
        if parent is not None:
            children.setdefault(parent, []).append(place)
    newest, waiting, seen = top, [top, *_parallel(index, tree, top)], set[int]()
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        below = children.get(place, [])
        waiting.extend(below)
        if place > newest and index.rows[place].real and not any(index.rows[child].real for child in below):
            newest = place
    return newest


def _parallel(index: ClaudeIndex, tree: Tree, top: int) -> list[int]:
    """Later parts of the answer whose tool result a row is: a hint written while parallel calls run names one."""
    above = tree.get(top)
    if not index.rows[top].results or above is None or not index.rows[above].message_id:
        return []
    message = index.rows[above].message_id
    return [place for place in tree if place > above and index.rows[place].message_id == message]
