"""Background commands of the real Claude Code: what they write later, and what is said of one that still runs."""

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.harness.tree import State, picture
from tests.real.agent import Person
from tests.real.calls import bash, write
from tests.real.conversation import Conversation, conversation, until

OUTPUT = ("bg.txt", "late.txt")


@dataclass(kw_only=True)
class Beside:
    """A conversation of three prompts; a background command of the second copies to a file what comes down a pipe."""

    talk: Conversation
    pipe: int

    @property
    def person(self) -> Person:
        return self.talk.person

    @property
    def work(self) -> Path:
        return self.talk.person.work

    @property
    def prompts(self) -> list[str]:
        return [str(row["id"]) for row in self.person.door.ask("checkpoints", self.person.session)["checkpoints"]]

    def feed(self) -> None:
        """Have it write one line, and wait until it did."""
        file = self.work / "bg.txt"
        size = file.stat().st_size if file.exists() else 0
        os.write(self.pipe, b"line\n")
        until(lambda: file.exists() and file.stat().st_size > size)

    def ends(self) -> None:
        """The command writes something else and ends, the agent hears of it and is closed."""
        os.close(self.pipe)
        self.pipe = -1
        self.talk.answer()
        self.talk.closes()


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Beside]:
    person = Person(tmp_path / "real")
    (person.work / "old.txt").write_text("old\n")
    assert person.door.run("hooks", "install", "claude").code == 0
    os.mkfifo(tmp_path / "pipe")
    copies = f'while read -r line; do echo "$line" >> bg.txt; done < {tmp_path}/pipe; echo late > late.txt'
    with conversation(person) as talk:
        beside = Beside(talk=talk, pipe=os.open(tmp_path / "pipe", os.O_RDWR))
        talk.says("P1 write", write(person.work / "a.txt", "a\n"), bash("echo more >> old.txt"))
        os.write(beside.pipe, b"first\n")
        talk.says("P2 background", bash(copies, run_in_background=True), bash("until test -s bg.txt; do :; done"))
        beside.feed()
        talk.says(
            "P3 beside it", bash("echo three > three.txt; mv a.txt moved.txt"), write(person.work / "w.txt", "w\n")
        )
        beside.feed()
        yield beside
    if beside.pipe >= 0:
        os.close(beside.pipe)


def without_output(tree: dict[str, State]) -> dict[str, State]:
    return {name: state for name, state in tree.items() if name not in OUTPUT}


def test_what_a_background_command_writes_later_goes_with_the_prompt_that_launched_it(beside: Beside) -> None:
    """S12: launched in the removed range, all of it goes; launched before it, all of it stays."""
    beside.ends()
    person = beside.person
    original, end = person.transcript.read_bytes(), person.trees[3]
    assert set(OUTPUT) <= set(end)

    for number, prompt in enumerate(beside.prompts):
        plan = person.door.ask("plan", person.session, "--to", prompt)
        done = person.door.ask("rewind", person.session, "--to", prompt)
        found = picture(person.work)
        person.door.ask("undo", person.session)

        assert (plan["tasks"], done["stoppedTasks"], done["notRestored"]) == ([], [], [])
        kept = {name: end[name] for name in OUTPUT} if number == 2 else {}
        assert found == {**person.trees[number], **kept}
        assert picture(person.work) == end
        assert person.transcript.read_bytes() == original


@pytest.mark.parametrize("number", [0, 1])
def test_a_background_command_that_runs_is_named_and_needs_consent(beside: Beside, number: int) -> None:
    """S12: "a task we cannot reach is in plan.tasks with stoppable:false and needs --live"; it is left running."""
    person, to = beside.person, beside.prompts[number]
    original, end = person.transcript.read_bytes(), picture(beside.work)

    (task,) = person.door.ask("plan", person.session, "--to", to)["tasks"]
    refused = person.door.refused("live_agent", "rewind", person.session, "--to", to)
    untouched = picture(beside.work)
    done = person.door.ask("rewind", person.session, "--to", to, "--live")
    found = picture(beside.work)
    person.door.ask("undo", person.session, "--live")

    assert (task["kind"], task["stoppable"]) == ("shell", False)
    assert "live" in refused.error["needs"]
    assert untouched == end
    assert done["stoppedTasks"] == []
    assert found == person.trees[number]
    assert picture(beside.work) == end
    assert person.transcript.read_bytes() == original
    beside.feed()
    beside.ends()


def test_a_command_that_was_not_stopped_writes_again_and_is_not_undone_unseen(beside: Beside) -> None:
    """S8: what was written since the rewind is marked as changed, and its bytes can be had after the undo."""
    person = beside.person
    person.door.ask("rewind", person.session, "--to", beside.prompts[1], "--live")
    beside.feed()
    again = (beside.work / "bg.txt").read_bytes()

    plan = person.door.ask("undo", person.session, "--dry-run", "--live")
    done = person.door.ask("undo", person.session, "--live", "--partial")

    (row,) = [row for row in plan["files"] if row["path"].endswith("bg.txt")]
    assert row["changedSince"] is True
    assert (beside.work / "bg.txt").read_bytes() == b"first\nline\nline\n"
    copies = person.root / "copies"
    assert person.door.run("recover", done["operation"]["id"], "--to", str(copies)).code == 0
    assert again in [path.read_bytes() for path in copies.rglob("bg.txt*")]


def test_against_a_command_that_never_pauses_a_rewind_is_whole_or_taken_back(beside: Beside) -> None:
    """S5: "drift found in apply: restores taken back, exit 4 with code stale_plan"."""
    person, to = beside.person, beside.prompts[1]
    end, over = without_output(picture(beside.work)), threading.Event()

    def feed() -> None:
        while not over.is_set():
            os.write(beside.pipe, b"line\n")

    feeder = threading.Thread(target=feed)
    feeder.start()
    try:
        answers = [person.door.run("rewind", person.session, "--to", to, "--live", "--json")]
    finally:
        over.set()
        feeder.join()

    for answer in answers:
        whole = answer.code == 0
        assert answer.code in (0, 4) or (answer.code, answer.error["code"]) == (3, "stale_plan"), str(answer)
        assert without_output(picture(beside.work)) == (without_output(person.trees[1]) if whole else end)


def test_of_a_background_command_launched_before_nothing_is_taken(beside: Beside) -> None:
    """S12: it keeps running, its edits stay; only the agent that has the session open asks for consent."""
    person, to = beside.person, beside.prompts[2]
    output = (beside.work / "bg.txt").read_bytes()

    plan = person.door.ask("plan", person.session, "--to", to)
    person.door.ask("rewind", person.session, "--to", to, "--live")

    assert plan["tasks"] == []
    assert without_output(picture(beside.work)) == without_output(person.trees[2])
    assert (beside.work / "bg.txt").read_bytes() == output
    beside.feed()
    beside.ends()


def test_an_agent_that_is_ended_takes_its_background_commands_along_and_says_so(beside: Beside) -> None:
    """Its last hook tells: there is nothing left to ask consent for."""
    person = beside.person

    left = beside.talk.is_sent(signal.SIGTERM)

    assert left == []
    end = picture(person.work)
    for number, prompt in enumerate(beside.prompts[:2]):
        assert person.door.ask("plan", person.session, "--to", prompt)["tasks"] == []
        person.door.ask("rewind", person.session, "--to", prompt)
        assert picture(person.work) == person.trees[number]
        person.door.ask("undo", person.session)
        assert picture(person.work) == end


def test_what_a_killed_agent_leaves_running_is_named_and_needs_consent(beside: Beside) -> None:
    """S12: nobody can tell whether it runs; nothing is said of it where it was launched before."""
    person = beside.person

    left = beside.talk.is_sent(signal.SIGKILL)

    assert any("done < " in one for one in left)
    first, _, third = beside.prompts
    assert person.door.ask("plan", person.session, "--to", third)["tasks"] == []
    (task,) = person.door.ask("plan", person.session, "--to", first)["tasks"]
    assert (task["kind"], task["stoppable"]) == ("shell", False)
    person.door.refused("live_agent", "rewind", person.session, "--to", first)
    end = picture(person.work)
    person.door.ask("rewind", person.session, "--to", first, "--live")
    assert picture(person.work) == person.trees[0]
    person.door.ask("undo", person.session, "--live")
    assert picture(person.work) == end
