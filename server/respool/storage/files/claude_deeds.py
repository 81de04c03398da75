"""What the rows of a transcript did: files written by name, tools that may have written any, agents, tasks."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from respool.model.message import JsonObject
from respool.model.plan import Task
from respool.storage.files.claude import decode
from respool.storage.files.claude_index import ClaudeIndex, Row
from respool.storage.files.claude_typed import TypedKind

WRITING_TOOLS = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
AGENT_TOOLS = {"Agent", "Task"}
SUB_AGENT = "agent"
"""Who made the calls of rows that older versions put into the file of the session itself."""
READING_TOOLS = {
    "Read", "Glob", "Grep", "LS", "LSP", "NotebookRead", "WebFetch", "WebSearch", "ToolSearch", "AskUserQuestion",
    "EnterPlanMode", "ExitPlanMode", "TodoRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate",
    "TaskOutput", "TaskStop", "BashOutput", "KillBash", "KillShell", "AgentOutputTool", "ListMcpResourcesTool",
    "ReadMcpResourceTool", "CronCreate", "CronDelete", "CronList",
}  # fmt: skip
"""Tools that leave the user's files alone."""
_ENDED = re.compile(r"<task-id>(.*?)</task-id>")


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call that may have written something. ``path``: what it says it writes. ``actor``: who made it."""

    line: int
    id: str
    tool: str
    path: str = ""
    changed_ms: int | None = None
    failed: bool = False
    actor: str = "main"


@dataclass(kw_only=True)
class Deeds:
    """Everything from one line of a file on, on whatever branch. ``agents``: ids of those launched, by call."""

    calls: list[Call] = field(default_factory=list)
    agents: dict[str, str] = field(default_factory=dict)
    launched: dict[str, Task] = field(default_factory=dict)

    @property
    def written(self) -> list[Call]:
        """Calls that wrote a file they name."""
        return [call for call in self.calls if call.tool in WRITING_TOOLS and call.path and not call.failed]

    @property
    def in_vain(self) -> frozenset[int]:
        """Lines of rows all of whose calls failed to write what they name."""
        failed = {call.line for call in self.calls if call.tool in WRITING_TOOLS and call.failed}
        return frozenset(failed - {call.line for call in self.calls if not call.failed})


def deeds_from(transcript: str, index: ClaudeIndex, line: int) -> Deeds:
    """Read the rows at or behind a line, those of sub-agents too. Raises ``OSError``."""
    found = Deeds()
    rows = [row for row in index.rows if row.line >= line]
    calls: dict[str, Call] = {}
    for row, value in _read(transcript, index, [row for row in rows if _matters(row)]):
        for call in _calls(row, value):
            calls[call.id or f"{row.line}"] = call
    wanted = [row for row in rows if any(call in calls for call in row.results)]
    for row, value in _read(transcript, index, wanted):
        _take_results(found, calls, row, value)
    found.calls = sorted((*calls.values(), *_shells(index, rows)), key=lambda call: call.line)
    _drop_ended(found, transcript, index, rows)
    return found


def _matters(row: Row) -> bool:
    return any(tool not in READING_TOOLS for _, tool in row.calls)


def _calls(row: Row, value: JsonObject) -> Iterator[Call]:
    for block in blocks(value):
        tool = block.get("name")
        if block.get("type") != "tool_use" or not isinstance(tool, str) or tool in READING_TOOLS:
            continue
        given = block.get("input")
        path = given.get(WRITING_TOOLS.get(tool, "")) if isinstance(given, dict) else None
        yield Call(
            line=row.line,
            id=str(block.get("id", "")),
            tool=tool,
            path=os.path.normpath(path) if isinstance(path, str) and os.path.isabs(path) else "",
            changed_ms=epoch_ms(row.timestamp),
            actor="main" if row.main else SUB_AGENT,
        )


def _take_results(found: Deeds, calls: dict[str, Call], row: Row, value: JsonObject) -> None:
    result = value.get("toolUseResult")
    details = result if isinstance(result, dict) else {}
    for block in blocks(value):
        call = calls.get(str(block.get("tool_use_id", "")))
        if block.get("type") != "tool_result" or call is None:
            continue
        failed = block.get("is_error") is True
        calls[call.id] = replace(call, changed_ms=epoch_ms(row.timestamp) or call.changed_ms, failed=failed)
        agent, shell = details.get("agentId"), details.get("backgroundTaskId")
        if call.tool in AGENT_TOOLS and isinstance(agent, str):
            found.agents[call.id] = agent
            if details.get("isAsync") is True or details.get("status") == "async_launched":
                found.launched[agent] = _task(agent, "agent", details.get("description"))
        elif isinstance(shell, str):
            found.launched[shell] = _task(shell, "shell", None)


def _task(name: str, kind: str, description: object) -> Task:
    return Task(id=name, kind=kind, description=description if isinstance(description, str) else "", stoppable=False)


def _shells(index: ClaudeIndex, rows: Iterable[Row]) -> Iterator[Call]:
    """Commands of bash mode: the user's own, and never tracked."""
    for row in rows:
        prompt = index.prompts.get(index.place[row.uuid])
        if prompt is not None and prompt.kind is TypedKind.SHELL:
            yield Call(line=row.line, id=row.uuid, tool="!")


def _drop_ended(found: Deeds, transcript: str, index: ClaudeIndex, rows: Iterable[Row]) -> None:
    """Tasks whose end was told."""
    if not found.launched:
        return
    told = [
        row
        for row in rows
        if not row.results
        and (row.type == "user" or row.kind == "queued_command")
        and index.place[row.uuid] not in index.prompts
    ]
    for _, value in _read(transcript, index, told):
        attached = value.get("attachment")
        text = str(attached.get("prompt")) if isinstance(attached, dict) else "".join(texts(value))
        for name in _ENDED.findall(text):
            found.launched.pop(name, None)


def blocks(value: JsonObject) -> list[JsonObject]:
    """The parts of a row's message."""
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def texts(value: JsonObject) -> list[str]:
    """The texts of a row's message."""
    return [block["text"] for block in blocks(value) if isinstance(block.get("text"), str)]


def _read(transcript: str, index: ClaudeIndex, rows: Iterable[Row]) -> Iterator[tuple[Row, JsonObject]]:
    with open(transcript, "rb", buffering=0) as file:
        for row in rows:
            start, end = index.span(row.line)
            value = decode(os.pread(file.fileno(), end - start, start), first=row.line == 1)
            if isinstance(value, dict):
                yield row, value


def epoch_ms(stamp: object) -> int | None:
    """Epoch milliseconds of an ISO 8601 time."""
    try:
        return int(datetime.fromisoformat(stamp).timestamp() * 1000) if isinstance(stamp, str) else None
    except (ValueError, OverflowError, OSError):
        return None
