"""From a chosen prompt of a Claude Code session to everything that would go. Nothing of the session is ever cut."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from respool.model.capture import PromptPlace
from respool.model.errors import NotACheckpoint, StalePlan, UnknownMessage
from respool.model.ids import MessageId
from respool.model.plan import Notice, Target, Task
from respool.model.recovery import RecoveryPoint
from respool.model.transcript import Fingerprint
from respool.storage.files.claude_agents import written_by_agents
from respool.storage.files.claude_chain import Branch, Kept, fingerprint_of, kept_before
from respool.storage.files.claude_deeds import WRITING_TOOLS, Deeds, deeds_from
from respool.storage.files.claude_history import snapshots
from respool.storage.files.claude_home import history_folders
from respool.storage.files.claude_index import ClaudeIndex
from respool.storage.files.claude_points import Place, not_recorded, recover
from respool.storage.files.claude_prompts import input_text, live_prompts, removed_messages
from respool.storage.files.claude_sessions import ClaudeSessions
from respool.storage.files.claude_tree import parent_of
from respool.storage.files.claude_typed import TypedKind
from respool.storage.files.finding import session_id
from respool.storage.files.wave import shown
from respool.storage.files.wave_records import unreadable


@dataclass(frozen=True, kw_only=True)
class ClaudeRemoval:
    """What going back to a prompt takes out, read from one state of the transcript.

    ``prompt``: its place in ``index``; ``kept``: what a fork holds. The rest as in ``model.removal``.
    """

    index: ClaudeIndex
    prompt: int
    kept: Kept
    session_id: str
    target: Target
    input_content: str
    fingerprint: Fingerprint
    messages: tuple[int, ...]
    points: tuple[RecoveryPoint, ...]
    last_change: Mapping[str, tuple[int | None, str]]
    notices: tuple[Notice, ...]
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class ClaudeRemovals:
    """Reads removals. ``home``: Claude's folder. ``owned(transcript)``: a process may have the session open."""

    sessions: ClaudeSessions
    home: str
    owned: Callable[[str], bool]

    def read(self, transcript: str, to: str) -> ClaudeRemoval:
        """What going back to ``ID`` or ``ID@LINE`` takes out. Raises a ``Refusal`` that says why it cannot."""
        index, branch = self.sessions.read(transcript)
        prompt = chosen(index, branch, to)
        try:
            return self._read(transcript, index, branch, prompt)
        except (OSError, EOFError) as error:
            raise StalePlan from error

    def _read(self, transcript: str, index: ClaudeIndex, branch: Branch, prompt: int) -> ClaudeRemoval:
        row, kept = index.rows[prompt], kept_before(index, prompt)
        deeds = deeds_from(transcript, index, row.line)
        place = Place(cwd=index.cwd, history=history_folders(self.home, transcript))
        calls = (*deeds.written, *written_by_agents(transcript, deeds))
        found = recover(snapshots(transcript, index), calls, deeds.in_vain, row.line, place)
        gone = removed_messages(index, branch, prompt, everything=not kept.places)
        return ClaudeRemoval(
            index=index,
            prompt=prompt,
            kept=kept,
            session_id=session_id(transcript),
            target=Target(id=MessageId(row.uuid), line=row.line),
            input_content=shown(input_text(transcript, index, prompt)),
            fingerprint=fingerprint_of(transcript, index, kept),
            messages=tuple(index.rows[one].line for one in gone),
            points=found.points,
            last_change=found.last_change,
            notices=(*_about(index, prompt, kept), *_not_captured(deeds), *found.notices),
            tasks=tuple(deeds.launched.values()) if deeds.launched and self.owned(transcript) else (),
        )


def chosen(index: ClaudeIndex, branch: Branch, to: str) -> int:
    """Place of the prompt a ``MESSAGE`` names. Prompts on a dead branch were taken back: they are gone."""
    name, _, number = to.rpartition("@")
    place = index.place.get(to)
    if place is None and number.isdecimal():
        place = index.place.get(name)
        lines = (index.rows[place].line, *index.repeats) if place is not None else ()
        place = place if int(number) in lines else None
    if place is None or not index.rows[place].main:
        raise UnknownMessage(message=shown(to))
    if place not in index.prompts:
        raise NotACheckpoint(message=shown(to))
    if place not in live_prompts(index, branch):
        raise UnknownMessage(message=shown(to))
    return place


def prompt_places(index: ClaudeIndex) -> tuple[PromptPlace, ...]:
    """Where every turn begins, on whatever branch: prompts, and what else begins one of its own."""
    begun: set[str] = set()
    found = []
    for place, row in enumerate(index.rows):
        begins = bool(row.prompt_id) and row.prompt_id not in begun and row.main
        if begins or place in index.prompts:
            begun.add(row.prompt_id)
            found.append(PromptPlace(ids=tuple(dict.fromkeys((row.uuid, row.prompt_id or row.uuid))), line=row.line))
    return tuple(found)


def _about(index: ClaudeIndex, prompt: int, kept: Kept) -> list[Notice]:
    """What the user should know about the conversation."""
    found = [unreadable(line) for line in index.bad_lines if line > index.rows[prompt].line]
    gaps = [index.row(child) for child, _ in kept.bridges]
    if parent_of(index, prompt)[1]:
        gaps.append(index.rows[prompt])
    for row in gaps:
        if row is not None:
            text = "a message before line {line} is missing; what is left was joined in its order in the file"
            found.append(Notice(code="gap_bridged", text=text, params={"line": row.line}))
    if index.prompts[prompt].kind is TypedKind.COMPACT and kept.places:
        text = "the summary made by /compact stays, as in Claude Code"
        found.append(Notice(code="summary_stays", text=text))
    return found


def _not_captured(deeds: Deeds) -> list[Notice]:
    """Tools whose changes nobody records (decision S23). Calls that write a file they name are looked up by name."""
    named = [call for call in deeds.calls if call.tool in WRITING_TOOLS and (call.path or call.failed)]
    return [not_recorded(call) for call in deeds.calls if call not in named]
