"""Change logs, read for a plan: implements ``engine.ports.Captures``."""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from respool.engine.ports import Scanned
from respool.model.capture import Captured, PromptPlace
from respool.model.plan import Fork, RewindPlan
from respool.storage.files.atomic import COPY_BYTES
from respool.storage.files.change_gathering import Gathering, Source
from respool.storage.files.change_log import ChangeLog
from respool.storage.files.change_reading import ChangeReading, Life
from respool.storage.files.change_turns import Places
from respool.storage.files.children import children_of
from respool.storage.files.recorder_lock import recorder_runs

Look = Callable[[str], Scanned]


@dataclass
class Changes:
    """Logs below ``state``, kept parsed. ``alive(pid, started)``: that process runs. ``look``: at a workspace, now."""

    state: str
    alive: Callable[[int, str | None], bool] = lambda pid, started: True
    look: Look | None = None
    _readings: dict[str, ChangeReading] = field(default_factory=dict)

    def captured(self, transcript: str, prompts: tuple[PromptPlace, ...], target_line: int) -> Captured:
        """What is known about the turns from ``target_line`` on. Reads only."""
        log = ChangeLog(self.state, transcript)
        found = Gathering()
        sources = list(self._sources(transcript, prompts, None, set()))
        for source in sources:
            for entry in source.entries():
                found.take(source, entry, target_line)
        own = sources[-1]
        running = [life for life in own.reading.lives if self._runs(life)]
        found.tasks(own, running, target_line, reachable=recorder_runs(log.folder))
        if self.look is not None and (unsettled := found.unsettled(own, target_line)):
            found.looked(own, unsettled, self.look(str(own.reading.session.get("workspace") or "")))
        recorded = frozenset(line for source in sources for line in source.places.lines)
        launched = (life for life in own.reading.lives if life.task == "agent")
        agents = dict.fromkeys(life.id for life in launched if own.places.life_counts(life, target_line))
        return replace(found.captured(), recorded_turns=recorded, children=children_of(transcript, agents))

    def cut(self, transcript: str, operation: str, line: int, kept_lines: int) -> None:
        """The turns from ``line`` on are out. Doing it twice is doing it once; nothing where nothing was recorded."""
        record = _cut(operation, line, kept_lines)
        self._once(transcript, record, lambda reading: any(cut.operation == operation for cut in reading.cuts))

    def uncut(self, transcript: str, operation: str) -> None:
        """…and back again."""
        record = {"kind": "uncut", "operation": operation}
        self._once(
            transcript,
            record,
            lambda reading: not any(cut.operation == operation and cut.undone is None for cut in reading.cuts),
        )

    @contextlib.contextmanager
    def cutting(self, plan: RewindPlan, operation: str) -> Iterator[None]:
        """While a transcript is replaced: no recorder appends to it, and the next one that does knows of the cut."""
        log = ChangeLog(self.state, plan.transcript)
        if plan.cut is None or not log.exists():
            yield
            return
        with log.held() as held:
            yield
            if plan.undoes is None:
                held.append(_cut(operation, plan.cut.first_removed, line_count(plan.transcript, plan.cut.after.size)))
            else:
                held.append({"kind": "uncut", "operation": plan.undoes})

    def publish(self, plan: RewindPlan, operation: str) -> None:
        """After a commit; once more is as good as once."""
        if plan.fork is not None and plan.undoes is None:
            self._inherit(plan.transcript, plan.fork)
        elif plan.cut is not None and plan.undoes is None:
            kept = line_count(plan.transcript, plan.cut.after.size)
            self.cut(plan.transcript, operation, plan.cut.first_removed, kept)
        elif plan.cut is not None and plan.undoes is not None:
            self.uncut(plan.transcript, plan.undoes)

    def _inherit(self, transcript: str, fork: Fork) -> None:
        """A fork's kept turns are recorded in the original's log, or where that one has them from."""
        if self._reading(transcript).size and not self._reading(fork.path).inherited:
            record = {"kind": "inherits", "transcript": os.path.realpath(transcript), "prompts": list(fork.prompts)}
            ChangeLog(self.state, fork.path, fork.cwd, "claude").append(record)

    def _once(self, transcript: str, record: dict[str, Any], done: Callable[[ChangeReading], bool]) -> None:
        log = ChangeLog(self.state, transcript)
        if not log.exists():
            return
        with log.held() as held:
            if not done(self._reading(transcript)):
                held.append(record)

    def _reading(self, transcript: str) -> ChangeReading:
        path = ChangeLog(self.state, transcript).path
        return self._readings.setdefault(path, ChangeReading(path)).extend()

    def _sources(
        self, transcript: str, prompts: tuple[PromptPlace, ...], only: frozenset[str] | None, seen: set[str]
    ) -> Iterator[Source]:
        """The logs this session's turns are in, the oldest first: a fork's kept turns are in the original's."""
        reading = self._reading(transcript)
        base = 0
        if reading.path in seen:
            return
        seen.add(reading.path)
        for original, kept in reading.inherited:
            for source in self._sources(original, prompts, kept if only is None else kept & only, seen):
                base = source.base + source.reading.size
                yield source
        yield Source(reading=reading, places=Places(reading, prompts), base=base, prompts=only)

    def _runs(self, life: Life) -> bool:
        if life.task is None or life.ended or life.stopped is not None:
            return False
        return life.pid is None or self.alive(life.pid, life.started)


def _cut(operation: str, line: int, kept_lines: int) -> dict[str, Any]:
    return {"kind": "cut", "operation": operation, "line": line, "kept_lines": kept_lines}


def line_count(transcript: str, size: int) -> int:
    """Physical lines within the first ``size`` bytes; a last one that was not ended counts. A file that is gone: 0."""
    count, last = 0, b"\n"
    with contextlib.suppress(FileNotFoundError), open(transcript, "rb", buffering=0) as file:
        while size > 0 and (piece := file.read(min(size, COPY_BYTES))):
            count, last, size = count + piece.count(b"\n"), piece[-1:], size - len(piece)
    return count + (last != b"\n")
