"""A new Claude Code session with what stands before a prompt, written the way Claude Code's own forks are.

Source: the fork recipe as measured with Claude Code 2.1.332. Rows keep everything but the session's id, in the order of
the original; merged file-history snapshots come first, the leaf and the title last. Nothing of the request log and of
the session's other state is taken along.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from respool.model.json_text import root
from respool.model.plan import Fork
from respool.model.transcript import Fingerprint
from respool.storage.files.claude import decode
from respool.storage.files.claude_chain import Kept
from respool.storage.files.claude_history import snapshots
from respool.storage.files.claude_index import ClaudeIndex
from respool.storage.files.claude_prompts import input_text
from respool.storage.files.wave import BOM

_OWN_ID = ("sessionId", "session_id")


@dataclass(frozen=True, kw_only=True)
class Source:
    """The session that is forked, in one state of it, and what is kept of it."""

    transcript: str
    index: ClaudeIndex
    kept: Kept


def plan_fork(source: Source, target: str, fingerprint: Fingerprint) -> Fork | None:
    """The fork for a target prompt; ``None`` when nothing is kept: Claude Code cannot resume an empty session.

    The new id follows from what is forked, so that the same plan has the same digest; an id in use is passed over.
    """
    if not source.kept.places:
        return None
    seed = json.dumps([os.path.realpath(source.transcript), target, fingerprint.sha256, fingerprint.size])
    session = next(one for one in _ids(seed) if not os.path.lexists(_beside(source.transcript, one)))
    digest, size, lines = hashlib.sha256(), 0, 0
    for line in fork_lines(source, session):
        digest.update(line)
        size, lines = size + len(line), lines + 1
    return Fork(
        session_id=session,
        path=_beside(source.transcript, session),
        after=Fingerprint(size=size, sha256=digest.hexdigest()),
        cwd=source.index.cwd,
        lines=lines,
        first_removed=source.index.rows[source.index.place[target]].line,
        prompts=tuple(dict.fromkeys(_prompt_ids(source))),
    )


def _prompt_ids(source: Source) -> Iterator[str]:
    """Uuid and prompt id of every kept turn."""
    for place in source.kept.places:
        row = source.index.rows[place]
        yield from (row.uuid,) if place in source.index.prompts else ()
        yield from (row.prompt_id,) if row.prompt_id else ()


def _ids(seed: str) -> Iterator[str]:
    number = 0
    while True:
        digest = hashlib.sha256(f"{number}:{seed}".encode("utf-8", "surrogatepass")).digest()
        yield str(UUID(bytes=digest[:16], version=4))
        number += 1


def _beside(transcript: str, session: str) -> str:
    return os.path.join(os.path.dirname(transcript), f"{session}.jsonl")


def fork_lines(source: Source, session: str) -> Iterator[bytes]:
    """The fork's transcript, line by line. Raises ``OSError``."""
    index, kept = source.index, source.kept
    for prompt, files in kept_snapshots(source):
        yield _line(_snapshot(index, prompt, files))
    parents = dict(kept.bridges)
    with open(source.transcript, "rb", buffering=0) as file:
        for line in sorted((*(index.rows[place].line for place in kept.places), *index.replacements)):
            start, end = index.span(line)
            data = os.pread(file.fileno(), end - start, start)
            yield _readdressed(data[len(BOM) :] if line == 1 and data.startswith(BOM) else data, session, parents)
    yield from _ending(source, session)


def kept_snapshots(source: Source) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Uuid of each kept prompt that has a snapshot, with all files of that snapshot."""
    kept = {source.index.rows[place].uuid for place in source.kept.places}
    for snapshot in snapshots(source.transcript, source.index):
        if snapshot.prompt in kept:
            yield snapshot.prompt, snapshot.merged


def _snapshot(index: ClaudeIndex, prompt: str, files: Mapping[str, object]) -> dict[str, object]:
    row = index.row(prompt)
    body = {"messageId": prompt, "trackedFileBackups": files, "timestamp": row.timestamp if row else ""}
    return {"type": "file-history-snapshot", "messageId": prompt, "snapshot": body, "isSnapshotUpdate": False}


def _ending(source: Source, session: str) -> Iterator[bytes]:
    """What pins the leaf and what names the session, as far as the original has them."""
    index, kept = source.index, source.kept
    typed = [place for place in kept.places if place in index.prompts]
    text = input_text(source.transcript, index, typed[-1]) if typed else ""
    said = {"lastPrompt": text} if text else {}
    yield _line({"type": "last-prompt", **said, "leafUuid": kept.leaf, "sessionId": session})
    if index.titles.custom:
        yield _line({"type": "custom-title", "customTitle": index.titles.custom, "sessionId": session})


def _line(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _readdressed(data: bytes, session: str, parents: Mapping[str, str]) -> bytes:
    """The row as it stands, but for its session's id and a parent that was never written."""
    text = data.decode("utf-8", "surrogateescape").strip()
    value = decode(data)
    parent = parents.get(value.get("uuid", "")) if isinstance(value, dict) else None
    changes = dict.fromkeys(_OWN_ID, session)
    if parent is not None:
        boundary = value.get("subtype") == "compact_boundary"
        changes["logicalParentUuid" if boundary else "parentUuid"] = parent
    for item in reversed(root(text).items):
        if item.key in changes:
            text = text[: item.value] + json.dumps(changes[item.key]) + text[item.end :]
    return text.encode("utf-8", "surrogateescape") + b"\n"
