"""What a scan leaves out, by rule; what changed in it is named, never silently missing and never taken for deleted."""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from respool.storage.files.scan_changes import ScanResult
from respool.storage.files.scan_rules import CACHE_TAG, Limits
from tests.scan.scene import Scene

Make = Callable[[Scene], object]

FOLDERS: dict[str, tuple[str, str, Make]] = {
    "git": (".git", "git", lambda scene: subprocess.run(["git", "init", "-q", scene.work], check=True)),
    "another version control": (".hg", "versions", lambda scene: scene.put(".hg/dirstate")),
    "packages": ("web/node_modules", "dependencies", lambda scene: scene.put("web/node_modules/left-pad/index.js")),
    "a virtual environment": ("env", "dependencies", lambda scene: scene.put("env/pyvenv.cfg")),
    "a tagged cache": (
        "out",
        "tagged_cache",
        lambda scene: scene.put("out/CACHEDIR.TAG", CACHE_TAG + b"\n# made by a tool"),
    ),
    "cargo's output": ("target", "build", lambda scene: (scene.put("Cargo.toml"), scene.put("target/debug/x"))),
    "gradle's": (".gradle", "build", lambda scene: scene.put(".gradle/x")),
}


def rules(scene: Scene, result: ScanResult) -> dict[str, str]:
    return {os.path.relpath(left_out["path"], scene.work): left_out["rule"] for left_out in result.excluded}


def changed(scene: Scene, result: ScanResult) -> dict[str, str | None]:
    """Relative path → reason."""
    return {os.path.relpath(change["path"], scene.work): change.get("reason") for change in result.changes}


def commit(work: Path, *, message: str = "x") -> None:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", *settings, "commit", "-q", "--allow-empty", "-m", message], cwd=work, check=True)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_left_out_is_silent_until_it_changes_and_is_then_named(scene: Scene, name: str) -> None:
    folder, rule, make = FOLDERS[name]
    make(scene)
    inside = scene.work / folder / "new"

    quiet = scene.window(lambda work: None)
    loud = scene.window(commit if name == "git" else lambda work: inside.write_text("x"))

    assert (quiet.changes, quiet.excluded) == ([], [])
    assert (loud.changes, rules(scene, loud)) == ([], {folder: rule})


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_left_out_that_appears_or_goes_is_named(scene: Scene, name: str) -> None:
    folder, rule, make = FOLDERS[name]
    (scene.work / folder).parent.mkdir(exist_ok=True)
    scene.put("Cargo.toml")

    appeared = scene.window(lambda work: make(scene))
    went = scene.window(lambda work: shutil.rmtree(work / folder))

    assert rules(scene, appeared) == {folder: rule}
    assert rules(scene, went) == {folder: rule}
    assert went.changes == []


def test_caches_that_tools_make_anew_are_not_worth_a_word(scene: Scene) -> None:
    result = scene.window(lambda work: [scene.put(f"{name}/x") for name in ("__pycache__", ".pytest_cache")])

    assert (result.changes, result.excluded) == ([], [])


def test_git_status_is_no_change_of_the_repository(scene: Scene) -> None:
    subprocess.run(["git", "init", "-q", scene.work], check=True)
    scene.put("a")

    result = scene.window(lambda work: subprocess.run(["git", "add", "a"], cwd=work, check=True))

    assert result.excluded == []


def test_dist_and_build_are_looked_into(scene: Scene) -> None:
    result = scene.window(lambda work: (scene.put("dist/a"), scene.put("build/b"), scene.put("target/c")))

    assert set(changed(scene, result)) == {"dist", "dist/a", "build", "build/b", "target", "target/c"}


def test_a_forged_cache_tag_hides_nothing(scene: Scene) -> None:
    result = scene.window(lambda work: scene.put("d/CACHEDIR.TAG", "Signature: something else"))

    assert "d/CACHEDIR.TAG" in changed(scene, result)


def test_a_tag_put_into_a_known_folder_does_not_make_its_files_look_deleted(scene: Scene) -> None:
    scene.put("d/a")

    result = scene.window(lambda work: scene.put("d/CACHEDIR.TAG", CACHE_TAG))
    later = scene.window(lambda work: scene.put("d/a", "after"))

    assert changed(scene, result) == {"d/CACHEDIR.TAG": None}
    assert changed(scene, later) == {"d/a": None}


def test_a_left_out_folder_that_loses_its_mark_does_not_make_its_files_look_new(scene: Scene) -> None:
    scene.put("env/pyvenv.cfg")
    scene.put("env/the/users.py")

    result = scene.window(lambda work: os.unlink(work / "env" / "pyvenv.cfg"))

    assert (changed(scene, result), rules(scene, result)) == ({}, {"env": "dependencies"})


def test_our_own_state_and_the_homes_of_agents_are_left_out(root: Path) -> None:
    scene = Scene(root, apart={str(root / "ws" / ".claude"): "agent", str(root / "ws" / ".claude.json"): "agent"})
    scene.put(".claude/projects/x.jsonl")
    scene.put("p/.claude/settings.json")
    inner = Scene(root / "ws")
    scans = scene.scans()
    token = scans.open(str(scene.work))

    inner.state.mkdir()
    scene.put(".claude/projects/x.jsonl", "more")
    scene.put(".claude.json")
    scene.put("p/.claude/settings.json", "by the agent")

    assert changed(scene, scene.close(token)) == {"p/.claude/settings.json": None, "state": None}


def test_our_state_inside_the_workspace_is_left_out(root: Path) -> None:
    scene = Scene(root / "ws")
    scene.work.mkdir(parents=True)
    scans = scene.scans()

    token = scans.open(str(root / "ws"))
    scene.put("a")
    result = scene.scans().close(str(root / "ws"), token)

    assert [os.path.relpath(change["path"], root / "ws") for change in result.changes] == ["ws/a"]


def test_a_large_file_is_tracked_without_its_bytes_and_named_when_it_changes(root: Path) -> None:
    scene = Scene(root, limits=Limits(largest_bytes=1000))
    scene.put("large", b"x" * 1001)
    scene.put("grows", b"x" * 1000)

    quiet = scene.window(lambda work: None)
    loud = scene.window(lambda work: [(work / name).write_bytes(b"y" * 1002) for name in ("large", "grows", "new")])
    gone = scene.window(lambda work: os.unlink(work / "large"))

    assert quiet.changes == []
    found = {os.path.basename(change["path"]): (change["before"], change["after"]) for change in loud.changes}
    assert changed(scene, loud) == {"grows": None, "large": "too_large", "new": None}
    assert found["large"] == (None, None)
    assert found["new"] == ({"kind": "absent"}, None)
    assert scene.before(loud, "grows") == b"x" * 1000
    assert (gone.changes[0]["before"], gone.changes[0]["after"]) == (None, {"kind": "absent"})


def test_beyond_the_bytes_a_baseline_may_hold_files_are_tracked_without_theirs(root: Path) -> None:
    scene = Scene(root, limits=Limits(most_bytes=25))
    for name in "abcd":
        scene.put(name, name * 10)

    result = scene.window(lambda work: [(work / name).write_text("after") for name in "abcd"])

    reasons = [change.get("reason") for change in result.changes]
    assert sorted(reason or "" for reason in reasons) == ["", "", "over_limit", "over_limit"]
    assert all(scene.before(result, name) for name, reason in zip("abcd", reasons, strict=True) if reason is None)


def test_beyond_the_names_a_baseline_may_hold_a_folder_is_left_out_and_named(root: Path) -> None:
    scene = Scene(root, limits=Limits(most_entries=10))
    for number in range(20):
        scene.put(f"many/{number}")
    scene.put("a")

    quiet = scene.window(lambda work: None)
    result = scene.window(lambda work: (scene.put("many/new"), scene.put("a", "after")))

    assert (quiet.changes, quiet.excluded) == ([], [])
    assert changed(scene, result) == {"a": None}
    assert rules(scene, result) == {"many": "too_many"}


def test_what_stood_in_a_crowded_folder_is_unknown_when_there_is_room_again(root: Path) -> None:
    scene = Scene(root, limits=Limits(most_entries=10))
    for number in range(20):
        scene.put(f"many/{number}")

    result = scene.window(lambda work: [shutil.move(work / "many" / str(number), root) for number in range(17)])

    assert changed(scene, result) == dict.fromkeys(("many/17", "many/18", "many/19"), "too_many")
    assert all(change["before"] is None for change in result.changes)


def test_a_known_folder_that_becomes_crowded_keeps_what_was_known(root: Path) -> None:
    scene = Scene(root, limits=Limits(most_entries=10))
    scene.put("d/a")

    result = scene.window(lambda work: [scene.put("d/a", "after"), *(scene.put(f"d/{number}") for number in range(20))])

    assert changed(scene, result) == {"d/a": None}
    assert rules(scene, result) == {"d": "too_many"}


def test_pipes_sockets_and_devices_are_not_opened(scene: Scene) -> None:
    os.mkfifo(scene.work / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(scene.work / "socket"))

        result = scene.window(lambda work: scene.put("a"))

        assert changed(scene, result) == {"a": None}
