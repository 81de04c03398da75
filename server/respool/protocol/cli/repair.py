"""``respool repair``: bring to an end what a crash or a failure left."""

import argparse

from respool.protocol.cli.door import Door
from respool.protocol.cli.interruption import noted_interrupts
from respool.protocol.cli.outcome_lines import report


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Finish, roll back or close; without a choice, what is safe."""
    with noted_interrupts():
        outcome = door.services().operations.repair(
            arguments.operation, choice=arguments.choice, workspace=door.workspace
        )
    return report(outcome, door.t("Repaired."), door)
