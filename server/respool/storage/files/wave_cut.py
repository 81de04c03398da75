"""The cut by bytes, and putting it on disk: the commit point of a session rewind is one rename."""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import BinaryIO

from respool.model.errors import Drifted
from respool.model.plan import Cut, Piece
from respool.model.transcript import Fingerprint
from respool.storage.files.atomic import COPY_BYTES, copy_range, fsync_folder
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


def plan_cut(path: str, index: WaveIndex, first_removed: int) -> CutFacts:
    """Decide which bytes stay when the messages from line ``first_removed`` go.

    Everything before that line stays; after it header, titles and unknown kinds do. Raises ``Drifted`` when the file
    is no longer the one indexed.
    """
    removed = _removed_lines(index, first_removed)
    gone = set(removed)
    kept = _ranges(index, lambda line: line not in gone)
    title = _title_line(path, index)
    append = _missing_newline(path, index, kept) + title
    old, after = hashlib.sha256(), hashlib.sha256()

    def both(piece: bytes) -> None:
        old.update(piece)
        after.update(piece)

    with open(path, "rb", buffering=0) as file:
        position = 0
        for start, end in kept:
            copy_range(file, position, start, old.update)
            copy_range(file, start, end, both)
            position = end
        copy_range(file, position, index.size, old.update)
        if file.read(1):
            raise Drifted
    after.update(append)
    size = sum(end - start for start, end in kept) + len(append)
    return CutFacts(
        cut=Cut(
            pieces=tuple(Piece(start=start, end=end) for start, end in kept),
            append=append,
            after=Fingerprint(size=size, sha256=after.hexdigest()),
            first_removed=first_removed,
        ),
        fingerprint=Fingerprint(size=index.size, sha256=old.hexdigest()),
        messages=tuple(line for line in removed if index.kind(line) is LineKind.MESSAGE),
        unreadable=tuple(line for line in removed if index.kind(line) is LineKind.BAD),
    )


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


def _ranges(index: WaveIndex, stays: Callable[[int], bool]) -> tuple[tuple[int, int], ...]:
    ranges: list[tuple[int, int]] = []
    for line in range(1, index.line_count + 1):
        if not stays(line):
            continue
        start, end = index.start(line), index.start(line + 1)
        if ranges and ranges[-1][1] == start:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))
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


def fingerprint(path: str) -> Fingerprint:
    """Size and sha256 of a file. Raises ``OSError``."""
    digest, size = hashlib.sha256(), 0
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(COPY_BYTES):
            digest.update(piece)
            size += len(piece)
    return Fingerprint(size=size, sha256=digest.hexdigest())


def prefix_sha256(path: str, size: int) -> str | None:
    """sha256 of the first ``size`` bytes, or ``None`` when the file is shorter or gone."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb", buffering=0) as file:
            copy_range(file, 0, size, digest.update)
    except (EOFError, OSError):
        return None
    return digest.hexdigest()


def removed_ranges(cut: Cut, size: int) -> tuple[tuple[int, int], ...]:
    """The bytes of the old file that go."""
    ranges, position = [], 0
    for start, end in (*cut.kept, (size, size)):
        if position < start:
            ranges.append((position, start))
        position = end
    return tuple(ranges)


def temporary_name(path: str, operation: str) -> str:
    """Name of the file written beside a transcript; no session name, so that no list shows it."""
    return os.path.join(os.path.dirname(path), f".respool-{operation}.tmp")


def replace_transcript(
    path: str,
    operation: str,
    expected: Fingerprint,
    write: Callable[[BinaryIO, Callable[[bytes], object]], None],
    wanted: Fingerprint,
) -> bytes:
    """Write the new transcript beside the old one and rename it over. THE commit point.

    ``write(old, put)`` reads the open old file and puts the new bytes. Raises ``Drifted`` before the rename when the
    old file is not ``expected``. Returns what another writer managed to append to the old file meanwhile.
    """
    temporary = temporary_name(path, operation)
    with open(path, "rb", buffering=0) as old:
        status = os.fstat(old.fileno())
        _write_beside(old, temporary, write, wanted, status)
        try:
            if not _same(old, path, expected):
                raise Drifted
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
        fsync_folder(os.path.dirname(path))
        old.seek(expected.size)
        return old.read()


def _write_beside(
    old: BinaryIO,
    temporary: str,
    write: Callable[[BinaryIO, Callable[[bytes], object]], None],
    wanted: Fingerprint,
    status: os.stat_result,
) -> None:
    digest, size = hashlib.sha256(), 0
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as new:

            def put(piece: bytes) -> None:
                nonlocal size
                digest.update(piece)
                size += len(piece)
                new.write(piece)

            write(old, put)
            if Fingerprint(size=size, sha256=digest.hexdigest()) != wanted:
                raise Drifted
            new.flush()
            _same_owner(fd, status)
            os.fchmod(fd, status.st_mode & 0o7777)
            os.fsync(fd)
    except BaseException as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        if isinstance(error, EOFError):
            raise Drifted from error
        raise


def _same_owner(fd: int, status: os.stat_result) -> None:
    mine = os.fstat(fd)
    if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(fd, status.st_uid, status.st_gid)


def _same(old: BinaryIO, path: str, expected: Fingerprint) -> bool:
    """Whether the path still names the open file, with the expected bytes and no more."""
    if not os.path.samestat(os.fstat(old.fileno()), os.stat(path)):
        return False
    digest = hashlib.sha256()
    old.seek(0)
    try:
        copy_range(old, 0, expected.size, digest.update)
    except EOFError:
        return False
    return digest.hexdigest() == expected.sha256 and os.fstat(old.fileno()).st_size == expected.size


def only_titles(tail: Iterable[bytes]) -> bool:
    """Whether appended lines are titles or unknown file-level records, so that an undo may carry them over."""
    return all(
        classify(line).kind in (LineKind.TITLE, LineKind.UNKNOWN, LineKind.HEADER, LineKind.BLANK) for line in tail
    )


def tail_lines(path: str, start: int) -> list[bytes]:
    """Lines from byte ``start``; a line too long to hold counts as an empty one that is not JSON."""
    with open(path, "rb", buffering=0) as file:
        return [line.data if line.data is not None else b"\xff" for line in lines(file, start=start)]
