"""The transcript of a Claude Code session as the rewind core sees it: implements ``engine.ports.Transcript``.

The original is never written. Going back makes a new session; the commit point is the ``link(2)`` that gives the
finished file its name, which never replaces anything. Taking that back is one ``unlink(2)``.
"""

import contextlib
import os
from dataclasses import dataclass

from respool.engine.ports import Probe
from respool.model.errors import Drifted
from respool.model.ids import OperationId
from respool.model.plan import Fork, RewindPlan
from respool.storage.files.atomic import fsync_folder, write_all
from respool.storage.files.blobs import Blobs
from respool.storage.files.claude_chain import fingerprint_of, kept_before
from respool.storage.files.claude_companions import lay, sweep
from respool.storage.files.claude_fork import Source, fork_lines
from respool.storage.files.claude_index import read_claude_index
from respool.storage.files.fingerprints import Fingerprints, prefix_sha256
from respool.storage.files.wave_replacing import temporary_name


@dataclass(frozen=True, kw_only=True)
class ClaudeTranscript:
    """``home``: Claude's own folder."""

    home: str
    blobs: Blobs
    fingerprints: Fingerprints

    def keep(self, plan: RewindPlan) -> str | None:
        """Nothing goes with a fork. An undo removes one: its bytes are stored."""
        fork = plan.fork
        if plan.undoes is None or fork is None:
            self._source(plan)
            return None
        self._must_be(fork)
        with open(fork.path, "rb", buffering=0) as file:
            blob, _ = self.blobs.put_file(file)
            return blob

    def _must_be(self, fork: Fork) -> None:
        """The fork is there, and nobody has used it."""
        try:
            if self.fingerprints.of(fork.path) != fork.after:
                raise Drifted
        except FileNotFoundError as error:
            raise Drifted from error

    def _source(self, plan: RewindPlan) -> Source | None:
        """What the plan was made of, if that is still so. An undo is made of nothing in the original."""
        if plan.undoes is not None:
            return None
        index = read_claude_index(plan.transcript)
        place = index.place.get(plan.target.id)
        if place is None:
            raise Drifted
        kept = kept_before(index, place)
        if fingerprint_of(plan.transcript, index, kept) != plan.fingerprint:
            raise Drifted
        return Source(transcript=plan.transcript, index=index, kept=kept)

    def apply(self, plan: RewindPlan, operation: OperationId) -> None:
        """Make the fork, or remove it."""
        fork = plan.fork
        if fork is None:
            return
        if plan.undoes is not None:
            self._must_be(fork)
            os.unlink(fork.path)
            fsync_folder(os.path.dirname(fork.path))
            sweep(self.home, fork.path)
            return
        source = self._source(plan)
        if source is not None:
            self._make(source, fork, operation)

    def _make(self, source: Source, fork: Fork, operation: OperationId) -> None:
        temporary = temporary_name(fork.path, operation)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        fd = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(fd, "wb", buffering=0) as file:
                for line in fork_lines(source, fork.session_id):
                    write_all(file, line)
                os.fsync(fd)
            if self.fingerprints.of(temporary) != fork.after:
                raise Drifted
            lay(source, self.home, fork.path)
            self._name(temporary, fork)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
        fsync_folder(os.path.dirname(fork.path))

    def _name(self, temporary: str, fork: Fork) -> None:
        """THE commit point. A file of that name that is not the fork is somebody else's."""
        try:
            os.link(temporary, fork.path)
        except FileExistsError as error:
            if self.fingerprints.of(fork.path) != fork.after:
                raise Drifted from error
        fsync_folder(os.path.dirname(fork.path))

    def probe(self, plan: RewindPlan) -> Probe:
        """Whether the fork is there, whatever was appended to it since."""
        fork = plan.fork
        if fork is None:
            return Probe.BEFORE
        there = os.path.lexists(fork.path)
        if plan.undoes is not None:
            return self._still(fork) if there else Probe.AFTER
        if there:
            return Probe.AFTER if _begins_with(fork) else Probe.DRIFTED
        try:
            self._source(plan)
        except (Drifted, OSError, EOFError):
            return Probe.DRIFTED
        return Probe.BEFORE

    def _still(self, fork: Fork) -> Probe:
        try:
            return Probe.BEFORE if self.fingerprints.of(fork.path) == fork.after else Probe.DRIFTED
        except OSError:
            return Probe.DRIFTED

    def clear(self, plan: RewindPlan, operation: OperationId) -> None:
        """Remove what a killed ``apply`` left: the temporary file, and what stands beside a fork that is not there."""
        if plan.fork is None:
            return
        with contextlib.suppress(OSError):
            os.unlink(temporary_name(plan.fork.path, operation))
        if not os.path.lexists(plan.fork.path):
            sweep(self.home, plan.fork.path)


def _begins_with(fork: Fork) -> bool:
    try:
        return prefix_sha256(fork.path, fork.after.size) == fork.after.sha256
    except OSError:
        return False
