"""The language server over real sessions: the same results as the command line, whatever the transcript holds."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases.builder import SESSION, answer, header, title, turns, user, write
from tests.cases.play import Play, Played
from tests.harness.place import Place, append, lines
from tests.harness.tree import picture
from tests.protocol.client import Client, Start

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "</script>--><!--",
    "\x1b[31mred\x1b]0;title\x07\x1b[2J",
    "\u202egnp.exe\u2066\u200b\ufeff",
    "two\r\nlines\u2028and\u2029more\x00\x7f\x85",
    "x" * 20_000,
    "   ",
    "👩\u200d👩\u200d👧 é 漢字",
    '{"jsonrpc":"2.0","id":1,"method":"exit"}',
    "Content-Length: 5\r\n\r\n{}",
)


def played(place: Place) -> Played:
    """Three turns: a file edited twice, one made, one removed."""
    play = Play(place)
    play.put("kept.txt", "mine\n")
    play.put("edited.txt", "one\n")
    play.put("removed.txt", "here\n")
    play.turn("msg-u1", edited_dot_txt="two\n")
    play.user("msg-u2", "second 漢字")
    play.write("made.txt", "new\n")
    play.remove("removed.txt")
    play.answer()
    play.turn("msg-u3", edited_dot_txt="three\n")
    return play.finish()


def same(cli: Any, lsp: Any) -> None:
    """Compare what both doors said, as JSON."""
    assert json.dumps(lsp, sort_keys=True) == json.dumps(cli, sort_keys=True)


def test_what_is_read_is_the_same_at_both_doors(place: Place, start: Start) -> None:
    session = played(place).transcript.stem
    client = start(place)

    same(place.door.ask("sessions"), client.ask("respool/sessions"))
    same(place.door.ask("sessions", "--all"), client.ask("respool/sessions", {"all": True}))
    same(place.door.ask("checkpoints", session), client.ask("respool/checkpoints", {"session": session}))
    same(place.door.ask("show", session), client.ask("respool/show", {"session": session}))
    same(place.door.ask("checkpoints", session), client.ask("respool/checkpoints"))


@pytest.mark.parametrize("mode", ["both", "conversation", "files"])
@pytest.mark.parametrize("to", ["msg-u1", "msg-u2", "msg-u3"])
def test_a_plan_is_the_same_at_both_doors(place: Place, start: Start, to: str, mode: str) -> None:
    session = played(place).transcript.stem
    planned = place.door.ask("plan", session, "--to", to, "--mode", mode)

    same(planned, start(place).ask("respool/plan", {"session": session, "to": {"id": to}, "mode": mode}))


def test_a_rewind_and_its_undo_do_the_same_at_both_doors(place: Place, start: Start, root: Path) -> None:
    other = Place(root=root / "other").make()
    here, there = played(place), played(other)
    client = start(place)
    first = picture(place.work)
    planned = client.ask("respool/plan", {"session": here.transcript.stem, "to": {"id": "msg-u2"}})
    digest = planned["digest"]

    done = client.ask("respool/rewind", {"session": here.transcript.stem, "to": {"id": "msg-u2"}, "digest": digest})
    by_command = other.door.ask("rewind", there.transcript.stem, "--to", "msg-u2")

    assert done["inputContent"] == "second 漢字"
    assert without_names(done, place) == without_names(by_command, other)
    assert picture(place.work) == picture(other.work) != first
    assert body(here.transcript) == body(there.transcript) == body_of(here.data)[: len(body(here.transcript))]
    undone = client.ask("respool/undo", {"session": here.transcript.stem})
    undone_by_command = other.door.ask("undo", there.transcript.stem)
    assert without_names(undone, place) == without_names(undone_by_command, other)
    assert picture(place.work) == picture(other.work) == first
    assert here.transcript.read_bytes() == here.data


def body(transcript: Path) -> list[bytes]:
    """The lines after the header, which names the work directory."""
    return body_of(transcript.read_bytes())


def body_of(data: bytes) -> list[bytes]:
    """Lines after the header, up to the first that names a path of the workspace."""
    return [line for line in data.split(b"\n")[1:] if line and b"filePath" not in line]


def without_names(result: dict[str, Any], place: Place) -> dict[str, Any]:
    """A result with the workspace and the operation's id taken out."""
    told = {**result, "operation": {**result["operation"], "id": "?"}}
    shown: dict[str, Any] = json.loads(json.dumps(told).replace(str(place.work), "/ws"))
    return shown


@pytest.mark.parametrize(
    ("method", "params", "args"),
    [
        ("checkpoints", {"session": "nothing"}, ["nothing"]),
        ("plan", {"to": {"id": "msg-a1"}}, [SESSION, "--to", "msg-a1"]),
        ("plan", {"to": {"id": "msg-u9"}}, [SESSION, "--to", "msg-u9"]),
        ("undo", {"session": SESSION}, [SESSION]),
        ("rewind", {"to": {"id": "msg-u1"}, "digest": "old"}, [SESSION, "--to", "msg-u1", "--digest", "old"]),
    ],
)
def test_a_refusal_is_the_same_at_both_doors_and_changes_nothing(
    place: Place, start: Start, method: str, params: dict[str, Any], args: list[str]
) -> None:
    transcript = write(place, *turns(2))
    before = transcript.read_bytes()
    refused = place.door.run(method, *args, "--json").error

    error = start(place).refused(f"respool/{method}", params)

    assert error["code"] == (-32801 if refused["code"] == "stale_plan" else -32803)
    assert error["message"] == refused["text"]
    assert error["data"] == {key: value for key, value in refused.items() if key != "text"}
    assert transcript.read_bytes() == before


def test_hostile_texts_arrive_as_text_a_row_each(place: Place, start: Start) -> None:
    write(place, *(user(number, text) for number, text in enumerate(HOSTILE, start=1)), answer(1))
    client = start(place)

    rows = client.ask("respool/checkpoints", {"session": SESSION})["checkpoints"]
    shown = client.ask("respool/show", {"session": SESSION})["messages"]

    assert [row["id"] for row in rows] == [f"msg-u{number}" for number in range(1, len(HOSTILE) + 1)]
    assert all(len(row["preview"]) < 1000 for row in rows)
    assert [message["text"] for message in shown[: len(HOSTILE)]] == list(HOSTILE)
    assert client.strays == []
    same(place.door.ask("checkpoints", SESSION)["checkpoints"], rows)


def test_lone_surrogates_of_a_transcript_are_replaced_on_the_wire(place: Place, start: Start) -> None:
    data = lines([header(place), user(1, "cut @@"), answer(1)]).replace(b"@@", b"\\ud83d and \\udfee")
    place.session(data, session=SESSION)
    client = start(place)

    (row,) = client.ask("respool/checkpoints", {"session": SESSION})["checkpoints"]
    shown = client.ask("respool/show", {"session": SESSION})["messages"]

    assert row["preview"] == "cut \ufffd and \ufffd"
    assert shown[0]["text"] == "cut \ufffd and \ufffd"
    assert all("\\ud" not in body.decode("utf-8").lower() for body in client.raw)


def test_lens_and_outline_name_the_checkpoints_whatever_they_say(place: Place, start: Start) -> None:
    transcript = write(place, *(user(number, text) for number, text in enumerate(HOSTILE, start=1)), title("A name"))
    document = {"textDocument": {"uri": transcript.as_uri()}}
    client = start(place)

    lenses = client.ask("textDocument/codeLens", document)
    symbols = client.ask("textDocument/documentSymbol", document)

    assert [lens["range"]["start"]["line"] for lens in lenses] == list(range(1, len(HOSTILE) + 1))
    assert len(symbols) == len(HOSTILE)
    assert all(symbol["name"].strip() and len(symbol["name"]) <= 120 for symbol in symbols)
    assert all(symbol["name"].isprintable() for symbol in symbols)


def test_a_lens_runs_its_rewind(place: Place, start: Start) -> None:
    session = played(place)
    client = start(place)
    lenses = client.ask("textDocument/codeLens", {"textDocument": {"uri": session.transcript.as_uri()}})
    command = lenses[1]["command"]

    result = client.ask("workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]})

    assert result["operation"]["status"] == "completed"
    assert (place.work / "removed.txt").read_text(encoding="utf-8") == "here\n"


def test_growth_by_another_program_is_announced(place: Place, start: Start) -> None:
    transcript = write(place, *turns(1))
    client = start(place)
    client.refused("respool/undo")  # writing is served once the sessions are watched
    append(transcript, user(2))

    told = client.until(lambda message: message.get("method") == "respool/sessionChanged")

    assert told["params"] == {"sessionId": SESSION, "path": str(transcript)}


def test_progress_of_a_real_rewind_begins_and_ends(place: Place, start: Start) -> None:
    session = played(place).transcript.stem
    client = start(place)
    client.ask("respool/rewind", {"session": session, "to": {"id": "msg-u1"}, "workDoneToken": "t"})

    kinds = [message["params"]["value"]["kind"] for message in client.messages if message.get("method") == "$/progress"]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    assert set(kinds[1:-1]) <= {"report"}


def imported(place: Place, *methods: str) -> set[str]:
    """Top-level packages a server has imported when it has answered these requests."""
    door = place.door
    command = door.command("lsp")
    command[1:1] = ["-X", "importtime"]
    with Client(command, cwd=door.cwd, env=door.environment()) as client:
        client.ask("initialize", {"processId": None, "rootUri": place.work.as_uri(), "capabilities": {}})
        for method in methods:
            client.ask(method)
        client.leave()
    names = [line.rsplit("|", 1)[-1].strip() for line in client.log if line.startswith("import time:")]
    return {name.split(".", 1)[0] for name in names}


def test_initialize_is_answered_before_anything_heavy_is_imported(place: Place) -> None:
    assert imported(place).isdisjoint({"sqlalchemy", "alembic", "jinja2", "pydantic", "starlette", "watchdog"})


def test_reading_never_imports_sql(place: Place) -> None:
    write(place, *turns(1))

    packages = imported(place, "respool/sessions", "respool/checkpoints", "respool/show")

    assert packages.isdisjoint({"sqlalchemy", "alembic", "jinja2"})
    assert "pydantic" in packages
