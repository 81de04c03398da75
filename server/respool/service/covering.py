"""What a plan still has to say of tools nobody recorded, once our own captures are known (decision S23)."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from respool.model.capture import Captured
from respool.model.plan import Notice
from respool.model.removal import Removal

NOT_CAPTURED = "not_captured"
AGENTS = frozenset({"Agent", "Task"})


def notices(removal: Removal, captured: Captured) -> tuple[Notice, ...]:
    """The notices of the transcript that our captures do not answer, then those of the captures."""
    return (*_unanswered(removal, captured), *captured.notices)


def _unanswered(removal: Removal, captured: Captured) -> Iterator[Notice]:
    """A call is answered by its id; one without an id by a command window of its turn.

    A sub-agent is answered where its turn was recorded: whatever it called is in the record, or named by itself.
    """
    lines = [prompt.line for prompt in removal.prompts]
    windows = Counter(captured.covered_shells)
    for notice in removal.notices:
        if notice.code != NOT_CAPTURED or "line" not in notice.params or "tool" not in notice.params:
            yield notice
            continue
        turn = _turn(lines, notice.params["line"])
        if notice.params.get("call") in captured.covered_calls:
            continue
        if notice.params["tool"] in AGENTS and turn in captured.recorded_turns:
            continue
        if "call" not in notice.params and windows[turn] > 0:
            windows[turn] -= 1
            continue
        yield notice


def _turn(lines: list[int], line: object) -> int:
    """Line of the prompt before a line; 0 where there is none."""
    place = bisect_right(lines, line) if isinstance(line, int) else 0
    return lines[place - 1] if place else 0
