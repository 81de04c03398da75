"""Every transcript sample: what is listed and shown, what each rewind leaves to the byte, and what undo brings back."""

import json
import os
from pathlib import Path

import pytest

from tests.cases.play import message
from tests.cases.samples import REWINDS, SAMPLES, TRANSCRIPTS, Sample
from tests.harness.place import Place, append, no_temporary_files, quieten
from tests.naive import reading

PREVIEW_LIMIT = 1000


def put(place: Place, sample: Sample) -> Path:
    """Lay a sample out as the session it names."""
    workdir = (sample.expect["header"] or {}).get("workdir", place.work)
    return place.session(sample.data, session=sample.session, workdir=workdir)


def shown_ids(place: Place, path: Path) -> list[str]:
    return [shown["id"] for shown in place.door.ask("show", str(path))["messages"]]


def listed_ids(place: Place, path: Path) -> list[str]:
    return [checkpoint["id"] for checkpoint in place.door.ask("checkpoints", str(path))["checkpoints"]]


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_list_holds_the_typed_prompts_once_each_in_file_order(name: str, place: Place) -> None:
    sample = Sample(name)
    path = put(place, sample)

    listed = place.door.ask("checkpoints", str(path))

    assert [[row["id"], row["line"]] for row in listed["checkpoints"]] == sample.expect["list"]
    assert listed["sessionId"] == sample.session
    assert path.read_bytes() == sample.data
    for prompt, row in zip(reading.prompts(sample.data), listed["checkpoints"], strict=True):
        assert_preview(row["preview"], prompt.text)
    for ident, preview in sample.expect.get("previews", {}).items():
        assert next(row["preview"] for row in listed["checkpoints"] if row["id"] == ident) == preview


def assert_preview(preview: str, text: str) -> None:
    """One bounded line of encodable text that begins as the prompt does."""
    preview.encode()
    whole = " ".join(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").split())
    assert "\n" not in preview
    assert len(preview) <= PREVIEW_LIMIT
    if preview != whole:
        assert preview[:20] == whole[:20] or not preview.isprintable() or not whole.isprintable()


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_conversation_is_shown_folded_at_the_last_summary(name: str, place: Place) -> None:
    sample = Sample(name)
    path = put(place, sample)

    shown = place.door.ask("show", str(path))

    assert [one["id"] for one in shown["messages"]] == sample.expect["view"]
    assert shown["header"] == sample.expect["header"]
    checkpoints = {prompt.id for prompt in reading.prompts(sample.data)}
    assert {message["id"] for message in shown["messages"] if message["checkpoint"]} == checkpoints & set(
        sample.expect["view"]
    )


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_session_list_shows_title_and_creation_time(name: str, place: Place) -> None:
    sample = Sample(name)
    path = put(place, sample)
    header = sample.expect["header"] or {}

    (session,) = place.door.ask("sessions", "--all")["sessions"]

    assert session["sessionId"] == sample.session
    assert session["path"] == str(path)
    assert session["dialect"] == "wave"
    assert session["live"] == "no"
    assert session["createdAt"] == header.get("createdAt")
    assert session["gitBranch"] == header.get("gitBranch")
    if header:
        assert session["workdir"] == header["workdir"]
    if sample.expect["title"] is not None:
        assert session["title"] == sample.expect["title"]
    assert session["lastActiveAt"]


@pytest.mark.parametrize(("name", "to"), REWINDS)
def test_a_rewind_cuts_to_the_byte_and_undo_brings_every_byte_back(name: str, to: str, place: Place) -> None:
    sample = Sample(name)
    right = sample.rewind(to)
    path = put(place, sample)
    mode = path.stat().st_mode
    consents = sample.expect.get("consents", [])

    plan = place.door.ask("plan", str(path), "--to", to)
    done = place.door.ask("rewind", str(path), "--to", to, "--digest", plan["digest"], *consents)
    after = path.read_bytes()

    every = reading.rows(sample.data)
    kept = b"".join(every[number - 1].data for number in right["keep_lines"])
    assert after.startswith(kept)
    assert reading.matches_cut(after, sample.data, right["line"])
    assert path.stat().st_mode == mode
    assert after.count(b'{"type":"metadata"') == sample.data.count(b'{"type":"metadata"')
    assert listed_ids(place, path) == right["list_after"]
    assert shown_ids(place, path) == right["view_after"]
    assert done["operation"]["status"] == "completed"
    assert (
        done["inputContent"] == next(prompt.text for prompt in reading.prompts(sample.data) if prompt.id == to)
        or "�" in done["inputContent"]
    )
    assert done["undo"] is True
    assert done["removed"] == plan["messages"]["removed"]
    assert {warning["code"] for warning in plan["warnings"]} >= set(right.get("warns", []))
    assert {warning["code"] for warning in done["warnings"]} >= set(right.get("warns", []))
    assert no_temporary_files(place) == []

    undone = place.door.ask("undo", str(path))

    assert undone["operation"]["status"] == "completed"
    assert path.read_bytes() == sample.data
    assert path.stat().st_mode == mode
    assert listed_ids(place, path) == [row[0] for row in sample.expect["list"]]
    assert no_temporary_files(place) == []


@pytest.mark.parametrize(("name", "to"), REWINDS)
def test_the_plan_says_which_messages_go_and_touches_nothing(name: str, to: str, place: Place) -> None:
    sample = Sample(name)
    right = sample.rewind(to)
    path = put(place, sample)
    listed = {row["id"]: row for row in place.door.ask("checkpoints", str(path))["checkpoints"]}

    plan = place.door.ask("plan", str(path), "--to", to)

    gone = [
        row.number
        for row in reading.rows(sample.data)
        if row.kind == "message" and row.number not in right["keep_lines"]
    ]
    assert plan["messages"] == {"removed": len(gone), "lines": gone}
    assert listed[to]["removes"] == len(gone)
    assert plan["target"] == {"id": to, "line": right["line"]}
    assert plan["sessionId"] == sample.session
    assert plan["mode"] == "both"
    assert path.read_bytes() == sample.data
    assert place.door.ask("plan", str(path), "--to", to) == plan


@pytest.mark.parametrize("to", ["msg-u1", "msg-u3"])
def test_the_two_after_rewind_samples_hold_to_the_byte(to: str, place: Place) -> None:
    sample = Sample("wave_titles")
    path = put(place, sample)

    place.door.ask("rewind", str(path), "--to", to)

    assert path.read_bytes() == (SAMPLES / f"wave_titles_after_rewind_{to.removeprefix('msg-')}.jsonl").read_bytes()


def test_three_rewinds_in_a_row_leave_one_header_and_the_same_title(place: Place) -> None:
    sample = Sample("RW-01__header-and-title")
    path = put(place, sample)
    titles = sample.data.count(b'"custom-title"')
    header = sample.data.split(b"\n")[0]

    for number, to in enumerate(("msg-u4", "msg-u3", "msg-u1"), start=1):
        place.door.ask("rewind", str(path), "--to", to)
        data = path.read_bytes()
        (session,) = place.door.ask("sessions", "--all")["sessions"]

        assert data.split(b"\n")[0] == header
        assert data.count(b'"metadata"') == 1
        assert data.count(b'"custom-title"') == titles + number
        assert json.loads(data.splitlines()[-1])["customTitle"] == sample.expect["title"]
        assert session["title"] == sample.expect["title"]
        assert session["createdAt"] == sample.expect["header"]["createdAt"]
        assert session["gitBranch"] == sample.expect["header"]["gitBranch"]
    assert listed_ids(place, path) == []


def test_undo_repeated_goes_back_one_rewind_each(place: Place) -> None:
    sample = Sample("RW-01__header-and-title")
    path = put(place, sample)
    seen = [path.read_bytes()]
    for to in ("msg-u4", "msg-u3", "msg-u2", "msg-u1"):
        place.door.ask("rewind", str(path), "--to", to)
        seen.append(path.read_bytes())

    for before in reversed(seen[:-1]):
        place.door.ask("undo", str(path))
        assert path.read_bytes() == before

    place.door.refused("nothing_to_undo", "undo", str(path))
    assert path.read_bytes() == sample.data


def test_the_first_prompt_of_a_session_with_a_hidden_start_leaves_header_and_title(place: Place) -> None:
    sample = Sample("RW-06__first-message")
    path = put(place, sample)

    place.door.ask("rewind", str(path), "--to", "msg-u1")
    (session,) = place.door.ask("sessions", "--all")["sessions"]

    assert session["title"] == "Only a title remains"
    assert session["lastActiveAt"] not in ("", "Invalid Date", None)
    assert shown_ids(place, path) == []
    assert listed_ids(place, path) == []


def test_a_message_sent_after_a_rewind_across_compactions_is_listed(place: Place) -> None:
    sample = Sample("CP-03__compaction")
    path = put(place, sample)
    place.door.ask("rewind", str(path), "--to", "msg-u5")

    append(path, message("msg-u6", "user", "Another way.", 60))

    assert listed_ids(place, path) == ["msg-u1", "msg-u2", "msg-u3", "msg-u4", "msg-u6"]
    assert shown_ids(place, path) == ["msg-c2", "msg-u3", "msg-a3", "msg-u4", "msg-a4", "msg-u6"]


def test_an_empty_file_left_by_a_legacy_rewind_opens_and_takes_new_messages(place: Place) -> None:
    sample = Sample("RW-05__legacy-no-header")
    path = put(place, sample)
    place.door.ask("rewind", str(path), "--to", "msg-u1")
    assert path.read_bytes() == b""
    assert shown_ids(place, path) == []

    append(path, message("msg-u9", "user", "Again.", 60))

    assert listed_ids(place, path) == ["msg-u9"]


def test_a_session_without_prompts_is_never_written(place: Place) -> None:
    sample = Sample("CP-07__no-prompts")
    path = put(place, sample)
    before = path.stat()

    place.door.refused("not_a_checkpoint", "rewind", str(path), "--to", sample.expect["view"][0])

    assert path.read_bytes() == sample.data
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_hostile_previews_are_short_single_lines(place: Place) -> None:
    sample = Sample("CP-05__hostile-previews")
    path = put(place, sample)

    answer = place.door.run("checkpoints", str(path), "--json")
    plain = place.door.run("checkpoints", str(path))

    assert len(answer.out) < 20_000
    assert plain.code == 0
    text = plain.out.decode()
    assert not [
        sign
        for sign in text
        if sign != "\n"
        and (ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 or sign in "\u202e\u202d\u2066\u2067\u2028\u2029")
    ]
    assert len([line for line in text.splitlines() if "msg-" in line]) in (0, 6)


def test_a_lone_surrogate_travels_as_a_replacement_character(place: Place) -> None:
    path = put(place, Sample("TR-06__lone-surrogate"))

    answer = place.door.run("checkpoints", str(path), "--json")

    answer.out.decode()
    assert b'\\ud83d"' not in answer.out.lower()


def test_a_transcript_reached_through_a_link_stays_a_link(place: Place) -> None:
    sample = Sample("RW-01__header-and-title")
    path = put(place, sample)
    real = place.root / "elsewhere.jsonl"
    os.rename(path, real)
    path.symlink_to(real)
    quieten(real)

    place.door.ask("rewind", str(path), "--to", "msg-u3")

    assert path.is_symlink()
    assert reading.matches_cut(real.read_bytes(), sample.data, sample.rewind("msg-u3")["line"])
    place.door.ask("undo", str(path))
    assert path.is_symlink()
    assert real.read_bytes() == sample.data
