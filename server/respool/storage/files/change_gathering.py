"""Gathering, from the entries of one session's logs, what a plan wants to know."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from respool.engine.ports import Scanned
from respool.model.capture import Captured
from respool.model.plan import Notice, Task
from respool.model.recovery import RecoveryPoint
from respool.storage.files.change_mending import Mending
from respool.storage.files.change_points import Change, Leaving, changes, excluded, point, scanned
from respool.storage.files.change_reading import MAIN, ChangeReading, Entry, Life
from respool.storage.files.change_turns import Places

UNFINISHED = "a command of {actor} was still running, or broke off; what it changed is not known"
EXCLUDED = "{path} is not looked at ({rule}); what a command changed there stays"
SHARED_WINDOW = "{path} changed while a command ran; that may include edits of your own"
SHARED_TASK = "{path} was changed since by a task that runs on"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A log, as far as it speaks of this session. ``base``: what to add to an offset to get an order over all logs."""

    reading: ChangeReading
    places: Places
    base: int
    prompts: frozenset[str] | None = None

    def entries(self) -> Iterator[Entry]:
        """Those of the turns that are part of this session, in order."""
        for entry in self.reading.entries.values():
            turn = self.places.turn(entry)
            if self.prompts is None or (turn is not None and turn.id in self.prompts):
                yield entry

    def seq(self, entry: Entry) -> tuple[int, int]:
        """Comparable with imported points by its first half; by its second the order in which things happened."""
        return self.places.newest_line(entry.offset), self.base + entry.offset


@dataclass
class Gathering:
    """What is gathered on the way through the logs."""

    points: list[RecoveryPoint] = field(default_factory=list)
    leaving: Leaving = field(default_factory=Leaving)
    folders: dict[str, None] = field(default_factory=dict)
    notices: dict[tuple[str, str], Notice] = field(default_factory=dict)
    calls: set[str] = field(default_factory=set)
    shells: dict[int, int] = field(default_factory=dict)
    running: dict[str, Task] = field(default_factory=dict)
    kept: dict[str, Life] = field(default_factory=dict)
    unsteady: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    _mending: Mending = field(default_factory=Mending)
    _removed: dict[str, int] = field(default_factory=dict)
    """Path → order of its first removed change."""

    def take(self, source: Source, entry: Entry, target_line: int) -> None:
        """One entry of a log."""
        turn = source.places.turn(entry)
        until = source.places.out_since(turn)
        if until is not None:
            self.leaving.take(self._mending.gone(changes(entry), offset=entry.offset, until=until))
            return
        found = self._mending.mended(changes(entry), offset=entry.offset)
        self.leaving.take(found)
        self._cover(entry, source.places.line(turn))
        if source.places.counts(turn, target_line):
            self._remove(source, entry, found)

    def _cover(self, entry: Entry, line: int) -> None:
        call = entry.record.get("call")
        window = entry.record.get("kind") == "window"
        if isinstance(call, str) and (entry.done is not None or not window):
            self.calls.add(call)
        if window and entry.done is not None and entry.life.id == MAIN:
            self.shells[line] = self.shells.get(line, 0) + 1

    def _remove(self, source: Source, entry: Entry, found: list[Change]) -> None:
        window = entry.record.get("kind") == "window"
        seq = source.seq(entry)
        if window and entry.done is None:
            self._say("unfinished_command", UNFINISHED, actor=entry.life.id)
        elif window and entry.done is not None:
            for path, rule in excluded(entry.done.get("excluded")):
                self._say("excluded", EXCLUDED, path=path, rule=rule)
        overlaps = window and _overlaps(source.reading, entry)
        for change in found:
            self._removed.setdefault(change.real, seq[1])
            if change.is_new_folder:
                self.folders[change.path] = None
                continue
            if change.shared or overlaps:
                self._say("may_include_yours", SHARED_WINDOW, path=change.path)
            self.points.append(
                point(
                    change,
                    seq=seq,
                    actor=entry.life.id,
                    how="shell" if window else "tool",
                    at_ms=_milliseconds(entry.record.get("at_ms")),
                )
            )

    def _say(self, code: str, text: str, **params: object) -> None:
        self.notices.setdefault((code, str(params)), Notice(code=code, text=text, params=params))

    def tasks(self, source: Source, running: list[Life], target_line: int, *, reachable: bool) -> None:
        """Tasks that still run, and what they write."""
        for life in running:
            if not source.places.life_counts(life, target_line):
                self.kept[life.id] = life
                continue
            stoppable = life.started is not None if life.pid is not None else reachable
            self.running[life.id] = Task(
                id=life.id,
                kind=str(life.task),
                description=life.description,
                stoppable=stoppable,
                pid=life.pid,
                started=life.started,
            )
        for entry in source.entries():
            above = {life.id for life in entry.life.lineage}
            for change in changes(entry):
                if above & self.running.keys():
                    self.unsteady.update((change.path, change.real))
                first = self._removed.get(change.real)
                if above & self.kept.keys() and first is not None and first < source.base + entry.offset:
                    self._share(change.path)

    def _share(self, path: str) -> None:
        self.shared.add(path)
        self.unsteady.add(path)
        self._say("shared_with_running_task", SHARED_TASK, path=path)

    def unsettled(self, source: Source, target_line: int) -> str | None:
        """A shell task that goes and whose changes nobody has looked for since: its id, the newest one's."""
        found = (life.id for life in source.reading.lives if life.task == "shell" and not life.ended)
        gone = [
            name
            for name in found
            if (life := source.reading.life(name)) and source.places.life_counts(life, target_line)
        ]
        return gone[-1] if gone else None

    def looked(self, source: Source, task: str, result: Scanned) -> None:
        """What differs now from the last look of a shell scan: a task of the removed range may have done it."""
        end = source.reading.size
        others = source.reading.writers(self.kept)
        for number, change in enumerate(scanned(result.changes)):
            if change.path in others:
                continue
            self.unsteady.add(change.path)
            if change.is_new_folder:
                self.folders[change.path] = None
                continue
            seq = source.places.newest_line(end), source.base + end + number
            self.points.append(point(change, seq=seq, actor=task, how="shell", at_ms=None))
            self._say("may_include_yours", SHARED_WINDOW, path=change.path)
        for path, rule in excluded(result.excluded):
            self._say("excluded", EXCLUDED, path=path, rule=rule)

    def captured(self) -> Captured:
        """All of it, as a value."""
        spelled = {point.path for point in self.points}
        return Captured(
            points=tuple(sorted(self.points, key=lambda one: one.seq)),
            left=dict(self.leaving.states),
            made_folders=tuple(sorted(self.folders, key=lambda folder: (-folder.count("/"), folder))),
            tasks=tuple(self.running.values()),
            kept_tasks=tuple(self.kept),
            unsteady=frozenset(self.unsteady),
            shared=frozenset(self.shared & spelled),
            notices=tuple(self.notices.values()),
            covered_calls=frozenset(self.calls),
            covered_shells=self.shells,
        )


def _overlaps(reading: ChangeReading, entry: Entry) -> bool:
    """Whether somebody else's command ran at the same time."""
    return any(
        other.life is not entry.life
        and other.offset < entry.done_offset
        and (other.done_offset > entry.offset if other.done is not None else other is reading.last_window(other.life))
        for other in reading.windows
    )


def _milliseconds(value: object) -> int | None:
    return value if isinstance(value, int) else None
