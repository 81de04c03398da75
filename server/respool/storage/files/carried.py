"""Recovery points of removed messages whose file was not restored (decision S15).

They stay bound to the position of the cut and count in every later plan that goes back before it, until a rewind has
used them up; undoing that rewind brings them back.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from respool.model.ids import BlobId
from respool.model.plan import RewindPlan
from respool.model.recovery import RecoveryPoint
from respool.storage.files.atomic import make_folder, write_file
from respool.storage.files.blobs import Batch, Blobs
from respool.storage.files.place import opened_file

AFTER_EVERY_RECORD = 1 << 30


@dataclass(frozen=True, kw_only=True)
class CarriedSet:
    """What one operation left. ``line``: first removed physical line of its cut."""

    operation: str
    line: int
    points: tuple[RecoveryPoint, ...]
    used_by: str | None = None


@dataclass(frozen=True)
class Carried:
    """``carried/<session key>/<operation>.json``, each replaced as a whole."""

    folder: str
    blobs: Blobs

    def _folder(self, transcript: str) -> str:
        return os.path.join(self.folder, "carried", hashlib.sha256(os.fsencode(transcript)).hexdigest()[:32])

    def capture(self, points: Iterable[RecoveryPoint]) -> tuple[RecoveryPoint, ...]:
        """The same points with their bytes in the blob store, since an agent clears its backups away."""
        with self.blobs.together() as batch:
            return tuple(self._captured(point, batch) for point in points)

    def _captured(self, point: RecoveryPoint, batch: Batch) -> RecoveryPoint:
        if point.source is None or point.source.startswith("blob:"):
            return point
        try:
            with opened_file(os.path.realpath(point.source)) as file:
                blob, _ = batch.put_file(file)
        except FileNotFoundError:
            return replace(point, before=None, source=None, problem="missing_backup")
        return replace(point, source=f"blob:{BlobId(blob)}")

    def save(self, transcript: str, carried: CarriedSet) -> None:
        """Write one set, durably."""
        folder = self._folder(transcript)
        make_folder(folder)
        text = json.dumps(msgspec.to_builtins(carried), ensure_ascii=True)
        write_file(os.path.join(folder, f"{carried.operation}.json"), text.encode("ascii"))

    def sets(self, transcript: str) -> Iterator[CarriedSet]:
        """Every set of a session, oldest first, used up or not."""
        folder = self._folder(transcript)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        for name in names:
            if not name.endswith(".json"):
                continue
            with contextlib.suppress(OSError, ValueError, msgspec.ValidationError):
                with open(os.path.join(folder, name), "rb") as file:
                    value: Any = json.loads(file.read())
                yield msgspec.convert(value, CarriedSet)

    def counting(self, transcript: str, target_line: int) -> tuple[RecoveryPoint, ...]:
        """Points of cuts that lie after the target, placed right before their cut."""
        found: list[RecoveryPoint] = []
        for carried in self.sets(transcript):
            if carried.used_by is None and target_line < carried.line:
                for point in carried.points:
                    place = (carried.line - 1, AFTER_EVERY_RECORD + len(found))
                    found.append(replace(point, seq=place, how="carried"))
        return tuple(found)

    def left_by(self, transcript: str, operation: str) -> tuple[RecoveryPoint, ...]:
        """What one operation left and nobody has used."""
        found = self._of(transcript, operation)
        return found.points if found else ()

    def _of(self, transcript: str, operation: str) -> CarriedSet | None:
        return next((one for one in self.sets(transcript) if one.operation == operation and one.used_by is None), None)

    def publish(self, plan: RewindPlan, operation: str, points: tuple[RecoveryPoint, ...]) -> None:
        """After a commit: keep what it left, mark what it used up, or give back what the undone one had used up."""
        for carried in self.sets(plan.transcript):
            if plan.undoes is not None and carried.used_by == plan.undoes:
                self.save(plan.transcript, replace(carried, used_by=None))
            cut = plan.cut if plan.undoes is None else None
            if (
                cut is not None
                and carried.used_by is None
                and carried.operation != operation
                and cut.first_removed < carried.line
            ):
                self.save(plan.transcript, replace(carried, used_by=operation))
        if points and plan.undoes is None:
            if plan.cut is not None:
                self.save(plan.transcript, CarriedSet(operation=operation, line=plan.cut.first_removed, points=points))
            elif plan.fork is not None:
                self.save(plan.fork.path, CarriedSet(operation=operation, line=plan.fork.lines + 1, points=points))

    def use(self, transcript: str, source: str, operation: str) -> None:
        """A repair has restored what ``source`` had left."""
        carried = self._of(transcript, source)
        if carried is not None:
            self.save(transcript, replace(carried, used_by=operation))
