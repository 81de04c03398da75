"""``respool undo``: take the newest rewind back."""

import argparse

from respool.model.operation import Outcome
from respool.model.plan import Consent
from respool.protocol.cli import consents
from respool.protocol.cli.door import Door
from respool.protocol.cli.interruption import noted_interrupts
from respool.protocol.cli.outcome_lines import report
from respool.protocol.cli.plan import described
from respool.protocol.cli.progress import Progress
from respool.protocol.cli.rewind import nothing_changed
from respool.protocol.messages import plan_json


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Undo, or with ``--dry-run`` say what that would do."""
    quiet = arguments.yes or arguments.json
    door.must_be_able_to_ask(agreed=quiet or arguments.dry_run)
    transcript = _transcript(arguments, door)
    consent, digest = consents.given(arguments), arguments.digest
    if arguments.dry_run or not quiet:
        planned = door.services().rewinds.plan_undo(transcript, workspace=door.workspace)
        if arguments.dry_run and door.out.json:
            door.out.answer(plan_json(planned))
        door.out.print(described(planned, door, consent))
        if arguments.dry_run:
            return 0
        answer = consents.asked(planned, consent, door.t("Take it back?"), door)
        if answer is None:
            return nothing_changed(door)
        consent, digest = answer, digest or planned.plan.digest
    return report(_undone(transcript, digest, consent, door), door.t("Taken back."), door)


def _transcript(arguments: argparse.Namespace, door: Door) -> str:
    """Without a name: that of the newest rewind of this folder that can be taken back."""
    if arguments.session is None:
        return door.services().rewinds.undoable(workspace=door.workspace)
    return door.transcript(arguments.session)


def _undone(transcript: str, digest: str | None, consent: Consent, door: Door) -> Outcome:
    """Ctrl-C waits for the end: half of an undo is of no use to anybody."""
    rewinds = door.services().rewinds
    with Progress(door.t, silent=door.out.json) as progress, noted_interrupts():
        return rewinds.undo(transcript, digest=digest, consent=consent, workspace=door.workspace, progress=progress)
