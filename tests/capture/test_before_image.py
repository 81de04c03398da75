"""What stands where the agent is about to write: state, links, absent parents; unknown is never absent."""

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from respool.storage.files.before_image import after_image, before_image
from respool.storage.files.packed import keep, pieces_of, stored_at
from tests.harness.place import Place

Image = dict[str, Any]


@pytest.fixture
def work(place: Place) -> Path:
    """The workspace, links resolved."""
    return Path(os.path.realpath(place.work))


def image(place: Place, path: "Path | str") -> Image:
    """A before-image with its bytes in the store."""
    return before_image(str(path), lambda fd: keep(str(place.state / "blobs"), fd))


def kept(place: Place, found: Image) -> bytes:
    """The bytes of an image."""
    stored = stored_at(str(place.state / "blobs"), found["state"]["sha256"])
    assert stored is not None
    return b"".join(pieces_of(stored))


@pytest.mark.parametrize("data", [b"", b"text\n", bytes(range(256)) * 64, b"x" * 5_000_000, os.urandom(3_000_000)])
def test_a_file_is_kept_byte_for_byte(place: Place, work: Path, data: bytes) -> None:
    path = work / "a"
    path.write_bytes(data)
    path.chmod(0o750)

    found = image(place, path)

    sha = hashlib.sha256(data).hexdigest()
    assert found["state"] == {"kind": "file", "size": len(data), "mode": 0o750, "sha256": sha}
    assert found == {"path": str(path), "parents": [], "links": [], "state": found["state"]}
    assert kept(place, found) == data
    assert after_image(str(path)) == found


def test_what_is_not_there_is_absent_with_the_folders_that_are_missing(place: Place, work: Path) -> None:
    (work / "there").mkdir()

    found = image(place, work / "there" / "a" / "b" / "c.txt")

    assert found["state"] == {"kind": "absent"}
    assert found["parents"] == [str(work / "there" / "a"), str(work / "there" / "a" / "b")]


def test_below_a_file_nothing_is_there(place: Place, work: Path) -> None:
    (work / "file").write_text("f")

    found = image(place, work / "file" / "x")

    assert (found["state"], found["parents"]) == ({"kind": "absent"}, [])


def test_a_folder_a_pipe_and_a_hard_link_are_told_apart(place: Place, work: Path) -> None:
    (work / "folder").mkdir(mode=0o700)
    os.mkfifo(work / "pipe", 0o600)
    (work / "one").write_text("1")
    os.link(work / "one", work / "two")

    assert image(place, work / "folder")["state"] == {"kind": "folder", "mode": 0o700}
    assert image(place, work / "pipe")["state"] == {"kind": "other", "mode": 0o600}
    assert image(place, work / "two")["state"]["hard_links"] == 2


def test_links_are_followed_as_a_write_would_and_every_one_is_named(place: Place, work: Path) -> None:
    (work / "data").mkdir()
    (work / "data" / "real.json").write_text("n")
    (work / "data" / "current.json").symlink_to("real.json")
    (work / "d").symlink_to("data")

    found = image(place, work / "d" / "current.json")

    assert found["path"] == str(work / "d" / "current.json")
    assert found["real"] == str(work / "data" / "real.json")
    assert found["links"] == [[str(work / "d"), "data"], [str(work / "data" / "current.json"), "real.json"]]
    assert kept(place, found) == b"n"


def test_a_link_to_nowhere_is_absent_where_it_leads(place: Place, work: Path) -> None:
    (work / "dangling").symlink_to("gone/away.txt")

    found = image(place, work / "dangling")

    assert (found["real"], found["state"]) == (str(work / "gone" / "away.txt"), {"kind": "absent"})
    assert found["parents"] == [str(work / "gone")]


def test_a_link_out_of_the_workspace_is_named(place: Place, work: Path) -> None:
    outside = Path(os.path.realpath(place.root)) / "outside.txt"
    outside.write_text("o")
    (work / "out").symlink_to(outside)

    found = image(place, work / "out")

    assert (found["real"], found["links"]) == (str(outside), [[str(work / "out"), str(outside)]])


def test_two_dots_behind_a_link_mean_what_the_system_says(place: Place, work: Path) -> None:
    (work / "deep" / "er").mkdir(parents=True)
    (work / "short").symlink_to("deep/er")
    (work / "deep" / "a.txt").write_text("deep a")
    (work / "a.txt").write_text("top a")

    assert kept(place, image(place, f"{work}/short/../a.txt")) == b"deep a"
    assert image(place, f"{work}/short/../a.txt")["path"] == str(work / "deep" / "a.txt")
    assert image(place, f"{work}//deep/../a.txt")["path"] == str(work / "a.txt")
    assert image(place, "/..")["state"]["kind"] == "folder"


@pytest.mark.parametrize("path", ["relative", "", "/nul\0"])
def test_what_is_no_path_is_unknown(place: Place, path: str) -> None:
    found = image(place, path)

    assert (found["state"], found["reason"]) == (None, "bad_path")


def test_links_in_a_circle_are_unknown(place: Place, work: Path) -> None:
    (work / "a").symlink_to("b")
    (work / "b").symlink_to("a")

    found = image(place, work / "a")

    assert (found["state"], found["reason"]) == (None, "link_loop")


def test_a_name_longer_than_any_is_unknown(place: Place, work: Path) -> None:
    found = image(place, work / ("x" * 300))

    assert (found["state"], found["reason"]) == (None, "unreadable")


def test_a_file_that_is_written_to_all_the_time_is_unknown(work: Path) -> None:
    path = work / "log"
    path.write_text("x")

    def busy(fd: int) -> tuple[str, int]:
        with path.open("a") as file:
            file.write("more")
        return "0" * 64, 1

    found = before_image(str(path), busy)

    assert (found["state"], found["reason"]) == (None, "changes_all_the_time")


def test_names_that_are_not_utf8_travel(place: Place, work: Path) -> None:
    path = os.path.join(os.fsencode(work), b"caf\xe9")
    with open(path, "wb") as file:
        file.write(b"c")

    found = image(place, os.fsdecode(path))

    assert os.fsencode(found["path"]) == path
    assert kept(place, found) == b"c"
