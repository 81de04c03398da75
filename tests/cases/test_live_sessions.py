"""A session that moves on or may be open elsewhere: digests, gone targets, consents; decisions S13 and S17."""

import os
import signal
import subprocess
import sys

from tests.cases.builder import answer, turns, user, write
from tests.cases.play import Play
from tests.harness.place import Place, append, quieten


def test_s13_messages_added_since_make_a_digest_stale(place: Place) -> None:
    path = write(place, *turns(2))
    digest = place.door.ask("plan", str(path), "--to", "msg-u2")["digest"]
    append(path, user(3))
    quieten(path)
    data = path.read_bytes()

    place.door.refused("stale_plan", "rewind", str(path), "--to", "msg-u2", "--digest", digest)

    assert path.read_bytes() == data
    place.door.ask("rewind", str(path), "--to", "msg-u2")


def test_a_file_changed_since_the_plan_makes_a_digest_stale(place: Place) -> None:
    play = Play(place)
    play.put("a.txt", "a0")
    play.turn("msg-u1")
    play.turn("msg-u2", a_dot_txt="a1")
    played = play.finish()
    digest = place.door.ask("plan", str(played.transcript), "--to", "msg-u2")["digest"]
    (place.work / "a.txt").write_text("a2 by hand")

    place.door.refused("stale_plan", "rewind", str(played.transcript), "--to", "msg-u2", "--digest", digest)

    assert (place.work / "a.txt").read_text() == "a2 by hand"
    assert played.transcript.read_bytes() == played.data


def test_s13_a_target_that_is_gone_is_unknown_and_nothing_changes(place: Place) -> None:
    path = write(place, *turns(3))
    digest = place.door.ask("plan", str(path), "--to", "msg-u3")["digest"]
    place.door.ask("rewind", str(path), "--to", "msg-u2")
    data = path.read_bytes()

    place.door.refused("unknown_message", "rewind", str(path), "--to", "msg-u3", "--digest", digest)

    assert path.read_bytes() == data


def test_s13_a_missing_answer_at_the_end_is_not_busy(place: Place) -> None:
    path = write(place, *turns(1), user(2))

    place.door.ask("rewind", str(path), "--to", "msg-u2")


def test_s17_a_transcript_changed_by_others_just_now_asks_for_consent(place: Place) -> None:
    path = write(place, *turns(2))
    os.utime(path)
    data = path.read_bytes()
    (session,) = place.door.ask("sessions")["sessions"]

    refusal = place.door.refused("live_agent", "rewind", str(path), "--to", "msg-u2")
    assert session["live"] == "unknown"
    assert refusal.error["needs"] == ["live"]
    assert path.read_bytes() == data
    done = place.door.ask("rewind", str(path), "--to", "msg-u2", "--live")

    assert done["warnings"] != []


def test_s17_our_own_rewind_does_not_make_a_session_look_live(place: Place) -> None:
    path = write(place, *turns(3))
    place.door.ask("rewind", str(path), "--to", "msg-u3")

    (session,) = place.door.ask("sessions")["sessions"]
    assert session["live"] == "no"
    place.door.ask("rewind", str(path), "--to", "msg-u2")
    place.door.ask("undo", str(path))


def test_s17_a_session_that_grows_after_the_cut_is_said_to_be_still_open(place: Place) -> None:
    path = write(place, *turns(3))
    place.door.ask("rewind", str(path), "--to", "msg-u2")
    before = place.door.ask("plan", str(path), "--to", "msg-u1")
    append(path, answer(9))

    after = place.door.ask("plan", str(path), "--to", "msg-u1")

    assert "still_open" not in {warning["code"] for warning in before["warnings"]}
    assert "still_open" in {warning["code"] for warning in after["warnings"]}


def test_s17_a_wave_process_in_the_work_directory_asks_for_consent(place: Place) -> None:
    path = write(place, *turns(2))
    script = place.root / "wave"
    script.write_text(f"#!{sys.executable}\nimport signal\nprint('up', flush=True)\nsignal.pause()\n")
    script.chmod(0o755)
    with subprocess.Popen([str(script)], cwd=place.work, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        try:
            (session,) = place.door.ask("sessions")["sessions"]
            place.door.refused("live_agent", "rewind", str(path), "--to", "msg-u2")
        finally:
            process.send_signal(signal.SIGKILL)

    assert session["live"] == "unknown"
    place.door.ask("rewind", str(path), "--to", "msg-u2")
