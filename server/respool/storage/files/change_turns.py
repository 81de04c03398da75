"""Whose turn a change belongs to, and where that turn stands in the transcript now.

A change by the main agent belongs to the newest prompt; one by another actor to the turn in which its root ancestor was
launched, whenever it happens. What a stopped actor, or one of a turn that is out, wrote afterwards all the same (nobody
could stop it) belongs to the turn that was newest at that moment.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from respool.model.capture import PromptPlace
from respool.storage.files.change_reading import MAIN, ChangeReading, Cut, Entry, Life, Turn


@dataclass
class Places:
    """The turns of a log, placed in a transcript whose prompts are given in file order."""

    reading: ChangeReading
    prompts: Iterable[PromptPlace]

    def __post_init__(self) -> None:
        self._lines: dict[str, list[int]] = {}
        for prompt in self.prompts:
            for name in dict.fromkeys(prompt.ids):
                self._lines.setdefault(name, []).append(prompt.line)
        self._out = {turn.offset: cut.offset for turn in self.reading.turns if (cut := self._cut_of(turn))}
        self._line_of: dict[int, int] = {}
        self._offsets: list[int] = []
        self._newest: list[int] = []
        self._place()

    def _place(self) -> None:
        used: dict[str, int] = {}
        unnamed = self._unnamed()
        line = newest = 0
        for turn in self.reading.turns:
            if turn.offset in self._out:
                continue
            line = (unnamed.get(turn.offset, 0) if turn.unnamed else self._line(turn, used)) or line
            newest = max(newest, line)
            self._line_of[turn.offset] = line
            self._offsets.append(turn.offset)
            self._newest.append(newest)

    def _unnamed(self) -> dict[int, int]:
        """Lines of the prompts without an id, from the newest back: what a later one took is not an earlier one's."""
        lines = sorted(line for found in self._lines.values() for line in found)
        below, found = float("inf"), {}
        for turn in reversed(self.reading.turns):
            if not turn.unnamed or turn.line is None or turn.offset in self._out:
                continue
            place = bisect_left(lines, turn.line)
            if place < len(lines) and lines[place] < below:
                below = found[turn.offset] = lines[place]
        return found

    def _line(self, turn: Turn, used: dict[str, int]) -> int:
        """Its physical line now; 0 when the prompt is no longer there."""
        lines = self._lines.get(turn.id, [])
        count = used[turn.id] = used.get(turn.id, 0) + 1
        if turn.line in lines:
            return turn.line or 0
        return lines[min(count, len(lines)) - 1] if lines else 0

    def _cut_of(self, turn: Turn) -> Cut | None:
        """One without a line is out if it is gone, a cut came after it, and nothing between them is still there."""
        found = next((cut for cut in self.reading.cuts if cut.takes(turn)), None)
        if found is not None or turn.line is not None or turn.id in self._lines:
            return found
        after = (cut for cut in self.reading.cuts if cut.undone is None and cut.offset > turn.offset)
        return next((cut for cut in after if not self._is_there(turn.offset, cut.offset)), None)

    def _is_there(self, start: int, end: int) -> bool:
        """Whether a prompt recorded between two offsets still stands in the transcript."""
        return any(start < turn.offset < end and turn.id in self._lines for turn in self.reading.turns)

    def out_since(self, turn: Turn | None) -> int | None:
        """Offset of the cut that took the turn out; ``None`` for one that counts."""
        return self._out.get(turn.offset) if turn is not None else None

    def line(self, turn: Turn | None) -> int:
        """Physical line of a turn's prompt now; of one that is gone, that of the turn before it; 0 before the first."""
        return self._line_of.get(turn.offset, 0) if turn is not None else 0

    @property
    def lines(self) -> frozenset[int]:
        """Physical lines of the prompts whose turns were recorded and are not out."""
        return frozenset(self._line_of.values())

    def newest_line(self, offset: int) -> int:
        """Line of the prompt that was newest when something was recorded."""
        count = bisect_right(self._offsets, offset)
        return self._newest[count - 1] if count else 0

    def turn(self, entry: Entry) -> Turn | None:
        """The turn a change belongs to; ``None`` before the first prompt."""
        own = entry.prompt or (entry.then if entry.life.id == MAIN else entry.life.root.turn)
        late = entry.life.fenced_at(entry.offset) or self.reading.is_out(own, by=entry.offset)
        return entry.then if late else own

    def counts(self, turn: Turn | None, target_line: int) -> bool:
        """Whether going back to a line takes the turn out."""
        return self.out_since(turn) is None and self.line(turn) >= target_line

    def life_counts(self, life: Life, target_line: int) -> bool:
        """Whether an actor was launched in a turn that goes."""
        return self.counts(life.root.turn, target_line)
