"""A refusal, in both forms."""

from collections import defaultdict

from respool.model.errors import Refusal
from respool.protocol.cli.output import Output
from respool.protocol.messages import error_json
from respool.views.texts import Translate

FLAGS = ("partial", "outside", "live")


def report_refusal(refusal: Refusal, out: Output, t: Translate) -> None:
    """Words on stderr; with ``--json`` the object too, always in English."""
    out.error(refusal_sentence(refusal, t), hint_sentence(refusal, t))
    if out.json:
        out.answer(error_json(refusal))


def refusal_sentence(refusal: Refusal, t: Translate) -> str:
    """Why it was refused."""
    return t(refusal.text).format(**refusal.params) if refusal.params else t(refusal.text)


def hint_sentence(refusal: Refusal, t: Translate) -> str:
    """What to do about it. It may name the operation as well as the parameters of the text."""
    known = {"operation": refusal.operation or "OPERATION", **refusal.params}
    return t(refusal.hint).format_map(defaultdict(str, known)) if refusal.hint else ""
