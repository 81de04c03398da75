"""The session list and the line at the top as view models."""

from collections.abc import Sequence

from respool.model.transcript import Live, SessionInfo
from respool.views.models import SessionRow, SessionsView, TopView
from respool.views.paths import short_path
from respool.views.texts import Translate, mark
from respool.views.times import Clock, shown_time
from respool.views.visible import one_line

LIVE = {
    Live.NO: "",
    Live.IDLE: mark("open in an agent"),
    Live.BUSY: mark("answering"),
    Live.UNKNOWN: mark("maybe open in an agent"),
}
AGENTS = {"wave": "Wave", "claude": "Claude Code"}
TITLE_CHARACTERS = 120


def top_view(info: SessionInfo | None, t: Translate) -> TopView:
    """Without a session: the list is what one sees."""
    if info is None:
        return TopView(title=t("Sessions"), conversation=False, place="", branch="", live="no", live_text="")
    return TopView(
        title=_title(info, t),
        conversation=True,
        place=_place(info),
        branch=one_line(info.git_branch or "", 60),
        live=info.live,
        live_text=t(LIVE[info.live]),
    )


def sessions_view(
    sessions: Sequence[SessionInfo],
    *,
    shown: bool,
    everywhere: bool,
    nowhere: bool = False,
    workspace: str,
    clock: Clock,
    t: Translate,
) -> SessionsView:
    """Rows in the order given; none while another screen is shown. In one folder's list no row repeats the folder."""
    here = "" if everywhere else workspace
    rows = tuple(_row(number, info, here, clock, t) for number, info in enumerate(sessions)) if shown else ()
    return SessionsView(shown=shown, everywhere=everywhere, nowhere=nowhere, workspace=short_path(workspace), rows=rows)


def _row(number: int, info: SessionInfo, here: str, clock: Clock, t: Translate) -> SessionRow:
    return SessionRow(
        key=f"s-{number}",
        path=info.path,
        title=_title(info, t),
        place=_place(info) if info.workdir != here else "",
        branch=one_line(info.git_branch or "", 60),
        agent=AGENTS.get(info.dialect, info.dialect),
        time=shown_time(info.last_active_at, clock, t),
        stamp=info.last_active_at,
        live=info.live,
        live_text=t(LIVE[info.live]),
    )


def _title(info: SessionInfo, t: Translate) -> str:
    return one_line(info.title, TITLE_CHARACTERS) or t("New conversation")


def _place(info: SessionInfo) -> str:
    return short_path(info.workdir or "")
