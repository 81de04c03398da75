"""A sub-agent's own recorder: its transcript is its own, its changes stand in the log of the session that launched it.

One log for an agent and all its sub-agents gives one order of changes, and a change goes with the message that launched
the sub-agent, however deep and however late. The link is the name: Wave keeps a sub-agent's transcript as
``subagent-<id>.jsonl`` beside its parent's, and the parent's host has said ``task-start`` with that id.
"""

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from respool.model.capture import HostEvent
from respool.storage.files.change_log import ChangeLog
from respool.storage.files.change_reading import MAIN, ChangeReading
from respool.storage.files.recording import Record, Recording, message, text_blocks, text_of

_CHILD = re.compile(r"subagent-(.+)\.jsonl")


def parent_log(state: str, transcript: str) -> tuple[ChangeLog, str] | None:
    """The log of the session that launched a sub-agent, and its id in it; ``None`` for any other session."""
    name = _CHILD.fullmatch(os.path.basename(transcript))
    folder = os.path.join(state, "changes")
    if name is None or not os.path.isdir(folder):
        return None
    beside = os.path.dirname(os.path.realpath(transcript))
    for entry in sorted(os.listdir(folder)):
        reading = ChangeReading(os.path.join(folder, entry, "log.jsonl")).extend()
        session = reading.session
        parent = str(session.get("transcript") or "")
        life = reading.life(name[1])
        if life is not None and life.task == "agent" and os.path.dirname(parent) == beside:
            return ChangeLog(state, parent, str(session.get("workspace") or "")), name[1]
    return None


@dataclass
class ChildRecording(Recording):
    """``actor``: what this sub-agent is called in the log. Its prompts begin no turn there."""

    actor: str = ""

    def user(self, message_id: str, text: str) -> int:
        """A prompt of the parent agent."""
        with self._held():
            self._refuse_fenced(self.actor)
            found = self.conversation.append(message(message_id, "user", [text_of(text)]))
        self.history.next_turn()
        return found

    def assistant(self, message_id: str, text: str, blocks: Collection[Mapping[str, Any]]) -> int:
        """An answer of the sub-agent."""
        with self._held():
            self._refuse_fenced(self.actor)
            parts = [*text_blocks(text, blocks), *blocks]
            return self.conversation.append(message(message_id, "assistant", parts))

    def add(self, record: Record, *, actor: str | None = None, of: str | None = None) -> str:
        """As ``Recording.add``; whoever the child knows by a name of its own is a descendant of it."""
        if actor is not None:
            self._introduce(actor)
        if record.get("actor") == MAIN:
            record = {**record, "actor": self.actor}
        return super().add(record, actor=None if actor is None else self._named(actor), of=of)

    def launch(self, record: Record) -> None:
        """The parent of what the child launches is the child."""
        super().launch(self._launched(record))

    def allows_launch(self, record: Record) -> None:
        """As ``Recording``."""
        super().allows_launch(self._launched(record))

    def allows(self, actor: str) -> None:
        """As ``Recording``."""
        super().allows(self._named(actor))

    def events(self) -> tuple[HostEvent, ...]:
        """Only what concerns tasks of its own; that it is out itself it hears when it goes on."""
        found = super().events()
        return tuple(event for event in found if event.kind == "stop" and self._is_own(event.task))

    def _named(self, actor: str) -> str:
        return self.actor if actor == MAIN else actor

    def _launched(self, record: Record) -> Record:
        return {**record, "parent": self._named(record["parent"] or MAIN)}

    def _introduce(self, actor: str) -> None:
        self.reading.extend()
        if actor not in (MAIN, self.actor) and self.reading.life(actor) is None:
            super().launch({"kind": "actor", "id": actor, "parent": self.actor, "task": None})

    def _is_own(self, task: str) -> bool:
        life = self.reading.life(task)
        return life is not None and life.id != self.actor and any(one.id == self.actor for one in life.lineage)
