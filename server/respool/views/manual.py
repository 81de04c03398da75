"""Commands and keys of the panel, as its help shows them."""

from respool.views.models import HelpView
from respool.views.texts import Translate, mark

COMMANDS = {
    "rewind": mark("Go back to one of your messages"),
    "undo": mark("Take the last rewind back"),
    "sessions": mark("Show all sessions"),
    "help": mark("Show commands and keys"),
}
KEYS = {
    "↑ ↓ Home End": mark("move in the list"),
    "PgUp PgDn": mark("move by a page"),
    "Enter": mark("choose"),
    "Esc": mark("close, and change nothing"),
}


def command_list(t: Translate) -> tuple[tuple[str, str], ...]:
    """Name and meaning of each slash command."""
    return tuple((name, t(text)) for name, text in COMMANDS.items())


def help_view(t: Translate) -> HelpView:
    """The help notice."""
    return HelpView(commands=command_list(t), keys=tuple((keys, t(text)) for keys, text in KEYS.items()))
