"""A change log, read: turns, actors, changes, cuts. Read once, then only what was appended; half a line is waited for.

Facts only: whose turn a change belongs to is in ``change_turns``.
"""

import os
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

MAIN = "main"
_decode = msgspec.json.Decoder().decode
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt as it was recorded. ``line``: its physical line then, ``None`` where that was not known.

    ``unnamed``: its agent gave no id; it is the first prompt at that line or below.
    """

    offset: int
    id: str
    line: int | None
    unnamed: bool = False


@dataclass(slots=True, eq=False)
class Life:
    """An actor from its launch on; ``task-start`` of the same id begins another life."""

    id: str
    offset: int
    turn: Turn | None
    parent: "Life | None" = None
    task: str | None = None
    description: str = ""
    pid: int | None = None
    started: str | None = None
    ended: bool = False
    stopped: int | None = None
    """Offset of the record that fenced it."""

    @property
    def root(self) -> "Life":
        """The ancestor that was launched by the main agent."""
        life = self
        while life.parent is not None:
            life = life.parent
        return life

    @property
    def lineage(self) -> "Iterator[Life]":
        """Itself, its parent, and so on."""
        life: Life | None = self
        while life is not None:
            yield life
            life = life.parent

    def fenced_at(self, offset: int) -> bool:
        """Whether it, or whoever launched it, had been stopped by then."""
        return any(life.stopped is not None and life.stopped < offset for life in self.lineage)


@dataclass(slots=True)
class Entry:
    """A ``before`` or a ``window``, with what came of it. ``then``: the newest turn that counted at that moment."""

    offset: int
    record: Record
    life: Life
    then: Turn | None
    prompt: Turn | None = None
    """The turn the writer named, where it named one."""
    done: Record | None = None
    """The ``after`` or ``scanned`` record."""
    done_offset: int = 0
    expired: bool = False
    """A purge let go of what stood there before."""


@dataclass(slots=True)
class Cut:
    """A rewind that took turns out, and, once it was undone, where that stands."""

    offset: int
    operation: str
    line: int
    kept_lines: int
    undone: int | None = None

    def takes(self, turn: Turn, by: int | None = None) -> bool:
        """Whether a turn was out because of it (``by``: at that offset; else now)."""
        active = self.undone is None if by is None else self.offset < by and (self.undone is None or self.undone > by)
        return active and turn.offset < self.offset and turn.line is not None and turn.line >= self.line


@dataclass
class ChangeReading:
    """What a log holds so far."""

    path: str
    size: int = 0
    session: Record = field(default_factory=dict)
    inherited: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    entries: dict[int, Entry] = field(default_factory=dict)
    lives: list[Life] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    newest_kind: str = ""
    forgotten: int = 0
    """What began before this offset has no before-image any more."""
    told: list[tuple[int, Record]] = field(default_factory=list)
    """``stop``, ``cut`` and ``uncut`` records, for a host."""
    _current: dict[str, Life] = field(default_factory=dict)
    _named: dict[str, Turn] = field(default_factory=dict)
    _last_window: dict[int, Entry] = field(default_factory=dict)
    _launched: dict[int, Life] = field(default_factory=dict)
    """Offset of a window → the shell task that was launched right after it."""
    _ended_window: Entry | None = None
    """The newest window to end that is not a task's own."""
    _inode: int = 0

    def extend(self) -> "ChangeReading":
        """Read what was appended since; a log that is another file by now is read anew. A missing one is empty."""
        try:
            with open(self.path, "rb", buffering=0) as file:
                status = os.fstat(file.fileno())
                if status.st_ino != self._inode or status.st_size < self.size:
                    self.__init__(self.path)  # type: ignore[misc]
                    self._inode = status.st_ino
                if status.st_size > self.size:
                    file.seek(self.size)
                    self._feed(file.read(status.st_size - self.size))
        except FileNotFoundError:
            self.__init__(self.path)  # type: ignore[misc]
        return self

    def _feed(self, data: bytes) -> None:
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            record = _record(line)
            if record is not None:
                self._take(self.size, record)
            self.size += len(line)

    def _take(self, offset: int, record: Record) -> None:
        kind = str(record.get("kind"))
        take = _TAKES.get(kind)
        if take is not None:
            take(self, offset, record)
        self.newest_kind = kind

    def life(self, actor: str) -> Life | None:
        """The present life of an actor."""
        return self._current.get(actor)

    @property
    def newest_turn(self) -> Turn | None:
        """The turn of the newest prompt, whether it was cut since or not."""
        return self.turns[-1] if self.turns else None

    def is_out(self, turn: Turn | None, by: int | None = None) -> bool:
        """Whether a cut that was not undone took the turn out (``by``: as things stood at that offset)."""
        return turn is not None and any(cut.takes(turn, by) for cut in self.cuts)

    def living_turn(self, by: int | None = None) -> Turn | None:
        """The newest turn that was not taken out."""
        return next((turn for turn in reversed(self.turns) if not self.is_out(turn, by)), None)

    @property
    def windows(self) -> "Iterator[Entry]":
        """Every look around a command, in order."""
        return (entry for entry in self.entries.values() if entry.record.get("kind") == "window")

    def last_window(self, life: Life) -> Entry | None:
        """The newest one of an actor: if it has no end, the command may still run."""
        return self._last_window.get(id(life))

    def writers(self, actors: "Container[str]") -> dict[str, str]:
        """Path → which of these actors is known to write it, the last one to do so.

        What changed around the command that launched a task is its task's to go on with.
        """
        found: dict[str, str] = {}
        for entry in self.entries.values():
            launched = self._launched.get(entry.offset)
            lineage = (*((launched,) if launched else ()), *entry.life.lineage)
            writer = next((life.id for life in lineage if life.id in actors), None)
            if writer is not None:
                found.update((path, writer) for path in _paths(entry))
        return found

    # ---- one kind of record each ----

    def _take_session(self, offset: int, record: Record) -> None:
        self.session = self.session or record

    def _take_inherits(self, offset: int, record: Record) -> None:
        prompts = frozenset(prompt for prompt in record.get("prompts", ()) if isinstance(prompt, str))
        self.inherited.append((str(record.get("transcript")), prompts))

    def _take_prompt(self, offset: int, record: Record) -> None:
        line, after = record.get("line"), record.get("after")
        if isinstance(after, int):
            self.turns.append(Turn(offset, "", after + 1, unnamed=True))
            return
        turn = Turn(offset, str(record.get("id")), line if isinstance(line, int) else None)
        self.turns.append(turn)
        self._named[turn.id] = turn

    def _take_actor(self, offset: int, record: Record) -> None:
        actor = str(record.get("id"))
        known = self._current.get(actor)
        if known is not None and not record.get("task"):
            return
        life = self._begin(actor, offset, record)
        life.task = record.get("task")
        life.description = str(record.get("description") or "")
        life.pid, life.started = record.get("pid"), record.get("started")
        if life.task == "shell" and self.newest_kind == "scanned" and self._ended_window is not None:
            self._launched[self._ended_window.offset] = life
        if known is not None and known.stopped is not None:
            life.stopped = known.stopped

    def _begin(self, actor: str, offset: int, record: Record) -> Life:
        parent = record.get("parent")
        above = None if parent in (None, MAIN, actor) else self._life(str(parent), offset, {})
        turn = self._prompt(offset, record) or self.living_turn()
        life = Life(actor, offset, turn, above)
        if any(one.id == actor for one in (above.lineage if above else ())):
            life.parent = None
        self._current[actor] = life
        self.lives.append(life)
        return life

    def _life(self, actor: str, offset: int, record: Record) -> Life:
        return self._current.get(actor) or self._begin(actor, offset, record)

    def _prompt(self, offset: int, record: Record) -> Turn | None:
        """The turn a record names; one nobody announced begins there."""
        prompt = record.get("prompt")
        if not isinstance(prompt, str):
            return None
        if prompt not in self._named:
            self._take_prompt(offset, {"id": prompt})
        return self._named[prompt]

    def _take_task_end(self, offset: int, record: Record) -> None:
        life = self._current.get(str(record.get("id")))
        if life is not None:
            life.ended = True

    def _take_entry(self, offset: int, record: Record) -> None:
        actor = str(record.get("actor") or MAIN)
        prompt = self._prompt(offset, record)
        life = self._life(actor, offset, record)
        entry = self.entries[offset] = Entry(offset, record, life, self.living_turn(), prompt)
        if record.get("kind") == "window":
            self._last_window[id(life)] = entry

    def _take_done(self, offset: int, record: Record) -> None:
        entry = self.entries.get(_offset(record.get("of")))
        if entry is not None and entry.done is None:
            entry.done, entry.done_offset = record, offset
            if record.get("kind") == "scanned" and entry.life.task != "shell":
                self._ended_window = entry

    def _take_stopped(self, offset: int, record: Record) -> None:
        life = self._life(str(record.get("task")), offset, {})
        if life.stopped is None:
            life.stopped = offset

    def _take_forgotten(self, offset: int, record: Record) -> None:
        before = min(_number(record.get("before")), offset)
        for entry in self.entries.values():
            entry.expired = entry.expired or entry.offset < before
        self.forgotten = max(self.forgotten, before)

    def _take_stop(self, offset: int, record: Record) -> None:
        self.told.append((offset, record))

    def _take_cut(self, offset: int, record: Record) -> None:
        operation = str(record.get("operation"))
        if not any(cut.operation == operation for cut in self.cuts):
            line, kept = record.get("line"), record.get("kept_lines")
            self.cuts.append(Cut(offset, operation, _number(line), _number(kept)))
            self.told.append((offset, record))

    def _take_uncut(self, offset: int, record: Record) -> None:
        for cut in self.cuts:
            if cut.operation == record.get("operation") and cut.undone is None:
                cut.undone = offset
                self.told.append((offset, record))


_TAKES = {
    "session": ChangeReading._take_session,
    "inherits": ChangeReading._take_inherits,
    "prompt": ChangeReading._take_prompt,
    "actor": ChangeReading._take_actor,
    "task-end": ChangeReading._take_task_end,
    "before": ChangeReading._take_entry,
    "after": ChangeReading._take_done,
    "window": ChangeReading._take_entry,
    "scanned": ChangeReading._take_done,
    "stop": ChangeReading._take_stop,
    "stopped": ChangeReading._take_stopped,
    "cut": ChangeReading._take_cut,
    "uncut": ChangeReading._take_uncut,
    "forgotten": ChangeReading._take_forgotten,
}


def _paths(entry: Entry) -> "Iterator[str]":
    changes = (entry.done or {}).get("changes", ())
    for record in (entry.record, *(changes if isinstance(changes, list) else ())):
        if isinstance(record, dict) and isinstance(record.get("path"), str):
            yield record["path"]


def _record(line: bytes) -> Record | None:
    """A line that is no JSON object says nothing. Paths keep their lone surrogates."""
    try:
        value = _decode(line) if b"\\ud" not in line else _slowly(line)
    except (ValueError, RecursionError):  # msgspec's own error is a ValueError
        return None
    return value if isinstance(value, dict) else None


def _slowly(line: bytes) -> Any:
    import json  # msgspec refuses lone surrogates

    return json.loads(line)


def _offset(token: object) -> int:
    return int(token) if isinstance(token, str) and token.isascii() and token.isdecimal() else -1


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
