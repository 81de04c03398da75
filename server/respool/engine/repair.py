"""Settling what a crash left (design.md's table), and what people ask for afterwards.

Invariant: settling never overwrites what nobody planned (decision S22). A step is re-run, or taken back, only when
every target still to be written holds what the plan saw or what it writes.
"""

from respool.engine.ports import Entry, Probe
from respool.engine.rewind import RESTORED, RESTORING, Core, clear, finish, run, take_back
from respool.model.operation import Status
from respool.model.plan import NotRestored


def settle(core: Core, entry: Entry) -> Status:
    """Bring an operation whose process died to an end."""
    clear(core, entry)
    if _committed(core, entry):
        finish(core, entry)
        return Status.COMPLETED
    drifted = entry.plan.commits and core.transcript.probe(entry.plan) is Probe.DRIFTED
    if RESTORING not in entry.marks:
        core.journal.close(entry.id, Status.FAILED, ())
        return Status.FAILED
    strangers = foreign(core, entry)
    if strangers:
        core.journal.close(entry.id, Status.REPAIR_REQUIRED, (*entry.not_restored, *strangers))
        return Status.REPAIR_REQUIRED
    if drifted:
        return take_back(core, entry)
    failure = run(core, entry)
    return failure.status if failure else Status.COMPLETED


def _committed(core: Core, entry: Entry) -> bool:
    if not entry.plan.commits:
        return RESTORED in entry.marks
    return core.transcript.probe(entry.plan) is Probe.AFTER


def foreign(core: Core, entry: Entry) -> tuple[NotRestored, ...]:
    """Targets that hold neither what the plan saw nor what it writes.

    A file written in place may be torn by the crash itself; the journal's mark tells that from a stranger's edit.
    """
    found = []
    for change in entry.plan.steps:
        if f"in_place:{change.real_path}" in entry.marks:
            continue
        now = core.restorer.look(change.real_path)
        if now is None or not change.allows(now):
            found.append(NotRestored(path=change.path, reason="changed_meanwhile"))
    return tuple(found)


def roll_back(core: Core, entry: Entry) -> Status:
    """Take the restores back. An operation whose transcript was cut is undone by ``undo``, not here."""
    if _committed(core, entry):
        finish(core, entry)
        return Status.COMPLETED
    strangers = foreign(core, entry)
    if strangers:
        core.journal.close(entry.id, Status.REPAIR_REQUIRED, (*entry.not_restored, *strangers))
        return Status.REPAIR_REQUIRED
    return take_back(core, entry)


def close(core: Core, entry: Entry) -> Status:
    """Leave everything as it stands and call the operation over."""
    clear(core, entry)
    status = Status.COMPLETED if _committed(core, entry) else Status.FAILED
    if status is Status.COMPLETED:
        finish(core, entry)
    else:
        core.journal.close(entry.id, status, entry.not_restored)
    return status
