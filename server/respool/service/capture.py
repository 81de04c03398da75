"""A session as its host tells it: prompts, answers, what is about to be written, what a command may have changed.

The small Python API for hosts; ``respool record`` is the same over a pipe. ``before`` and ``shell_before`` return when
what stands there is durable; the host writes after that. All of it belongs to one thread.
"""

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any, Protocol

    from respool.engine.ports import Scanned, Scans
    from respool.model.capture import HostEvent

    class Session(Protocol):
        """Where it is all written down. A token names the beginning of a change; one nobody gave: ``KeyError``."""

        def user(self, message_id: str, text: str) -> int: ...
        def assistant(self, message_id: str, text: str, blocks: Collection[Mapping[str, Any]]) -> int: ...
        def add(self, record: dict[str, Any], *, actor: str | None = None, of: str | None = None) -> str: ...
        def launch(self, record: dict[str, Any]) -> None: ...
        def allows_launch(self, record: dict[str, Any]) -> None: ...
        def allows(self, actor: str) -> None: ...
        def begun(self, token: str) -> Mapping[str, Any]: ...
        def changed(self, token: str, after: Mapping[str, Any] | None) -> None: ...
        def running(self, kind: str) -> Mapping[str, tuple[int | None, str | None]]: ...
        def writers(self, tasks: Collection[str]) -> Mapping[str, str]: ...
        def commands_run(self) -> bool: ...
        def just_looked(self) -> bool: ...
        def events(self) -> tuple[HostEvent, ...]: ...

    class Lock(Protocol):
        """An exclusive lock that goes with the process."""

        def take(self) -> bool: ...
        def release(self) -> None: ...


MAIN = "main"
TURN_WAIT_S = 1.0
NO_SCAN = "no_scan"


class Token(str):
    """Names the beginning of a change. ``reason``: why what stood there is not known, ``None`` when it is."""

    reason: "str | None" = None


class Capture:
    """``image(path)``: what stands there, its bytes kept; ``settle``: there is time to tidy up after that.

    ``look(path)``: what stands there, nothing kept.
    """

    def __init__(
        self,
        *,
        workspace: str,
        session: "Session",
        image: "Callable[[str], dict[str, Any]]",
        settle: "Callable[[], None]",
        look: "Callable[[str], dict[str, Any]]",
        started: "Callable[[int], str | None]",
        turn: "Lock",
        scans: "Scans | None" = None,
    ) -> None:
        self.workspace = workspace
        self._session, self._image, self._settle, self._look = session, image, settle, look
        self._started, self._turn, self._scans = started, turn, scans

    def user(self, message_id: str, text: str) -> int:
        """A prompt was sent; its physical line in the transcript. What follows belongs to it."""
        return self._session.user(message_id, text)

    def assistant(self, message_id: str, text: str, blocks: "Collection[Mapping[str, Any]]" = ()) -> int:
        """An answer, or a part of one; its physical line. Raises ``Rewound``."""
        return self._session.assistant(message_id, text, blocks)

    def before(self, path: str, *, actor: str = MAIN, **facts: str) -> Token:
        """A file is about to be written, made or deleted. ``facts``: tool, call, prompt. Raises ``Rewound``."""
        self._session.allows(actor)
        image = self._image(os.path.join(self.workspace, path))
        record = {"kind": "before", "actor": actor, **image, **facts, "at_ms": _now_ms()}
        return _token(self._session.add(record, actor=actor), image.get("reason"))

    def after(self, token: str, *, failed: bool = False) -> None:
        """The write is over, or failed. Raises ``Rewound``, and ``KeyError`` for a token nobody gave."""
        begun = self._session.begun(token)
        if begun["kind"] != "before":
            raise KeyError(token)
        self._settle()
        state = self._look(begun["path"])["state"]
        self._session.add({"kind": "after", "of": token, "state": state, "failed": failed}, of=token)
        if not failed or state != begun.get("state"):
            self._session.changed(token, state)

    def shell_before(self, *, actor: str = MAIN, **facts: str) -> Token:
        """A command is about to run. ``facts``: command, call, prompt. Raises ``Rewound``."""
        self._session.allows(actor)
        self._settle_tasks()
        scan, reason = self._opened()
        record = {"kind": "window", "actor": actor, "scan": scan, **facts, "at_ms": _now_ms()}
        return _token(self._session.add(record, actor=actor), reason)

    def shell_after(self, token: str) -> str | None:
        """The command has ended; why its changes are not known, or ``None``. Raises ``Rewound``, ``KeyError``."""
        begun = self._session.begun(token)
        if begun["kind"] != "window":
            raise KeyError(token)
        if self._scans is None or not begun.get("scan"):
            self._session.allows(str(begun["actor"]))
            return NO_SCAN
        try:
            result = self._scans.close(self.workspace, begun["scan"])
        except OSError:
            return NO_SCAN
        self._divide(token, result)
        return None

    def task_start(
        self, task: str, kind: str, *, pid: int | None = None, parent: str | None = None, description: str = ""
    ) -> None:
        """A background command or a sub-agent was launched; its changes belong to this turn. Raises ``Rewound``."""
        record: dict[str, Any] = {"kind": "actor", "id": task, "parent": parent, "task": kind}
        self._session.allows_launch(record)
        # What was written since the command that launched it ended is its own, not the user's and not another task's.
        at_once = self._session.just_looked()
        others = bool(self._session.running("shell"))
        if pid is not None:
            record.update(pid=pid, started=self._started(pid))
        if others and not at_once and kind == "shell" and not self._session.commands_run():
            self._settle_tasks()
        self._session.launch({**record, "description": description})
        if kind == "shell" and not self._session.commands_run():
            if at_once:
                self._settle_tasks()
            self._opened()

    def task_end(self, task: str, status: str) -> None:
        """It is over, by itself or because it was asked to stop."""
        if task in self._session.running("shell") and not self._session.commands_run():
            self._settle_tasks()
        self._session.add({"kind": "task-end", "id": task, "status": status})

    def turn_start(self) -> bool:
        """The agent begins to answer: nobody may rewind now. ``False``: somebody else is at it."""
        deadline = time.monotonic() + TURN_WAIT_S
        while not self._turn.take():  # somebody only looking holds it for a moment
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
        self._session.add({"kind": "turn", "open": True})
        return True

    def turn_end(self) -> None:
        """The answer is complete."""
        self._session.add({"kind": "turn", "open": False})
        self._turn.release()

    def abort_turn(self) -> None:
        """The answer breaks off; what was changed stays its turn's."""
        self._session.add({"kind": "abort"})
        self._turn.release()

    def events(self) -> "tuple[HostEvent, ...]":
        """What the host has to be told: tasks to stop, turns that are out."""
        return self._session.events()

    def _opened(self) -> tuple[str, str | None]:
        if self._scans is None:
            return "", NO_SCAN
        try:
            return self._scans.open(self.workspace), None
        except OSError:
            return "", NO_SCAN

    def _settle_tasks(self) -> None:
        """What changed since the last look while a background command runs is put down to that, not to the user."""
        tasks = self._session.running("shell")
        if self._scans is None or not tasks:
            return
        try:
            result = self._scans.look(self.workspace)
        except OSError:
            return
        newest = list(tasks)[-1]
        for task, changes in self._by_writer(result.changes, tasks, newest).items():
            self._found(task, changes)

    def _divide(self, token: str, result: "Scanned") -> None:
        """What a background command is known to write is its own, also while another command runs."""
        tasks = self._session.running("shell")
        by_task = self._by_writer(result.changes, tasks, "")
        own = [{**change, "shared": bool(tasks) or bool(change.get("shared"))} for change in by_task.pop("", [])]
        done = {"kind": "scanned", "of": token, "changes": own, "excluded": list(result.excluded)}
        self._session.add(done, of=token)
        for task, changes in by_task.items():
            self._found(task, changes)

    def _by_writer(
        self, changes: "Collection[Mapping[str, Any]]", tasks: "Collection[str]", otherwise: str
    ) -> "dict[str, list[dict[str, Any]]]":
        writers = self._session.writers(tasks)
        found: dict[str, list[dict[str, Any]]] = {}
        for change in changes:
            found.setdefault(writers.get(change["path"], otherwise), []).append(dict(change))
        return found

    def _found(self, task: str, changes: "list[dict[str, Any]]") -> None:
        token = self._session.add({"kind": "window", "actor": task, "at_ms": _now_ms()})
        shared = [{**change, "shared": True} for change in changes]
        self._session.add({"kind": "scanned", "of": token, "changes": shared, "excluded": []})


def _token(token: str, reason: "str | None") -> Token:
    made = Token(token)
    made.reason = reason
    return made


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
