"""One session while it is recorded: its change log and its transcript, written under one lock, with fencing.

Whether a turn was taken out, or an actor stopped, is looked up under the log's lock, in the log itself: a rewind that
was committed a moment ago is never missed.
"""

import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from respool.model.capture import HostEvent, Rewound
from respool.storage.files.change_log import ChangeLog, HeldLog
from respool.storage.files.change_reading import MAIN, ChangeReading, Entry, Life
from respool.storage.files.recorder_lock import FileLock
from respool.storage.files.wave_append import WaveConversation, now
from respool.storage.files.wave_history import WaveHistory

Record = dict[str, Any]


@dataclass
class Recording:
    """Implements ``service.capture.Session``. What happened before it began is no news for its host."""

    log: ChangeLog
    conversation: WaveConversation
    history: WaveHistory
    presence: FileLock
    reading: ChangeReading = field(init=False)
    _told: int = field(init=False)

    def __post_init__(self) -> None:
        self.reading = ChangeReading(self.log.path).extend()
        self._told = self.reading.size
        self.presence.take()

    def user(self, message_id: str, text: str) -> int:
        """A prompt. Recorded before it is sent: if we die in between, it is the prompt that is missing."""
        with self._held() as held:
            line = self.conversation.next_line()
            held.append({"kind": "prompt", "id": message_id, "line": line})
            found = self.conversation.append(message(message_id, "user", [text_of(text)]))
            if found != line:
                held.append({"kind": "prompt", "id": message_id, "line": found})
            self.reading.extend()
        self.history.next_turn()
        return found

    def assistant(self, message_id: str, text: str, blocks: Collection[Mapping[str, Any]]) -> int:
        """An answer of the newest turn. Raises ``Rewound``."""
        with self._held():
            self._refuse_fenced(MAIN)
            history = self.history.block(message_id)
            parts = [*text_blocks(text, blocks), *blocks, *([history] if history else [])]
            return self.conversation.append(message(message_id, "assistant", parts))

    def add(self, record: Record, *, actor: str | None = None, of: str | None = None) -> str:
        """Record something an actor does, or the end of what it began; a token. Raises ``Rewound``, ``KeyError``."""
        with self._held() as held:
            if of is not None:
                self._refuse_removed(self._entry(of))
            if actor is not None:
                self._refuse_fenced(actor)
            token = held.append(record)[0]
            self.reading.extend()
        return token

    def launch(self, record: Record) -> None:
        """Record the launch of an actor by its parent. One that was stopped is never launched again; ``Rewound``."""
        with self._held() as held:
            self._refuse_launch(record)
            held.append(record)
            self.reading.extend()

    def allows_launch(self, record: Record) -> None:
        """Raise ``Rewound`` where that would be refused."""
        self.reading.extend()
        self._refuse_launch(record)

    def _refuse_launch(self, record: Record) -> None:
        known = self.reading.life(record["id"])
        if known is not None and not known.ended:
            self._refuse_life(known)
        if known is not None and known.fenced_at(self.reading.size):
            raise Rewound
        self._refuse_fenced(record["parent"] or MAIN)

    def allows(self, actor: str) -> None:
        """Raise ``Rewound`` where nothing of the actor is accepted any more."""
        self.reading.extend()
        self._refuse_fenced(actor)

    def begun(self, token: str) -> Mapping[str, Any]:
        """The record a token stands for. Raises ``KeyError``."""
        return self._entry(token).record

    def changed(self, token: str, after: Mapping[str, Any] | None) -> None:
        """A change is over; the agent's own history of the newest turn gets to know."""
        entry = self._entry(token)
        turn = entry.then if entry.life.id == MAIN else entry.life.root.turn
        if turn is not None and turn is self.reading.living_turn():
            self.history.changed(entry.record["path"], entry.record.get("state"), after)

    def running(self, kind: str) -> dict[str, tuple[int | None, str | None]]:
        """Tasks that were not ended, the newest last: id → pid and start time of its process."""
        lives = (life for life in self.reading.lives if life.task == kind and not life.ended and life.stopped is None)
        return {life.id: (life.pid, life.started) for life in lives if self.reading.life(life.id) is life}

    def writers(self, tasks: Collection[str]) -> Mapping[str, str]:
        """Path → which of these tasks is known to write it."""
        return self.reading.writers(tasks)

    def commands_run(self) -> bool:
        """Whether a look around a command has begun and not ended."""
        return any(life_window.done is None for life_window in self._last_windows())

    def just_looked(self) -> bool:
        """Whether the end of a command is the newest thing recorded."""
        return self.reading.newest_kind == "scanned"

    def events(self) -> tuple[HostEvent, ...]:
        """What the host has to be told since it was last asked."""
        self.presence.take()  # another recorder that was there first may have gone
        self.reading.extend()
        if self.reading.size < self._told:
            self._told = 0
        found = [record for offset, record in self.reading.told if offset >= self._told]
        self._told = self.reading.size
        return tuple(self._event(record) for record in found)

    def _event(self, record: Record) -> HostEvent:
        if record["kind"] == "stop":
            return HostEvent(kind="stop", task=str(record.get("task")))
        kept = record.get("kept_lines") if record["kind"] == "cut" else self.conversation.line_count()
        changes = [one for _, one in self.reading.told if one["kind"] != "stop"]
        return HostEvent(
            kind="rewound",
            kept_lines=kept if isinstance(kept, int) else 0,
            generation=next(number for number, one in enumerate(changes, 1) if one is record),
        )

    @contextlib.contextmanager
    def _held(self) -> Iterator[HeldLog]:
        with self.log.held() as held:
            self.reading.extend()
            yield held

    def _entry(self, token: str) -> Entry:
        entry = self.reading.entries.get(int(token)) if token.isascii() and token.isdecimal() else None
        if entry is None:
            raise KeyError(token)
        return entry

    def _last_windows(self) -> Iterator[Entry]:
        for life in self.reading.lives:
            window = self.reading.last_window(life)
            if window is not None:
                yield window

    def _refuse_fenced(self, actor: str) -> None:
        life = self.reading.life(actor)
        if actor == MAIN or life is None:
            if self.reading.is_out(self.reading.newest_turn):
                raise Rewound
        else:
            self._refuse_life(life)

    def _refuse_life(self, life: Life) -> None:
        if life.fenced_at(self.reading.size) or self.reading.is_out(life.root.turn):
            raise Rewound

    def _refuse_removed(self, entry: Entry) -> None:
        if entry.life.id != MAIN:
            self._refuse_life(entry.life)
        elif self.reading.is_out(entry.then):
            raise Rewound


def message(message_id: str, role: str, blocks: list[Mapping[str, Any]]) -> Record:
    """A message as Wave writes it."""
    return {"timestamp": now(), "id": message_id, "role": role, "blocks": blocks}


def text_of(text: str) -> Record:
    """A text block."""
    return {"type": "text", "content": text, "stage": "end"}


def text_blocks(text: str, blocks: Collection[Mapping[str, Any]]) -> list[Record]:
    """The answer's text as a block, unless it is among the blocks already, or there is none beside them."""
    told = any(block.get("type") == "text" and block.get("content") == text for block in blocks)
    return [] if told or (blocks and not text) else [text_of(text)]
