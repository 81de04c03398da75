"""``respool rewind``: with ``--to`` that rewind, without it the picker."""

import argparse
import sys

from respool.model.errors import LiveAgent, StalePlan
from respool.model.operation import Outcome
from respool.model.plan import Consent
from respool.protocol.cli import consents
from respool.protocol.cli.door import Door, WrongUsage
from respool.protocol.cli.interruption import noted_interrupts
from respool.protocol.cli.outcome_lines import report
from respool.protocol.cli.plan import Request, described, requested
from respool.protocol.cli.progress import Progress


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Rewind to the message given, or to the one chosen."""
    quiet = arguments.yes or arguments.json
    if arguments.to is None:
        return _picked(arguments, door, quiet=quiet)
    door.must_be_able_to_ask(agreed=quiet)
    request, consent, digest = requested(arguments, door), consents.given(arguments), arguments.digest
    if not quiet:
        planned = request.plan(arguments.to, door)
        door.out.print(described(planned, door, consent))
        answer = consents.asked(planned, consent, door.t("Rewind?"), door)
        if answer is None:
            return nothing_changed(door)
        consent, digest = answer, digest or planned.plan.digest
    status = report(_rewound(request, arguments.to, digest, consent, door), door.t("Rewound."), door)
    door.services().retention.daily()
    return status


def nothing_changed(door: Door) -> int:
    """The user said no: that is an answer, not a failure."""
    door.out.note(door.t("Nothing was changed."))
    return 0


def _rewound(request: Request, to: str, digest: str | None, consent: Consent, door: Door) -> Outcome:
    rewinds = door.services().rewinds
    with Progress(door.t, silent=door.out.json) as progress, noted_interrupts() as interrupted:
        return rewinds.rewind(
            request.transcript,
            to,
            mode=request.mode,
            leave_out=request.leave_out,
            digest=digest,
            consent=consent,
            workspace=door.workspace,
            progress=progress,
            cancelled=interrupted,
        )


def _picked(arguments: argparse.Namespace, door: Door, *, quiet: bool) -> int:
    """Show the list until a rewind works out or the user leaves. A refusal that a new look can cure shows it again."""
    if quiet or not door.can_ask or not sys.stdout.isatty():
        raise WrongUsage(
            door.t("choosing from the list needs a terminal and somebody to choose"),
            door.t("Name the message with --to; `respool checkpoints` lists them."),
        )
    from respool.protocol.cli.picker import pick  # a full-screen toolkit; no other command needs it

    request, refusal = requested(arguments, door), None
    while True:
        choice = pick(request, consents.given(arguments), refusal, door)
        if choice is None:
            return nothing_changed(door)
        try:
            outcome = _rewound(choice.request, choice.to, choice.digest, choice.consent, door)
        except (StalePlan, LiveAgent) as again:
            refusal = again
            continue
        return report(outcome, door.t("Rewound."), door)
