"""Each dialect's own way to read a removal and to apply a plan, behind the core's two ports."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from respool.engine.ports import Entry, Probe, Removals, Transcript
from respool.model.ids import OperationId
from respool.model.plan import RewindPlan
from respool.model.removal import Removal, Reversal


@dataclass(frozen=True, kw_only=True)
class DialectRemovals:
    """Implements ``engine.ports.Removals``. ``dialect(transcript)`` names the one to ask."""

    dialect: Callable[[str], str]
    removals: Mapping[str, Removals]

    def removal(self, transcript: str, to: str) -> Removal:
        """See the port."""
        return self.removals[self.dialect(transcript)].removal(transcript, to)

    def reversal(self, transcript: str, entry: Entry) -> Reversal:
        """See the port."""
        return self.removals[entry.plan.dialect].reversal(transcript, entry)


@dataclass(frozen=True)
class DialectTranscripts:
    """Implements ``engine.ports.Transcript``; the plan knows its dialect."""

    transcripts: Mapping[str, Transcript]

    def keep(self, plan: RewindPlan) -> str | None:
        """See the port."""
        return self.transcripts[plan.dialect].keep(plan)

    def apply(self, plan: RewindPlan, operation: OperationId) -> None:
        """See the port."""
        self.transcripts[plan.dialect].apply(plan, operation)

    def probe(self, plan: RewindPlan) -> Probe:
        """See the port."""
        return self.transcripts[plan.dialect].probe(plan)

    def clear(self, plan: RewindPlan, operation: OperationId) -> None:
        """See the port."""
        self.transcripts[plan.dialect].clear(plan, operation)
