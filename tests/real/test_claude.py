"""The real Claude Code with our hooks: every prompt can be gone back to, and the fork is a session it goes on with."""

import json
import shutil

import pytest

from tests.harness.tree import State, picture
from tests.real.agent import Person
from tests.real.calls import bash, delegate, edit, read, write
from tests.real.stub import texts

PROMPTS = ("P1 write", "P2 shell", "P3 delegate", "P4 fails", "P5 nothing", "P6 last")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """One session with every way to change a file, each in a turn of its own."""
    person = Person(tmp_path_factory.mktemp("real") / "person")
    work = person.work
    (work / "old.txt").write_bytes(b"old \xff\r\n")
    (work / "gone.txt").write_bytes(b"will be deleted")
    (work / "moved.txt").write_bytes(b"will be moved")
    (work / "edited.txt").write_text("one\ntwo\n")
    (work / "run.sh").write_text("#!/bin/sh\n")
    (work / "run.sh").chmod(0o640)
    assert person.door.run("hooks", "install", "claude").code == 0
    person.says("P1 write", write(work / "new.txt", "by Write\n"), read(work / "edited.txt"),
                edit(work / "edited.txt", "two", "zwei"))  # fmt: skip
    person.says("P2 shell", bash("printf more >> old.txt; rm gone.txt; mkdir -p deep/er; mv moved.txt deep/er/m.txt"),
                bash("chmod 755 run.sh; ln -s old.txt link; echo x > new.txt"))  # fmt: skip
    (work / "users.txt").write_text("by the user, between two prompts")
    person.says("P3 delegate", delegate("S1 do it", write(work / "sub.txt", "by a sub-agent\n"),
                bash("echo shell of a sub-agent > subsh.txt; echo again >> old.txt")))  # fmt: skip
    person.says("P4 fails", bash("echo half > half.txt; exit 3"), edit(work / "missing.txt", "a", "b"))
    person.says("P5 nothing")
    person.says("P6 last", bash("rm -rf deep users.txt; echo end > edited.txt"))
    person.ends()
    shutil.copytree(person.root, person.root.with_name("kept"), symlinks=True)
    return person


@pytest.fixture
def person(recorded: Person) -> Person:
    """The person at the end of that session, everything at its place."""
    shutil.rmtree(recorded.root)
    shutil.copytree(recorded.root.with_name("kept"), recorded.root, symlinks=True)
    return recorded


def before_calls(text: object) -> str:
    """A prompt without what only the stub is told."""
    return str(text).partition(" CALLS")[0]


def kept_by_user(person: Person, number: int) -> dict[str, State]:
    """What the user made between two prompts is no agent's: only its deletion by P6 is taken back."""
    return {"users.txt": person.trees[3]["users.txt"]} if number < 3 else {}


@pytest.mark.parametrize("number", range(6))
def test_at_every_prompt_the_tree_is_that_of_the_moment_before_it(person: Person, number: int) -> None:
    """Stories 2 and 3: by Write, Edit, shell and sub-agent; the original transcript stays as it is; undo."""
    original = person.transcript.read_bytes()
    rows = person.door.ask("checkpoints", person.session)["checkpoints"]
    assert tuple(before_calls(row["preview"]) for row in rows) == PROMPTS

    plan = person.door.ask("plan", person.session, "--to", rows[number]["id"])
    assert plan["notRestorable"] == []
    assert [one["code"] for one in plan["warnings"] if one["code"] == "not_captured"] == []
    person.door.ask("rewind", person.session, "--to", rows[number]["id"], "--digest", plan["digest"])

    found = picture(person.work)
    person.door.ask("undo", person.session)
    assert found == {**person.trees[number], **kept_by_user(person, number)}
    assert picture(person.work) == person.trees[6]
    assert person.transcript.read_bytes() == original


@pytest.mark.parametrize("number", range(1, 6))
def test_the_real_agent_goes_on_with_the_fork_and_knows_nothing_of_what_was_removed(
    person: Person, number: int
) -> None:
    """S16: what the model is sent holds the kept prompts and none of the removed."""
    rows = person.door.ask("checkpoints", person.session)["checkpoints"]
    original = person.transcript.read_bytes()
    fork = person.door.ask("rewind", person.session, "--to", rows[number]["id"])["forkedTo"]

    requests = person.says("and now?", session=fork)

    person.trees.pop()
    sent = [before_calls(text) for message in requests[-1]["messages"] for text in texts(message)]
    assert [text for text in sent if text[0] == "P"] == list(PROMPTS[:number])
    assert sent[-1] == "and now?"
    for body in requests:
        assert not [prompt for prompt in PROMPTS[number:] if prompt in json.dumps(body)]
    assert person.transcript.read_bytes() == original
    assert picture(person.work) == {**person.trees[number], **kept_by_user(person, number)}
