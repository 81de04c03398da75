"""The words of ``argparse`` itself, in the user's language.

It looks them up with gettext, under a name of its own module. Ours are not compiled and not gettext's, so that name is
made to mean our catalog. Should a later Python look elsewhere, its words are English again, and nothing else happens.
"""

import argparse

from respool.views.texts import Translate, mark

WORDS = (
    mark("usage: "),
    mark("positional arguments"),
    mark("options"),
    mark("show this help message and exit"),
    mark("argument %(argument_name)s: %(message)s"),
    mark("the following arguments are required: %s"),
    mark("unrecognized arguments: %s"),
    mark("not allowed with argument %s"),
    mark("ignored explicit argument %r"),
    mark("expected one argument"),
    mark("invalid %(type)s value: %(value)r"),
    mark("invalid choice: %(value)r (choose from %(choices)s)"),
)
"""Those our commands can bring about, as Python 3.11 to 3.13 have them."""


def say_them_with(t: Translate) -> None:
    """From now on."""
    setattr(argparse, "_", t)  # noqa: B010 - its own name for gettext, which no stub knows
