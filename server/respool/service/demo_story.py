"""The session of ``respool demo``: a small project about the moon, and seven prompts about it."""

import struct
import zlib
from collections.abc import Mapping

from respool.service.demo_steps import (
    Bang,
    Compact,
    Delete,
    Edit,
    Hook,
    Notice,
    Prompt,
    Say,
    Shell,
    Step,
    Title,
    Write,
)

TASK = f"task_{2**22 + 1}_1"
"""Above the highest process id there is, so the task can only be over."""

CLI = '''"""The command: tell what kind of night it will be."""

from datetime import date


def main() -> None:
    print(f"{date.today()}: ask me again later")


if __name__ == "__main__":
    main()
'''

PHASE = '''"""Phases of the moon, good to about a day."""

import math
from datetime import date

NEW_MOON = date(2000, 1, 6)
SYNODIC_DAYS = 29.530588
NAMES = ("new", "waxing crescent", "first quarter", "waxing gibbous",
         "full", "waning gibbous", "last quarter", "waning crescent")


def phase(day: date) -> str:
    age = (day - NEW_MOON).days % SYNODIC_DAYS
    return NAMES[round(age / SYNODIC_DAYS * 8) % 8]
'''

TEST = """import pytest
from datetime import date

from moonlight.phase import phase


def test_a_full_moon():
    assert phase(date(2026, 1, 3)) == "full"


def test_a_new_moon():
    assert phase(date(2026, 1, 18)) == "new"
"""

CHINESE = """# moonlight 月光

今晚的月亮亮不亮？运行 `python -m moonlight.cli` 就知道了。
"""

README = """# moonlight

Will it be a bright night?

    python -m moonlight.cli
"""

IDEAS = """- tides
- eclipses
- ask Grandma about the almanac
"""


def icon() -> bytes:
    """A crescent, 32 by 32 pixels, as a PNG file."""
    side = 32
    rows = b"".join(b"\0" + bytes(_shade(x - 15.5, y - 15.5) for x in range(side)) for y in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _shade(x: float, y: float) -> int:
    inside, shadow = x * x + y * y < 196, (x - 7) ** 2 + y * y < 150
    return 235 if inside and not shadow else 24


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def beginning() -> Mapping[str, bytes]:
    """The project before the first prompt."""
    return {
        "README.md": README.encode(),
        "assets/icon.png": icon(),
        "moonlight/__init__.py": b"",
        "moonlight/cli.py": CLI.encode(),
        "notes/ideas.txt": IDEAS.encode(),
    }


STORY: tuple[Step, ...] = (
    Prompt("Print tonight's moon phase instead of putting me off."),
    Say("I will compute the phase from a known new moon."),
    Write("moonlight/phase.py", PHASE),
    Edit(
        "moonlight/cli.py",
        "from datetime import date\n",
        "from datetime import date\n\nfrom moonlight.phase import phase\n",
    ),
    Edit("moonlight/cli.py", "ask me again later", "{phase(date.today())}"),
    Say("`python -m moonlight.cli` now prints the date and the **phase**, good to about a day."),
    Prompt("Write tests for two nights we can look up."),
    Write("tests/test_phase.py", TEST),
    Hook("tests/test_phase.py:1: `pytest` imported but unused"),
    Edit("tests/test_phase.py", "import pytest\nfrom datetime", "from datetime"),
    Shell("python -m pytest -q", "2 passed in 0.02s"),
    Say("Both nights are right; the unused import is gone."),
    Title("Moonlight"),
    Compact("The command prints the phase of the moon (moonlight/phase.py); tests/test_phase.py covers two nights."),
    Title("Moonlight"),
    Prompt("用中文写一份说明。"),
    Write("README.zh.md", CHINESE),
    Say("中文说明在 `README.zh.md`。"),
    Bang("git status --short", "?? README.zh.md"),
    Prompt("Check the last hundred years against an almanac, in the background."),
    Shell("python check_century.py", f"Command started in background with ID: {TASK}", task=TASK),
    Say("It is running; I will tell you when it is done."),
    Notice(TASK, 'Command "python check_century.py" completed with exit code 0'),
    Say("The check is through: never more than a day off."),
    Prompt("The icon and my old ideas are out of date. Throw both away."),
    Delete("assets/icon.png"),
    Delete("notes/ideas.txt"),
    Say("Both are deleted."),
    Prompt("Show the phase as a picture too: 🌑 🌓 🌕"),
    Compact("The command prints the phase; there are tests, a Chinese README, and no icon any more."),
    Title("Moonlight"),
    Edit("moonlight/phase.py", "\n\ndef phase(", '\nPICTURES = "🌑🌒🌓🌔🌕🌖🌗🌘"\n\n\ndef phase('),
    Edit(
        "moonlight/phase.py",
        "    return NAMES[round(age / SYNODIC_DAYS * 8) % 8]\n",
        '    number = round(age / SYNODIC_DAYS * 8) % 8\n    return f"{PICTURES[number]} {NAMES[number]}"\n',
    ),
    Edit("tests/test_phase.py", '== "full"', '== "🌕 full"'),
    Edit("tests/test_phase.py", '== "new"', '== "🌑 new"'),
    Say("The line now begins with the moon itself."),
    Prompt("/tidy", expanded="Look over the whole project and remove what is not needed."),
    Edit("moonlight/phase.py", "import math\nfrom datetime", "from datetime"),
    Say("`math` was imported for nothing; otherwise all is well."),
)
