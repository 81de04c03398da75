"""When the store was last tidied: the time of an empty file, ``tidied``."""

import os
import time

EVERY_S = 24 * 3600


def is_due(state: str) -> bool:
    """Whether that is a day ago; asking counts as tidying. A store that is new is not due. Raises ``OSError``."""
    path = os.path.join(state, "tidied")
    try:
        due = os.stat(path).st_mtime < time.time() - EVERY_S
    except FileNotFoundError:
        if os.path.isdir(state):
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        return False
    if due:
        os.utime(path)
    return due
