"""Putting a session plan together, and its digest."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from respool.engine.restores import FilePart
from respool.model.plan import Cut, Mode, Notice, RewindPlan, Target, Task
from respool.model.transcript import Fingerprint


def session_plan(
    *,
    kind: str,
    session_id: str,
    transcript: str,
    mode: Mode,
    target: Target,
    fingerprint: Fingerprint,
    cut: Cut | None,
    removed_lines: tuple[int, ...],
    files: FilePart,
    notices: Iterable[Notice] = (),
    tasks: tuple[Task, ...] = (),
    undoes: str | None = None,
    dialect: str = "wave",
) -> RewindPlan:
    """A plan with its digest. ``notices`` that depend on the moment are added later, outside the digest."""
    plan = RewindPlan(
        kind=kind,
        session_id=session_id,
        transcript=transcript,
        dialect=dialect,
        mode=mode,
        target=target,
        fingerprint=fingerprint,
        cut=cut,
        removed_lines=removed_lines,
        files=files.files,
        not_restorable=files.not_restorable,
        left_out=files.left_out,
        folders=files.folders,
        tasks=tasks,
        warnings=(*notices, *files.warnings),
        undoes=undoes,
        points=files.points,
    )
    return replace(plan, digest=digest(plan))


def digest(plan: RewindPlan) -> str:
    """sha256 over everything in the plan but the digest itself."""
    value = asdict(plan)
    del value["digest"]
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=_plain, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return str(value)
