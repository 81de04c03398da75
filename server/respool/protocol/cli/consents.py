"""What the user agreed to: by flags, or when asked."""

import argparse
from dataclasses import replace

from respool.model.plan import Consent
from respool.protocol.cli.asking import agreed
from respool.protocol.cli.door import Door
from respool.service.plans import Planned
from respool.views.dialog import CONSENTS, needs


def given(arguments: argparse.Namespace) -> Consent:
    """The consents among the flags."""
    return Consent(partial=arguments.partial, outside=arguments.outside, live=arguments.live)


def asked(planned: Planned, consent: Consent, question: str, door: Door) -> Consent | None:
    """Ask for every consent that is missing, then the question itself. ``None``: one of them was answered with no."""
    for name in needs(planned.plan):
        if not getattr(consent, name):
            if not agreed(f"{door.t(CONSENTS[name])}?", door):
                return None
            consent = replace(consent, **{name: True})
    return consent if agreed(question, door) else None
