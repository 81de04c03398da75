"""What belongs to a command: what changed in its window. What changed while no window was open is the user's."""

import os
import subprocess
import sys
import time
from pathlib import Path

from respool.storage.files import scan_baseline
from tests.harness.tree import picture
from tests.scan.scene import Scene

PROCESS = """
import sys
from respool.storage.files.blobs import Blobs
from respool.storage.files.scan import Scans
state, work, name = sys.argv[1:]
scans = Scans(state, Blobs(state + "/blobs"))
for round in range(8):
    token = scans.open(work)
    with open(f"{work}/{name}", "a") as file:
        file.write(f"{round}")
    found = {change["path"] for change in scans.close(work, token).changes}
    assert f"{work}/{name}" in found, found
    assert found <= {f"{work}/one", f"{work}/two"}, found
"""


def names(scene: Scene, token: str) -> dict[str, bool]:
    """Changed relative path → shared."""
    return {os.path.relpath(change["path"], scene.work): change["shared"] for change in scene.close(token).changes}


def test_what_the_user_changes_between_two_commands_is_not_the_agents(scene: Scene) -> None:
    scene.put("a")
    scene.window(lambda work: scene.put("b"))

    scene.put("a", "the user's")
    token = scene.open()
    scene.put("b", "the agent's")

    result = scene.close(token)
    assert [change["path"] for change in result.changes] == [str(scene.work / "b")]


def test_what_the_user_wrote_before_the_command_is_what_comes_back(scene: Scene) -> None:
    scene.put("a", "old")
    scene.window(lambda work: None)
    scene.put("a", "the user's")

    result = scene.window(lambda work: scene.put("a", "the agent's"))

    assert scene.before(result, "a") == b"the user's"


def test_the_first_look_says_nothing_changed(scene: Scene) -> None:
    scene.put("a")

    assert scene.window(lambda work: None).changes == []


def test_looking_says_what_differs_and_changes_nothing(scene: Scene) -> None:
    scene.put("a")
    token = scene.open()
    scene.put("a", "after")
    baseline = picture(scene.state / "baselines")

    looked = [scene.look().changes, scene.look().changes, scene.look(token).changes]

    assert [[os.path.basename(change["path"]) for change in changes] for changes in looked] == [["a"]] * 3
    assert picture(scene.state / "baselines") == baseline
    assert looked[2] == scene.close(token).changes


def test_looking_brings_the_bytes_before_into_the_store(scene: Scene) -> None:
    scene.put("a", "old")
    scene.open()
    scene.put("a", "new")

    assert scene.before(scene.look(), "a") == b"old"


def test_looking_at_a_workspace_nobody_ever_scanned_finds_and_writes_nothing(scene: Scene) -> None:
    scene.put("a")

    assert scene.look().changes == []
    assert not scene.state.exists()


def test_windows_that_overlap_share_what_changed_while_both_were_open(scene: Scene) -> None:
    first = scene.open()
    scene.put("by-first")
    second = scene.open()
    scene.put("by-either")
    found = names(scene, first)
    scene.put("by-second")

    assert found == {"by-first": False, "by-either": True}
    assert names(scene, second) == {"by-either": True, "by-second": False}


def test_a_window_closed_long_after_a_crash_still_tells_what_changed(scene: Scene) -> None:
    scene.put("a", "old")
    lost = scene.open()
    scene.put("a", "by the agent")
    scene.window(lambda work: scene.put("a", "by another agent"))

    result = scene.close(lost)

    assert scene.before(result, "a") == b"old"


def test_closing_again_gives_the_same_answer(scene: Scene) -> None:
    token = scene.open()
    scene.put("a")
    first = scene.close(token).changes
    scene.put("b")

    assert scene.close(token).changes == first != []


def test_a_token_nobody_knows_is_named_and_never_means_unchanged(scene: Scene) -> None:
    result = scene.close("made up")

    assert (result.changes, result.excluded) == ([], [{"path": str(scene.work), "rule": "window_lost"}])


def test_closing_after_our_state_was_purged_says_that_the_window_is_lost(scene: Scene) -> None:
    token = scene.open()
    subprocess.run(["rm", "-r", str(scene.state)], check=True)
    scene.put("a")

    assert [left_out["rule"] for left_out in scene.close(token).excluded] == ["window_lost"]


def test_old_windows_are_forgotten_when_the_baseline_is_written_anew(scene: Scene) -> None:
    key = scan_baseline.baseline_key(str(scene.work))
    token = scene.open()
    with scan_baseline.Baseline(str(scene.state / "baselines" / key)) as baseline:
        long_ago = int(time.time() * 1000) - scan_baseline.KEPT_OPEN_MS - 1
        baseline.add(("open", "forgotten", long_ago))
        baseline.commit()
        baseline.rewrite()

        assert set(baseline.windows) == {token}


def test_two_processes_scanning_at_once_both_find_their_own_changes(scene: Scene) -> None:
    scene.put("bystander")
    command = [sys.executable, "-c", PROCESS, str(scene.state), str(scene.work)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}

    running = [subprocess.Popen([*command, name], env=environment) for name in ("one", "two")]

    assert [process.wait(timeout=60) for process in running] == [0, 0]
    assert scene.look().changes == []


def test_a_process_that_stays_sees_what_another_one_moved(scene: Scene) -> None:
    stays = scene.scans()
    stays.close(str(scene.work), stays.open(str(scene.work)))
    scene.window(lambda work: scene.put("a", "by another process"))

    token = stays.open(str(scene.work))
    scene.put("a", "by this one")
    result = stays.close(str(scene.work), token)

    assert scene.before(result, "a") == b"by another process"


def test_many_windows_do_not_make_the_baseline_grow_without_end(scene: Scene, root: Path) -> None:
    scans = scene.scans()
    large = os.urandom(400_000)
    for number in range(60):
        token = scans.open(str(scene.work))
        scene.put("a", large + bytes([number]))
        for inner in range(300):
            scene.put(f"d/{inner}", f"{number}")
        scans.close(str(scene.work), token)
    (folder,) = (scene.state / "baselines").iterdir()

    sizes = {path.name.split("-")[0]: path.stat().st_size for path in folder.iterdir()}
    assert sizes["tree"] < 5 << 20
    assert sizes["pile"] < 64 << 20
