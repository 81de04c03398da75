"""Paths as a person reads them: short, on one line, with nothing in them that misleads the eye."""

import os

from respool.views.visible import one_line

PATH_CHARACTERS = 400


def short_path(path: str) -> str:
    """With the home folder as ``~``."""
    home = os.path.expanduser("~")
    short = "~" + path[len(home) :] if path == home or path.startswith(home + os.sep) else path
    return one_line(short, PATH_CHARACTERS)


def shown_path(path: str, workdir: str) -> str:
    """Relative inside the workspace, else from the home folder or whole."""
    inside = workdir and path.startswith(workdir.rstrip(os.sep) + os.sep)
    return one_line(os.path.relpath(path, workdir), PATH_CHARACTERS) if inside else short_path(path)
