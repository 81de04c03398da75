"""Killed at every call that writes something, and failing at each: no change is lost, none is made up."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.harness.tree import State, picture
from tests.scan.driver import FAILED
from tests.scan.process import as_json, broken_at, points, scanned
from tests.scan.scene import Scene

pytestmark = [pytest.mark.kill, pytest.mark.timeout(900)]
ERRORS = {"write": "ENOSPC", "fsync": "EIO", "fdatasync": "EIO", "ftruncate": "EIO", "mkdir": "EACCES", "rename": "EIO"}
NAMES = ("changed", "deleted", "d/moved", "d/kept")


def filled(root: Path) -> Scene:
    scene = Scene(root)
    for name in NAMES:
        scene.put(name, f"before {name}" * 300)
    return scene


def command(scene: Scene) -> None:
    scene.put("changed", "after")
    scene.put("new/in/folders", "after")
    (scene.work / "deleted").unlink()
    (scene.work / "d" / "moved").rename(scene.work / "moved")


def first_open(root: Path) -> tuple[Scene, tuple[str, ...]]:
    return filled(root), ("open",)


def later_open(root: Path) -> tuple[Scene, tuple[str, ...]]:
    scene = filled(root)
    scene.window(lambda work: None)
    scene.put("changed", "by the user")
    scene.put("by the user")
    return scene, ("open",)


def close(root: Path) -> tuple[Scene, tuple[str, ...]]:
    scene = filled(root)
    token = scene.open()
    command(scene)
    return scene, ("close", token)


def close_after_much(root: Path) -> tuple[Scene, tuple[str, ...]]:
    """The close that writes the baseline anew, being most of it out of date."""
    scene = filled(root)
    for number in range(3000):
        scene.put(f"much/{number}", "")
    token, scans = scene.open(), scene.scans()
    (tree,) = (scene.state / "baselines").glob("*/tree")
    size, before = 0, root / "before-it-shrank"
    while tree.stat().st_size > size:
        size = tree.stat().st_size
        shutil.rmtree(before, ignore_errors=True)
        shutil.copytree(scene.state, before)
        scene.put("much/again", str(size))
        scans.open(str(scene.work))
    shutil.rmtree(scene.state)
    before.rename(scene.state)
    (scene.work / "much" / "again").unlink()
    command(scene)
    return scene, ("close", token)


SITUATIONS = {"first open": first_open, "later open": later_open, "close": close, "close after much": close_after_much}


class Again:
    """A situation that can be had again and again: our state as it was, the workspace as the command left it."""

    def __init__(self, root: Path, name: str) -> None:
        self.scene, self.what = SITUATIONS[name](root)
        self._kept = root / "kept"
        if self.scene.state.exists():
            shutil.copytree(self.scene.state, self._kept)
        self.points = points(self.scene, *self.what)
        self._before: dict[str, State] | None = None

    def lay_out(self) -> None:
        """As it was before the scan."""
        shutil.rmtree(self.scene.state, ignore_errors=True)
        if self._kept.exists():
            shutil.copytree(self._kept, self.scene.state)
        if self._before is not None:
            command(self.scene)

    def holds(self) -> None:
        """The scan can be made again: it finds what there is to find, and takes it back."""
        what = self.what
        if what[0] == "open":
            before = picture(self.scene.work)
            what = ("close", scanned(self.scene, "open").token)
            command(self.scene)
        result = scanned(self.scene, *what).result
        assert not result.excluded
        self.scene.take_back(result)
        now = picture(self.scene.work)
        if what is self.what:
            before = self._before = self._before or now
            assert {name: state for name, state in now.items() if name in NAMES} == {
                name: state for name, state in picture(filled(self.scene.root / "again").work).items() if name in NAMES
            }
        assert now == before


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_scan_killed_at_any_write_is_made_again_and_finds_everything(root: Path, situation: str) -> None:
    again = Again(root, situation)
    for point in again.points:
        again.lay_out()

        ended = broken_at(again.scene, point, "signal=KILL", *again.what)

        assert ended.code == -signal.SIGKILL, f"not reached: {point} {ended}"
        again.holds()


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_scan_one_of_whose_writes_fails_says_so_or_did_all_it_had_to(root: Path, situation: str) -> None:
    again = Again(root, situation)
    for point in [point for point in again.points if point.name in ERRORS]:
        again.lay_out()

        ended = broken_at(again.scene, point, f"error={ERRORS[point.name]}", *again.what)

        assert ended.code in (0, FAILED), f"{point}\n{ended}"
        if ended.code == 0 and again.what[0] == "close":
            assert as_json(ended.result) == as_json(again.scene.close(again.what[1]))
        again.holds()


def test_a_full_disk_is_an_error_and_nothing_is_lost(root: Path) -> None:
    scene = filled(root)
    scene.put("noise", os.urandom(200_000))
    token = scene.open()
    before = picture(scene.work)
    scene.put("noise", os.urandom(200_000))

    full = scanned(scene, "close", token, most_bytes=150_000)

    assert full.code == FAILED
    result = scanned(scene, "close", token).result
    scene.take_back(result)
    assert picture(scene.work) == before


def test_a_first_look_that_was_killed_goes_on_where_it_was(root: Path) -> None:
    scene = Scene(root)
    for number in range(9000):
        scene.put(f"d{number % 90}/f{number}", f"{number}")
    commits = [point for point in points(scene, "open") if point.name == "fdatasync"]
    shutil.rmtree(scene.state)

    broken_at(scene, commits[-1], "signal=KILL", "open")
    (pile,) = (scene.state / "baselines").glob("*/pile-*")
    kept = pile.stat().st_size
    scanned(scene, "open")

    assert len(commits) > 3
    assert pile.stat().st_size < 1.5 * kept
    assert scene.look().changes == []
