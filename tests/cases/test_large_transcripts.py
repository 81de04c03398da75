"""Transcripts too large to keep as samples: many prompts, a title beyond any tail window, one very long line."""

import pytest

from tests.cases.play import message, tool
from tests.harness.place import Place, lines
from tests.naive import reading

HEADER = {
    "type": "metadata",
    "workdir": "/home/dev/kite",
    "createdAt": "2026-03-01T08:59:30.000Z",
    "gitBranch": "kites",
}
SESSION = "5e551041-0000-4000-8000-000000000408"


def test_five_thousand_prompts_are_all_listed_and_the_middle_one_can_be_gone_back_to(place: Place) -> None:
    turns = [
        record
        for number in range(1, 5001)
        for record in (
            message(f"msg-u{number}", "user", f"Prompt number {number} about lamp {number % 97}.", number % 600),
            message(f"msg-a{number}", "assistant", "ok", number % 600),
        )
    ]
    data = lines([HEADER, *turns])
    path = place.session(data, session=SESSION, workdir="/home/dev/kite")

    assert [row["id"] for row in place.door.ask("checkpoints", str(path))["checkpoints"]] == [
        f"msg-u{number}" for number in range(1, 5001)
    ]
    place.door.ask("rewind", str(path), "--to", "msg-u2500")

    assert path.read_bytes() == b"".join(data.splitlines(keepends=True)[: 1 + 2 * 2499])
    place.door.ask("undo", str(path))
    assert path.read_bytes() == data


@pytest.mark.parametrize("to", ["msg-u41", "msg-u30"])
def test_a_title_beyond_the_tail_is_found_and_repeated(to: str, place: Place) -> None:
    title = {"type": "custom-title", "customTitle": "Catalogue 2026", "sessionId": SESSION}
    turns = [
        record
        for number in range(2, 42)
        for record in (
            message(f"msg-u{number}", "user", f"Entry {number}.", 2 * number),
            message(f"msg-a{number}", "assistant", "lantern " * 500, 2 * number + 1),
        )
    ]
    start = [message("msg-u1", "user", "Start the catalogue.", 1), message("msg-a1", "assistant", "Started.", 2), title]
    data = lines([HEADER, *start, *turns])
    path = place.session(data, session=SESSION, workdir="/home/dev/kite")

    place.door.ask("rewind", str(path), "--to", to)
    (session,) = place.door.ask("sessions", "--all")["sessions"]

    target = next(prompt.line for prompt in reading.prompts(data) if prompt.id == to)
    assert reading.matches_cut(path.read_bytes(), data, target)
    assert session["title"] == "Catalogue 2026"


def test_a_line_of_24_mib_is_kept_exactly_in_bounded_memory(place: Place) -> None:
    dump = message(
        "msg-a1", "assistant", "Here.", 2, tool("Bash", '{"command": "cat archive"}', "0123456789abcdef" * 1_572_864)
    )
    turns = [
        record
        for number, text in ((2, "Too much, stop."), (3, "Fine."))
        for record in (message(f"msg-u{number}", "user", text, 3), message(f"msg-a{number}", "assistant", "ok", 4))
    ]
    data = lines([HEADER, message("msg-u1", "user", "Dump the archive.", 1), dump, *turns])
    path = place.session(data, session=SESSION, workdir="/home/dev/kite")
    limited = ["prlimit", f"--data={400 * 1024 * 1024}", "--"]

    answer = place.door.run("checkpoints", str(path), "--json", wrapper=limited)
    done = place.door.run("rewind", str(path), "--to", "msg-u3", "--json", wrapper=limited)

    assert [row["id"] for row in answer.json["checkpoints"]] == ["msg-u1", "msg-u2", "msg-u3"]
    assert len(answer.out) < 2000
    assert done.code == 0, str(done)
    assert path.read_bytes() == b"".join(data.splitlines(keepends=True)[:5])
    place.door.ask("undo", str(path))
    assert path.read_bytes() == data
    place.door.ask("rewind", str(path), "--to", "msg-u1")
    assert path.read_bytes() == data.splitlines(keepends=True)[0]
