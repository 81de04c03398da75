"""How many files each rewind would change, found out only for the rows somebody looks at."""

from dataclasses import replace

from respool.model.errors import Refusal
from respool.model.plan import Action, RewindPlan
from respool.protocol.intents import CountFiles
from respool.protocol.panel_screen import Screen
from respool.protocol.panel_state import PanelState
from respool.service.services import Services


def count_files(services: Services, workspace: str, screen: Screen, asked: CountFiles) -> None:
    """Plan one row after the other, the order given, for as long as the list stays open."""
    for to in asked.to:
        state = screen.state
        line = _line(to)
        if not state.picker_open or state.opened is None:
            return
        if line not in state.counts:
            count = _count(services, state.opened.path, to, workspace)
            screen.update(lambda now, at=line, found=count: _counted(now, at, found))  # type: ignore[misc]


def _counted(state: PanelState, line: int, count: int | None) -> PanelState:
    if count is None or not state.picker_open:
        return state
    return replace(state, counts={**state.counts, line: count})


def _count(services: Services, transcript: str, to: str, workspace: str) -> int | None:
    """Unknown where no plan can be made."""
    try:
        return changing_files(services.rewinds.plan(transcript, to, workspace=workspace).plan)
    except Refusal:
        return None


def changing_files(plan: RewindPlan) -> int:
    """Files a plan would touch."""
    return sum(file.action is not Action.KEEP for file in plan.files)


def _line(to: str) -> int:
    line = to.rpartition("@")[2]
    return int(line) if line.isascii() and line.isdigit() else 0
