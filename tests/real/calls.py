"""What a prompt may have the real agent do: calls of its tools, for the stub."""

from pathlib import Path
from typing import Any

from tests.real.agent import Call, scripted


def bash(command: str, **more: Any) -> Call:
    """A shell command."""
    return {"name": "Bash", "input": {"command": command, "description": "a command", **more}}


def write(path: Path, content: str) -> Call:
    """A file made or replaced."""
    return {"name": "Write", "input": {"file_path": str(path), "content": content}}


def edit(path: Path, old: str, new: str) -> Call:
    """A part of a file replaced; the agent must have read it."""
    return {"name": "Edit", "input": {"file_path": str(path), "old_string": old, "new_string": new}}


def read(path: Path) -> Call:
    """A file read."""
    return {"name": "Read", "input": {"file_path": str(path)}}


def delegate(text: str, *calls: Call) -> Call:
    """A sub-agent with calls of its own."""
    task = {"description": "a task", "prompt": scripted(text, *calls), "subagent_type": "general-purpose"}
    return {"name": "Agent", "input": task}
