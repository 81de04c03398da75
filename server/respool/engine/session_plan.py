"""Putting a session plan together, and its digest."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import is_dataclass, replace
from typing import Any

from respool.engine.restores import FilePart
from respool.model.plan import Cut, FileChange, Fork, Mode, Notice, RewindPlan, Target, Task
from respool.model.transcript import Fingerprint

COUNTED = frozenset({"added", "deleted"})
"""Fields of a file change that are counted only for somebody who looks."""
OF_THE_MOMENT = COUNTED | {"now", "changed_since", "action"}
"""…and those that a task changes while the plan is looked at."""


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
    fork: Fork | None = None,
    children: tuple[str, ...] = (),
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
        fork=fork,
        children=children,
        points=files.points,
    )
    return replace(plan, digest=digest(plan))


def digest(plan: RewindPlan) -> str:
    """sha256 over everything in the plan but the digest itself, and line counts, which follow from the rest."""
    text = json.dumps(plan, sort_keys=True, ensure_ascii=True, default=_plain, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        out = _left_out(value)
        return {name: inner for name, inner in vars(value).items() if name not in out}
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _left_out(value: Any) -> frozenset[str]:
    if isinstance(value, FileChange):
        return OF_THE_MOMENT if value.unsteady else COUNTED
    return frozenset({"digest"}) if isinstance(value, RewindPlan) else frozenset()
