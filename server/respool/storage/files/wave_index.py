"""What a Wave transcript holds, line by line: read once, then only what was appended."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from respool.model.ids import MessageId
from respool.model.message import JsonObject
from respool.model.transcript import Checkpoint
from respool.storage.files.jsonl import Block, Line
from respool.storage.files.wave import LineKind, Record, classify, is_checkpoint, preview, title_of, typed_text
from respool.storage.files.wave_presumed import spelling

_KINDS = tuple(LineKind)
_CODE = {kind: code for code, kind in enumerate(_KINDS)}
_MESSAGE = bytes([_CODE[LineKind.MESSAGE]])


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
    """Where everything stands. Filled by ``read_index``; offsets are bytes, line numbers physical and 1-based.

    Prompts, copies, compactions, header and title are always right. A line after ``proven`` that ``kind`` calls a
    message may only be presumed one (``wave_presumed``), and ``messages`` counts it.
    """

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
    proven: int = 0
    """How many lines from the first on were decoded, every one."""
    torn: bool = False
    """Whether the last line lacks its line feed: it may yet grow."""
    _seen: dict[tuple[str, str, int], int] = field(default_factory=dict)
    _rows: tuple[int, tuple[Checkpoint, ...]] = (0, ())

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
        messages, rows = self._rows
        # A new message changes what every row removes; nothing else changes a row.
        if messages != self.messages:
            rows = tuple(self._checkpoints())
            self._rows = (self.messages, rows)
        return rows

    def _checkpoints(self) -> Iterator[Checkpoint]:
        compactions = 0
        for number, prompt in enumerate(self.prompts):
            yield Checkpoint(
                id=MessageId(prompt.id),
                line=prompt.line,
                preview=prompt.preview,
                timestamp=prompt.timestamp,
                removes=self.messages - (prompt.messages_before if number else 0),
                after_compaction=prompt.compactions_before > compactions,
            )
            compactions = prompt.compactions_before

    def add(self, block: Block) -> None:
        """Take the next lines in."""
        if block.data is None:
            self.starts.append(block.start)
            # Whether so long a line is whole is not known; at the end of a file it is read anew.
            self.size, self.torn = block.start + block.size, True
            self._add(Line(self.line_count, block.start, self.size, None))
            return
        told = spelling(block)
        before = self.line_count
        self.starts.extend(told.starts)
        self.size = block.start + block.size
        self.torn = not block.data.endswith(b"\n", 0, block.size)
        for ordinal in told.suspects:
            self._presume(before + ordinal)
            number = before + ordinal + 1
            start, end = self.start(number), self.start(number + 1)
            self._add(Line(number, start, end, bytes(block.data[start - block.start : end - block.start])))
        self._presume(self.line_count)

    def _presume(self, line: int) -> None:
        """Up to a line, what is not known yet are messages."""
        count = line - len(self.kinds)
        self.kinds += _MESSAGE * count
        self.messages += count

    def _add(self, line: Line) -> None:
        record = classify(line.data, first=line.number == 1)
        self.kinds.append(_CODE[record.kind])
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

    def prove(self, line: Line) -> Record:
        """Decode a line that was taken in; one that was presumed and is no message stops counting as one."""
        record = classify(line.data, first=line.number == 1)
        if record.kind is not self.kind(line.number):
            self.kinds[line.number - 1] = _CODE[record.kind]
            self.messages -= 1
            self.prompts = [
                replace(prompt, messages_before=prompt.messages_before - (prompt.line > line.number))
                for prompt in self.prompts
            ]
            self._rows = (0, ())
        return record
