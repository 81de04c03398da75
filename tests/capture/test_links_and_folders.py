"""Links and folders that commands made, changed and removed, and a rewind that is broken while it brings them back."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.capture.host import SESSION, host, transcript
from tests.harness.place import Place, quieten
from tests.harness.tree import State, picture, state
from tests.kill.strace import Point, broken_at, killed_at, points

REWIND = ("rewind", SESSION, "--to", "msg-u2", "--json")
COMMANDS = {
    "a link is made": "ln -s target.txt new-link; ln -s nowhere dangling; ln -s folder to-folder",
    "a link is removed": "rm link",
    "a link is changed": "ln -sfn other.txt link",
    "a file becomes a link": "rm target.txt; ln -s other.txt target.txt",
    "a link becomes a file": "rm link; echo file > link",
    "a folder becomes a link": "rm -r folder; ln -s other.txt folder",
    "a link becomes a folder": "rm link; mkdir link; echo inside > link/inside.txt",
    "a link to a folder is replaced": "rm folder-link; ln -s .. folder-link",
    "folders are removed": "rm -r folder empty",
    "a folder is moved": "mv folder moved",
    "a mode of a folder is changed": "chmod 700 folder",
    "a file is edited through a link": "echo more >> link",
    "a name that is not UTF-8": "ln -s \"$(printf '\\377')\" \"$(printf 'n\\376')\"",
    "all at once": "rm -r folder link empty; ln -s other.txt folder; mkdir -p link/deep; mv target.txt link/deep/t;"
    " ln -s t link/deep/l",
}


def lay(work: Path) -> None:
    """Two files, a folder with files, an empty one, links."""
    (work / "target.txt").write_text("target\n")
    (work / "other.txt").write_text("other\n")
    (work / "folder" / "inner").mkdir(parents=True)
    (work / "folder" / "a.txt").write_text("a\n")
    (work / "folder" / "inner" / "b.txt").write_text("b\n")
    (work / "empty").mkdir()
    (work / "link").symlink_to("target.txt")
    (work / "folder-link").symlink_to("folder")
    (work / "folder" / "l").symlink_to("inner")


def told(place: Place, command: str) -> None:
    """A recorded session whose second turn runs a command."""
    lay(place.work)
    with host(place) as agent:
        agent.turn(1)
        agent.do("user", id="msg-u2", text="run it")
        token = agent.do("shell-before", command=command)["token"]
        subprocess.run(["sh", "-c", command], cwd=place.work, check=True)
        agent.do("shell-after", token=token)
        agent.do("assistant", id="msg-a2", text="done")
    quieten(transcript(place))


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_what_a_command_did_to_links_and_folders_goes_back_and_comes_again(place: Place, command: str) -> None:
    """Story 2; S10: the link is put back, nothing is written through it."""
    lay(place.work)
    before = picture(place.work)
    for name in ("folder-link", "link"):
        (place.work / name).unlink()
    subprocess.run(["rm", "-r", "folder", "empty", "target.txt", "other.txt"], cwd=place.work, check=True)
    told(place, command)
    after = picture(place.work)
    assert after != before

    done = place.door.ask("rewind", SESSION, "--to", "msg-u2")

    assert done["notRestored"] == []
    assert picture(place.work) == before
    place.door.ask("undo", SESSION)
    assert picture(place.work) == after


def test_a_link_somebody_else_put_there_since_is_overwritten_marked_and_comes_back(place: Place) -> None:
    """S7: like any file that was changed since."""
    told(place, "rm link; echo file > link")
    (place.work / "link").unlink()
    (place.work / "link").symlink_to("the-users")

    plan = place.door.ask("plan", SESSION, "--to", "msg-u2")
    (change,) = plan["files"]
    assert change["changedSince"] is True
    place.door.ask("rewind", SESSION, "--to", "msg-u2")
    assert os.readlink(place.work / "link") == "target.txt"
    place.door.ask("undo", SESSION)
    assert os.readlink(place.work / "link") == "the-users"


BROKEN: dict[str, Callable[[Place, Point], object]] = {
    "failing": lambda place, point: broken_at(place.door, place.root, point, "error=EIO", *REWIND),
    "killed": lambda place, point: killed_at(place.door, place.root, point, *REWIND),
}


@pytest.mark.parametrize("how", BROKEN)
def test_broken_at_any_call_the_workspace_is_old_or_new_and_nothing_is_left_over(place: Place, how: str) -> None:
    """S22, for links and folders."""
    told(place, COMMANDS["all at once"])
    after = picture(place.work)
    chosen = [point for point in points(place.door, place.root, *REWIND) if "/ws/" in point.text]
    before = picture(place.work)
    place.door.ask("undo", SESSION)
    quieten(transcript(place))
    assert {point.name for point in chosen} >= {"symlinkat", "mkdirat"}, chosen
    for point in chosen:
        BROKEN[how](place, point)
        place.door.ask("sessions")

        now = picture(place.work)

        assert now in (before, after), f"{point}: {differing(now, after)}"
        statuses = {one["status"] for one in place.door.ask("operations", SESSION)["operations"]}
        assert statuses <= {"completed", "failed"}, str(point)
        if now == before:
            place.door.ask("undo", SESSION)
        assert state(place.work / "link" / "deep" / "l") == ("link", "t", 0o777)
        quieten(transcript(place))


def differing(one: dict[str, State], other: dict[str, State]) -> dict[str, object]:
    return {
        name: (one.get(name), other.get(name)) for name in one.keys() | other.keys() if one.get(name) != other.get(name)
    }
