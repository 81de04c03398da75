"""Every kind of change a shell command makes is found, with the state before and after, and can be taken back."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.harness.tree import picture
from tests.scan.scene import Scene

Command = Callable[[Path], object]


def shell(text: str, cwd: str | None = None) -> Command:
    """A real shell command in the workspace."""
    return lambda work: subprocess.run(["sh", "-c", text], cwd=cwd or work, check=True)


KINDS: dict[str, tuple[Command, dict[str, tuple[str, str]]]] = {
    "an edit": (shell("echo more >> src/a.py"), {"src/a.py": ("file", "file")}),
    "a new file": (shell("echo new > new.txt"), {"new.txt": ("absent", "file")}),
    "a new empty file": (shell(": > new.txt"), {"new.txt": ("absent", "file")}),
    "a deletion": (shell("rm src/a.py"), {"src/a.py": ("file", "absent")}),
    "a mode": (shell("chmod 755 src/a.py"), {"src/a.py": ("file", "file")}),
    "a mode of a folder": (shell("chmod 700 src"), {"src": ("folder", "folder")}),
    "a replaced file": (shell("echo x > t; mv t src/a.py"), {"src/a.py": ("file", "file")}),
    "a move": (shell("mv src/a.py b.py"), {"src/a.py": ("file", "absent"), "b.py": ("absent", "file")}),
    "a moved folder": (
        shell("mv src lib"),
        {
            "src": ("folder", "absent"),
            "src/a.py": ("file", "absent"),
            "lib": ("absent", "folder"),
            "lib/a.py": ("absent", "file"),
        },
    ),
    "a new link": (shell("ln -s src/a.py l"), {"l": ("absent", "link")}),
    "a link's text": (shell("ln -sfn elsewhere link"), {"link": ("link", "link")}),
    "a deleted link": (shell("rm link"), {"link": ("link", "absent")}),
    "a link instead of a file": (shell("ln -sf ../empty src/a.py"), {"src/a.py": ("file", "link")}),
    "a file instead of a link": (shell("rm link; echo x > link"), {"link": ("link", "file")}),
    "new folders": (
        shell("mkdir -p n/m; echo x > n/m/f"),
        {"n": ("absent", "folder"), "n/m": ("absent", "folder"), "n/m/f": ("absent", "file")},
    ),
    "an empty folder": (shell("mkdir n"), {"n": ("absent", "folder")}),
    "a removed empty folder": (shell("rmdir empty"), {"empty": ("folder", "absent")}),
    "a folder instead of a file": (
        shell("rm src/a.py; mkdir src/a.py; echo x > src/a.py/in"),
        {"src/a.py": ("file", "folder"), "src/a.py/in": ("absent", "file")},
    ),
    "a file instead of a folder": (
        shell("rm -r src; echo x > src"),
        {"src": ("folder", "file"), "src/a.py": ("file", "absent")},
    ),
    "a link instead of a folder": (
        shell("mv src ..; ln -s ../src src"),
        {"src": ("folder", "link"), "src/a.py": ("file", "absent")},
    ),
    "a new hard link": (shell("ln src/a.py hard"), {"hard": ("absent", "file")}),
    "an edit through a hard link": (
        shell("echo x >> one"),
        {"one": ("file", "file"), "two": ("file", "file")},
    ),
    "a new pipe": (shell("mkfifo p"), {"p": ("absent", "other")}),
    "an edit with the old size and time": (
        shell("touch -r src/a.py ../t; printf BEFORE > src/a.py; touch -r ../t src/a.py"),
        {"src/a.py": ("file", "file")},
    ),
    "an odd name": (shell("echo x > ' -n\\n*$'"), {" -n\\n*$": ("absent", "file")}),
    "a touch is none": (shell("touch src/a.py"), {}),
    "written anew with the same bytes is none": (shell("cp src/a.py ../t; mv ../t src/a.py"), {}),
    "come and gone is none": (shell("echo x > t; rm t"), {}),
}


@pytest.fixture
def filled(scene: Scene) -> Scene:
    scene.put("src/a.py", "before")
    scene.put("one", "linked")
    os.link(scene.work / "one", scene.work / "two")
    (scene.work / "empty").mkdir()
    (scene.work / "link").symlink_to("src/a.py")
    return scene


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_change_is_found_and_can_be_taken_back(filled: Scene, name: str) -> None:
    command, expected = KINDS[name]
    before = picture(filled.work)
    token = filled.open()

    command(filled.work)
    result = filled.close(token)

    found = {
        os.path.relpath(change["path"], filled.work): (change["before"]["kind"], change["after"]["kind"])
        for change in result.changes
    }
    assert found == expected
    assert result.excluded == []
    assert not any(change["shared"] for change in result.changes)
    filled.take_back(result)
    assert picture(filled.work) == before


def test_the_states_are_those_of_the_change_log(filled: Scene) -> None:
    result = filled.window(lambda work: (work / "src" / "a.py").write_text("after!"))

    (change,) = result.changes
    sha = hashlib.sha256(b"before").hexdigest()
    assert change["before"] == {"kind": "file", "size": 6, "mode": 0o644, "sha256": sha}
    assert change["after"]["sha256"] == hashlib.sha256(b"after!").hexdigest()
    assert filled.before(result, "src/a.py") == b"before"


def test_names_and_link_texts_that_are_not_utf_8_come_back_as_they_are(scene: Scene) -> None:
    work = os.fsencode(scene.work)
    with open(work + b"/caf\xe9", "wb") as file:
        file.write(b"before")
    before = picture(scene.work)

    def command(_: Path) -> None:
        os.unlink(work + b"/caf\xe9")
        os.symlink(b"\xff\xfe", work + b"/l\xfcnk")

    result = scene.window(command)

    assert [os.fsencode(change["path"]) for change in result.changes] == [work + b"/caf\xe9", work + b"/l\xfcnk"]
    assert os.fsencode(result.changes[1]["after"]["link"]) == b"\xff\xfe"
    scene.take_back(result)
    assert picture(scene.work) == before


def test_every_byte_and_every_length_comes_back(scene: Scene) -> None:
    contents = {
        "all": bytes(range(256)) * 300,
        "noise": os.urandom(300_000),
        "crlf": b"a\r\nb\nc\r",
        "bom": b"\xef\xbb\xbfx",
        "nul": b"\0" * 5_000_000,
        "empty": b"",
    }
    for name, data in contents.items():
        scene.put(name, data)

    result = scene.window(lambda work: [(work / name).write_bytes(b"gone") for name in contents])

    assert {name: scene.before(result, name) for name in contents} == contents


def test_a_deleted_workspace_comes_back_whole(scene: Scene) -> None:
    scene.put("a/b/c", "x")
    scene.put("d", "y")
    before = picture(scene.work)

    result = scene.window(shutil.rmtree)

    assert result.changes[0]["path"] == str(scene.work)
    assert result.changes[0]["after"] == {"kind": "absent"}
    scene.take_back(result)
    assert picture(scene.work) == before


def test_a_workspace_that_is_not_there_yet_may_be_made_by_the_command(scene: Scene) -> None:
    scene.work.rmdir()

    found = scene.changes(shell(f"mkdir {scene.work}; echo x > {scene.work}/a", cwd="/"))

    assert found == {".": ("absent", "folder"), "a": ("absent", "file")}


def test_links_to_folders_and_loops_are_not_followed(scene: Scene) -> None:
    outside = scene.root / "outside"
    outside.mkdir()
    (outside / "f").write_text("x")
    (scene.work / "out").symlink_to(outside)
    (scene.work / "loop").symlink_to(".")
    (scene.work / "self").symlink_to("self")

    found = scene.changes(lambda _: (outside / "f").write_text("changed"))

    assert found == {}


def test_a_workspace_reached_through_a_link_is_the_same_workspace(scene: Scene) -> None:
    scene.put("a")
    link = scene.root / "link"
    link.symlink_to(scene.work)
    token = scene.scans().open(str(link))

    (link / "a").write_text("after")

    assert [change["path"] for change in scene.close(token).changes] == [str(scene.work / "a")]


def test_a_thousand_changed_files_are_all_kept(scene: Scene) -> None:
    for number in range(1000):
        scene.put(f"d{number % 7}/f{number}", f"number {number}" * (number % 50))
    before = picture(scene.work)

    result = scene.window(shell("rm -r d*"))

    assert len(result.changes) == 1007
    scene.take_back(result)
    assert picture(scene.work) == before
