"""Picker states for tests."""

from dataclasses import replace

from respool.model.ids import MessageId
from respool.model.plan import Consent, Mode
from respool.model.transcript import Checkpoint
from respool.protocol.cli.picker_state import PickerState, opened, resized


def row(number: int, preview: str | None = None, *, after_compaction: bool = False) -> Checkpoint:
    """Prompt number ``number``."""
    return Checkpoint(
        id=MessageId(f"msg-u{number}"),
        line=number * 2,
        preview=f"question {number}" if preview is None else preview,
        timestamp="2026-03-01T09:00:00.000Z",
        removes=100 - number,
        after_compaction=after_compaction,
    )


def picker(count: int = 0, *, height: int = 5, rows: tuple[Checkpoint, ...] | None = None) -> PickerState:
    """A list that was just opened."""
    made = tuple(row(number) for number in range(1, count + 1)) if rows is None else rows
    state = opened(made, mode=Mode.BOTH, consent=Consent(), again=None, notice="")
    return resized(replace(state, height=-1), height)
