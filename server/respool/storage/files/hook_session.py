"""A session's change log as a hook process sees it: one event, then the process is gone.

Implements ``service.capture.Session`` and ``protocol.hook.Session`` as far as a hook goes. The log is searched from its
end; it is decoded whole only while a background command runs. Nothing is refused: the agent would write all the same,
and the reader knows what came after a cut.

Standard library only, and little of it.
"""

import os

from respool.storage.files.change_log import ChangeLog
from respool.storage.files.plain_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from respool.model.capture import HostEvent

    Record = dict[str, Any]

WAIT_S = 10.0
"""How long another writer of the same log may take."""
PIECE_BYTES = 1 << 20


class HookSession:
    """``transcript``: counted at a prompt of an agent that does not name its prompts."""

    def __init__(self, log: ChangeLog, transcript: str) -> None:
        self._log, self._transcript = log, transcript
        self._data: bytes | None = None

    def prompt(self, prompt: str) -> None:
        """A turn begins. Without an id: it is the first prompt below the lines that are there now."""
        record: Record = {"kind": "prompt", "id": prompt}
        if not prompt:
            record["after"] = _line_count(self._transcript)
        self.add(record)

    def actor(self, actor: str, prompt: str) -> None:
        """A sub-agent was launched."""
        if actor:
            named = {"prompt": prompt} if prompt else {}
            self.add({"kind": "actor", "id": actor, "parent": None, "task": None, **named})

    def turn_closed(self) -> None:
        """The answer is complete."""
        self.add({"kind": "turn", "open": False})

    def begun_by(self, call: str, path: str) -> "str | None":
        """Token of what a tool call began. Without an id: the newest of that path, or command, that is still open."""
        data = self._read()
        if call:
            place = data.rfind(b'"call":' + dumps(call))
            return None if place < 0 else str(data.rfind(b"\n", 0, place) + 1)
        done = {str(record.get("of")) for _, record in self._records() if record.get("kind") in ("after", "scanned")}
        wanted = "before" if path else "window"
        found = [
            str(offset)
            for offset, record in self._records()
            if record.get("kind") == wanted and (not path or record.get("path") == os.path.normpath(path))
        ]
        return next((token for token in reversed(found) if token not in done), None)

    def add(self, record: "Record", *, actor: "str | None" = None, of: "str | None" = None) -> str:
        """Record it, durably."""
        self._data = None
        return self._log.append(record, wait_s=WAIT_S)[0]

    def launch(self, record: "Record") -> None:
        """Record the launch of a background command."""
        self.add(record)

    def allows_launch(self, record: "Record") -> None:
        """Always: the agent has done it already."""

    def allows(self, actor: str) -> None:
        """Always: the agent will write all the same."""

    def begun(self, token: str) -> "Mapping[str, Any]":
        """The record a token stands for. Raises ``KeyError``."""
        data, start = self._read(), int(token)
        record = _record(data[start : data.find(b"\n", start)])
        if record is None:
            raise KeyError(token)
        return record

    def changed(self, token: str, after: "Mapping[str, Any] | None") -> None:
        """The agent keeps its own history."""

    def running(self, kind: str) -> "dict[str, tuple[int | None, str | None]]":
        """Background commands that were not ended, the newest last."""
        if b'"task":' + dumps(kind) not in self._read():
            return {}
        found: dict[str, tuple[int | None, str | None]] = {}
        for _, record in self._records():
            if record.get("kind") == "actor" and record.get("task") == kind:
                found[str(record.get("id"))] = (None, None)
            elif record.get("kind") in ("task-end", "stopped"):
                found.pop(str(record.get("id") or record.get("task")), None)
        return found

    def writers(self, tasks: "Collection[str]") -> "Mapping[str, str]":
        """Path → which of these commands is known to write it."""
        windows: dict[str, str] = {}
        found: dict[str, str] = {}
        for offset, record in self._records():
            if record.get("kind") == "window" and record.get("actor") in tasks:
                windows[str(offset)] = str(record["actor"])
            task = windows.get(str(record.get("of")))
            for change in record.get("changes") or () if task else ():
                found[str(change.get("path"))] = task or ""
        return found

    def commands_run(self) -> bool:
        """Whether a look around another command has begun and not ended."""
        begun: dict[str, str] = {}
        for offset, record in self._records():
            if record.get("kind") == "window":
                begun[str(record.get("actor"))] = str(offset)
            elif record.get("kind") == "scanned":
                begun = {actor: token for actor, token in begun.items() if token != record.get("of")}
        return bool(begun)

    def just_looked(self) -> bool:
        """Whether the end of a command is the newest thing recorded."""
        data = self._read()
        last = _record(data[data.rfind(b"\n", 0, max(0, len(data) - 1)) + 1 :].strip())
        return last is not None and last.get("kind") == "scanned"

    def events(self) -> "tuple[HostEvent, ...]":
        """A hook tells its agent nothing."""
        return ()

    def user(self, message_id: str, text: str) -> int:
        """The agent writes its own transcript."""
        raise NotImplementedError

    def assistant(self, message_id: str, text: str, blocks: "Collection[Mapping[str, Any]]") -> int:
        """The agent writes its own transcript."""
        raise NotImplementedError

    def take(self) -> bool:
        """Turns of other agents are not ours to guard."""
        return True

    def release(self) -> None:
        """As above."""

    def _read(self) -> bytes:
        if self._data is None:
            try:
                with open(self._log.path, "rb") as file:
                    self._data = file.read()
            except FileNotFoundError:
                self._data = b""
        return self._data

    def _records(self) -> "Iterator[tuple[int, Record]]":
        offset = 0
        for line in self._read().split(b"\n"):
            record = _record(line)
            if record is not None:
                yield offset, record
            offset += len(line) + 1


def _record(line: bytes) -> "Record | None":
    try:
        value = loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _line_count(transcript: str) -> int:
    """Physical lines; a last one that was not ended counts."""
    count, last = 0, b"\n"
    try:
        with open(transcript, "rb", buffering=0) as file:
            while piece := file.read(PIECE_BYTES):
                count, last = count + piece.count(b"\n"), piece[-1:]
    except FileNotFoundError:
        return 0
    return count + (last != b"\n")
