"""One line of the report: what was measured, beside what it is compared with."""

from collections.abc import Iterable
from dataclasses import dataclass

HEADINGS = ("what", "measured", "baseline", "ratio", "budget", "")


@dataclass(frozen=True, kw_only=True)
class Row:
    """``measured`` and ``baseline`` in ``unit``. ``limit`` is a ratio where there is a baseline, else in ``unit``."""

    what: str
    measured: float
    limit: float
    unit: str = "ms"
    baseline: float | None = None
    compared_with: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times the baseline; ``None`` where the budget is absolute."""
        return None if self.baseline is None else self.measured / self.baseline

    @property
    def kept(self) -> bool:
        """Whether the budget is kept."""
        return (self.measured if self.ratio is None else self.ratio) <= self.limit

    def cells(self) -> tuple[str, ...]:
        """Texts of the columns."""
        return (
            self.what,
            f"{self.measured:.1f} {self.unit}",
            "–" if self.baseline is None else f"{self.baseline:.1f} {self.unit} {self.compared_with}".rstrip(),
            "–" if self.ratio is None else f"{self.ratio:.2f}",
            f"≤ {self.limit:g} {self.unit}" if self.ratio is None else f"≤ {self.limit:g} ×",
            "ok" if self.kept else "MISSED",
        )


def table(rows: Iterable[Row]) -> str:
    """The rows in aligned columns under their headings."""
    lines = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in padded)
