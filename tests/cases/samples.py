"""The copied samples and their right values."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parent / "samples"


@dataclass(frozen=True)
class Sample:
    """A transcript with the values a right product shows for it."""

    name: str

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return (SAMPLES / f"{self.name}.jsonl").read_bytes()

    @property
    def expect(self) -> dict[str, Any]:
        """Right values: list, view, title, and what every rewind leaves."""
        return expected(self.name)

    @property
    def session(self) -> str:
        """Session id its title lines carry."""
        return str(self.expect["session"])

    def rewind(self, message: str) -> dict[str, Any]:
        """Right values of the rewind to one message."""
        return next(rewind for rewind in self.expect["rewinds"] if rewind["to"] == message)


@cache
def expected(name: str) -> dict[str, Any]:
    """Read the right values of a sample."""
    value = json.loads((SAMPLES / f"{name}.expect.json").read_text(encoding="utf-8"))
    assert isinstance(value, dict)
    return value


TRANSCRIPTS = tuple(
    sorted(path.name.removesuffix(".jsonl") for path in SAMPLES.glob("*.jsonl") if "_after_rewind_" not in path.name)
)
REWINDS = tuple((name, rewind["to"]) for name in TRANSCRIPTS for rewind in expected(name)["rewinds"])
