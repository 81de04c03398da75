"""`respool purge`: what goes, and what never goes."""

import os
import re
import sqlite3
from contextlib import closing

import pytest

from respool.storage.files.change_log import ChangeLog
from tests.capture.host import host
from tests.cases.builder import SESSION, turns, write
from tests.harness.place import Place, append, quieten
from tests.store.aging import NEW, OLD, OTHER, age, blobs, contents, log_of, recorded, row_of, transcript_of


def plan(place: Place, session: str, to: str) -> dict[str, object]:
    """What a rewind would do to files, and what it could not."""
    found = place.door.ask("plan", session, "--to", to)
    return {
        "files": {os.path.basename(one["path"]): one["action"] for one in found["files"]},
        "not": {os.path.basename(one["path"]): one["reason"] for one in found["notRestorable"]},
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ("--older-than", "soon"), ("--older-than", "30"), ("--older-than", "-1d"), ("--older-than", "1.5d"),
        ("--older-than", ""), ("--older-than", "9999999999d"), ("--older-than", "３d"), ("--max-size", "big"),
        ("--max-size", "10"), ("--max-size", "-1G"), ("--max-size", "1X"), ("--max-size", ""),
        ("--max-size", "99999999999999T"), ("extra",), ("--older-than",),
    ],
)  # fmt: skip
def test_a_bad_argument_is_exit_2_and_changes_nothing(place: Place, arguments: tuple[str, ...]) -> None:
    recorded(place, OLD, "1", "2")
    age(place, 40)
    before = contents(place)

    answer = place.door.run("purge", "--json", *arguments)

    assert answer.code == 2, str(answer)
    assert answer.error["text"]
    assert contents(place) == before


def test_without_a_terminal_it_wants_yes(place: Place) -> None:
    recorded(place, OLD, "1", "2")
    age(place, 40)
    before = contents(place)

    answer = place.door.run("purge")

    assert answer.code == 2, str(answer)
    assert contents(place) == before
    assert place.door.run("purge", "--yes").code == 0
    assert contents(place) != before


def test_nothing_is_over_the_limits_of_a_young_store(place: Place) -> None:
    recorded(place, OLD, "1", "2")
    before = contents(place)

    found = place.door.ask("purge", "--max-size", "1K", "--older-than", "0h")

    assert found["bytes"] == found["freed"] == 0
    assert contents(place) == before


def test_a_dry_run_changes_nothing_and_the_run_does_just_that(place: Place) -> None:
    recorded(place, OLD, "1" * 50, "2" * 60, "3")
    recorded(place, OTHER, "4" * 70, "5")
    age(place, 31)
    recorded(place, NEW, "6", "7")
    before, kept = contents(place), blobs(place)

    dry = place.door.ask("purge", "--dry-run")
    untouched = contents(place)
    done = place.door.ask("purge")

    assert untouched == before
    assert {**dry, "dryRun": False, "freed": done["freed"]} == done
    assert done["freed"] == done["bytes"] == sum(kept.values()) - sum(blobs(place).values())
    assert {one["sessionId"] for one in done["sessions"]} == {OLD, OTHER}
    assert place.door.ask("purge")["bytes"] == 0


def test_what_a_purge_let_go_is_named_and_neither_restored_nor_deleted(place: Place) -> None:
    """The first turn makes one file and changes another: after the purge a rewind touches neither."""
    (place.work / "a.txt").write_text("a0")
    with host(place, OLD) as agent:
        agent.turn(1, {"a.txt": "a1", "made.txt": "m1"})
        agent.turn(2, {"a.txt": "a2"})
    before = plan(place, OLD, "msg-u1")
    age(place, 31)

    place.door.ask("purge")
    after = plan(place, OLD, "msg-u1")
    refused = place.door.refused("not_restorable", "rewind", OLD, "--to", "msg-u1")
    place.door.ask("rewind", OLD, "--to", "msg-u1", "--partial")

    assert before == {"files": {"a.txt": "restore", "made.txt": "delete"}, "not": {}}
    assert after == {"files": {}, "not": {"a.txt": "expired", "made.txt": "expired"}}
    assert refused.error["needs"] == ["partial"]
    assert (place.work / "a.txt").read_text() == "a2"
    assert (place.work / "made.txt").read_text() == "m1"


def test_turns_recorded_after_a_purge_go_back_as_ever(place: Place) -> None:
    recorded(place, OLD, "1", "2")
    age(place, 31)
    place.door.ask("purge")
    with host(place, OLD) as agent:
        agent.turn(3, {"a.txt": "3"})
        agent.turn(4, {"a.txt": "4", "b.txt": "4"})
    assert row_of(place, OLD)["checkpoints"] == 2

    place.door.ask("rewind", OLD, "--to", "msg-u3", "--live")

    assert (place.work / "a.txt").read_text() == "2"
    assert not (place.work / "b.txt").exists()
    assert plan(place, OLD, "msg-u1")["not"] == {"a.txt": "expired"}


def test_a_blob_that_another_session_needs_survives(place: Place) -> None:
    (place.work / "a.txt").write_text("both")
    recorded(place, OLD, "old only", "x")
    age(place, 31)
    (place.work / "a.txt").write_text("both")
    recorded(place, NEW, "y")
    age(place, 2)

    place.door.ask("purge")
    left = blobs(place)
    place.door.ask("rewind", NEW, "--to", "msg-u1", "--live")

    assert list(left.values()) == [len("both")]
    assert (place.work / "a.txt").read_text() == "both"


def test_a_fork_in_use_keeps_the_turns_it_has_from_the_original(place: Place) -> None:
    recorded(place, OLD, "1", "2", "3")
    age(place, 40)
    recorded(place, NEW, "4")
    fork = ChangeLog(str(place.state), str(transcript_of(place, NEW)))
    fork.append({"kind": "inherits", "transcript": os.path.realpath(transcript_of(place, OLD)), "prompts": ["msg-u1"]})
    age(place, 2)
    before = contents(place)

    spared = place.door.ask("purge")
    in_use = contents(place)
    age(place, 40)
    place.door.ask("purge")

    assert spared["bytes"] == 0
    assert in_use == before
    assert blobs(place) == {}


def test_a_running_recorder_and_an_open_turn_keep_a_session_however_old(place: Place) -> None:
    with host(place, OLD) as agent:
        agent.turn(1, {"a.txt": "1"})
        agent.turn(2, {"a.txt": "2"})
        age(place, 400)
        before = contents(place)

        found = place.door.ask("purge", "--max-size", "1K", "--older-than", "1h")

        assert found["bytes"] == 0
        assert contents(place) == before


def test_a_blob_younger_than_an_hour_stays_though_nothing_names_it(place: Place) -> None:
    recorded(place, OLD, "1", "2")
    age(place, 40)
    loose = place.state / "blobs" / "ab" / ("ab" * 32)
    loose.write_bytes(b"about to be named")

    young = place.door.ask("purge")["unneeded"]
    os.utime(loose, (0, 0))
    old = place.door.ask("purge")["unneeded"]

    assert young == {"count": 0, "bytes": 0}
    assert old == {"count": 1, "bytes": 17}
    assert not loose.exists()


def test_finding_a_blob_again_renews_it(place: Place) -> None:
    """Whoever is about to name an old blob has made it young: a purge at that moment spares it."""
    recorded(place, OLD, "1", "2")
    age(place, 40)
    (place.work / "a.txt").write_text("1")
    with host(place, NEW) as agent:
        agent.do("user", id="msg-u1", text="again")
        agent.do("before", path="a.txt")

    place.door.ask("purge")

    assert len(blobs(place)) == 1


def test_only_the_newest_hundred_checkpoints_of_a_session_are_kept(place: Place) -> None:
    recorded(place, OLD, *(f"{number:03}" for number in range(1, 106)))
    age(place, 2)

    done = place.door.ask("purge")

    assert [one["checkpoints"] for one in done["sessions"]] == [5]
    assert row_of(place, OLD)["checkpoints"] == 100
    assert plan(place, OLD, "msg-u5") == {"files": {}, "not": {"a.txt": "expired"}}
    assert plan(place, OLD, "msg-u6")["files"] == {"a.txt": "restore"}
    assert place.door.ask("purge")["bytes"] == 0


def test_the_oldest_go_until_the_store_is_small_enough(place: Place) -> None:
    for number, session in enumerate((OLD, OTHER, NEW)):
        with host(place, session) as agent:
            for turn in (1, 2):
                agent.do("user", id=f"msg-u{turn}", text="q")
                (place.work / "noise").write_bytes(os.urandom(40_000))
                agent.write("noise", b"%d" % number)
        age(place, 3)

    done = place.door.ask("purge", "--max-size", "150K")

    assert [(one["sessionId"], one["checkpoints"]) for one in done["sessions"]] in (
        [(OLD, 2), (OTHER, 1)],
        [(OTHER, 1), (OLD, 2)],
    )
    assert place.door.ask("store")["bytes"] <= 150 * 1024
    assert row_of(place, NEW)["checkpoints"] == 2


def test_undo_material_stays_while_it_can_be_taken_back_and_goes_when_it_is_old_and_expired(place: Place) -> None:
    transcript = write(place, *turns(3))
    whole = transcript.read_bytes()
    place.door.ask("rewind", "--to", "msg-u2")
    age(place, 60)

    spared = place.door.ask("purge", "--max-size", "1K")
    place.door.ask("undo")
    back = transcript.read_bytes()
    second = place.door.ask("rewind", SESSION, "--to", "msg-u3", "--live")["operation"]["id"]
    append(transcript, *turns(1))
    age(place, 60)
    quieten(transcript)
    age(place, 2)
    done = place.door.ask("purge")

    assert spared["operations"] == []
    assert back == whole
    assert second in {one["id"] for one in done["operations"]}
    assert blobs(place) == {}
    assert place.door.run("recover", second, "--to", "out", "--json").code != 0


def test_an_unsettled_operation_keeps_all_it_needs(place: Place) -> None:
    write(place, *turns(3))
    operation = place.door.ask("rewind", "--to", "msg-u2")["operation"]["id"]
    with closing(sqlite3.connect(place.state / "state.db")) as connection, connection:
        connection.execute("UPDATE operations SET status = 'repair_required'")
    age(place, 400)
    before = blobs(place)

    done = place.door.ask("purge", "--max-size", "1K", "--older-than", "1h")

    assert before
    assert done["operations"] == [], operation
    assert blobs(place) == before


def test_the_log_of_a_session_that_is_gone_itself_goes(place: Place) -> None:
    recorded(place, OLD, "1", "2")
    log = log_of(place, OLD)
    transcript_of(place, OLD).unlink()
    log.write_bytes(re.sub(rb'"at_ms":\d+', b'"at_ms":1', log.read_bytes()))
    for path in place.state.rglob("*"):
        if path.is_file():
            os.utime(path, (0, 0))

    done = place.door.ask("purge")

    assert [one["log"] for one in done["sessions"]] == [True]
    assert done["freed"] == done["bytes"]
    assert not log.parent.exists()
    assert place.door.ask("store")["sessions"] == []


def test_an_old_look_at_a_workspace_goes_and_the_next_command_begins_anew(place: Place) -> None:
    (place.work / "kept.txt").write_text("k")
    with host(place, OLD) as agent:
        agent.do("user", id="msg-u1", text="q")
        agent.do("shell-after", token=agent.do("shell-before", command="true")["token"])
    age(place, 40)

    done = place.door.ask("purge")
    with host(place, NEW) as agent:
        agent.do("user", id="msg-u1", text="q")
        token = agent.do("shell-before", command="rm kept.txt")["token"]
        (place.work / "kept.txt").unlink()
        agent.do("shell-after", token=token)

    assert [one["path"] for one in done["workspaces"]] == [str(place.work)]
    assert done["workspaces"][0]["bytes"] > 0
    place.door.ask("rewind", NEW, "--to", "msg-u1", "--live")
    assert (place.work / "kept.txt").read_text() == "k"


def test_a_rewind_tidies_once_a_day(place: Place) -> None:
    recorded(place, OLD, "1", "2")
    write(place, *turns(3))
    place.door.ask("rewind", SESSION, "--to", "msg-u3")
    stamp = place.state / "tidied"
    age(place, 31)
    os.utime(stamp)
    quieten(write(place, *turns(3)))
    place.door.ask("rewind", SESSION, "--to", "msg-u3", "--live")
    early = row_of(place, OLD)["ownBytes"]
    os.utime(stamp, (0, 0))

    place.door.ask("rewind", SESSION, "--to", "msg-u2", "--live")

    assert early > 0
    assert row_of(place, OLD)["ownBytes"] == 0
    assert stamp.stat().st_mtime > 0


def test_two_purges_at_once_are_one(place: Place) -> None:
    recorded(place, OLD, "1" * 90, "2" * 80, "3")
    age(place, 40)
    both = [place.door.start("purge", "--json") for _ in range(2)]

    answers = [place.door.finish(one, "purge") for one in both]

    assert [one.code for one in answers] == [0, 0], answers
    assert blobs(place) == {}
    assert place.door.ask("purge")["bytes"] == 0
