"""Every checkpoint of every recorded Wave session: list, transcript, tree, and undo."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.harness.door import Door
from tests.harness.place import Place
from tests.harness.tree import State, files_of, folders_of, picture
from tests.naive import reading, restoring
from tests.recorded.library import CHECKPOINTS, RECORDINGS, LaidOut, Recorded, extract


def door(place: Place, laid: LaidOut) -> Door:
    return Door(home=laid.home, state=place.state, cwd=laid.demo)


def trees(root: Path) -> dict[str, State]:
    """The part of a home that the recordings hold: workspace and to-do lists."""
    home = root / "home" / "ana"
    found = {f"demo/{name}": value for name, value in picture(home / "demo").items()}
    tasks = {f".wave/tasks/{name}": value for name, value in picture(home / ".wave" / "tasks").items()}
    return found | tasks


def recorded_tree(case: str, ident: str, scratch: Path) -> dict[str, State]:
    extract(case, ident, scratch)
    return trees(scratch)


@pytest.mark.parametrize(("case", "session"), RECORDINGS)
def test_the_list_is_that_of_the_real_wave(case: str, session: str, place: Place) -> None:
    recorded = Recorded(case, session)
    laid = recorded.lay_out(place)

    listed = door(place, laid).ask("checkpoints", str(laid.transcript))["checkpoints"]
    sessions = door(place, laid).ask("sessions")["sessions"]

    rows = recorded.facts["checkpoints"]
    assert [(row["id"], row["line"]) for row in listed] == [(row["id"], row["first"]) for row in rows]
    assert [row["preview"] for row in listed] == [row["preview"] for row in rows]
    (mine,) = [row for row in sessions if row["sessionId"] == session]
    assert (mine["createdAt"] is not None) == recorded.facts["header"]
    assert not any(row["sessionId"].startswith("subagent") for row in sessions)


@pytest.mark.parametrize(("case", "session", "ident"), CHECKPOINTS)
def test_a_rewind_brings_transcript_and_tree_back_to_the_moment_before_the_prompt(
    case: str, session: str, ident: str, place: Place
) -> None:
    recorded = Recorded(case, session)
    right = recorded.checkpoint(ident)
    laid = recorded.lay_out(place)
    data, start = laid.transcript.read_bytes(), trees(place.root)
    command = door(place, laid)

    plan = command.ask("plan", str(laid.transcript), "--to", ident)
    consents = ["--outside", "--live"]
    done = command.ask("rewind", str(laid.transcript), "--to", ident, "--digest", plan["digest"], *consents)

    assert plan["target"] == {"id": ident, "line": right["first"]}
    assert reading.matches_cut(laid.transcript.read_bytes(), data, right["first"])
    assert done["inputContent"] == right["inputContent"]
    assert done["notRestored"] == []
    assert_tree(recorded, right, laid, start, place)
    assert_folders(recorded, ident, done, place)
    assert_unrecorded_is_announced(right, plan)

    command.ask("undo", str(laid.transcript), "--live")

    assert trees(place.root) == start
    assert laid.transcript.read_bytes() == data


def assert_tree(
    recorded: Recorded, right: dict[str, Any], laid: LaidOut, start: dict[str, State], place: Place
) -> None:
    """The files are those before the prompt, but for those no record can bring back."""
    tree = files_of(recorded_tree(recorded.case, right["id"], place.root / "scratch"))
    now = files_of(trees(place.root))
    unreachable = {path.removeprefix("/home/ana/"): why for path, why in right["unreachable"].items()}
    assert {name: now.get(name) for name in {*tree, *now} - {*unreachable}} == {
        name: tree.get(name) for name in {*tree, *now} - {*unreachable}
    }
    recorded_names = {path.removeprefix("/home/ana/") for path in right["files_in_records"]}
    for name, why in unreachable.items():
        assert (name in now) == (why != "missing")
        assert now.get(name) != tree.get(name)
        if name not in recorded_names:
            assert now.get(name) == start.get(name)
    out = laid.home / "other" / "out.txt"
    if recorded.case == "outside_git":
        assert not out.exists()


def assert_folders(recorded: Recorded, ident: str, done: dict[str, Any], place: Place) -> None:
    """Wave's records do not say who made a folder: one that ends empty stays, and is named."""
    tree = folders_of(recorded_tree(recorded.case, ident, place.root / "scratch"))
    now = folders_of(trees(place.root))
    named = " ".join(warning["text"] for warning in done["warnings"] if warning["code"] == "empty_folder_left")
    assert tree <= now
    for name in now - tree:
        folder = place.root / "home" / "ana" / name
        if not os.listdir(folder):
            assert str(folder) in named


def assert_unrecorded_is_announced(right: dict[str, Any], plan: dict[str, Any]) -> None:
    """A file that no record can bring back is due to a tool the plan names."""
    unrecorded = {path for path in right["unreachable"] if path not in right["files_in_records"]}
    if unrecorded and right["name"] not in ("other",):
        assert "not_captured" in {warning["code"] for warning in plan["warnings"]}


@pytest.mark.parametrize(("case", "session", "ident"), CHECKPOINTS)
def test_the_naive_reading_of_the_records_agrees_with_the_recorded_tree(
    case: str, session: str, ident: str, place: Place
) -> None:
    recorded = Recorded(case, session)
    right = recorded.checkpoint(ident)
    laid = recorded.lay_out(place)
    data = laid.transcript.read_bytes()

    wanted, unknown = restoring.wanted(data, reading.kept_lines(data, right["first"]))

    tree = recorded_tree(case, ident, place.root / "scratch")
    root = place.root / "scratch" / "home" / "ana"
    assert unknown == set()
    assert set(wanted) == {laid.path(path) for path in right["files_in_records"]}
    for path, content in wanted.items():
        name = os.path.relpath(path, laid.home)
        if f"/home/ana/{name}" not in right["unreachable"] and not name.startswith("other/"):
            assert (name in tree) == (content is not None)
            assert content is None or (root / name).read_bytes() == content


def test_an_outside_target_is_refused_left_or_restored_as_consented(place: Place) -> None:
    recorded = Recorded("outside_git", "24cb54ae-9881-4562-bf2d-26a2f1015dcc")
    laid = recorded.lay_out(place)
    command = door(place, laid)
    ident = recorded.facts["checkpoints"][3]["id"]
    out, data = laid.home / "other" / "out.txt", laid.transcript.read_bytes()

    plan = command.ask("plan", str(laid.transcript), "--to", ident)
    refusal = command.refused("outside_workspace", "rewind", str(laid.transcript), "--to", ident)

    assert [file["path"] for file in plan["files"] if file["outside"]] == [str(out)]
    assert plan["notRestorable"] == []
    assert refusal.error["needs"] == ["outside"]
    assert out.read_text() == "outside\n"
    assert laid.transcript.read_bytes() == data

    done = command.ask("rewind", str(laid.transcript), "--to", ident, "--partial")

    assert [left["path"] for left in done["notRestored"]] == [str(out)]
    assert out.read_text() == "outside\n"
