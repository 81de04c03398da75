"""From entries of a change log to recovery points and to how the agent last left each path."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from respool.model.filestate import FileState, Kind
from respool.model.ids import BlobId
from respool.model.recovery import RecoveryPoint
from respool.storage.files.change_reading import Entry

UNKNOWN = "unknown_before"
EXPIRED = "expired"


@dataclass(frozen=True, kw_only=True)
class Change:
    """One path of an entry. ``before`` and ``after`` are ``None`` where they are not known."""

    path: str
    real: str
    before: FileState | None
    after: FileState | None
    reason: str | None = None
    parents: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] | None = ()
    shared: bool = False

    @property
    def is_new_folder(self) -> bool:
        """A folder that was made; it goes when it ends empty."""
        made = self.after is not None and self.after.kind is Kind.FOLDER
        return made and self.before is not None and self.before.kind is Kind.ABSENT


def changes(entry: Entry) -> Iterator[Change]:
    """What an entry says happened to files. What a purge let go is not known any more, an absence neither."""
    for change in _recorded(entry):
        yield replace(change, before=None, reason=EXPIRED) if entry.expired else change


def _recorded(entry: Entry) -> Iterator[Change]:
    if entry.record.get("kind") == "before":
        yield from _tool(entry)
    elif entry.done is not None:
        yield from scanned(entry.done.get("changes"))


def _tool(entry: Entry) -> Iterator[Change]:
    record = entry.record
    path = record.get("path")
    if not isinstance(path, str):
        return
    yield Change(
        path=path,
        real=_text(record.get("real")) or path,
        before=file_state(record.get("state")),
        after=file_state(entry.done.get("state")) if entry.done else None,
        reason=_text(record.get("reason")),
        parents=_texts(record.get("parents")),
        links=_links(record["links"]) if "links" in record else None,
    )


def scanned(found: object) -> Iterator[Change]:
    """What a look at the workspace found."""
    for change in _list(found):
        path = change.get("path") if isinstance(change, dict) else None
        if isinstance(path, str):
            yield Change(
                path=path,
                real=path,
                before=file_state(change.get("before")),
                after=file_state(change.get("after")),
                reason=_text(change.get("reason")),
                shared=bool(change.get("shared")),
            )


def excluded(found: object) -> Iterator[tuple[str, str]]:
    """Path and rule of what was not looked at."""
    for one in _list(found):
        if isinstance(one, dict) and isinstance(one.get("path"), str):
            yield one["path"], str(one.get("rule") or "")


def point(change: Change, *, seq: tuple[int, int], actor: str, how: str, at_ms: int | None) -> RecoveryPoint:
    """How the path looked before; a state that is not known is a problem, never an absence."""
    before = change.before
    return RecoveryPoint(
        seq=seq,
        path=change.path,
        before=before,
        source=f"blob:{before.sha256}" if before is not None and before.kind is Kind.FILE else None,
        changed_ms=at_ms,
        problem=None if before is not None else change.reason or UNKNOWN,
        actor=actor,
        how=how,
        absent_parents=change.parents,
        links=change.links,
        itself=how == "shell",
    )


@dataclass
class Leaving:
    """How the agent last left each path, spelled as it did and as it really is; fed in order."""

    states: dict[str, FileState] = field(default_factory=dict)

    def take(self, found: Iterable[Change]) -> None:
        """One entry. A path nobody looked at afterwards is known no more."""
        for change in found:
            for name in {change.path, change.real}:
                if change.after is None:
                    self.states.pop(name, None)
                else:
                    self.states[name] = change.after


def file_state(value: object) -> FileState | None:
    """A recorded state; ``None`` for "not known" and for anything that makes no sense."""
    if not isinstance(value, dict) or value.get("kind") not in set(Kind):
        return None
    kind, sha = Kind(value["kind"]), _text(value.get("sha256"))
    if (kind is Kind.FILE and sha is None) or (kind is Kind.LINK and _text(value.get("link")) is None):
        return None
    return FileState(
        kind=kind,
        size=_number(value.get("size")),
        mode=_number(value.get("mode")),
        sha256=BlobId(sha) if sha else None,
        link_text=_text(value.get("link")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in _list(value) if isinstance(one, str))


def _links(value: object) -> tuple[tuple[str, str], ...]:
    pairs = (one for one in _list(value) if isinstance(one, list) and len(one) == 2)
    return tuple((path, text) for path, text in pairs if isinstance(path, str) and isinstance(text, str))
