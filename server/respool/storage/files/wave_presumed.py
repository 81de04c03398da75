"""Lines that are told by their spelling, so that the list need not decode a large transcript.

A line that begins and ends as Wave (469391bb) writes a message of the assistant, and holds nothing that could make it
something else, is presumed to be one; every other line is a suspect and gets decoded. What is presumed may turn out to
be bad, but never a prompt, a title, a header, unknown or a compaction. Why: ``server/adr/listing-by-spelling.md``.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import stringzilla  # type: ignore[import-not-found]

from respool.storage.files.jsonl import Block

_HEAD = re.compile(rb'\{"timestamp":"[^"]*(?<!\\)","id":"[^"]*(?<!\\)","role":"assistant","blocks":\[\{"type":"')
_TAILS = (b't"}}', b'd"}]}')
"""Usage ends in ``"operation_type":"agent"`` or ``"compact"``, a block in ``"stage":"end"``. Inside a string, where a
line may have been torn, the quote would have a backslash before it."""
_IN_HEAD = b'"role"'
"""Once in a presumed line. Again: another record is glued to it, or the first one's role does not count."""
_LOST = b"\0"
_COMPACT = b'"compact"'
_ESCAPE, _LETTERS = b"\\u00", (b"\\u006", b"\\u007")
"""An escape can spell a letter of a key or of a type; other escapes are common (colours of a terminal)."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """The lines of a block: where they start in the file, and which (ordinals, ascending) must be decoded."""

    starts: "array[int]"
    suspects: list[int]


def spelling(block: Block) -> Spelling:
    """Look a block through."""
    data, size, start = block.data, block.size, block.start
    assert data is not None
    starts = array("Q")
    suspects: list[int] = []
    at = 0
    while at < size:
        end = data.find(b"\n", at, size)
        if end < 0 or not data.endswith(_TAILS, at, end) or not _HEAD.match(data, at):
            suspects.append(len(starts))
        starts.append(start + at)
        at = end + 1 or size
    marked = {bisect_right(starts, start + at) - 1 for at in _marks(data, size)}
    suspects = sorted(marked.union(suspects)) if marked else suspects
    if not _one_role_each(block, starts, suspects):
        suspects = list(range(len(starts)))
    return Spelling(starts, suspects)


def _marks(data: bytearray, size: int) -> Iterator[int]:
    """Where a line holds what no presumed one may hold; at most one place a line of each kind."""
    letters = _LETTERS if stringzilla.find(data, _ESCAPE, 0, size) >= 0 else ()
    for text in (_LOST, _COMPACT, *letters):
        at = stringzilla.find(data, text, 0, size)
        while at >= 0:
            yield at
            at = data.find(b"\n", at, size)
            at = stringzilla.find(data, text, at, size) if at >= 0 else -1


def _one_role_each(block: Block, starts: "array[int]", suspects: list[int]) -> bool:
    """Whether what must stand once in every presumed line does."""
    data, size = block.data, block.size
    assert data is not None
    expected = len(starts) - len(suspects)
    for line in suspects:
        end = starts[line + 1] - block.start if line + 1 < len(starts) else size
        expected += data.count(_IN_HEAD, starts[line] - block.start, end)
    return bool(stringzilla.count(data, _IN_HEAD, 0, size) == expected)
