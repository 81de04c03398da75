"""Measures every budget and prints one table. Budgets are reported, not asserted: it exits 0 when all was measured."""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench import asking, before, listing, panel, rewinding, scanning
from tests.bench.row import Row, table
from tests.harness.place import Place

BENCHMARKS: dict[str, Callable[[Place, float], Iterator[Row]]] = {
    "list": listing.rows,
    "rewind": rewinding.rows,
    "stdio": asking.rows,
    "panel": panel.rows,
    "scan": scanning.rows,
    "before": before.rows,
}
QUICK = 0.1


def main() -> int:
    """Run the named benchmarks, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these of: {', '.join(BENCHMARKS)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    given = parser.parse_args()
    unknown = set(given.names) - BENCHMARKS.keys()
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    measured: list[Row] = []
    for name in given.names or BENCHMARKS:
        print(f"measuring: {name}", file=sys.stderr)
        measured += _rows(name, QUICK if given.quick else 1)
    print(table(measured))
    minute = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    print(f"load of the last minute: {minute} (on a busy machine even ratios vary: measure again)")
    return 0


def _rows(name: str, scale: float) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="respool-bench-") as folder:
        return list(BENCHMARKS[name](Place(root=Path(folder)).make(), scale))


if __name__ == "__main__":
    sys.exit(main())
