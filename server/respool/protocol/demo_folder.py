"""Where a demo goes when nobody named a folder: into the home folder, under the first name that is free."""

import itertools
import os
from collections.abc import Callable

from respool.model.recording import Laid

MakeDemo = Callable[[str], Laid]
"""Makes the demo project with its session in a folder (absolute, new or empty)."""

NAME = "respool-demo"


def free_folder() -> str:
    """``~/respool-demo``, or the first number that is free."""
    home = os.path.join(os.path.expanduser("~"), NAME)
    names = itertools.chain([home], (f"{home}-{number}" for number in itertools.count(2)))
    return next(name for name in names if not os.path.lexists(name))
