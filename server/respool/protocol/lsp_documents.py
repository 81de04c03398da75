"""Transcripts opened as documents: a "Rewind to here" lens on each checkpoint, and an outline of them."""

import os
import unicodedata
from itertools import pairwise
from typing import Any

from lsprotocol import types

from respool.protocol.lsp_work import Json, Work, path_of
from respool.views.texts import mark, translator

REWIND_COMMAND = "respool.server.rewind"
LONGEST_NAME = 120


def is_transcript(path: str) -> bool:
    """Whether a file is one of Wave's conversations, by its place."""
    projects = os.path.join(os.path.expanduser("~"), ".wave", "projects")
    folder = os.path.realpath(os.path.dirname(path))
    return path.endswith(".jsonl") and folder.startswith(os.path.realpath(projects) + os.sep)


async def _checkpoints(work: Work, uri: str) -> tuple[str, list[Json]]:
    path = path_of(uri)
    if path is None or not is_transcript(path):
        return "", []
    found = await work.call("respool/checkpoints", {"session": path})
    return path, found["checkpoints"]


def _range(first: int, last: int) -> types.Range:
    """Whole physical lines, 1-based, ``last`` not included."""
    return types.Range(
        start=types.Position(line=first - 1, character=0), end=types.Position(line=last - 1, character=0)
    )


async def lenses(work: Work, uri: str) -> list[types.CodeLens]:
    """A lens on the line of each checkpoint."""
    path, rows = await _checkpoints(work, uri)
    title = translator(work.language)(mark("Rewind to here"))
    return [
        types.CodeLens(
            range=_range(row["line"], row["line"]),
            command=types.Command(
                title=title,
                command=REWIND_COMMAND,
                arguments=[{"session": path, "to": {"id": row["id"], "line": row["line"]}}],
            ),
        )
        for row in rows
    ]


async def symbols(work: Work, uri: str) -> list[types.DocumentSymbol]:
    """A turn a symbol, from its prompt to the line before the next."""
    _, rows = await _checkpoints(work, uri)
    firsts: list[int] = [row["line"] for row in rows]
    ends = [after for _, after in pairwise(firsts)] + [line + 1 for line in firsts[-1:]]
    return [
        types.DocumentSymbol(
            name=one_line(row["preview"]),
            detail=str(row["timestamp"]),
            kind=types.SymbolKind.Event,
            range=_range(row["line"], max(end, row["line"] + 1)),
            selection_range=_range(row["line"], row["line"]),
        )
        for row, end in zip(rows, ends, strict=True)
    ]


def one_line(text: Any) -> str:
    """A name an outline can show: never empty, one line, no control or direction characters."""
    shown = "".join(
        c if unicodedata.category(c) not in ("Cc", "Cf", "Cs") else " " for c in str(text)[: 4 * LONGEST_NAME]
    )
    return " ".join(shown.split())[:LONGEST_NAME] or "…"
