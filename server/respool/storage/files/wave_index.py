"""What a Wave transcript holds, line by line: read once, then only what was appended."""

import os
from array import array
from dataclasses import dataclass, field

from respool.model.errors import UnreadableTranscript
from respool.model.ids import MessageId
from respool.model.message import JsonObject
from respool.model.transcript import Checkpoint
from respool.storage.files.jsonl import Line, lines
from respool.storage.files.wave import LineKind, Record, classify, is_checkpoint, preview, title_of, typed_text

_KINDS = tuple(LineKind)
_CODE = {kind: code for code, kind in enumerate(_KINDS)}
_TAIL_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Prompt:
    """A checkpoint where it was really sent. ``messages_before`` counts message lines above it."""

    id: str
    line: int
    start: int
    timestamp: str
    preview: str
    messages_before: int
    compactions_before: int


@dataclass
class WaveIndex:
    """Where everything stands. Filled by ``extend``; offsets are bytes, line numbers physical and 1-based."""

    starts: "array[int]" = field(default_factory=lambda: array("Q"))
    kinds: bytearray = field(default_factory=bytearray)
    prompts: list[Prompt] = field(default_factory=list)
    copies: dict[int, int] = field(default_factory=dict)
    """Line of a later copy of a prompt → line of the prompt."""
    messages: int = 0
    compact_lines: list[int] = field(default_factory=list)
    header: JsonObject | None = None
    title: str = ""
    last_timestamp: str = ""
    size: int = 0
    _seen: dict[tuple[str, str, int], int] = field(default_factory=dict)
    _tail: bytes = b""
    _identity: tuple[int, int] = (0, 0)
    _torn: Line | None = None

    def kind(self, line: int) -> LineKind:
        """What stands on a physical line."""
        return _KINDS[self.kinds[line - 1]]

    def start(self, line: int) -> int:
        """Byte offset of a physical line; one past the last line: the size."""
        return self.starts[line - 1] if line <= len(self.starts) else self.size

    @property
    def line_count(self) -> int:
        """Physical lines, a torn last one included."""
        return len(self.starts)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The ``/rewind`` list. The first row clears the whole history (decision S3)."""
        rows = []
        compactions = 0
        for number, prompt in enumerate(self.prompts):
            before = prompt.messages_before if number else 0
            rows.append(
                Checkpoint(
                    id=MessageId(prompt.id),
                    line=prompt.line,
                    preview=prompt.preview,
                    timestamp=prompt.timestamp,
                    removes=self.messages - before,
                    after_compaction=prompt.compactions_before > compactions,
                )
            )
            compactions = prompt.compactions_before
        return tuple(rows)

    def _add(self, line: Line) -> None:
        record = classify(line.data, first=line.number == 1)
        self.starts.append(line.start)
        self.kinds.append(_CODE[record.kind])
        self.size = line.end
        if record.kind is LineKind.MESSAGE:
            self._add_message(line, record)
        elif record.kind is LineKind.TITLE:
            self.title = title_of(record.value) or self.title
        elif record.kind is LineKind.HEADER and self.header is None:
            self.header = record.value

    def _add_message(self, line: Line, record: Record) -> None:
        if "compact" in record.block_types:
            self.compact_lines.append(line.number)
        if record.user and is_checkpoint(record.value):
            self._add_prompt(line, record)
        self.messages += 1
        self.last_timestamp = record.timestamp

    def _add_prompt(self, line: Line, record: Record) -> None:
        text = typed_text(record.value)
        first = self._seen.setdefault((record.id, record.timestamp, hash(text)), line.number)
        if first != line.number:
            self.copies[line.number] = first
            return
        self.prompts.append(
            Prompt(
                id=record.id,
                line=line.number,
                start=line.start,
                timestamp=record.timestamp,
                preview=preview(text),
                messages_before=self.messages,
                compactions_before=len(self.compact_lines),
            )
        )


def read_index(path: str, known: WaveIndex | None = None) -> WaveIndex:
    """Index a transcript; with ``known``, read only what was appended since, if it still is that file.

    Raises ``UnreadableTranscript`` when the file cannot be opened or is no regular file.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableTranscript(reason=error.strerror or str(error)) from error
    with os.fdopen(fd, "rb", buffering=0):
        stat = os.fstat(fd)
        if (stat.st_mode & 0o170000) != 0o100000:
            raise UnreadableTranscript(reason="not a regular file")
        identity = (stat.st_dev, stat.st_ino)
        index = known if known is not None and _continues(known, fd, identity, stat.st_size) else WaveIndex()
        if index.size == stat.st_size and index.line_count:
            return index
        index._identity = identity
        _extend(index, fd, stat.st_size)
        index._tail = os.pread(fd, _TAIL_BYTES, max(0, index.size - _TAIL_BYTES))
        return index


def _continues(known: WaveIndex, fd: int, identity: tuple[int, int], size: int) -> bool:
    """Whether the file is the one indexed, only longer. A torn last line is read anew, so it must be whole."""
    if known._identity != identity or size < known.size or known._torn is not None:
        return False
    return os.pread(fd, len(known._tail), max(0, known.size - _TAIL_BYTES)) == known._tail


def _extend(index: WaveIndex, fd: int, size: int) -> None:
    with os.fdopen(os.dup(fd), "rb", buffering=0) as file:
        for line in lines(file, start=index.size, number=index.line_count + 1, stop=size):
            index._add(line)
            index._torn = None if line.ended else line
