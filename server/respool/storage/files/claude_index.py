"""What a Claude Code transcript holds, line by line: read once, then only what was appended."""

import os
from array import array
from dataclasses import dataclass, field

import msgspec

from respool.model.errors import UnreadableTranscript
from respool.storage.files.claude import NO_UUID, LineKind, Record, read_record
from respool.storage.files.claude_typed import TypedKind, typed
from respool.storage.files.jsonl import Line, lines
from respool.storage.files.wave import preview

_KINDS = tuple(LineKind)
_CODE = {kind: code for code, kind in enumerate(_KINDS)}
_TAIL_BYTES = 4096
_HISTORY = {"file-history-snapshot", "file-history-delta"}


class Row(msgspec.Struct, frozen=True, gc=False):
    """A row of the tree. ``line``: physical, 1-based. ``kind``: a system row's ``subtype``, an attachment's type.

    ``results``: ids of the tool calls it answers. ``calls``: ``(id, tool)`` of those it makes. ``main``: no row of a
    sub-agent. ``timestamp`` as written.
    """

    line: int
    type: str
    kind: str
    uuid: str
    parent: str | None
    logical_parent: str | None
    prompt_id: str
    message_id: str
    calls: tuple[tuple[str, str], ...]
    results: tuple[str, ...]
    main: bool
    meta: bool
    summary: bool
    timestamp: str

    @property
    def boundary(self) -> bool:
        """Whether a compaction stands here."""
        return self.kind == "compact_boundary" and self.type == "system"

    @property
    def real(self) -> bool:
        """Whether it is part of the conversation: neither a sub-agent's nor a mere sign of progress."""
        return self.main and self.type != "progress"


class Prompt(msgspec.Struct, frozen=True, gc=False):
    """A row somebody typed, on whatever branch."""

    kind: TypedKind
    preview: str


class Boundary(msgspec.Struct, frozen=True, gc=False):
    """Which earlier rows a compaction kept in view. ``anchor``: the row they follow; the boundary, or its summary."""

    head: str
    tail: str
    anchor: str
    preserved: tuple[str, ...]


class HistoryLine(msgspec.Struct, frozen=True, gc=False):
    """A line of Claude's file history. ``prompt``: uuid of the prompt whose snapshot it is or adds to.

    ``message``: of a delta, the row that made the change.
    """

    line: int
    delta: bool
    prompt: str
    message: str


class Hint(msgspec.Struct, frozen=True, gc=False):
    """The newest ``last-prompt`` line that names a leaf. ``leaf`` is empty where it takes an older hint back."""

    line: int
    leaf: str
    explicit: bool


@dataclass
class Titles:
    """Everything a title can be made from; later lines win."""

    custom: str = ""
    ai: str = ""
    last_prompt: str = ""
    summary: str = ""


@dataclass
class ClaudeIndex:
    """Where everything stands. Filled by ``read_claude_index``; offsets are bytes, line numbers physical and 1-based.

    ``rows``: in file order, the first of equal uuids (``repeats``: lines of the others). ``place``: uuid → its place in
    ``rows``. ``prompts`` and ``boundaries``: by place. ``kept_state``: lines a fork takes along.
    """

    starts: "array[int]" = field(default_factory=lambda: array("Q"))
    kinds: bytearray = field(default_factory=bytearray)
    rows: list[Row] = field(default_factory=list)
    place: dict[str, int] = field(default_factory=dict)
    repeats: list[int] = field(default_factory=list)
    prompts: dict[int, Prompt] = field(default_factory=dict)
    boundaries: dict[int, Boundary] = field(default_factory=dict)
    history: list[HistoryLine] = field(default_factory=list)
    hint: Hint | None = None
    titles: Titles = field(default_factory=Titles)
    title_lines: list[int] = field(default_factory=list)
    replacements: list[int] = field(default_factory=list)
    bad_lines: list[int] = field(default_factory=list)
    cwd: str = ""
    git_branch: str = ""
    created: str = ""
    last_timestamp: str = ""
    size: int = 0
    _tail: bytes = b""
    _identity: tuple[int, int] = (0, 0)
    _torn: Line | None = None
    _names: dict[str, str] = field(default_factory=dict)

    def kind(self, line: int) -> LineKind:
        """What stands on a physical line."""
        return _KINDS[self.kinds[line - 1]]

    def start(self, line: int) -> int:
        """Byte offset of a physical line; one past the last line: the size."""
        return self.starts[line - 1] if line <= len(self.starts) else self.size

    def span(self, line: int) -> tuple[int, int]:
        """Byte range of a physical line, its terminator included."""
        return self.start(line), self.start(line + 1)

    def row(self, uuid: str | None) -> Row | None:
        """The row of a uuid."""
        found = self.place.get(uuid) if uuid else None
        return None if found is None else self.rows[found]

    @property
    def line_count(self) -> int:
        """Physical lines, a torn last one included."""
        return len(self.starts)

    def _add(self, line: Line) -> None:
        kind, record = read_record(line.data, first=line.number == 1)
        self.starts.append(line.start)
        self.kinds.append(_CODE[kind])
        self.size = line.end
        if kind is LineKind.BAD:
            self.bad_lines.append(line.number)
        elif record is None:
            return
        elif kind is LineKind.ROW:
            self._add_row(line.number, record)
        else:
            self._add_state(line.number, record)

    def _add_row(self, line: int, record: Record) -> None:
        uuid = self._name(record.uuid) or ""
        if uuid in self.place:
            self.repeats.append(line)
            return
        place = len(self.rows)
        row = self._row(line, uuid, record)
        self.place[uuid] = place
        self.rows.append(row)
        found = typed(record)
        if found is not None:
            self.prompts[place] = Prompt(found.kind, preview(found.text))
        if row.boundary and row.main:
            self.boundaries[place] = _boundary(record)
        self.cwd = self.cwd or record.cwd or ""
        self.git_branch = record.git_branch or self.git_branch
        self.created = self.created or row.timestamp
        if row.type in ("user", "assistant") and row.main:
            self.last_timestamp = row.timestamp or self.last_timestamp

    def _row(self, line: int, uuid: str, record: Record) -> Row:
        content = record.message.content if record.message else None
        blocks = content if isinstance(content, list) else []
        return Row(
            line=line,
            type=record.type,
            kind=(record.attachment.type if record.attachment else "") or record.subtype or "",
            uuid=uuid,
            parent=self._name(record.parent_uuid),
            logical_parent=self._name(record.logical_parent_uuid),
            prompt_id=self._name(record.prompt_id) or "",
            message_id=self._name(record.message.id if record.message else None) or "",
            calls=tuple((block.id or "", block.name or "") for block in blocks if block.type == "tool_use"),
            results=tuple(block.tool_use_id or "" for block in blocks if block.type == "tool_result"),
            main=not record.is_sidechain,
            meta=bool(record.is_meta),
            summary=bool(record.is_compact_summary),
            timestamp=record.timestamp or "",
        )

    def _name(self, value: str | None) -> str | None:
        """One object for equal ids: each stands on several lines."""
        return self._names.setdefault(value, value) if value else None

    def _add_state(self, line: int, record: Record) -> None:
        if record.type in _HISTORY and record.message_id:
            delta = record.type == "file-history-delta"
            prompt = (record.snapshot_message_id if delta else None) or record.message_id
            self.history.append(HistoryLine(line, delta, prompt, record.message_id if delta else ""))
        elif record.type == "last-prompt":
            self.titles.last_prompt = record.last_prompt or self.titles.last_prompt
            if record.leaf_uuid:
                cleared = record.leaf_uuid == NO_UUID
                self.hint = Hint(line, "" if cleared else record.leaf_uuid, bool(record.explicit))
        elif record.type == "content-replacement":
            self.replacements.append(line)
        else:
            self._add_title(line, record)

    def _add_title(self, line: int, record: Record) -> None:
        if record.type == "custom-title" and record.custom_title and record.custom_title.strip():
            self.titles.custom = record.custom_title.strip()
            self.title_lines.append(line)
        elif record.type == "ai-title":
            self.titles.ai = (record.ai_title or "").strip() or self.titles.ai
        elif record.type == "summary":
            self.titles.summary = (record.summary or "").strip() or self.titles.summary


def _boundary(record: Record) -> Boundary:
    compaction = record.compact_metadata
    segment = compaction.preserved_segment if compaction else None
    kept = compaction.preserved_messages if compaction else None
    return Boundary(
        head=(segment.head_uuid if segment else None) or "",
        tail=(segment.tail_uuid if segment else None) or "",
        anchor=(kept.anchor_uuid if kept else None) or (segment.anchor_uuid if segment else None) or "",
        preserved=tuple(kept.all_uuids or kept.uuids) if kept else (),
    )


def read_claude_index(path: str, known: ClaudeIndex | None = None) -> ClaudeIndex:
    """Index a transcript; with ``known``, read only what was appended since, if it still is that file.

    Raises ``UnreadableTranscript`` when the file cannot be opened or is no regular file.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableTranscript(reason=error.strerror or str(error)) from error
    stat = os.fstat(fd)
    if (stat.st_mode & 0o170000) != 0o100000:
        os.close(fd)
        raise UnreadableTranscript(reason="not a regular file")
    with os.fdopen(fd, "rb", buffering=0) as file:
        identity = (stat.st_dev, stat.st_ino)
        index = known if known is not None and _continues(known, fd, identity, stat.st_size) else ClaudeIndex()
        if index.size == stat.st_size and index.line_count:
            return index
        index._identity = identity
        for line in lines(file, start=index.size, number=index.line_count + 1, stop=stat.st_size):
            index._add(line)
            index._torn = None if line.ended else line
        index._tail = os.pread(fd, _TAIL_BYTES, max(0, index.size - _TAIL_BYTES))
        return index


def _continues(known: ClaudeIndex, fd: int, identity: tuple[int, int], size: int) -> bool:
    """Whether the file is the one indexed, only longer. A torn last line is read anew, so it must be whole."""
    if known._identity != identity or size < known.size or known._torn is not None:
        return False
    return os.pread(fd, len(known._tail), max(0, known.size - _TAIL_BYTES)) == known._tail


def line_data(path: str, index: ClaudeIndex, line: int) -> bytes:
    """The bytes of one physical line. Raises ``OSError``."""
    start, end = index.span(line)
    with open(path, "rb", buffering=0) as file:
        return os.pread(file.fileno(), end - start, start)
