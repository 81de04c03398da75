"""Events make a look narrow, and are believed only when nothing can have been missed."""

import os
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from respool.storage.files import scan_events
from respool.storage.files.scan import Scans
from respool.storage.files.scan_events import FolderEvents
from tests.harness.tree import picture
from tests.scan.scene import Scene


class Asked:
    """Passes events on and keeps what they said."""

    def __init__(self, events: FolderEvents) -> None:
        self._events = events
        self.said: list[set[str] | None] = []

    def touched(self, root: str) -> set[str] | None:
        self.said.append(self._events.touched(root))
        return self.said[-1]

    def follow(self, root: str, folder: str) -> None:
        self._events.follow(root, folder)


@pytest.fixture
def events(scene: Scene) -> Iterator[FolderEvents]:
    scene.state.mkdir()
    listening = FolderEvents(str(scene.state))
    yield listening
    listening.close()


@pytest.fixture
def asked(events: FolderEvents) -> Asked:
    return Asked(events)


@pytest.fixture
def host(scene: Scene, asked: Asked) -> Scans:
    """A process that stays and listens."""
    scene.put("a/b/c")
    scene.put("d/e")
    scans = scene.scans(events=asked)
    scans.close(str(scene.work), scans.open(str(scene.work)))
    return scans


def changed(scene: Scene, host: Scans, token: str) -> set[str]:
    return {os.path.relpath(change["path"], scene.work) for change in host.close(str(scene.work), token).changes}


def test_only_folders_that_were_touched_are_told(scene: Scene, host: Scans, asked: Asked) -> None:
    token = host.open(str(scene.work))
    scene.put("a/b/c", "after")
    (scene.work / "d").chmod(0o700)

    assert changed(scene, host, token) == {"a/b/c", "d"}
    assert asked.said[0] is None
    assert asked.said[-1] is not None
    assert {"a/b", "d"} <= asked.said[-1] <= {"a/b", "d", ""}


def test_nothing_touched_is_told_as_nothing(scene: Scene, host: Scans, asked: Asked) -> None:
    assert changed(scene, host, host.open(str(scene.work))) == set()
    assert asked.said[-1] == set()


def test_what_happens_in_folders_that_are_new_is_heard(scene: Scene, host: Scans, asked: Asked) -> None:
    first = host.open(str(scene.work))
    scene.put("new/deep/er/f")
    assert changed(scene, host, first) == {"new", "new/deep", "new/deep/er", "new/deep/er/f"}

    token = host.open(str(scene.work))
    scene.put("new/deep/er/f", "after")

    assert changed(scene, host, token) == {"new/deep/er/f"}
    assert asked.said[-1] == {"new/deep/er"}


def test_a_renamed_folder_is_heard_under_its_new_name(scene: Scene, host: Scans, asked: Asked) -> None:
    first = host.open(str(scene.work))
    (scene.work / "a").rename(scene.work / "z")
    assert changed(scene, host, first) == {"a", "a/b", "a/b/c", "z", "z/b", "z/b/c"}

    token = host.open(str(scene.work))
    scene.put("z/b/c", "after")

    assert changed(scene, host, token) == {"z/b/c"}
    assert asked.said[-1] is not None


def test_a_folder_that_was_replaced_is_looked_at_whole(scene: Scene, host: Scans) -> None:
    token = host.open(str(scene.work))
    shutil.rmtree(scene.work / "a")
    scene.put("a/b/c", "other")
    assert changed(scene, host, token) == {"a/b/c"}

    token = host.open(str(scene.work))
    scene.put("a/b/c", "after")

    assert changed(scene, host, token) == {"a/b/c"}


def test_a_link_in_the_place_of_a_folder_is_not_gone_through(scene: Scene, host: Scans) -> None:
    token = host.open(str(scene.work))
    scene.put("a/b/c", "touched first")
    (scene.work / "a").rename(scene.root / "elsewhere")
    (scene.work / "a").symlink_to(scene.root / "elsewhere")

    assert changed(scene, host, token) == {"a", "a/b", "a/b/c"}


def test_an_edit_through_another_name_outside_is_found(scene: Scene, host: Scans, asked: Asked) -> None:
    outside = scene.root / "outside"
    os.link(scene.work / "d" / "e", outside)
    scene.put("d/touch")
    host.close(str(scene.work), host.open(str(scene.work)))
    token = host.open(str(scene.work))

    outside.write_text("after")

    assert changed(scene, host, token) == {"d/e"}
    assert asked.said[-1] == set()


def test_after_an_overflow_everything_is_looked_at(
    scene: Scene, host: Scans, asked: Asked, events: FolderEvents
) -> None:
    token = host.open(str(scene.work))
    scene.put("a/b/c", "after")
    events.heard(struct.pack("iIII", -1, scan_events.OVERFLOW, 0, 0))

    assert changed(scene, host, token) == {"a/b/c"}
    assert asked.said[-1] is None


def test_when_nobody_listens_any_more_everything_is_looked_at(
    scene: Scene, host: Scans, asked: Asked, events: FolderEvents
) -> None:
    token = host.open(str(scene.work))
    events.close()
    scene.put("a/b/c", "after")

    assert changed(scene, host, token) == {"a/b/c"}
    assert asked.said[-1] is None


def test_while_no_sentinel_can_be_made_everything_is_looked_at(scene: Scene, host: Scans, asked: Asked) -> None:
    token = host.open(str(scene.work))
    sentinels = scene.state / "events"
    shutil.rmtree(sentinels)
    sentinels.write_text("in the way")
    scene.put("a/b/c", "after")

    assert changed(scene, host, token) == {"a/b/c"}
    assert asked.said[-1] is None
    sentinels.unlink()
    assert changed(scene, host, host.open(str(scene.work))) == set()
    assert asked.said[-1] == set()


def test_a_file_system_others_may_change_is_never_believed(events: FolderEvents) -> None:
    events.follow("/proc", "/proc/self")

    assert [events.touched("/proc"), events.touched("/proc")] == [None, None]


def test_two_workspaces_one_inside_the_other_both_hear(scene: Scene, events: FolderEvents) -> None:
    scene.put("inner/a")
    outer, inner = str(scene.work), str(scene.work / "inner")
    scans = scene.scans(events=events)
    tokens = [(root, scans.open(root)) for root in (outer, inner)]
    tokens = [(root, scans.open(root)) for root, _ in tokens]

    scene.put("inner/a", "after")

    assert [len(scans.close(root, token).changes) for root, token in tokens] == [1, 1]


def test_a_look_that_failed_does_not_lose_what_was_touched(scene: Scene, host: Scans) -> None:
    token = host.open(str(scene.work))
    scene.put("a/b/c", "after")
    blobs = scene.state / "blobs"
    blobs.write_text("in the way")
    with pytest.raises(OSError, match="blobs"):
        host.close(str(scene.work), token)
    blobs.unlink()

    assert changed(scene, host, token) == {"a/b/c"}


def test_another_process_and_a_listening_one_agree(scene: Scene, host: Scans) -> None:
    scene.window(lambda work: scene.put("d/e", "by another process"))
    token = host.open(str(scene.work))
    before = picture(scene.work)
    scene.put("d/e", "by this one")

    result = host.close(str(scene.work), token)

    scene.take_back(result)
    assert picture(scene.work) == before


def test_listening_leaves_nothing_behind(scene: Scene, host: Scans, root: Path) -> None:
    assert list((scene.state / "events").iterdir()) == []
