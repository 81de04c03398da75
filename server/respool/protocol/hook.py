"""One hook event of another agent, from its payload to what is written down (``respool hook``).

Payloads as measured with Claude Code 2.1.332; Wave's are the same with fewer fields (no id of the tool call, the prompt
or the sub-agent). Nothing may block or break the agent: whatever fails is logged, and the status is 0. Nothing is ever
printed: an agent takes what a hook prints for context.

Standard library only, and little of it: the agent waits for this process.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from respool.service.capture import Capture

    class Session(Protocol):
        """The session's log, as far as a hook needs it beside ``Capture``."""

        def prompt(self, prompt: str) -> None: ...
        def actor(self, actor: str, prompt: str) -> None: ...
        def turn_closed(self) -> None: ...
        def begun_by(self, call: str, path: str) -> str | None: ...
        def running(self, kind: str) -> dict[str, tuple[int | None, str | None]]: ...

    class Adapters(Protocol):
        """What bootstrap gives a hook."""

        def loads(self, data: bytes) -> Any: ...
        def capture(self, transcript: str, workspace: str, dialect: str) -> tuple[Session, Capture]: ...
        def failed(self, text: str) -> None: ...


FILE_TOOLS = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
STAYS = ("clear", "resume")
"""Reasons of a session's end that the agent's process, and what it started, outlives."""
PROJECT = {"claude": "CLAUDE_PROJECT_DIR", "wave": "WAVE_PROJECT_DIR"}


def handle(agent: str, read: "Callable[[], bytes]", adapters: "Adapters") -> int:
    """Deal with one event; always 0."""
    try:
        event = adapters.loads(read())
        if isinstance(event, dict):
            _Event(agent, event, adapters).handle()
    except BaseException as error:  # noqa: BLE001 - the agent goes on whatever happened here
        _told(adapters, f"{type(error).__name__}: {error}")
    return 0


def _told(adapters: "Adapters", text: str) -> None:
    try:
        adapters.failed(text)
    except BaseException:  # noqa: BLE001 - with a store that cannot be written there is nobody left to tell
        return


class _Event:
    """One payload."""

    def __init__(self, agent: str, event: "dict[str, Any]", adapters: "Adapters") -> None:
        self._agent, self._event, self._adapters = agent, event, adapters

    def handle(self) -> None:
        """Write down what the event tells."""
        name = self._text("hook_event_name")
        deed = {
            "UserPromptSubmit": self._prompt,
            "PreToolUse": self._before,
            "PostToolUse": self._after,
            "PostToolUseFailure": self._after,
            "SubagentStart": self._subagent,
            "Stop": self._stop,
            "SessionEnd": self._session_end,
        }.get(name)
        transcript = self._text("transcript_path")
        if deed is None or not transcript:
            return
        workspace = os.environ.get(PROJECT.get(self._agent, "")) or self._text("cwd") or os.getcwd()
        deed(*self._adapters.capture(os.path.expanduser(transcript), workspace, self._agent))

    def _text(self, key: str) -> str:
        value = self._event.get(key)
        return value if isinstance(value, str) else ""

    def _prompt(self, session: "Session", capture: "Capture") -> None:
        session.prompt(self._text("prompt_id"))

    def _subagent(self, session: "Session", capture: "Capture") -> None:
        session.actor(self._text("agent_id"), self._text("prompt_id"))

    def _before(self, session: "Session", capture: "Capture") -> None:
        tool, path = self._text("tool_name"), self._path()
        facts = {"tool": tool, "call": self._text("tool_use_id"), "prompt": self._text("prompt_id")}
        facts = {name: value for name, value in facts.items() if value}
        actor = self._text("agent_id") or "main"
        if path:
            capture.before(path, actor=actor, **facts)
        elif tool == "Bash" or tool.startswith("mcp__"):
            capture.shell_before(actor=actor, **facts)

    def _after(self, session: "Session", capture: "Capture") -> None:
        path = self._path()
        token = session.begun_by(self._text("tool_use_id"), path)
        if token is None:
            return
        if path:
            capture.after(token, failed=self._text("hook_event_name") == "PostToolUseFailure")
            return
        capture.shell_after(token)
        task = self._background()
        if task:
            capture.task_start(task, "shell", parent=self._text("agent_id") or None)

    def _stop(self, session: "Session", capture: "Capture") -> None:
        listed = self._event.get("background_tasks")
        if isinstance(listed, list):
            going = {task.get("id") for task in listed if isinstance(task, dict)}
            for task in session.running("shell"):
                if task not in going:
                    capture.task_end(task, "ended")
        session.turn_closed()

    def _session_end(self, session: "Session", capture: "Capture") -> None:
        """Claude Code ends its background commands before it says so; killed, it says nothing."""
        if self._agent == "claude" and self._text("reason") not in STAYS:
            for task in session.running("shell"):
                capture.task_end(task, "ended")

    def _path(self) -> str:
        """The file a tool names; a relative one is meant from where the agent stands."""
        given, key = self._event.get("tool_input"), FILE_TOOLS.get(self._text("tool_name"), "")
        path = given.get(key) if isinstance(given, dict) else None
        return os.path.join(self._text("cwd"), path) if isinstance(path, str) and path else ""

    def _background(self) -> str:
        """Id of a command that goes on after its tool call."""
        answer = self._event.get("tool_response")
        task = answer.get("backgroundTaskId") if isinstance(answer, dict) else None
        return task if isinstance(task, str) else ""
