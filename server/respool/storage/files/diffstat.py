"""How many lines a restore adds and removes."""

from collections import Counter

LARGEST_BYTES = 4 << 20
MOST_CHANGES = 1_000
"""Lines that may be out of place before moved ones are no longer told from kept ones."""


def line_changes(now: bytes, before: bytes) -> tuple[int, int] | tuple[None, None]:
    """``(added, deleted)`` lines to get from ``now`` to ``before``, the fewest; ``(None, None)`` for what is no text.

    Beyond ``MOST_CHANGES`` the texts are compared as bags of lines: a lower bound, since moved lines count as kept.
    """
    if max(len(now), len(before)) > LARGEST_BYTES or b"\0" in now[:8192] or b"\0" in before[:8192]:
        return None, None
    old, new = _middle(now.splitlines(keepends=True), before.splitlines(keepends=True))
    known_old, known_new = set(old), set(new)
    # A line that only one side has cannot be common: left out beforehand, and changed for certain.
    here, there = [line for line in old if line in known_new], [line for line in new if line in known_old]
    kept = _common(here, there)
    if kept is None:
        kept = (Counter(here) & Counter(there)).total()
    return len(new) - kept, len(old) - kept


def _middle(old: list[bytes], new: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Both without their common beginning and end."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[start : len(old) - end], new[start : len(new) - end]


def _common(old: list[bytes], new: list[bytes]) -> int | None:
    """Length of the longest common subsequence, or ``None`` for too many changes.

    E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986): for a growing number of changes, how far
    each diagonal gets.
    """
    reached = {1: 0}
    for changes in range(min(len(old) + len(new), MOST_CHANGES) + 1):
        for diagonal in range(-changes, changes + 1, 2):
            if diagonal == -changes or (diagonal != changes and reached[diagonal - 1] < reached[diagonal + 1]):
                at = reached[diagonal + 1]
            else:
                at = reached[diagonal - 1] + 1
            while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            reached[diagonal] = at
            if at >= len(old) and at - diagonal >= len(new):
                return (len(old) + len(new) - changes) // 2
    return None
