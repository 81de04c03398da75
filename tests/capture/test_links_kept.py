"""A link that was there when the agent wrote keeps standing and its target is the one restored (decision S10)."""

import os
from pathlib import Path

import pytest

from respool.storage.files.before_image import followed
from respool.storage.files.workspace import Workspace
from tests.harness.place import Place

Links = tuple[tuple[str, str], ...]


@pytest.fixture
def work(place: Place) -> Path:
    """A workspace with a file behind a link of a folder and one of its own, both of just now."""
    work = Path(os.path.realpath(place.work))
    (work / "data").mkdir()
    (work / "data" / "real.txt").write_text("r")
    (work / "d").symlink_to("data")
    (work / "data" / "current.txt").symlink_to("real.txt")
    return work


def recorded(path: Path) -> Links:
    """The links on the way, as a recorder writes them down."""
    return followed(str(path))[1]


def test_a_recorded_link_is_followed_however_young_it_is(work: Path) -> None:
    path = work / "d" / "current.txt"
    links = recorded(path)

    seen = Workspace(root=str(work)).observe(str(path), 0, links)

    assert (seen.real_path, seen.problem, seen.inside) == (str(work / "data" / "real.txt"), None, True)
    assert seen.through_link
    assert Workspace(root=str(work)).observe(str(path), 0).problem == "link"


def test_a_link_that_appeared_since_is_not_followed_however_old_it_looks(work: Path) -> None:
    path = work / "plain.txt"
    path.write_text("p")
    links = recorded(path)
    path.unlink()
    path.symlink_to("data/real.txt")
    os.utime(path, (0, 0), follow_symlinks=False)

    assert Workspace(root=str(work)).observe(str(path), 1 << 60, links).problem == "link"


@pytest.mark.parametrize("instead", ["gone", "elsewhere", "file"])
def test_a_link_that_is_no_longer_what_it_was_is_not_followed(work: Path, instead: str) -> None:
    path = work / "data" / "current.txt"
    links = recorded(path)
    path.unlink()
    if instead == "elsewhere":
        path.symlink_to("other.txt")
    elif instead == "file":
        path.write_text("a file")

    assert Workspace(root=str(work)).observe(str(path), 1 << 60, links).problem == "link"


def test_a_recorded_link_out_of_the_workspace_is_a_target_outside(work: Path) -> None:
    outside = work.parent / "outside.txt"
    outside.write_text("o")
    (work / "out").symlink_to(outside)
    links = recorded(work / "out")

    seen = Workspace(root=str(work)).observe(str(work / "out"), 0, links)

    assert (seen.real_path, seen.problem, seen.inside) == (str(outside), None, False)


def test_a_workspace_that_is_itself_reached_by_a_link_is_the_same_workspace(work: Path) -> None:
    (work.parent / "short").symlink_to(work)
    path = work.parent / "short" / "data" / "real.txt"

    seen = Workspace(root=str(work.parent / "short")).observe(str(path), 0, recorded(path))

    assert (seen.real_path, seen.problem, seen.inside, seen.through_link) == (
        str(work / "data" / "real.txt"),
        None,
        True,
        False,
    )
