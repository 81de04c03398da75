"""How many lines a restore adds and removes."""

import difflib
from collections import Counter

LARGEST_BYTES = 4 << 20
_PAIRS_COMPARED_EXACTLY = 4_000_000


def line_changes(now: bytes, before: bytes) -> tuple[int, int] | tuple[None, None]:
    """``(added, deleted)`` lines to get from ``now`` to ``before``; ``(None, None)`` when that means nothing.

    Long texts that differ a lot are compared as bags of lines: a lower bound, since moved lines count as kept.
    """
    if max(len(now), len(before)) > LARGEST_BYTES or b"\0" in now[:8192] or b"\0" in before[:8192]:
        return None, None
    old, new = _middle(now.splitlines(keepends=True), before.splitlines(keepends=True))
    if len(old) * len(new) > _PAIRS_COMPARED_EXACTLY:
        left, right = Counter(old), Counter(new)
        return (right - left).total(), (left - right).total()
    added = deleted = 0
    for verb, old_from, old_to, new_from, new_to in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if verb != "equal":
            added += new_to - new_from
            deleted += old_to - old_from
    return added, deleted


def _middle(old: list[bytes], new: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Both without their common beginning and end."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[start : len(old) - end], new[start : len(new) - end]
