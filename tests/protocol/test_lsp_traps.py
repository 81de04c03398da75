"""What pygls gets wrong by itself, and what a client or a transcript may do to us: an answer always, nothing leaks."""

import json
from typing import Any

import pytest

from tests.protocol.client import Client

METHODS = [f"respool/{name}" for name in ("sessions", "open", "checkpoints", "plan", "rewind", "undo", "show")]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("params", [[], "text", 5, True, {"no such": 1}, {"session": 5}, {"to": "u1"}, {"all": "yes"}])
def test_bad_parameters_are_answered_as_such(shared: Client, method: str, params: Any) -> None:
    error = shared.refused(method, params)

    assert error["code"] == -32602
    assert "data" not in error


def test_parameters_arrive_as_they_were_sent(shared: Client) -> None:
    error = shared.refused("respool/show", {"src/a b.py": 1, "type_name": "Z", "class": 2})

    assert error == {"code": -32602, "message": "src/a b.py: Extra inputs are not permitted"}


def test_an_object_of_another_protocol_inside_a_request_or_result_is_left_alone(shared: Client) -> None:
    nested = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"x": 1}}

    assert shared.refused("respool/show", {"session": nested})["code"] == -32602
    shown = shared.ask("respool/show", {"session": "s1"})
    assert shown["header"] == {"jsonrpc": "2.0"}
    assert shown["messages"][0]["blocks"][0]["params"] == {"class": 1, "a b": 2}


def test_an_unexpected_error_is_answered_without_traceback_or_text(client: Client) -> None:
    error = client.refused("respool/show", {"session": "crash"})

    assert error == {"code": -32603, "message": "internal error"}
    client.leave()
    assert any("ZeroDivisionError" in line for line in client.log)


def test_what_a_library_prints_does_not_reach_the_client(client: Client) -> None:
    client.ask("respool/show", {"session": "print"})
    client.leave()

    assert client.strays == []
    assert any("a library said hello" in line for line in client.log)


def test_messages_are_not_logged(client: Client) -> None:
    client.ask("respool/open", {"session": "private-name"})
    client.leave()

    assert client.log == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"null", -32600),
        (b'{"id":1,"method":"respool/sessions"}', -32600),
        (b'{"jsonrpc":"2.0","id":{"a":1},"method":"respool/sessions"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"respool/sessions"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"textDocument/codeLens","params":{"textDocument":5}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":7}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"x"}}', -32602),
    ],
)
def test_what_is_no_request_is_answered_and_the_stream_goes_on(shared: Client, body: bytes, code: int) -> None:
    shared.send_body(body)

    assert shared.until(lambda message: "error" in message)["error"]["code"] == code
    assert shared.ask("respool/sessions")["sessions"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("no/such", {"a": 1}),
        ("textDocument/didOpen", {"textDocument": 5}),
        ("textDocument/didChange", None),
        (
            "textDocument/didChange",
            {"textDocument": {"uri": "file:///never/opened", "version": 1}, "contentChanges": []},
        ),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///never/opened"}}),
        ("$/cancelRequest", {"id": "nobody"}),
        ("$/cancelRequest", None),
        ("$/setTrace", {"value": "nonsense"}),
        ("window/workDoneProgress/cancel", {"token": "nobody"}),
        ("initialized", {}),
    ],
)
def test_odd_notifications_are_ignored_in_silence(shared: Client, method: str, params: Any) -> None:
    before = len(shared.messages)
    shared.notify(method, params)

    assert shared.ask("respool/sessions")["sessions"]
    assert ["method" in message for message in shared.messages[before:]] == [False]


def test_answers_nobody_waits_for_are_ignored(shared: Client) -> None:
    shared.send({"jsonrpc": "2.0", "id": "nobody", "result": {}})
    shared.send({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "?"}})

    assert shared.ask("respool/sessions")["sessions"]


def test_headers_may_come_in_any_order_and_case(shared: Client) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": "x", "method": "respool/sessions"}).encode()
    shared.send_bytes(
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:%d\r\n\r\n" % len(body)
    )
    shared.send_bytes(body)

    assert shared.answer("x")["result"]["sessions"]


@pytest.mark.parametrize("data", [b"\r\n\r\n", b"Content-Length: -1\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n"])
def test_a_stream_out_of_step_ends_the_server(client: Client, data: bytes) -> None:
    client.send_bytes(data)

    assert client.process.wait(60) == 1
    assert client.strays == []


def test_requests_out_of_turn_are_answered(silent: Client) -> None:
    assert silent.refused("respool/sessions")["code"] == -32002
    assert silent.refused("initialize", {"capabilities": 5})["code"] == -32602

    silent.initialize()

    assert silent.refused("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["code"] == -32600
    assert silent.ask("shutdown") is None
    assert silent.refused("respool/sessions")["code"] == -32600
    silent.notify("exit")
    assert silent.process.wait(60) == 0


def test_a_client_that_leaves_without_a_word_ends_the_server(client: Client) -> None:
    client.send_bytes(b"Content-Length: 100\r\n\r\n{")
    assert client.process.stdin is not None
    client.process.stdin.close()

    assert client.process.wait(60) == 1
