"""What a chain of rows needs beside itself, or the model loses content.

Source: the fork recipe as measured with Claude Code 2.1.332: rows that a compaction preserved, the other rows of one
answer, the answers of parallel tool calls, and what hangs below those.
"""

from collections.abc import Iterable

from respool.storage.files.claude_index import ClaudeIndex
from respool.storage.files.claude_tree import preserved


def close(index: ClaudeIndex, chain: Iterable[int], without: int | None) -> dict[int, int]:
    """Every row that belongs to the chain, by place, with the number of the first row of the chain that needs it.

    ``without``: a row that stays out, with all that hangs on it.
    """
    depth = {place: number for number, place in enumerate(chain)}
    on_chain = dict(depth)
    _add_preserved(index, depth)
    _add_answers(index, depth, without)
    results = _add_results(index, depth, on_chain, without)
    _add_below(index, depth, results, without)
    return depth


def _add_preserved(index: ClaudeIndex, depth: dict[int, int]) -> None:
    for place in [place for place in depth if place in index.boundaries]:
        for kept in preserved(index, index.boundaries[place]):
            depth.setdefault(kept, depth[place])


def _add_answers(index: ClaudeIndex, depth: dict[int, int], without: int | None) -> None:
    """Rows of one answer share its message id."""
    answers: dict[str, int] = {}
    for place, number in depth.items():
        row = index.rows[place]
        if row.type == "assistant" and row.message_id:
            answers[row.message_id] = min(number, answers.get(row.message_id, number))
    for place, row in enumerate(index.rows):
        if row.type == "assistant" and row.main and row.message_id in answers and place != without:
            depth.setdefault(place, answers[row.message_id])


def _add_results(index: ClaudeIndex, depth: dict[int, int], on_chain: dict[int, int], without: int | None) -> set[int]:
    """The rows that answer calls of the chain and are not on it. A call answered on the chain needs no other answer."""
    calls: dict[str, int] = {}
    for place, number in depth.items():
        for call, _ in index.rows[place].calls:
            calls[call] = min(number, calls.get(call, number))
    answered = {call for place in on_chain for call in index.rows[place].results}
    added = set()
    for place, row in enumerate(index.rows):
        needed = [calls[call] for call in row.results if call in calls and call not in answered]
        if needed and row.main and place not in depth and place != without:
            depth[place] = min(needed)
            added.add(place)
    return added


def _add_below(index: ClaudeIndex, depth: dict[int, int], results: set[int], without: int | None) -> None:
    """Attachments and notes below an answer beside the chain."""
    tops = set(results)
    for place, row in enumerate(index.rows):
        if row.type not in ("attachment", "system") or place in depth or place == without or not row.main:
            continue
        parent = index.place.get(row.parent) if row.parent else None
        if parent in tops and parent is not None:
            depth[place] = depth[parent]
            tops.add(place)
