"""The real Claude Code with our hooks in its settings: they never get in its way, and go without a trace."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.harness.tree import State, picture
from tests.real.agent import TIMEOUT_S, TOOLS, Call, Person, scripted
from tests.real.calls import bash, delegate, edit, read, write
from tests.real.install import install
from tests.real.sealed import Sealed
from tests.real.stub import blocks

SETTINGS = b'{\r\n\t"permissions" : { "allow": [ "Bash(ls:*)" ],"deny":[] } ,\r\n  "cleanupPeriodDays": 1e3 }'


def ordinary(person: Person, text: str, *calls: Call) -> tuple[int, Any, str, list[str], dict[str, State]]:
    """One prompt, run without root's rights: status, answer, stderr, what the tools told the model, the tree."""
    log = person.root / "requests.jsonl"
    sealed = Sealed(home=person.home, cwd=person.work, log=log, ordinary=True)
    options = ("--permission-mode", "acceptEdits", "--allowedTools", TOOLS, "--output-format", "json")
    process = sealed.start(str(install()[0]), "-p", scripted(text, *calls), "--session-id", person.session, *options)
    try:
        out, err = process.communicate(timeout=TIMEOUT_S)
    finally:
        process.terminate()
    bodies = [json.loads(line)["body"] for line in log.read_bytes().splitlines()]
    told = [
        json.dumps(block["content"]).replace(str(person.root), "")
        for message in bodies[-1]["messages"]
        for block in blocks(message)
        if block["type"] == "tool_result" and block["tool_use_id"]
    ]
    return process.returncode, json.loads(out)["result"], err.decode(), told, picture(person.work)


def everything(work: Path) -> tuple[Call, ...]:
    return (
        write(work / "a.txt", "a\n"),
        read(work / "old.txt"),
        edit(work / "old.txt", "old", "new"),
        bash("echo b > b.txt; rm gone.txt"),
        bash("echo told >&2; exit 3"),
    )


def a_project(root: Path) -> Person:
    person = Person(root)
    (person.work / "old.txt").write_text("old\n")
    (person.work / "gone.txt").write_text("gone\n")
    return person


def test_with_a_state_folder_that_cannot_be_written_the_agent_runs_as_without_hooks(tmp_path: Path) -> None:
    """Done when: "with our store made read-only the agent works on"."""
    bare, hooked = a_project(tmp_path / "bare"), a_project(tmp_path / "hooked")
    assert hooked.door.run("hooks", "install", "claude").code == 0
    for folder, _, files in os.walk(hooked.state, topdown=False):
        for name in files:
            os.chmod(os.path.join(folder, name), 0o400)
        os.chmod(folder, 0o500)
    state = picture(hooked.state)

    found = ordinary(hooked, "P1", *everything(hooked.work))

    assert found == ordinary(bare, "P1", *everything(bare.work))
    assert found[:2] == (0, "done")
    assert len(found[3]) == 5
    assert picture(hooked.state) == state


@pytest.mark.parametrize("before", [None, SETTINGS, b"", b"{}"], ids=["none", "odd", "empty", "braces"])
def test_taken_out_again_the_settings_are_byte_for_byte_what_they_were(tmp_path: Path, before: bytes | None) -> None:
    """The agent has used them meanwhile; afterwards nothing of it is recorded any more."""
    person = a_project(tmp_path / "real")
    if before is not None:
        person.settings.parent.mkdir()
        person.settings.write_bytes(before)
    assert person.door.run("hooks", "install", "claude").code == 0
    person.says("P1", bash("echo 1 > one.txt"), delegate("S1", write(person.work / "sub.txt", "s\n")))
    (log,) = person.state.glob("changes/*/log.jsonl")
    recorded = log.read_bytes()

    assert person.door.run("hooks", "remove", "claude").code == 0
    person.says("P2", bash("echo 2 > two.txt"))

    assert (person.settings.read_bytes() if person.settings.exists() else None) == before
    assert b"sub.txt" in recorded
    assert log.read_bytes() == recorded
