"""The clock on the wall of whoever reads the terminal."""

import os
from datetime import UTC, datetime

from respool.views.times import Clock

ZONE_FILE = "/etc/localtime"


def local_clock() -> Clock:
    """Now, in the zone the user set (``TZ``) or the machine has."""
    zone = os.environ.get("TZ", "").removeprefix(":") or os.path.realpath(ZONE_FILE).rpartition("zoneinfo/")[2]
    return Clock(now=datetime.now(UTC), zone=zone)
