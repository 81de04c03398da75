"""From a chosen message to everything that would go: cut, recovery points, what was not recorded."""

from collections.abc import Iterator
from dataclasses import dataclass

from respool.engine.ports import Entry
from respool.model.capture import PromptPlace
from respool.model.errors import AmbiguousMessage, Drifted, NotACheckpoint, StalePlan, UnknownMessage
from respool.model.ids import MessageId
from respool.model.message import JsonObject
from respool.model.plan import Target
from respool.model.removal import Removal, Reversal
from respool.storage.files.blobs import Blobs
from respool.storage.files.children import children_of
from respool.storage.files.fingerprints import Fingerprints
from respool.storage.files.jsonl import lines
from respool.storage.files.wave import LineKind, message_value, shown, typed_text
from respool.storage.files.wave_cut import CutFacts, first_removed_line, plan_cut
from respool.storage.files.wave_home import history_roots
from respool.storage.files.wave_index import Prompt, WaveIndex
from respool.storage.files.wave_records import records, unreadable
from respool.storage.files.wave_sessions import WaveSessions, session_id
from respool.storage.files.wave_undo import undo_cut


@dataclass(frozen=True)
class WaveRemovals:
    """Implements ``engine.ports.Removals``."""

    sessions: WaveSessions
    home: str
    blobs: Blobs
    fingerprints: Fingerprints

    def removal(self, transcript: str, to: str) -> Removal:
        """What going back to ``ID`` or ``ID@LINE`` takes out. Raises a ``Refusal`` that says why it cannot."""
        index = self.sessions.index(transcript)
        prompt = chosen(index, transcript, to)
        first = first_removed_line(index, prompt.line)
        try:
            facts = plan_cut(transcript, index, first, self.fingerprints)
        except (Drifted, EOFError) as error:
            raise StalePlan from error
        found = records(_removed_messages(transcript, index, facts), history_roots(self.home, transcript))
        return Removal(
            session_id=session_id(transcript),
            target=Target(id=MessageId(prompt.id), line=prompt.line),
            input_content=shown(typed_text(_message_at(transcript, index, prompt.line))),
            fingerprint=facts.fingerprint,
            cut=facts.cut,
            messages=facts.messages,
            points=found.points,
            last_change=found.last_change,
            notices=(*(unreadable(line) for line in facts.unreadable), *found.warnings),
            children=children_of(transcript, found.agents),
            prompts=tuple(PromptPlace(ids=(one.id,), line=one.line) for one in index.prompts),
        )

    def reversal(self, transcript: str, entry: Entry) -> Reversal:
        """What taking an operation back makes of the transcript as it is now. Raises ``UndoExpired``."""
        return undo_cut(transcript, entry, self.blobs, self.fingerprints)


def chosen(index: WaveIndex, transcript: str, to: str) -> Prompt:
    """The prompt a ``MESSAGE`` names; a copy's line leads to the prompt it copies (decision S1)."""
    exact = [prompt for prompt in index.prompts if prompt.id == to]
    if len(exact) == 1:
        return exact[0]
    if exact:
        raise AmbiguousMessage(message=shown(to), count=len(exact))
    name, _, number = to.rpartition("@")
    if name and number.isdecimal():
        line = int(number)
        line = index.copies.get(line, line)
        named = [prompt for prompt in index.prompts if prompt.line == line and prompt.id == name]
        if named:
            return named[0]
    if _is_known(transcript, index, name if name and number.isdecimal() else to):
        raise NotACheckpoint(message=shown(to))
    raise UnknownMessage(message=shown(to))


def _is_known(transcript: str, index: WaveIndex, message: str) -> bool:
    if not message or any(prompt.id == message for prompt in index.prompts):
        return False
    with open(transcript, "rb", buffering=0) as file:
        for line in lines(file, stop=index.size):
            if line.data and index.kind(line.number) is LineKind.MESSAGE:
                needle = message.encode("utf-8", "surrogatepass")
                if needle in line.data and message_value(line.data, first=line.number == 1).get("id") == message:
                    return True
    return False


def _message_at(transcript: str, index: WaveIndex, line: int) -> dict[str, object]:
    with open(transcript, "rb", buffering=0) as file:
        file.seek(index.start(line))
        data = file.read(index.start(line + 1) - index.start(line))
    return message_value(data, first=line == 1)


def _removed_messages(transcript: str, index: WaveIndex, facts: CutFacts) -> Iterator[tuple[int, JsonObject]]:
    """Removed messages in file order, without copies of messages that stay (a compaction repeats kept turns)."""
    if not facts.messages:
        return
    first, removed = facts.messages[0], set(facts.messages)
    kept = _kept_identities(transcript, index, first, removed)
    with open(transcript, "rb", buffering=0) as file:
        for line in lines(file, start=index.start(first), number=first, stop=index.size):
            if line.number not in removed or line.data is None:
                continue
            message = message_value(line.data, first=line.number == 1)
            if _identity(message) not in kept:
                yield line.number, message


def _kept_identities(transcript: str, index: WaveIndex, first: int, removed: set[int]) -> set[tuple[object, object]]:
    """Only a file with a compaction after the cut can hold such copies."""
    if not any(line >= first for line in index.compact_lines):
        return set()
    kept = set()
    with open(transcript, "rb", buffering=0) as file:
        for line in lines(file, stop=index.start(first)):
            if line.data and index.kind(line.number) is LineKind.MESSAGE and line.number not in removed:
                kept.add(_identity(message_value(line.data, first=line.number == 1)))
    return kept


def _identity(message: JsonObject) -> tuple[object, object]:
    return message.get("id"), message.get("timestamp")
