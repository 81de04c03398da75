"""Folder name of a work directory, as recorded from the real Wave."""

import hashlib
import os
import re


def encoded(workdir: str) -> str:
    """Name under ``projects/`` for a directory, links resolved."""
    path = os.path.realpath(workdir)
    name = re.sub(r"\s+", "_", path[1:].replace("/", "-").replace("\\", "-"))
    if len(name) > 200:
        name = name[:191] + "-" + hashlib.sha256(path.encode()).hexdigest()[:8]
    return name
