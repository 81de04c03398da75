"""The right values of the samples are right: the naive reading agrees with every one of them."""

import hashlib
import json
import os

import pytest

from tests.cases.samples import REWINDS, SAMPLES, TRANSCRIPTS, Sample
from tests.cases.stories import WHOLE
from tests.harness.place import Place
from tests.naive import reading, restoring
from tests.naive.names import encoded

RECORDED_NAMES = json.loads((SAMPLES.parent.parent / "recorded" / "path_encoding.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_naive_reading_finds_the_list_and_the_view(name: str) -> None:
    sample = Sample(name)

    assert [[prompt.id, prompt.line] for prompt in reading.prompts(sample.data)] == sample.expect["list"]
    assert reading.fold(sample.data) == sample.expect["view"]
    assert reading.title(sample.data) == sample.expect["title"]


@pytest.mark.parametrize(("name", "message"), REWINDS)
def test_the_naive_cut_keeps_the_lines(name: str, message: str) -> None:
    sample = Sample(name)
    right = sample.rewind(message)
    kept = reading.kept_bytes(sample.data, right["line"])

    assert reading.kept_lines(sample.data, right["line"]) == right["keep_lines"]
    assert reading.fold(kept) == right["view_after"]
    assert [prompt.id for prompt in reading.prompts(kept)] == right["list_after"]


@pytest.mark.parametrize("message", ["msg-u1", "msg-u3"])
def test_the_two_after_rewind_samples_are_naive_cuts(message: str) -> None:
    sample = Sample("wave_titles")
    after = (SAMPLES / f"wave_titles_after_rewind_{message.removeprefix('msg-')}.jsonl").read_bytes()

    assert reading.matches_cut(after, sample.data, sample.rewind(message)["line"])


@pytest.mark.parametrize("recorded", RECORDED_NAMES, ids=lambda recorded: recorded["path"][:30])
def test_folder_names_are_those_of_the_real_wave(recorded: dict[str, str]) -> None:
    assert encoded(recorded["originalPath"]) == recorded["directory"]


@pytest.mark.parametrize(("case", "to"), [(case, to) for case, (_, targets) in WHOLE.items() for to in targets])
def test_the_records_of_a_played_session_say_what_the_play_saw(case: str, to: str, place: Place) -> None:
    played = WHOLE[case][0](place)
    line = next(prompt.line for prompt in reading.prompts(played.data) if prompt.id == to)

    wanted, unknown = restoring.wanted(played.data, reading.kept_lines(played.data, line))

    must = {path: state for path, state in played.expected[to].must.items() if state is None or state[0] == "file"}
    said = {os.path.relpath(path, os.path.realpath(place.work)): content for path, content in wanted.items()}
    assert unknown == set()
    digests = {path: None if content is None else hashlib.sha256(content).hexdigest() for path, content in said.items()}
    assert {path: digests[path] for path in must} == {path: state and state[1] for path, state in must.items()}
    assert all(played.expected[to].must[path] == ("dir", "", 0o755) for path in said.keys() - must.keys())
