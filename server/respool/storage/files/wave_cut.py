"""The cut by bytes: which stay, which go."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from respool.model.errors import Drifted
from respool.model.plan import Cut, Piece
from respool.model.transcript import Fingerprint
from respool.storage.files.atomic import copy_range
from respool.storage.files.fingerprints import Fingerprints
from respool.storage.files.jsonl import lines
from respool.storage.files.wave import BOM, LineKind, classify, title_of
from respool.storage.files.wave_index import WaveIndex

KEPT_ANYWHERE = (LineKind.HEADER, LineKind.TITLE, LineKind.UNKNOWN)


@dataclass(frozen=True, kw_only=True)
class CutFacts:
    """A planned cut and what it removes (physical lines)."""

    cut: Cut
    fingerprint: Fingerprint
    messages: tuple[int, ...]
    unreadable: tuple[int, ...]


def plan_cut(path: str, index: WaveIndex, first_removed: int, fingerprints: Fingerprints) -> CutFacts:
    """Decide which bytes stay when the messages from line ``first_removed`` go.

    Everything before that line stays; after it header, titles and unknown kinds do. Raises ``Drifted`` when the file
    is no longer the one indexed.
    """
    removed = _removed_lines(index, first_removed)
    kept = _kept_ranges(index, removed)
    title = _title_line(path, index)
    append = _missing_newline(path, index, kept) + title
    old, after = _both_sha256(path, kept, index.size, fingerprints)
    after.update(append)
    size = sum(end - start for start, end in kept) + len(append)
    return CutFacts(
        cut=Cut(
            pieces=tuple(Piece(start=start, end=end) for start, end in kept),
            append=append,
            after=Fingerprint(size=size, sha256=after.hexdigest()),
            first_removed=first_removed,
        ),
        fingerprint=old,
        messages=tuple(line for line in removed if index.kind(line) is LineKind.MESSAGE),
        unreadable=tuple(line for line in removed if index.kind(line) is LineKind.BAD),
    )


def _both_sha256(
    path: str, kept: tuple[tuple[int, int], ...], size: int, fingerprints: Fingerprints
) -> tuple[Fingerprint, "hashlib._Hash"]:
    """Fingerprint of the whole file, and the digest of what stays, in one pass; a common beginning is hashed once."""
    old, after, position = hashlib.sha256(), hashlib.sha256(), 0

    def both(piece: bytes | memoryview) -> None:
        old.update(piece)
        after.update(piece)

    with open(path, "rb", buffering=0) as file, fingerprints.reading(file, path) as whole:
        for start, end in kept:
            copy_range(file, position, start, old.update)
            copy_range(file, start, end, both if start else old.update)
            after = after if start else old.copy()
            position = end
        copy_range(file, position, size, old.update)
        if file.read(1):
            raise Drifted
        return whole.is_now(size, old.hexdigest()), after


def _removed_lines(index: WaveIndex, first_removed: int) -> list[int]:
    return [line for line in range(first_removed, index.line_count + 1) if index.kind(line) not in KEPT_ANYWHERE]


def first_removed_line(index: WaveIndex, target_line: int) -> int:
    """Where removing starts: at the target, or at the first message when nothing visible is before it (S3)."""
    first_prompt = index.prompts[0].line if index.prompts else target_line
    if target_line > first_prompt:
        return target_line
    for line in range(1, target_line):
        if index.kind(line) is LineKind.MESSAGE:
            return line
    return target_line


def _kept_ranges(index: WaveIndex, removed: list[int]) -> tuple[tuple[int, int], ...]:
    """What lies between the removed lines, which ascend."""
    ranges, position = [], 0
    for line in removed:
        start = index.start(line)
        if position < start:
            ranges.append((position, start))
        position = index.start(line + 1)
    if position < index.size:
        ranges.append((position, index.size))
    return tuple(ranges)


def _missing_newline(path: str, index: WaveIndex, kept: tuple[tuple[int, int], ...]) -> bytes:
    """Every file we write ends in a newline, else the next append is glued to the last line (S21)."""
    if not kept or kept[-1][1] != index.size:
        return b""
    with open(path, "rb", buffering=0) as file:
        file.seek(index.size - 1)
        return b"" if file.read(1) == b"\n" else b"\n"


def _title_line(path: str, index: WaveIndex) -> bytes:
    """The last title once more, byte for byte as it was written (S19); none → none."""
    for line in range(index.line_count, 0, -1):
        if index.kind(line) is not LineKind.TITLE:
            continue
        with open(path, "rb", buffering=0) as file:
            file.seek(index.start(line))
            data = file.read(index.start(line + 1) - index.start(line))
        record = classify(data, first=line == 1)
        if title_of(record.value):
            return data.removeprefix(BOM).rstrip(b"\r\n") + b"\n"
    return b""


def removed_ranges(cut: Cut, size: int) -> tuple[tuple[int, int], ...]:
    """The bytes of the old file that go."""
    ranges, position = [], 0
    for start, end in (*cut.kept, (size, size)):
        if position < start:
            ranges.append((position, start))
        position = end
    return tuple(ranges)


def only_titles(tail: Iterable[bytes]) -> bool:
    """Whether appended lines are titles or unknown file-level records, so that an undo may carry them over."""
    return all(
        classify(line).kind in (LineKind.TITLE, LineKind.UNKNOWN, LineKind.HEADER, LineKind.BLANK) for line in tail
    )


def tail_lines(path: str, start: int) -> list[bytes]:
    """Lines from byte ``start``; a line too long to hold counts as an empty one that is not JSON."""
    with open(path, "rb", buffering=0) as file:
        return [line.data if line.data is not None else b"\xff" for line in lines(file, start=start)]
