"""The live branch of a Claude Code transcript, and what stands before a prompt of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from respool.model.transcript import Fingerprint
from respool.storage.files.atomic import copy_range
from respool.storage.files.claude_closing import close
from respool.storage.files.claude_index import ClaudeIndex, Row
from respool.storage.files.claude_leaf import leaf
from respool.storage.files.claude_tree import Link, chain_from, parent_of


@dataclass(frozen=True, kw_only=True)
class Branch:
    """What a plain resume would go on from, over the whole file.

    ``chain``: places from the first row to the leaf. ``depth``: place → number in the chain; rows beside the chain
    (answers of parallel calls) have the number of the row that needs them. ``bridges``: where a parent is missing.
    """

    chain: tuple[int, ...]
    depth: Mapping[int, int]
    bridges: tuple[Link, ...]


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What stands before a prompt: rows by place in file order, and the last of the chain (``""``: nothing is kept).

    ``bridges``: uuid of a kept row whose parent is missing → uuid of the one it goes on from.
    """

    places: tuple[int, ...] = ()
    leaf: str = ""
    bridges: tuple[tuple[str, str], ...] = ()


def live_branch(index: ClaudeIndex) -> Branch:
    """The branch a plain resume would load, with the rows beside it, whatever was compacted since."""
    chain = chain_from(index, leaf(index))
    return Branch(chain=chain.places, depth=close(index, chain.places, None), bridges=chain.bridges)


def kept_before(index: ClaudeIndex, prompt: int) -> Kept:
    """Everything the model saw when the prompt was sent: the chain before it and what that needs.

    The first prompt takes everything with it (decision S3), but for a summary of what was before.
    """
    chain = chain_from(index, parent_of(index, prompt)[0])
    places = tuple(sorted(close(index, chain.places, prompt)))
    rows = index.rows
    if not any(place in index.prompts or rows[place].summary for place in places):
        return Kept()
    return Kept(
        places=places,
        leaf=rows[chain.places[-1]].uuid,
        bridges=tuple((rows[child].uuid, rows[parent].uuid) for child, parent in chain.bridges),
    )


def is_message(index: ClaudeIndex, place: int) -> bool:
    """Whether a row is a message of the conversation: said by somebody, or a tool's answer."""
    return _said(index.rows[place]) or place in index.prompts


def _said(row: Row) -> bool:
    return row.type in ("user", "assistant")


def fingerprint_of(transcript: str, index: ClaudeIndex, kept: Kept) -> Fingerprint:
    """Size and sha256 over the bytes of the kept rows, in file order. Raises ``OSError``, ``EOFError``."""
    digest, size = hashlib.sha256(), 0
    with open(transcript, "rb", buffering=0) as file:
        for place in kept.places:
            start, end = index.span(index.rows[place].line)
            copy_range(file, start, end, digest.update)
            size += end - start
    return Fingerprint(size=size, sha256=digest.hexdigest())
