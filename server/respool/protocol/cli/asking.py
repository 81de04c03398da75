"""Questions in the terminal."""

import sys

from respool.protocol.cli.door import Door
from respool.views.visible import one_line


def agreed(question: str, door: Door) -> bool:
    """Ask; anything but a clear yes is a no, and so is the end of input."""
    choice = door.t("[y/N]")
    sys.stderr.write(f"{one_line(question)} {choice} ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        sys.stderr.write("\n")
    return answer.strip().casefold() in ("y", "yes", door.t("yes"))
