"""The panel's picker in a browser: what ``e2e.speed`` measures, as rows."""

import re
import subprocess
import sys
from collections.abc import Iterator

from tests.bench.process import ROOT
from tests.bench.row import Row
from tests.harness.place import Place

LINE = re.compile(r"^(\w+) +median +([\d.]+) ms +p95 +([\d.]+) ms +budget ([\d.]+) ms", re.MULTILINE)


def rows(place: Place, scale: float) -> Iterator[Row]:
    """One row a line of its report. It has its own user, and always 10,000 rows."""
    done = subprocess.run(
        [sys.executable, "-m", "e2e.speed"], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    found = LINE.findall(done.stdout)
    if not found:
        raise RuntimeError("e2e.speed measured nothing")
    for name, _, high, budget in found:
        yield Row(what=f"picker, 10000 rows: {name}, p95", measured=float(high), limit=float(budget))
