"""What a plan needs the user's word for, and the plan that word leads to."""

from dataclasses import replace

from respool.model.errors import Busy, LiveAgent, NotRestorable, OutsideWorkspace, Refusal, StillWritten
from respool.model.plan import Action, Consent, FileChange, NotRestored, RewindPlan
from respool.model.recovery import RecoveryPoint
from respool.model.transcript import Live

PARTIAL_CODES = frozenset({"shared_with_running_task"})
LIVE_CODES = frozenset({"other_session"})


def check(plan: RewindPlan, consent: Consent, live: Live) -> None:
    """Refuse what nobody agreed to; the refusal lists every missing consent.

    A turn of a host of ours is overridden by nothing (S13), one of another agent by consent.
    """
    if live is Live.BUSY and not _foreign(plan):
        raise Busy
    missing = _missing(plan, consent, live)
    if not missing:
        return
    needs = tuple(missing)
    first = next(iter(missing.values()))
    first.needs = needs
    raise first


def _missing(plan: RewindPlan, consent: Consent, live: Live) -> dict[str, Refusal]:
    missing: dict[str, Refusal] = {}
    outside = _barred(plan)
    if outside and not consent.outside and not consent.partial:
        missing["outside"] = OutsideWorkspace(count=len(outside))
    shared = any(notice.code in PARTIAL_CODES for notice in plan.warnings)
    if plan.not_restorable and not consent.partial:
        missing["partial"] = NotRestorable(count=len(plan.not_restorable))
    elif shared and not consent.partial:
        missing["partial"] = StillWritten()
    unstoppable = any(not task.stoppable for task in plan.tasks)
    others = any(notice.code in LIVE_CODES for notice in plan.warnings)
    if (_in_use(plan, live) or unstoppable or others) and not consent.live:
        missing["live"] = LiveAgent()
    return missing


def _foreign(plan: RewindPlan) -> bool:
    """Whether the session is its agent's alone: we never write it, a fork is always allowed (S17)."""
    return plan.dialect == "claude"


def _in_use(plan: RewindPlan, live: Live) -> bool:
    if _foreign(plan):
        return live in (Live.BUSY, Live.UNKNOWN) and bool(plan.steps)
    return live is not Live.NO


def _barred(plan: RewindPlan) -> list[FileChange]:
    """Targets outside the workspace. An undo only takes back what somebody consented to."""
    if plan.undoes is not None:
        return []
    return [change for change in plan.files if change.outside and change.action is not Action.KEEP]


def consented(plan: RewindPlan, consent: Consent) -> tuple[RewindPlan, tuple[NotRestored, ...]]:
    """The plan that is applied, and everything it leaves: what cannot be, what may not be, what was left out."""
    left: list[NotRestored] = [*plan.not_restorable, *plan.left_out]
    files = plan.files
    if not consent.outside:
        barred = _barred(plan)
        left.extend(NotRestored(path=change.path, reason="outside_workspace") for change in barred)
        files = tuple(change for change in files if change not in barred)
    return replace(plan, files=files), tuple(left)


def kept_points(plan: RewindPlan) -> tuple[RecoveryPoint, ...]:
    """Recovery points of messages that go, whose file does not come back: they stay bound to the cut (S15)."""
    if not plan.commits or plan.undoes is not None:
        return ()
    restored = {change.path for change in plan.files}
    return tuple(point for point in plan.points if point.path not in restored)
