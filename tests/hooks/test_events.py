"""`respool hook`: what an agent's events leave behind, and that nothing of ours ever stops the agent."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import respool
from tests.harness.door import WITHOUT_RIGHTS

ENTRY = Path(respool.__file__).with_name("__main__.py")


@dataclass
class Agent:
    """An agent that runs our command at its events, the way `respool hooks install` writes it."""

    root: Path
    name: str = "claude"
    prefix: tuple[str, ...] = ()
    common: dict[str, Any] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        return self.root / "ws"

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def transcript(self) -> Path:
        return self.root / "t.jsonl"

    def raw(self, data: bytes, *args: str) -> "subprocess.CompletedProcess[bytes]":
        command = [
            *self.prefix,
            sys.executable,
            *(args or ("-I", "-S")),
            str(ENTRY),
            "hook",
            self.name,
            str(self.state),
        ]
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.root)}
        return subprocess.run(command, input=data, capture_output=True, env=environment, cwd=self.work, check=False)

    def event(self, name: str, **fields: Any) -> None:
        """One event; whatever happens, the hook says nothing and succeeds."""
        common = {"session_id": "s", "transcript_path": str(self.transcript), "cwd": str(self.work), **self.common}
        done = self.raw(json.dumps({"hook_event_name": name, **common, **fields}).encode())
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    def write(self, name: str, text: str, *, call: str, **fields: Any) -> None:
        """The Write tool, from before to after."""
        path = self.work / name
        about = {"tool_name": "Write", "tool_input": {"file_path": str(path), "content": text}, "tool_use_id": call}
        self.event("PreToolUse", **about, **fields)
        path.write_text(text)
        self.event("PostToolUse", **about, **fields)

    @property
    def log(self) -> list[dict[str, Any]]:
        (path,) = self.state.glob("changes/*/log.jsonl")
        return [json.loads(line) for line in path.read_bytes().splitlines()]

    def records(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.log if record["kind"] == kind]


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    (tmp_path / "ws").mkdir()
    return Agent(tmp_path, common={"prompt_id": "p1"})


def test_a_write_leaves_what_stood_there_before_and_after(agent: Agent) -> None:
    (agent.work / "a.txt").write_text("old")
    agent.event("UserPromptSubmit", prompt="hello")

    agent.write("a.txt", "new", call="t1")
    (agent.work / "b").mkdir()
    agent.write("b/../c.txt", "made", call="t2")

    first, second = agent.records("before")
    assert (first["path"], first["call"], first["prompt"]) == (str(agent.work / "a.txt"), "t1", "p1")
    assert first["state"]["size"] == 3
    assert second["state"] == {"kind": "absent"}
    assert [after["state"]["size"] for after in agent.records("after")] == [3, 4]
    assert agent.records("prompt") == [{"kind": "prompt", "id": "p1"}]
    blob = agent.state / "blobs" / first["state"]["sha256"][:2] / first["state"]["sha256"]
    assert blob.read_bytes() == b"old"


def test_a_failed_tool_is_recorded_as_failed(agent: Agent) -> None:
    about = {"tool_name": "Edit", "tool_input": {"file_path": str(agent.work / "x")}, "tool_use_id": "t1"}

    agent.event("PreToolUse", **about)
    agent.event("PostToolUseFailure", **about, error="no")

    assert agent.records("after")[0]["failed"] is True


def test_what_a_command_did_is_found(agent: Agent) -> None:
    """S14."""
    (agent.work / "keep").write_text("1")
    about = {"tool_name": "Bash", "tool_input": {"command": "…"}, "tool_use_id": "t1"}

    agent.event("PreToolUse", **about)
    (agent.work / "made").write_text("2")
    (agent.work / "keep").unlink()
    agent.event("PostToolUse", **about, tool_response={"stdout": ""})

    (scanned,) = agent.records("scanned")
    assert {Path(change["path"]).name for change in scanned["changes"]} == {"made", "keep"}


def test_a_background_command_is_a_task_until_the_agent_no_longer_lists_it(agent: Agent) -> None:
    about = {"tool_name": "Bash", "tool_input": {"command": "…", "run_in_background": True}, "tool_use_id": "t1"}
    agent.event("PreToolUse", **about)
    agent.event("PostToolUse", **about, tool_response={"backgroundTaskId": "b1"})

    agent.event("Stop", background_tasks=[{"id": "b1", "type": "shell", "status": "running"}])
    assert agent.records("task-end") == []
    agent.event("Stop", background_tasks=[])

    assert [(one["id"], one["task"]) for one in agent.records("actor")] == [("b1", "shell")]
    assert [one["id"] for one in agent.records("task-end")] == ["b1"]


def test_a_sub_agent_is_an_actor_of_the_prompt_it_was_launched_in(agent: Agent) -> None:
    """Story 3."""
    agent.event("SubagentStart", agent_id="a1", agent_type="general-purpose")
    agent.write("n", "x", call="t1", agent_id="a1", prompt_id="p1")

    assert agent.records("actor")[0] == {"kind": "actor", "id": "a1", "parent": None, "task": None, "prompt": "p1"}
    assert agent.records("before")[0]["actor"] == "a1"


def test_wave_names_neither_prompts_nor_calls_and_is_understood_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    wave = Agent(tmp_path, name="wave")
    wave.transcript.write_text("{}\n{}\n")
    wave.event("UserPromptSubmit", user_prompt="hello")

    about = {"tool_name": "Write", "tool_input": {"file_path": str(wave.work / "a")}}
    wave.event("PreToolUse", **about)
    (wave.work / "a").write_text("x")
    wave.event("PostToolUse", **about, tool_response={})
    wave.event("PreToolUse", tool_name="Bash", tool_input={"command": "…"})
    wave.event("PostToolUse", tool_name="Bash", tool_input={"command": "…"}, tool_response={})

    assert wave.records("prompt") == [{"kind": "prompt", "id": "", "after": 2}]
    assert len(wave.records("after")) == len(wave.records("scanned")) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"hook_event_name": 1}',
        b'{"hook_event_name": "PreToolUse"}',
        b"[" * 9999,
    ],
)
def test_whatever_comes_in_the_agent_goes_on(agent: Agent, data: bytes) -> None:
    """It must never block or break the agent."""
    done = agent.raw(data)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_with_a_store_that_cannot_be_written_the_agent_goes_on(agent: Agent) -> None:
    """Done when: "with our store made read-only the agent works on"."""
    agent.state.mkdir(mode=0o500)
    agent.prefix = WITHOUT_RIGHTS if os.geteuid() == 0 else ()

    agent.event("UserPromptSubmit", prompt="hello")
    agent.write("a.txt", "new", call="t1")

    assert list(agent.state.iterdir()) == []
    assert (agent.work / "a.txt").read_text() == "new"


def test_what_could_not_be_done_is_in_the_log_for_people(agent: Agent) -> None:
    (agent.state / "changes").mkdir(parents=True, mode=0o500)
    agent.prefix = WITHOUT_RIGHTS if os.geteuid() == 0 else ()

    agent.event("UserPromptSubmit", prompt="hello")

    assert "PermissionError" in (agent.state / "hooks" / "failures.log").read_text()


def test_a_hook_imports_nothing_but_the_standard_library_and_little_of_that(agent: Agent) -> None:
    """Design, "Capture": the hook process must be light."""
    payload: Mapping[str, Any] = {
        "hook_event_name": "PreToolUse",
        "transcript_path": str(agent.transcript),
        "cwd": str(agent.work),
        "tool_name": "Write",
        "tool_input": {"file_path": str(agent.work / "a")},
        "tool_use_id": "t",
    }

    done = agent.raw(json.dumps(payload).encode(), "-I", "-S", "-X", "importtime")

    names = [line.rpartition(b"|")[2].strip().decode() for line in done.stderr.splitlines() if b"|" in line]
    heavy = {"dataclasses", "typing", "enum", "re", "json", "hashlib", "inspect", "logging", "contextlib", "subprocess"}
    assert agent.records("before")
    assert not heavy.intersection(names)
    assert not [
        name for name in names if name.split(".")[0] not in {*sys.stdlib_module_names, "respool", "imported package"}
    ]
    assert not [name for name in names if name.startswith(("respool.model", "respool.engine", "respool.storage.sql"))]
