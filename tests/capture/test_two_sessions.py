"""Two sessions in one workspace: what the other one, still open, wrote last goes back only with consent."""

from tests.capture.host import SESSION, host
from tests.harness.place import Place, quieten

OTHER = "5e551041-0000-4000-8000-000000000301"


def transcripts_are_old(place: Place) -> None:
    for path in (place.home / ".wave").rglob("*.jsonl"):
        quieten(path)


def test_a_file_last_written_by_another_open_session_needs_consent(place: Place) -> None:
    """Contract: `--live` consents to paths last written by another live session."""
    (place.work / "a.txt").write_text("a0")
    with host(place) as one, host(place, OTHER) as other:
        one.turn(1, {"a.txt": "a1", "b.txt": "b1"})
        other.turn(1, {"a.txt": "a2"})
        transcripts_are_old(place)

        plan = place.door.ask("plan", SESSION, "--to", "msg-u1")
        assert [one["code"] for one in plan["warnings"]] == ["other_session"]
        refusal = place.door.refused("live_agent", "rewind", SESSION, "--to", "msg-u1")
        assert refusal.error["needs"] == ["live"]
        assert (place.work / "a.txt").read_text() == "a2"

        place.door.ask("rewind", SESSION, "--to", "msg-u1", "--live")

    assert (place.work / "a.txt").read_text() == "a0"
    assert not (place.work / "b.txt").exists()
    place.door.ask("undo", SESSION)
    assert (place.work / "a.txt").read_text() == "a2"


def test_a_session_that_is_closed_or_wrote_earlier_needs_none(place: Place) -> None:
    (place.work / "a.txt").write_text("a0")
    with host(place) as one, host(place, OTHER) as other:
        other.turn(1, {"a.txt": "a1", "c.txt": "c1"})
        one.turn(1, {"a.txt": "a2"})
        transcripts_are_old(place)

        assert place.door.ask("plan", SESSION, "--to", "msg-u1")["warnings"] == []
    transcripts_are_old(place)

    place.door.ask("rewind", SESSION, "--to", "msg-u1")

    assert (place.work / "a.txt").read_text() == "a1"
    assert (place.work / "c.txt").read_text() == "c1"
