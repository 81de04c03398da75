"""The transcript of a Wave session as the rewind core sees it: implements ``engine.ports.Transcript``."""

import contextlib
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO

from respool.engine.ports import Probe
from respool.model.errors import Drifted, UnreadableTranscript
from respool.model.ids import OperationId
from respool.model.plan import Cut, RewindPlan
from respool.storage.files.atomic import Sink, copy_range
from respool.storage.files.blobs import Blobs
from respool.storage.files.fingerprints import Fingerprints, prefix_sha256
from respool.storage.files.wave_cut import removed_ranges
from respool.storage.files.wave_replacing import replace_transcript, temporary_name


@dataclass(frozen=True, kw_only=True)
class WaveTranscript:
    """Applies plans to JSONL files; bytes that go are kept in the blob store.

    ``cutting(plan, operation)``: held while the file is replaced, so that no recorder of ours appends meanwhile.
    """

    blobs: Blobs
    fingerprints: Fingerprints
    cutting: Callable[[RewindPlan, str], AbstractContextManager[None]]

    def keep(self, plan: RewindPlan) -> str | None:
        """Store the removed bytes, one after the other, as one blob."""
        _must_be_writable(plan)
        if plan.cut is None:
            if self.fingerprints.of(plan.transcript) != plan.fingerprint:
                raise Drifted
            return None
        ranges = removed_ranges(plan.cut, plan.fingerprint.size)

        def feed(write: Sink) -> None:
            with open(plan.transcript, "rb", buffering=0) as file:
                for start, end in ranges:
                    copy_range(file, start, end, write)

        try:
            blob, _ = self.blobs.put(feed)
        except EOFError as error:
            raise Drifted from error
        if self.fingerprints.of(plan.transcript) != plan.fingerprint:
            raise Drifted
        return blob

    def apply(self, plan: RewindPlan, operation: OperationId) -> None:
        """Write beside, rename over. What another writer still appended to the old file is kept as a blob."""
        cut = plan.cut
        if cut is None:
            return

        def write(old: BinaryIO, put: Sink) -> None:
            self._weave(cut, old, put)

        with self.cutting(plan, operation):
            late = replace_transcript(plan.transcript, operation, plan.fingerprint, write, cut.after, self.fingerprints)
        if late:
            self.blobs.put(lambda keep: keep(late))

    def _weave(self, cut: Cut, old: BinaryIO, put: Sink) -> None:
        for piece in cut.pieces:
            if piece.blob is None:
                copy_range(old, piece.start, piece.end, put)
            else:
                with open(self.blobs.path(piece.blob), "rb", buffering=0) as stored:
                    copy_range(stored, piece.start, piece.end, put)
        put(cut.append)

    def probe(self, plan: RewindPlan) -> Probe:
        """``BEFORE``: the old bytes and no more. ``AFTER``: the new ones, whatever was appended since."""
        if plan.cut is None:
            return Probe.BEFORE
        try:
            now = self.fingerprints.of(plan.transcript)
        except OSError:
            return Probe.DRIFTED
        if now == plan.fingerprint:
            return Probe.BEFORE
        if now == plan.cut.after:
            return Probe.AFTER
        grown_old = prefix_sha256(plan.transcript, plan.fingerprint.size) == plan.fingerprint.sha256
        grown_new = prefix_sha256(plan.transcript, plan.cut.after.size) == plan.cut.after.sha256
        # The new bytes may be a beginning of the old ones: then only the longer match tells.
        if grown_new and not grown_old:
            return Probe.AFTER
        return Probe.AFTER if grown_new and plan.cut.after.size > plan.fingerprint.size else Probe.DRIFTED

    def clear(self, plan: RewindPlan, operation: OperationId) -> None:
        """Remove what a killed ``apply`` left beside the transcript."""
        with contextlib.suppress(OSError):
            os.unlink(temporary_name(plan.transcript, operation))


def _must_be_writable(plan: RewindPlan) -> None:
    """Known in advance is better than found out after files were restored."""
    folder = os.path.dirname(plan.transcript)
    if plan.cut is not None and not os.access(folder, os.W_OK | os.X_OK):
        raise UnreadableTranscript("the transcript cannot be changed: its folder {folder} is read-only", folder=folder)
