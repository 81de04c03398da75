"""`respool demo`: what its transcript says is what lies on disk, at every prompt."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from respool.model.recording import Recording
from respool.service.demo import Demo
from respool.service.demo_steps import Prompt
from respool.service.demo_story import STORY
from respool.storage.files.demo import lay
from tests.harness.place import Place
from tests.harness.tree import names

PROMPTS = sum(isinstance(step, Prompt) for step in STORY)


def made(place: Place) -> tuple[Recording, Path]:
    """A demo in the workspace of ``place``, and its transcript."""
    wave = str(place.home / ".wave")
    recording = Demo(history=f"{wave}/file-history", lay=lambda recording: lay(recording, wave)).record(str(place.work))
    return recording, Path(lay(recording, wave).transcript)


def files(place: Place) -> Mapping[str, bytes]:
    """What lies in the workspace."""
    return {name: (place.work / name).read_bytes() for name in names(place.work) if (place.work / name).is_file()}


@pytest.mark.parametrize("number", range(PROMPTS))
def test_each_checkpoint_rewinds_to_the_files_of_that_moment_and_undo_brings_all_back(
    place: Place, number: int
) -> None:
    recording, transcript = made(place)
    before = transcript.read_bytes()
    prompt = list(recording.trees)[number]

    plan = place.door.ask("plan", "--to", prompt)
    place.door.ask("rewind", "--to", prompt)

    assert files(place) == recording.trees[prompt]
    assert not any(file["changedSince"] for file in plan["files"]), plan
    assert plan["notRestorable"] == []
    assert prompt not in [row["id"] for row in place.door.ask("checkpoints")["checkpoints"]]

    place.door.ask("undo")

    assert files(place) == recording.files
    assert transcript.read_bytes() == before


def test_rewinding_one_by_one_meets_every_recorded_tree(place: Place) -> None:
    recording, _ = made(place)

    for prompt, tree in reversed(list(recording.trees.items())):
        place.door.ask("rewind", "--to", prompt)
        assert files(place) == tree


def test_the_list_is_the_story(place: Place) -> None:
    recording, _ = made(place)

    rows = place.door.ask("checkpoints")["checkpoints"]

    assert [row["id"] for row in rows] == list(recording.trees)
    assert [row["preview"] for row in rows] == [step.text for step in STORY if isinstance(step, Prompt)]


def test_the_command_makes_a_session_that_does_not_look_open(place: Place) -> None:
    answer = place.door.ask("demo", "--folder", "moon", "--no-open")

    (row,) = place.door.ask("sessions", "--all")["sessions"]
    assert row["path"] == answer["path"]
    assert row["workdir"] == answer["workspace"] == str(place.work / "moon")
    assert row["live"] == "no"


def test_a_folder_with_something_in_it_is_wrong_usage_and_stays(place: Place) -> None:
    (place.work / "mine.txt").write_text("mine")

    answer = place.door.run("demo", "--folder", ".", "--no-open")

    assert answer.code == 2
    assert list(names(place.work)) == ["mine.txt"]
    assert list(names(place.home)) == []
