"""Each custom request of the language server over services in memory: shapes, errors, cancellation, progress."""

from pathlib import Path
from urllib.parse import quote_from_bytes

import pytest

from tests.protocol.client import Client, Json


def test_initialize_names_what_we_offer(silent: Client) -> None:
    result = silent.initialize()

    assert result["serverInfo"]["name"] == "respool"
    offered = result["capabilities"]
    assert offered["executeCommandProvider"]["commands"] == ["respool.server.rewind", "respool.server.undo"]
    assert offered["codeLensProvider"]
    assert offered["documentSymbolProvider"]
    assert offered["textDocumentSync"]["openClose"] is True


def test_sessions_are_those_of_the_clients_folder(client: Client, tmp_path: Path) -> None:
    assert [row["workdir"] for row in client.ask("respool/sessions")["sessions"]] == [str(tmp_path)]
    assert len(client.ask("respool/sessions", {"all": True})["sessions"]) == 2


def test_a_folder_whose_name_is_not_utf8_survives_the_way_there_and_back(silent: Client) -> None:
    silent.ask(
        "initialize",
        {"processId": None, "capabilities": {}, "rootUri": "file://" + quote_from_bytes(b"/w/\xff \xc3\xa9")},
    )
    silent.notify("initialized", {})

    (row,) = silent.ask("respool/sessions")["sessions"]

    assert row["workdir"] == "/w/\udcff é"
    assert b"/w/\\udcff \xc3\xa9" in silent.raw[-1]


def test_a_session_that_is_not_there_is_refused_with_its_code(shared: Client) -> None:
    error = shared.refused("respool/checkpoints", {"session": "unknown"})

    assert error == {
        "code": -32803,
        "message": "there is no session unknown",
        "data": {"code": "unknown_session", "hint": "`respool sessions --all` lists every session."},
    }


def test_a_stale_plan_has_the_code_of_modified_content(shared: Client) -> None:
    error = shared.refused("respool/rewind", {"session": "s1", "to": {"id": "stale"}, "digest": "old"})

    assert error["code"] == -32801
    assert error["data"]["code"] == "stale_plan"


def test_a_refusal_lists_the_consents_it_needs(shared: Client) -> None:
    error = shared.refused("respool/rewind", {"session": "s1", "to": {"id": "needs"}})

    assert error["code"] == -32803
    assert error["data"]["needs"] == ["partial"]


def test_rewinding_to_nowhere_is_a_mistake_of_the_caller(shared: Client) -> None:
    assert shared.refused("respool/rewind", {"session": "s1"})["code"] == -32602


def test_a_plan_without_a_place_is_that_of_an_undo(shared: Client) -> None:
    assert shared.ask("respool/plan", {})["inputContent"] == ""
    assert shared.ask("respool/plan", {"to": {"id": "u1", "line": 3}})["inputContent"] == "hello"


def test_a_failed_rewind_is_a_result_that_says_so(shared: Client) -> None:
    failed = shared.ask("respool/rewind", {"session": "s1", "to": {"id": "fails"}})
    broken = shared.ask("respool/rewind", {"session": "s1", "to": {"id": "broken"}})

    assert (failed["operation"]["status"], failed["error"]["code"]) == ("failed", "restore_failed")
    assert broken["operation"]["status"] == "repair_required"
    assert broken["operation"]["id"] in broken["error"]["hint"]


def test_a_session_that_changed_is_announced_once(client: Client) -> None:
    client.ask("respool/rewind", {"session": "s1", "to": {"id": "u1"}})
    told = client.until(lambda message: message.get("method") == "respool/sessionChanged")

    assert told["params"] == {"sessionId": "s1", "path": "/h/s1.jsonl"}


def test_a_reading_request_is_cancelled_at_once(client: Client) -> None:
    request = client.start("respool/show", {"session": "hold"})
    client.notify("$/cancelRequest", {"id": request})

    assert client.answer(request)["error"]["code"] == -32800
    client.process.kill()


def test_a_cancellation_gets_through_however_much_is_running(client: Client) -> None:
    requests = [client.start("respool/show", {"session": "hold"}) for _ in range(40)]
    for request in requests:
        client.notify("$/cancelRequest", {"id": request})

    assert {client.answer(request)["error"]["code"] for request in requests} == {-32800}
    client.process.kill()


def test_a_running_request_does_not_keep_others_waiting(client: Client) -> None:
    client.start("respool/show", {"session": "hold"})

    assert client.ask("respool/open", {"session": "s1"})["sessionId"] == "s1"
    client.process.kill()


def running(client: Client) -> None:
    """Wait for the first progress report: the rewind is running."""
    client.until(
        lambda message: message.get("method") == "$/progress" and message["params"]["value"]["kind"] == "report"
    )


@pytest.mark.parametrize("how", ["$/cancelRequest", "window/workDoneProgress/cancel"])
def test_a_cancelled_rewind_is_answered_with_what_became_of_it(client: Client, how: str) -> None:
    request = client.start("respool/rewind", {"to": {"id": "slow"}, "workDoneToken": "t"})
    running(client)
    client.notify(how, {"id": request} if how == "$/cancelRequest" else {"token": "t"})

    answer = client.answer(request)

    assert answer["result"]["operation"]["status"] == "failed"
    assert answer["result"]["error"]["code"] == "cancelled"


def test_leaving_ends_a_rewind_that_is_running(client: Client) -> None:
    client.start("respool/rewind", {"to": {"id": "slow"}, "workDoneToken": "t"})
    running(client)

    assert client.leave() == 0


def test_progress_is_reported_where_the_client_gave_a_token(client: Client) -> None:
    client.ask("respool/rewind", {"to": {"id": "u1"}, "workDoneToken": 7})
    client.ask("respool/rewind", {"to": {"id": "u1"}})

    told = [message["params"] for message in client.messages if message.get("method") == "$/progress"]
    assert {params["token"] for params in told} == {7}
    assert [params["value"]["kind"] for params in told] == ["begin", "report", "report", "report", "end"]
    assert [params["value"].get("percentage") for params in told[1:4]] == [0, 50, 100]


def test_ten_thousand_rows_arrive_whole(shared: Client) -> None:
    assert len(shared.ask("respool/checkpoints", {"session": "many"})["checkpoints"]) == 10_000


def test_lens_and_outline_stand_on_the_checkpoints_of_a_transcript(client: Client, tmp_path: Path) -> None:
    folder = tmp_path / ".wave" / "projects" / "w"
    folder.mkdir(parents=True)
    document = {"textDocument": {"uri": (folder / "s1.jsonl").as_uri()}}

    (lens,) = client.ask("textDocument/codeLens", document)
    (symbol,) = client.ask("textDocument/documentSymbol", document)

    assert lens["range"]["start"] == {"line": 0, "character": 0}
    assert lens["command"]["command"] == "respool.server.rewind"
    assert lens["command"]["arguments"] == [{"session": str(folder / "s1.jsonl"), "to": {"id": "u0", "line": 1}}]
    assert symbol["name"] == "prompt 0"


@pytest.mark.parametrize("uri", ["file:///elsewhere/s1.jsonl", "untitled:Untitled-1", "file:///", ""])
def test_other_documents_have_neither(shared: Client, uri: str) -> None:
    assert shared.ask("textDocument/codeLens", {"textDocument": {"uri": uri}}) == []
    assert shared.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) == []


def documents_are_tolerated(client: Client) -> None:
    item = {"uri": "file:///w/a.py", "languageId": "python", "version": 1, "text": "é\u2028\ud83d"}
    client.notify("textDocument/didOpen", {"textDocument": item})
    change = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 9}}, "text": "x"}
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": item["uri"], "version": 2}, "contentChanges": [change, {"text": "whole"}]},
    )
    client.notify("textDocument/didClose", {"textDocument": {"uri": item["uri"]}})


def test_documents_may_be_opened_changed_and_closed(client: Client) -> None:
    documents_are_tolerated(client)

    assert client.ask("respool/sessions")["sessions"]
    client.leave()
    assert client.log == []


def command(client: Client, name: str, argument: Json) -> int:
    """Run one of the two commands."""
    return client.start("workspace/executeCommand", {"command": f"respool.server.{name}", "arguments": [argument]})


def asked(client: Client, answer: str | None) -> str:
    """Wait for a question and answer it with the title of a button; return the question."""
    question = client.until(lambda message: message.get("method") == "window/showMessageRequest")
    client.send({"jsonrpc": "2.0", "id": question["id"], "result": None if answer is None else {"title": answer}})
    text: str = question["params"]["message"]
    return text


def test_the_rewind_command_asks_first_and_then_for_each_consent(silent: Client) -> None:
    silent.initialize(window={"showMessage": {}})
    request = command(silent, "rewind", {"session": "s1", "to": {"id": "needs"}})

    assert "/w/a.txt" in asked(silent, "Rewind")
    assert "cannot be restored" in asked(silent, "Rewind anyway")
    assert "may still have this session open" in asked(silent, "Rewind anyway")
    assert silent.answer(request)["result"]["operation"]["status"] == "completed"


@pytest.mark.parametrize("answer", [None, "Cancel", "something else"])
def test_a_no_to_the_rewind_command_changes_nothing(silent: Client, answer: str | None) -> None:
    silent.initialize(window={"showMessage": {}})
    request = command(silent, "rewind", {"session": "s1", "to": {"id": "needs"}})
    asked(silent, answer)

    assert silent.answer(request)["result"] is None


def test_a_client_that_cannot_ask_gets_the_refusal(shared: Client) -> None:
    request = command(shared, "rewind", {"session": "s1", "to": {"id": "needs"}})

    assert shared.answer(request)["error"]["data"]["needs"] == ["partial"]


def test_a_client_that_cannot_answer_a_question_gets_an_error(silent: Client) -> None:
    silent.initialize(window={"showMessage": {}})
    request = command(silent, "undo", {})
    question = silent.until(lambda message: message.get("method") == "window/showMessageRequest")
    silent.send({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32601, "message": "no"}})

    assert silent.answer(request)["error"]["code"] == -32603


def test_the_undo_command_takes_the_newest_back(silent: Client) -> None:
    silent.initialize(window={"showMessage": {}})
    request = command(silent, "undo", {})
    asked(silent, "Undo")

    assert silent.answer(request)["result"]["operation"]["status"] == "completed"


@pytest.mark.parametrize("arguments", [[1], [{}, {}], [{"to": 5}], [{}]])
def test_a_command_with_other_arguments_is_refused(shared: Client, arguments: list[object]) -> None:
    request = shared.start("workspace/executeCommand", {"command": "respool.server.rewind", "arguments": arguments})

    assert shared.answer(request)["error"]["code"] == -32602
