"""``respool plan``: all that a rewind would do; nothing is touched."""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass

from respool.model.plan import Consent, Mode
from respool.protocol.cli.door import Door
from respool.protocol.cli.lines import Line
from respool.protocol.cli.plan_lines import consent_lines, plan_lines
from respool.protocol.messages import plan_json
from respool.service.plans import Planned
from respool.views.dialog import Asked, dialog_view
from respool.views.models import DialogView


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the arguments ask for."""

    transcript: str
    mode: Mode
    leave_out: tuple[str, ...]

    def plan(self, to: str, door: Door) -> Planned:
        """Plan a rewind to a message."""
        rewinds = door.services().rewinds
        return rewinds.plan(self.transcript, to, mode=self.mode, leave_out=self.leave_out, workspace=door.workspace)


def requested(arguments: argparse.Namespace, door: Door) -> Request:
    """Find the session and make paths absolute."""
    paths = (os.path.normpath(os.path.join(door.workspace, path)) for path in arguments.leave_out)
    return Request(transcript=door.transcript(arguments.session), mode=Mode(arguments.mode), leave_out=tuple(paths))


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Plan and say so."""
    planned = requested(arguments, door).plan(arguments.to, door)
    if door.out.json:
        door.out.answer(plan_json(planned))
    door.out.print(described(planned, door))
    return 0


def viewed(planned: Planned, door: Door, consent: Consent) -> DialogView:
    """The plan as the panel's dialog would show it."""
    plan = planned.plan
    left_out = tuple(left.path for left in plan.left_out if left.reason == "left_out")
    asked = Asked(
        undo=plan.kind == "undo",
        preview=planned.input_content,
        workdir=door.workspace,
        mode=plan.mode,
        left_out=left_out,
        consent=consent,
    )
    return dialog_view(plan, asked, door.t)


def described(planned: Planned, door: Door, consent: Consent | None = None) -> Iterator[Line]:
    """The plan in words."""
    view = viewed(planned, door, consent or Consent())
    yield from plan_lines(view, door.t, door.out.width)
    yield from consent_lines(view, door.t, door.out.width)
