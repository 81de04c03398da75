"""Going back in a Claude Code session, and taking that back: implements ``engine.ports.Removals`` for its dialect."""

import os
from dataclasses import dataclass, replace

from respool.engine.ports import Entry
from respool.model.errors import Drifted, StalePlan, UndoExpired
from respool.model.plan import Fork
from respool.model.removal import Removal, Reversal
from respool.storage.files.claude_fork import Source, plan_fork
from respool.storage.files.claude_index import read_claude_index
from respool.storage.files.claude_removal import ClaudeRemovals, prompt_places
from respool.storage.files.fingerprints import Fingerprints, prefix_sha256


@dataclass(frozen=True)
class ClaudeForks:
    """Nothing is ever cut: what is kept goes into a fork."""

    removals: ClaudeRemovals
    fingerprints: Fingerprints

    def removal(self, transcript: str, to: str) -> Removal:
        """What going back to ``ID`` or ``ID@LINE`` leaves out of the fork. Raises a ``Refusal``."""
        read = self.removals.read(transcript, to)
        source = Source(transcript=transcript, index=read.index, kept=read.kept)
        try:
            fork = plan_fork(source, read.target.id, read.fingerprint)
        except (OSError, EOFError, Drifted) as error:
            raise StalePlan from error
        return Removal(
            session_id=read.session_id,
            target=read.target,
            input_content=read.input_content,
            fingerprint=read.fingerprint,
            cut=None,
            fork=fork,
            dialect="claude",
            messages=read.messages,
            points=read.points,
            last_change=read.last_change,
            notices=read.notices,
            tasks=read.tasks,
            prompts=prompt_places(read.index),
        )

    def reversal(self, transcript: str, entry: Entry) -> Reversal:
        """The fork goes, unless somebody has used it. One that is gone already leaves only files to bring back."""
        fork = entry.plan.fork
        if fork is None or not os.path.lexists(fork.path):
            return Reversal(fingerprint=entry.plan.fingerprint)
        try:
            now = self.fingerprints.of(fork.path)
        except OSError as error:
            raise UndoExpired(operation=entry.id) from error
        if now != fork.after and _used(fork):
            raise UndoExpired(operation=entry.id)
        return Reversal(fingerprint=now, fork=replace(fork, after=now))


def _used(fork: Fork) -> bool:
    """Whether a row stands in it that we did not write; lines of state are nothing anybody would miss."""
    if prefix_sha256(fork.path, fork.after.size) != fork.after.sha256:
        return True
    return any(row.line > fork.lines for row in read_claude_index(fork.path).rows)
