"""Random trees and random commands, beside a full copy: taking a result back gives the tree that stood at ``open``."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from respool.storage.files.scan import Scans
from respool.storage.files.scan_events import FolderEvents
from tests.harness.tree import identities, picture
from tests.scan.scene import Scene

EXAMPLES = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
NAMES = st.sampled_from(["a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "c/d/a", "c", "x ü"])
BYTES = st.binary(max_size=4)
MODES = st.sampled_from([0o644, 0o755, 0o600, 0o700])
KINDS = ("write", "write", "same", "replace", "remove", "folder", "link", "mode", "move", "hard", "touch")
STEPS = st.tuples(st.sampled_from(KINDS), NAMES, NAMES, BYTES, MODES)
Step = tuple[str, str, str, bytes, int]


class Warm:
    """One process that stays; with or without events."""

    def __init__(self, scene: Scene, host: str) -> None:
        self._scene = scene
        self.events = FolderEvents(str(scene.state)) if host == "events" else None
        self._kept = scene.scans(events=self.events) if host != "cold" else None

    def scans(self) -> Scans:
        return self._kept or self._scene.scans()


@contextlib.contextmanager
def scened(host: str) -> Iterator[tuple[Scene, Warm]]:
    with tempfile.TemporaryDirectory(prefix="rc-") as root:
        scene = Scene(Path(root))
        scene.work.mkdir()
        scene.state.mkdir()
        warm = Warm(scene, host)
        try:
            yield scene, warm
        finally:
            if warm.events is not None:
                warm.events.close()


def run(work: Path, steps: list[Step]) -> None:
    """What a command, or a user, may do; what is not possible just then is left away."""
    for what, name, other, data, mode in steps:
        with contextlib.suppress(OSError, shutil.Error):
            step(work / name, work / other, what, data, mode)


def step(path: Path, other: Path, what: str, data: bytes, mode: int) -> None:
    if what in ("write", "replace", "folder", "link"):
        path.parent.mkdir(parents=True, exist_ok=True)
    DOING[what](path, other, data, mode)


def same_size_and_times(path: Path, *_: object) -> None:
    status = path.stat()
    path.write_bytes(bytes(byte ^ 1 for byte in path.read_bytes()))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replace(path: Path, _: Path, data: bytes, __: int) -> None:
    beside = path.with_name("beside")
    beside.write_bytes(data)
    beside.replace(path)


def remove(path: Path, *_: object) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


DOING: dict[str, Callable[[Path, Path, bytes, int], object]] = {
    "write": lambda path, other, data, mode: path.write_bytes(data),
    "same": same_size_and_times,
    "replace": replace,
    "remove": remove,
    "folder": lambda path, other, data, mode: path.mkdir(mode | 0o100),
    "link": lambda path, other, data, mode: path.symlink_to(data.hex() or "a"),
    "mode": lambda path, other, data, mode: path.chmod(mode | 0o100 if path.is_dir() else mode),
    "move": lambda path, other, data, mode: path.rename(other),
    "hard": lambda path, other, data, mode: os.link(path, other, follow_symlinks=False),
    "touch": lambda path, other, data, mode: os.utime(path),
}


@pytest.mark.parametrize("host", ["cold", "warm", "events"])
@EXAMPLES
@given(rounds=st.lists(st.tuples(st.lists(STEPS, max_size=6), st.lists(STEPS, max_size=8)), min_size=1, max_size=4))
def test_taking_a_window_back_gives_the_tree_that_stood_at_its_beginning(
    host: str, rounds: list[tuple[list[Step], list[Step]]]
) -> None:
    with scened(host) as (scene, warm):
        for by_user, by_command in rounds:
            run(scene.work, by_user)
            token = warm.scans().open(str(scene.work))
            before = picture(scene.work)

            run(scene.work, by_command)
            looked = warm.scans().look(str(scene.work), token)
            result = warm.scans().close(str(scene.work), token)

            after, bystanders = picture(scene.work), identities(scene.work)
            touched = {os.path.relpath(change["path"], scene.work) for change in result.changes}
            assert touched == {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
            assert looked.changes == result.changes
            scene.take_back(result)
            assert picture(scene.work) == before
            now = identities(scene.work)
            assert {name: now[name] for name in now.keys() - touched} == {
                name: bystanders[name] for name in bystanders.keys() - touched
            }


@EXAMPLES
@given(rounds=st.lists(st.tuples(st.booleans(), st.lists(STEPS, max_size=5)), min_size=1, max_size=6))
def test_two_windows_that_overlap_each_give_back_the_tree_at_their_own_beginning(
    rounds: list[tuple[bool, list[Step]]],
) -> None:
    with scened("cold") as (scene, _):
        opened: dict[bool, tuple[str, dict[str, tuple[str, str, int]]]] = {}
        for which, steps in [*rounds, (False, []), (True, [])]:
            if which in opened:
                token, before = opened.pop(which)
                result = scene.close(token)
                copy = scene.root / "copy"
                shutil.copytree(scene.work, copy, symlinks=True)
                scene.take_back(result)
                assert picture(scene.work) == before
                shutil.rmtree(scene.work)
                copy.rename(scene.work)
            else:
                opened[which] = (scene.open(), picture(scene.work))
            run(scene.work, steps)
