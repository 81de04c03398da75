"""Whether a process may own a session, asked of the agent whose session it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from respool.model.transcript import Live


class Watcher(Protocol):
    """One agent's way to tell, as in ``engine.ports.Liveness``."""

    def live(self, transcript: str, workdir: str | None) -> Live:
        """A guess on the safe side."""

    def still_open(self, transcript: str) -> bool:
        """Whether somebody went on with a transcript that we had cut."""


@dataclass(frozen=True, kw_only=True)
class DialectLiveness:
    """``dialect(transcript)`` names the watcher to ask."""

    dialect: Callable[[str], str]
    watchers: Mapping[str, Watcher]

    def live(self, transcript: str, workdir: str | None) -> Live:
        """See ``engine.ports.Liveness``."""
        return self.watchers[self.dialect(transcript)].live(transcript, workdir)

    def still_open(self, transcript: str) -> bool:
        """See ``engine.ports.Liveness``."""
        return self.watchers[self.dialect(transcript)].still_open(transcript)
