"""The conversation as the model sees it: the live branch from its last compaction on, with what that preserved."""

from collections.abc import Iterable, Iterator

from respool.model.message import JsonObject, Message
from respool.storage.files.claude import decode, read_record
from respool.storage.files.claude_blocks import Answers, message, shell_output
from respool.storage.files.claude_chain import Branch, is_message
from respool.storage.files.claude_index import ClaudeIndex
from respool.storage.files.claude_tree import preserved
from respool.storage.files.claude_typed import TypedKind, plain_text, typed


def seen_places(index: ClaudeIndex, branch: Branch) -> tuple[int, ...]:
    """Places of the rows in the order the model gets them."""
    last = max((number for number, place in enumerate(branch.chain) if place in index.boundaries), default=None)
    after = sorted(place for place, depth in branch.depth.items() if depth >= (last or 0))
    if last is None:
        return tuple(after)
    boundary = branch.chain[last]
    kept = preserved(index, index.boundaries[boundary])
    anchor = index.place.get(index.boundaries[boundary].anchor, boundary)
    rest = [place for place in after if place not in kept]
    first = [place for place in rest if place <= anchor]
    return (*first, *kept, *rest[len(first) :])


def seen_messages(transcript: str, index: ClaudeIndex, branch: Branch) -> Iterator[Message]:
    """The messages to show. Raises ``OSError``."""
    places = [place for place in seen_places(index, branch) if is_message(index, place)]
    answers = _answers(index, transcript, places)
    for place, data, value in _read(transcript, index, places):
        row = index.rows[place]
        record = read_record(data, first=row.line == 1)[1]
        found = typed(record) if record is not None else None
        yield message(row, value, index.prompts.get(place), found.text if found else "", answers)


def _read(transcript: str, index: ClaudeIndex, places: Iterable[int]) -> Iterator[tuple[int, bytes, JsonObject]]:
    with open(transcript, "rb", buffering=0) as file:
        for place in places:
            line = index.rows[place].line
            start, end = index.span(line)
            file.seek(start)
            data = file.read(end - start)
            value = decode(data, first=line == 1)
            if isinstance(value, dict):
                yield place, data, value


def _answers(index: ClaudeIndex, transcript: str, places: list[int]) -> Answers:
    """What came back to the rows seen: stands on rows of its own."""
    shells = {index.rows[place].uuid for place in places if _is_shell(index, place)}
    wanted = [place for place in places if index.rows[place].results or index.rows[place].parent in shells]
    calls: dict[str, JsonObject] = {}
    shell: dict[str, str] = {}
    for place, data, value in _read(transcript, index, wanted):
        row = index.rows[place]
        record = read_record(data, first=row.line == 1)[1]
        if row.parent in shells and record is not None and record.message is not None:
            shell[row.parent] = shell_output(plain_text(record.message.content))
        for block in value["message"]["content"] if row.results else []:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                calls[str(block.get("tool_use_id", ""))] = block
    return Answers(calls=calls, shell=shell)


def _is_shell(index: ClaudeIndex, place: int) -> bool:
    return place in index.prompts and index.prompts[place].kind is TypedKind.SHELL
