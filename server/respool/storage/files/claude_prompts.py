"""The checkpoints of a Claude Code transcript: the prompts of its live branch, over every compaction."""

from respool.model.ids import MessageId
from respool.model.transcript import Checkpoint
from respool.storage.files.claude import read_record
from respool.storage.files.claude_chain import Branch, is_message
from respool.storage.files.claude_index import ClaudeIndex, line_data
from respool.storage.files.claude_typed import typed


def live_prompts(index: ClaudeIndex, branch: Branch) -> tuple[int, ...]:
    """Places of the prompts that can be gone back to, in file order."""
    return tuple(place for place in index.prompts if place in branch.depth)


def checkpoints(index: ClaudeIndex, branch: Branch) -> tuple[Checkpoint, ...]:
    """The ``/rewind`` list. The first row clears the whole history (decision S3)."""
    found = []
    removes = _counts(index, branch)
    previous = -1
    for number, place in enumerate(live_prompts(index, branch)):
        depth = branch.depth[place]
        row = index.rows[place]
        summarised = any(index.rows[one].summary for one in branch.chain[previous + 1 : depth])
        found.append(
            Checkpoint(
                id=MessageId(row.uuid),
                line=row.line,
                preview=index.prompts[place].preview,
                timestamp=row.timestamp,
                removes=removes[0 if number == 0 and not summarised else depth],
                after_compaction=summarised,
            )
        )
        previous = depth
    return tuple(found)


def _counts(index: ClaudeIndex, branch: Branch) -> list[int]:
    """For each part of the chain, how many messages stand there and behind it."""
    counts = [0] * (len(branch.chain) + 1)
    for place, depth in branch.depth.items():
        counts[depth] += is_message(index, place)
    for depth in range(len(branch.chain) - 1, -1, -1):
        counts[depth] += counts[depth + 1]
    return counts


def removed_messages(index: ClaudeIndex, branch: Branch, prompt: int, *, everything: bool) -> tuple[int, ...]:
    """Places of the messages that go with a prompt, in file order."""
    first = 0 if everything else branch.depth[prompt]
    return tuple(sorted(place for place, depth in branch.depth.items() if depth >= first and is_message(index, place)))


def input_text(transcript: str, index: ClaudeIndex, place: int) -> str:
    """What goes back into the input. Raises ``OSError``."""
    line = index.rows[place].line
    record = read_record(line_data(transcript, index, line), first=line == 1)[1]
    found = typed(record) if record is not None else None
    return found.text if found else ""
