"""Ages and sizes as they are typed and shown: ``30d``, ``500M``."""

import re

from respool.views.texts import Translate, mark

HOURS = {"h": 1, "d": 24, "w": 7 * 24}
HOUR_MS = 3600 * 1000
UNITS = "KMGT"
BAD_AGE = mark("not an age: {text}. Write it as 12h, 30d or 4w")
BAD_SIZE = mark("not a size: {text}. Write it as 500M or 2G")
MOST_DIGITS = 9


def age_ms(text: str) -> int:
    """Milliseconds. Raises ``ValueError``."""
    found = re.fullmatch(r"([0-9]+)([hdw])", text.strip(), re.ASCII)
    if found is None or len(found[1]) > MOST_DIGITS:
        raise ValueError(text)
    return int(found[1]) * HOURS[found[2]] * HOUR_MS


def size_bytes(text: str) -> int:
    """Bytes; ``M`` is 1024 times 1024. Raises ``ValueError``."""
    found = re.fullmatch(r"([0-9]+)([KMGT])(i?B)?", text.strip(), re.ASCII | re.IGNORECASE)
    if found is None or len(found[1]) > MOST_DIGITS:
        raise ValueError(text)
    return int(found[1]) << 10 * (UNITS.index(found[2].upper()) + 1)


def shown_size(size: int) -> str:
    """``17 B``, ``4.2 MiB``."""
    if size < 1024:
        return f"{size} B"
    number = float(size)
    for unit in UNITS:
        number /= 1024
        if number < 1024 or unit == UNITS[-1]:
            break
    return f"{number:.1f} {unit}iB"


def unneeded(count: int, size: int, t: Translate) -> str:
    """Blobs that nothing needs."""
    return _counted(
        count, size, t("{count} blob that nothing needs: {size}"), t("{count} blobs that nothing needs: {size}")
    )


def temporary(count: int, size: int, t: Translate) -> str:
    """Files left by killed processes."""
    return _counted(
        count,
        size,
        t("{count} file left by a killed process: {size}"),
        t("{count} files left by killed processes: {size}"),
    )


def workspaces(count: int, size: int, t: Translate) -> str:
    """What workspaces looked like."""
    return _counted(count, size, t("{count} workspace: {size}"), t("{count} workspaces: {size}"))


def _counted(count: int, size: int, one: str, many: str) -> str:
    return (one if count == 1 else many).format(count=count, size=shown_size(size))
