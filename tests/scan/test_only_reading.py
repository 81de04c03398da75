"""A scan reads: no time, byte, mode or inode in the workspace changes; what may not be read is named."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.harness.tree import names, picture
from tests.scan.process import scanned
from tests.scan.scene import Scene


def stats(work: Path) -> dict[str, tuple[int, ...]]:
    """Of everything; access times save of links, and of git's files, which git reads its own way."""
    found: dict[str, tuple[int, ...]] = {}
    for name in [".", *names(work)]:
        status = os.lstat(work / name)
        accessed = 0 if os.path.islink(work / name) or name.startswith(".git") else status.st_atime_ns
        found[name] = (status.st_mtime_ns, status.st_ctime_ns, accessed, status.st_ino, status.st_mode, status.st_size)
    return found


def filled(scene: Scene) -> None:
    subprocess.run(["git", "init", "-q", scene.work], check=True)
    for number in range(100):
        scene.put(f"d/{number % 3}/f{number}", f"{number}")
    subprocess.run(["git", "add", "-A"], cwd=scene.work, check=True)
    (scene.work / "link").symlink_to("d")
    for name in names(scene.work):  # so old that reading would renew it
        if not os.path.islink(scene.work / name):
            os.utime(scene.work / name, ns=(0, os.lstat(scene.work / name).st_mtime_ns))


def test_a_scan_leaves_no_trace_in_the_workspace_not_even_access_times(scene: Scene) -> None:
    filled(scene)
    before = stats(scene.work)

    token = scene.open()
    scene.look(token)
    scene.close(token)

    assert stats(scene.work) == before


def test_a_scan_leaves_the_untouched_files_alone_when_others_changed(scene: Scene) -> None:
    filled(scene)
    token = scene.open()
    scene.put("d/0/f0", "changed")
    before = stats(scene.work)

    scene.close(token)

    assert stats(scene.work) == before


def test_what_may_not_be_read_is_unknown_and_never_absent(scene: Scene) -> None:
    scene.put("secret", "x", mode=0)
    scene.put("closed/inside", "x")
    (scene.work / "closed").chmod(0)

    token = scanned(scene, "open", ordinary=True).token
    scene.put("a")
    quiet = scanned(scene, "close", token, ordinary=True).result
    token = scanned(scene, "open", ordinary=True).token
    (scene.work / "secret").unlink()
    result = scanned(scene, "close", token, ordinary=True).result

    assert ([change["path"] for change in quiet.changes], quiet.excluded) == ([str(scene.work / "a")], [])
    (change,) = result.changes
    assert (change["before"], change["reason"], change["after"]) == (None, "unreadable", {"kind": "absent"})


def test_a_folder_closed_by_the_command_keeps_what_was_known_of_it(scene: Scene) -> None:
    scene.put("d/a", "before")
    token = scanned(scene, "open", ordinary=True).token

    (scene.work / "d").chmod(0)
    closed = scanned(scene, "close", token, ordinary=True).result
    (scene.work / "d").chmod(0o755)
    token = scanned(scene, "open", ordinary=True).token
    scene.put("d/a", "after")
    result = scanned(scene, "close", token, ordinary=True).result

    assert closed.excluded == [{"path": str(scene.work / "d"), "rule": "unreadable"}]
    assert str(scene.work / "d" / "a") not in [change["path"] for change in closed.changes]
    assert scene.before(result, "d/a") == b"before"


def test_what_was_in_a_folder_nobody_could_read_is_unknown_once_it_can_be_read(scene: Scene) -> None:
    scene.put("closed/users", "x")
    (scene.work / "closed").chmod(0)
    token = scanned(scene, "open", ordinary=True).token

    (scene.work / "closed").chmod(0o755)
    result = scanned(scene, "close", token, ordinary=True).result

    inside = [change for change in result.changes if change["path"].endswith("users")]
    assert [(change["before"], change["reason"]) for change in inside] == [(None, "unreadable")]


def test_a_folder_that_may_be_listed_but_not_entered_is_named(scene: Scene) -> None:
    scene.put("d/a")
    token = scanned(scene, "open", ordinary=True).token

    (scene.work / "d").chmod(0o644)
    result = scanned(scene, "close", token, ordinary=True).result
    (scene.work / "d").chmod(0o755)

    assert result.excluded == [{"path": str(scene.work / "d"), "rule": "unreadable"}]


def test_files_that_come_and_go_while_a_scan_runs_are_no_reason_to_fail(scene: Scene) -> None:
    for number in range(300):
        scene.put(f"d{number % 20}/f{number}")
    busy = subprocess.Popen(
        ["sh", "-c", "while :; do rm -rf d1 d2; mkdir -p d1 d2; for n in 1 2 3 4 5; do echo $n > d1/$n; done; done"],
        cwd=scene.work,
    )
    try:
        for _ in range(20):
            scene.window(lambda work: None)
    finally:
        busy.kill()
        busy.wait()
    for name in ("d1", "d2"):
        shutil.rmtree(scene.work / name, ignore_errors=True)
    token = scene.open()
    before = picture(scene.work)

    shutil.rmtree(scene.work / "d3")

    scene.take_back(scene.close(token))
    assert picture(scene.work) == before


def test_our_own_files_are_for_our_eyes_only(scene: Scene) -> None:
    scene.put("secret", "x" * 500, mode=0o600)
    scene.window(lambda work: scene.put("secret", "y", mode=0o600))

    modes = {os.lstat(scene.state / name).st_mode & 0o077 for name in names(scene.state)}

    assert modes == {0}


def test_the_scan_is_quick_to_import() -> None:
    heavy = ("dataclasses", "enum", "re", "subprocess", "threading", "hashlib", "json")
    code = f"import sys; import respool.storage.files.scan; print([n for n in {heavy} if n in sys.modules])"
    server = Path(__file__).parents[2] / "server"

    done = subprocess.run(
        ["python3", "-S", "-c", code], env={**os.environ, "PYTHONPATH": str(server)}, capture_output=True, text=True
    )

    assert done.stdout == "[]\n", done
