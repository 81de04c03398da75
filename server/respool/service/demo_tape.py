"""Playing a story and writing down what Wave would have: records, backups, files (formats of Wave 469391bb)."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from respool.model.ids import MessageId, SessionId
from respool.model.message import JsonObject
from respool.model.recording import Recording
from respool.service.demo_steps import (
    Bang,
    Compact,
    Delete,
    Edit,
    Hook,
    Notice,
    Prompt,
    Say,
    Shell,
    Step,
    Title,
    Write,
)

STEP = timedelta(seconds=37)
ROUNDS_REPEATED = 2
Fields = dict[str, Any]


class Tape:
    """One session being recorded."""

    def __init__(
        self, *, workspace: str, history: str, session_id: SessionId, begins: datetime, new_id: Callable[[], str],
        files: Mapping[str, bytes],
    ) -> None:  # fmt: skip
        self._workspace = workspace
        self._history = history
        self._session_id = session_id
        self._now = begins
        self._new_id = new_id
        self._files = dict(files)
        self._changed_s = dict.fromkeys(files, (begins - STEP).timestamp())
        self._folders = {os.path.dirname(path) for path in files} - {""}
        header = {"type": "metadata", "workdir": workspace, "createdAt": self._stamp(), "gitBranch": "main"}
        self._records: list[JsonObject] = [header]
        self._memory: list[JsonObject] = []
        self._backups: dict[str, bytes] = {}
        self._trees: dict[MessageId, Mapping[str, bytes]] = {}

    def play(self, step: Step) -> None:
        """Let one thing happen."""
        self._now += STEP
        match step:
            case Prompt():
                self._prompt(step)
            case Say():
                self._assistant({"type": "text", "content": step.text, "stage": "end"})
            case Write() | Edit() | Delete():
                self._change(step)
            case Shell():
                self._shell(step)
            case Bang():
                self._user(
                    {"type": "bang", "command": step.command, "output": step.output, "stage": "end", "exitCode": 0}
                )
            case Hook():
                self._user({"type": "text", "content": step.text, "source": "hook"})
            case Notice():
                self._notice(step)
            case Compact():
                self._compact(step)
            case Title():
                title = {"type": "custom-title", "customTitle": step.text, "sessionId": self._session_id}
                self._records.append(title)

    def recording(self) -> Recording:
        """All of it."""
        return Recording(
            session_id=self._session_id,
            workspace=self._workspace,
            records=tuple(self._records),
            backups=dict(self._backups),
            files=dict(self._files),
            folders=tuple(sorted(self._folders)),
            trees=dict(self._trees),
            changed_s={path: self._changed_s[path] for path in self._files},
            ended_s=self._now.timestamp(),
        )

    def _stamp(self) -> str:
        return self._now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _message(self, role: str, *blocks: Fields, **more: Any) -> Fields:
        record = {
            "timestamp": self._stamp(),
            "id": f"msg-{self._new_id()}",
            "role": role,
            "blocks": list(blocks),
            **more,
        }
        self._records.append(record)
        self._memory.append(record)
        return record

    def _user(self, *blocks: Fields, **more: Any) -> Fields:
        return self._message("user", *blocks, **more)

    def _assistant(self, *blocks: Fields, kind: str = "agent") -> Fields:
        spent = 900 + 40 * len(self._memory)
        usage = {
            "prompt_tokens": spent, "completion_tokens": 60, "total_tokens": spent + 60, "model": "demo",
            "operation_type": kind,
        }  # fmt: skip
        return self._message("assistant", *blocks, usage=usage)

    def _prompt(self, step: Prompt) -> None:
        block: Fields = {"type": "text", "content": step.text}
        if step.expanded:
            block["customCommandContent"] = step.expanded
        record = self._user({**block, "stage": "end"})
        self._trees[MessageId(record["id"])] = dict(self._files)

    def _change(self, step: Write | Edit | Delete) -> None:
        before = self._files.get(step.path)
        snapshot = self._snapshot(step, before)
        parameters, after, result, short = _effect(step, before)
        parameters = {"file_path": self._full(step.path), **parameters}
        if after is None:
            del self._files[step.path]
        else:
            self._files[step.path] = after
            self._changed_s[step.path] = self._now.timestamp()
            self._folders.add(os.path.dirname(step.path))
        tool = self._tool(type(step).__name__, parameters, result, short, compact=step.path)
        record = self._assistant(tool, {"type": "file_history", "snapshots": [snapshot]})
        snapshot["messageId"] = record["id"]

    def _snapshot(self, step: Write | Edit | Delete, before: bytes | None) -> Fields:
        path = self._full(step.path)
        operation = "create" if before is None else "delete" if isinstance(step, Delete) else "modify"
        kept = "" if before is None else os.path.join(self._history, self._backup(path, before))
        at = int(self._now.timestamp() * 1000) + 5
        return {"messageId": "", "filePath": path, "timestamp": at, "operation": operation, "snapshotPath": kept}

    def _backup(self, path: str, content: bytes) -> str:
        """Name of a new backup below the history folder."""
        name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        count = sum(1 for other in self._backups if f"/{name}@" in other)
        backup = f"{self._session_id}/{name}@v{count + 1}"
        self._backups[backup] = content
        return backup

    def _full(self, path: str) -> str:
        return os.path.join(self._workspace, path)

    def _tool(self, name: str, parameters: Fields, result: str, short: str, *, compact: str, **more: str) -> Fields:
        """Keys in Wave's own order."""
        return {
            "type": "tool",
            "parameters": json.dumps(parameters, ensure_ascii=False, separators=(",", ":")),
            "result": result,
            "shortResult": short,
            "id": f"call_{len(self._records)}",
            "name": name,
            "success": True,
            "stage": "end",
            "compactParams": compact,
            "parametersChunk": "",
            **more,
        }

    def _shell(self, step: Shell) -> None:
        parameters: Fields = {"command": step.command}
        more = {}
        if step.task:
            parameters["run_in_background"] = True
            more["backgroundTaskId"] = step.task
        short = step.output.splitlines()[-1]
        self._assistant(self._tool("Bash", parameters, step.output, short, compact=step.command, **more))

    def _notice(self, step: Notice) -> None:
        block = {
            "type": "task_notification", "taskId": step.task, "taskType": "shell", "status": "completed",
            "summary": step.summary, "outputFile": f"/tmp/wave-task-{step.task}.log",
        }  # fmt: skip
        self._user(block, isMeta=True)

    def _compact(self, step: Compact) -> None:
        copies = _last_rounds(self._memory)
        self._memory = []
        self._assistant({"type": "compact", "content": f"Summary:\n{step.summary}"}, kind="compact")
        self._records += copies
        self._memory += copies


def _effect(step: Write | Edit | Delete, before: bytes | None) -> tuple[Fields, bytes | None, str, str]:
    """Further parameters, the new content, and what the tool says."""
    match step:
        case Write():
            lines, size = step.content.count("\n") + 1, len(step.content)
            verb = "created" if before is None else "overwritten"
            said = f"File {verb} ({lines} lines, {size} characters)"
            return {"content": step.content}, step.content.encode(), said, f"File {verb}"
        case Edit():
            text = (before or b"").decode()
            if text.count(step.old) != 1:
                raise ValueError(f"{step.path}: not exactly once: {step.old!r}")
            said = "Text replaced successfully"
            parameters = {"old_string": step.old, "new_string": step.new}
            return parameters, text.replace(step.old, step.new).encode(), said, said
        case Delete():
            return {}, None, f"File deleted: {step.path}", "File deleted"


def _last_rounds(memory: list[JsonObject]) -> list[JsonObject]:
    """A round begins at a user message, and at an answer that does not follow one directly."""
    starts = [
        number
        for number, record in enumerate(memory)
        if record["role"] == "user" or number == 0 or memory[number - 1]["role"] != "user"
    ]
    return memory[starts[-ROUNDS_REPEATED] :] if len(starts) >= ROUNDS_REPEATED else list(memory)
