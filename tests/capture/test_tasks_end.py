"""A rewind and the background tasks of the turns it takes out: story 3, scenario 2; S12; SA-03."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from tests.capture.host import SESSION, Host, host, records, transcript
from tests.harness.place import Place, quieten

TICKING = """
import os, sys, time
path = sys.argv[1]
if len(sys.argv) > 2:
    if os.fork():
        os.wait()
while True:
    with open(path, "a") as file:
        file.write("tick\\n")
    time.sleep(0.01)
"""


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes of a test; whatever is left of them ends with it."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        for child in psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []:
            child.kill()
        process.kill()
        process.wait()


def ticking(place: Place, name: str, started: list[subprocess.Popen[bytes]], *child: str) -> "subprocess.Popen[bytes]":
    """A process (with ``child``: its child) that writes every 10 ms."""
    command = [sys.executable, "-c", TICKING, str(place.work / name), *child]
    process = subprocess.Popen(command, start_new_session=True)
    started.append(process)
    while not (place.work / name).exists():
        os.sched_yield()
    return process


def family(process: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    root = psutil.Process(process.pid)
    return [root, *root.children(recursive=True)]


def running(processes: list[psutil.Process]) -> list[int]:
    return [one.pid for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


def launched(
    agent: Host, place: Place, task: str, started: list[subprocess.Popen[bytes]], *child: str
) -> list[psutil.Process]:
    """A background command of the agent, told the way a host tells it."""
    token = agent.do("shell-before", command="tick &")["token"]
    process = ticking(place, f"{task}.txt", started, *child)
    agent.do("shell-after", token=token)
    agent.do("task-start", id=task, kind="shell", pid=process.pid, description=f"ticks into {task}.txt")
    return family(process)


def rewind(place: Place, to: str, *args: str) -> dict[str, Any]:
    quieten(transcript(place))
    return place.door.ask("rewind", SESSION, "--to", to, *args)


def test_a_task_of_a_removed_turn_is_stopped_with_its_child_and_an_earlier_one_runs_on(
    place: Place, started: list[subprocess.Popen[bytes]]
) -> None:
    """Done when: it never writes again; one started earlier runs on."""
    (place.work / "kept.txt").write_text("kept")
    with host(place) as agent:
        agent.turn(1)
        earlier = launched(agent, place, "earlier", started)
        agent.turn(2)
        later = launched(agent, place, "later", started, "with a child")
        assert len(later) == 2
        plan = place.door.ask("plan", SESSION, "--to", "msg-u2")
        assert [(one["id"], one["kind"], one["stoppable"]) for one in plan["tasks"]] == [("later", "shell", True)]

        done = rewind(place, "msg-u2", "--digest", plan["digest"])

        assert done["stoppedTasks"] == ["later"]
        assert running(later) == []
        assert running(earlier) == [one.pid for one in earlier]
        assert not (place.work / "later.txt").exists()
        assert (place.work / "earlier.txt").exists()
        assert (place.work / "kept.txt").read_text() == "kept"
        assert agent.event()["event"] == "rewound"
        agent.refused("rewound", "before", path="late.txt", actor="later")
        agent.refused("rewound", "task-start", id="later", kind="shell")


def test_a_file_that_a_kept_task_goes_on_writing_needs_consent_and_ends_whole(
    place: Place, started: list[subprocess.Popen[bytes]]
) -> None:
    """S12: restored like any other, warned about; whatever the task writes meanwhile, nothing is left to repair."""
    with host(place) as agent:
        agent.turn(1)
        earlier = launched(agent, place, "earlier", started)
        agent.turn(2)
        agent.write("earlier.txt", "by the main agent\n")
        token = agent.do("shell-before", command="true")["token"]
        agent.do("shell-after", token=token)
        plan = place.door.ask("plan", SESSION, "--to", "msg-u2")
        assert "shared_with_running_task" in {notice["code"] for notice in plan["warnings"]}
        quieten(transcript(place))
        place.door.refused("not_restorable", "rewind", SESSION, "--to", "msg-u2")

        done = rewind(place, "msg-u2", "--partial")

        assert done["operation"]["status"] == "completed"
        assert running(earlier) == [one.pid for one in earlier]
        assert "by the main agent" not in (place.work / "earlier.txt").read_text()
    assert [one["status"] for one in place.door.ask("operations", SESSION)["operations"]] == ["completed"]


def test_undo_brings_back_what_the_task_had_written_and_does_not_start_it_again(
    place: Place, started: list[subprocess.Popen[bytes]]
) -> None:
    """S8, S12."""
    with host(place) as agent:
        agent.turn(1)
        agent.turn(2)
        later = launched(agent, place, "later", started)
        rewind(place, "msg-u2")

    place.door.ask("undo", SESSION)

    assert running(later) == []
    assert set((place.work / "later.txt").read_text().splitlines()) == {"tick"}


def test_a_task_inside_the_host_is_ended_by_the_host(place: Place) -> None:
    """Contract: the host answers `stop` with `task-end`."""
    with host(place) as agent:
        agent.turn(1)
        agent.do("user", id="msg-u2", text="delegate")
        agent.do("task-start", id="sub", kind="agent", description="long scan")
        agent.write("notes.md", "by the sub-agent", actor="sub")
        quieten(transcript(place))
        going = place.door.start("rewind", SESSION, "--to", "msg-u2", "--yes", "--json")
        assert agent.event() == {"event": "stop", "task": "sub"}
        agent.do("task-end", id="sub", status="stopped")
        out, _ = going.communicate(timeout=60)

        assert going.returncode == 0, out
        assert b'"stoppedTasks":["sub"]' in out.replace(b'": [', b'":[')
        assert not (place.work / "notes.md").exists()
        agent.refused("rewound", "before", path="late.md", actor="sub")


def test_a_host_that_does_not_stop_its_task_is_a_refusal_and_nothing_changes(place: Place) -> None:
    """Contract: unanswered for 5 s is `task_not_stopped`."""
    with host(place) as agent:
        agent.turn(1)
        agent.do("user", id="msg-u2", text="delegate")
        agent.do("task-start", id="sub", kind="agent")
        agent.write("notes.md", "by the sub-agent", actor="sub")
        quieten(transcript(place))
        before = transcript(place).read_bytes()

        place.door.refused("task_not_stopped", "rewind", SESSION, "--to", "msg-u2")

        assert transcript(place).read_bytes() == before
        assert (place.work / "notes.md").read_text() == "by the sub-agent"
        assert [one["status"] for one in place.door.ask("operations", SESSION)["operations"]] == ["failed"]
        agent.write("more.md", "it goes on", actor="sub")


def test_a_task_nobody_can_reach_needs_consent(place: Place) -> None:
    """S12: `stoppable: false` needs `--live`."""
    with host(place) as agent:
        agent.turn(1)
        agent.do("user", id="msg-u2", text="delegate")
        agent.do("task-start", id="sub", kind="agent")
        agent.write("notes.md", "by the sub-agent", actor="sub")
    quieten(transcript(place))

    plan = place.door.ask("plan", SESSION, "--to", "msg-u2")
    assert [one["stoppable"] for one in plan["tasks"]] == [False]
    place.door.refused("live_agent", "rewind", SESSION, "--to", "msg-u2")
    assert (place.work / "notes.md").exists()

    assert rewind(place, "msg-u2", "--live")["stoppedTasks"] == []
    assert not (place.work / "notes.md").exists()


def test_a_turn_that_is_open_refuses_and_no_consent_overrides_it(place: Place) -> None:
    """S13."""
    with host(place) as agent:
        agent.turn(1)
        agent.do("user", id="msg-u2", text="go")
        agent.do("turn-start")
        quieten(transcript(place))

        place.door.refused("busy", "rewind", SESSION, "--to", "msg-u2", "--live", "--partial")
        agent.do("turn-end")

        rewind(place, "msg-u2")


def test_a_rewind_killed_after_it_stopped_a_task_is_settled_by_the_next_start(
    place: Place, started: list[subprocess.Popen[bytes]]
) -> None:
    """S22: stopping is repeated, and does no harm."""
    with host(place) as agent:
        agent.turn(1)
        agent.turn(2, {"a.txt": "made"})
        later = launched(agent, place, "later", started)
        quieten(transcript(place))
        going = place.door.start("rewind", SESSION, "--to", "msg-u2", "--yes", "--json")
        while running(later):
            os.sched_yield()
        going.send_signal(signal.SIGKILL)
        going.communicate(timeout=60)

    place.door.ask("sessions")

    (operation,) = place.door.ask("operations", SESSION)["operations"]
    gone = not (place.work / "a.txt").exists()
    assert operation["status"] == ("completed" if gone else "failed")
    assert not [one for one in records(place) if one["kind"] == "cut"] or gone
    assert running(later) == []


def test_the_transcript_of_a_removed_sub_agent_is_put_away_and_comes_back_with_undo(place: Place) -> None:
    """S20; story 3: a child with a recorder and a queue of its own."""
    with host(place) as agent:
        agent.turn(1)
        agent.do("user", id="msg-u2", text="delegate")
        agent.do("task-start", id="child", kind="agent")
        child = transcript(place).with_name("subagent-child.jsonl")
        with host(place, str(child)) as inner:
            inner.do("user", id="msg-s1", text="write notes")
            inner.write("own.md", "by the child itself")
            inner.do("task-start", id="grandchild", kind="agent")
            inner.write("deep.md", "by its own sub-agent", actor="grandchild")
            inner.do("task-end", id="grandchild", status="completed")
            inner.do("assistant", id="msg-s2", text="done")
        agent.write("notes.md", "told by the parent", actor="child")
        agent.do("task-end", id="child", status="completed")
        agent.do("assistant", id="msg-a2", text="done")
        quieten(transcript(place))
        data = child.read_bytes()

        rewind(place, "msg-u2")

        assert not child.exists()
        assert [name for name in ("notes.md", "own.md", "deep.md") if (place.work / name).exists()] == []
    place.door.ask("undo", SESSION)
    assert child.read_bytes() == data
    assert (place.work / "deep.md").read_text() == "by its own sub-agent"


def test_a_child_that_edits_with_its_parent_is_put_in_order_with_it(place: Place) -> None:
    """SA-05: one log, one order; and what a late child does goes with the message that launched it."""
    (place.work / "log.md").write_text("L0")
    with host(place) as agent:
        agent.turn(1)
        agent.do("user", id="msg-u2", text="both of you")
        agent.do("task-start", id="child", kind="agent")
        with host(place, str(transcript(place).with_name("subagent-child.jsonl"))) as inner:
            agent.write("log.md", "L1 main")
            inner.write("log.md", "L2 sub")
            agent.write("log.md", "L3 main")
            inner.write("log.md", "L4 sub")
            agent.do("user", id="msg-u3", text="again")
            agent.write("log.md", "L5 main")
            inner.write("late.md", "after the next prompt")

            rewind(place, "msg-u3")
            assert (place.work / "log.md").read_text() == "L4 sub"
            assert (place.work / "late.md").exists()
            inner.write("log.md", "L6 sub")

            quieten(transcript(place))
            going = place.door.start("rewind", SESSION, "--to", "msg-u2", "--yes", "--json")
            assert agent.event()["event"] == "rewound"
            assert agent.event() == {"event": "stop", "task": "child"}
            agent.do("task-end", id="child", status="stopped")
            out, _ = going.communicate(timeout=60)
            assert going.returncode == 0, out
            inner.refused("rewound", "before", path="log.md")
            inner.refused("rewound", "assistant", id="msg-late", text="late")

    assert (place.work / "log.md").read_text() == "L0"
    assert not (place.work / "late.md").exists()
