"""The table of requests: what is asked of the services, and what comes of it."""

from typing import Any, cast

import pytest

from respool.model.plan import Consent, Mode
from respool.protocol.dispatch import Dispatcher, Running
from respool.protocol.errors import WireError
from tests.protocol import fake


@pytest.fixture
def calls() -> list[dict[str, Any]]:
    """What the rewinds of the dispatcher were asked."""
    return []


@pytest.fixture
def dispatcher(calls: list[dict[str, Any]]) -> Dispatcher:
    """Over services in memory that are settled."""
    services = fake.services()
    services.operations.settle()
    cast(Any, services.rewinds).calls = calls
    return Dispatcher(services, workspace="/w", demo=fake.no_demo)


def test_a_rewind_is_asked_for_with_everything_the_caller_said(
    dispatcher: Dispatcher, calls: list[dict[str, Any]]
) -> None:
    dispatcher.call(
        "respool/rewind",
        {
            "session": "s1",
            "to": {"id": "u1", "line": 3},
            "mode": "files",
            "digest": "d1",
            "consent": {"partial": True},
            "except": ["a.txt", "/w/b/../c"],
        },
    )

    assert calls == [
        {
            "transcript": "/h/s1.jsonl",
            "to": "u1@3",
            "mode": Mode.FILES,
            "leave_out": ("/w/a.txt", "/w/c"),
            "digest": "d1",
            "consent": Consent(partial=True),
            "workspace": "/w",
            "progress": None,
            "cancelled": None,
        }
    ]


def test_an_undo_without_a_session_is_that_of_the_newest_operation(
    dispatcher: Dispatcher, calls: list[dict[str, Any]]
) -> None:
    dispatcher.call("respool/undo", None)
    dispatcher.call("respool/plan", {})
    dispatcher.call("respool/undo", {"session": "s1"})

    assert [call["transcript"] for call in calls] == ["/h/newest.jsonl", "/h/newest.jsonl", "/h/s1.jsonl"]


def test_listeners_hear_of_rewinds_and_undos_but_not_of_plans_or_refusals(dispatcher: Dispatcher) -> None:
    heard: list[str] = []
    dispatcher.on_changed(heard.append)

    dispatcher.call("respool/plan", {"to": {"id": "u1"}})
    with pytest.raises(WireError):
        dispatcher.call("respool/rewind", {"to": {"id": "stale"}})
    dispatcher.call("respool/rewind", {"to": {"id": "fails"}})
    dispatcher.call("respool/undo", {})

    assert heard == ["/h/s1.jsonl", "/h/newest.jsonl"]


def test_a_path_that_is_not_utf8_can_be_named(dispatcher: Dispatcher, calls: list[dict[str, Any]]) -> None:
    dispatcher.call("respool/plan", {"session": "\udcff", "to": {"id": "u1"}, "except": ["\udcfe"]})

    assert calls[0]["transcript"] == "/h/\udcff.jsonl"
    assert calls[0]["leave_out"] == ("/w/\udcfe",)


def test_progress_and_cancellation_reach_the_service(dispatcher: Dispatcher, calls: list[dict[str, Any]]) -> None:
    seen: list[tuple[int, int]] = []
    running = Running(progress=lambda done, total: seen.append((done, total)), cancelled=lambda: False)

    dispatcher.call("respool/rewind", {"to": {"id": "u1"}}, running)

    assert seen == [(0, 2), (1, 2), (2, 2)]
    assert calls[0]["cancelled"] is running.cancelled


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("respool/none", {}, -32601),
        ("respool/show", 5, -32602),
        ("respool/view/open", 5, -32602),
        ("respool/view/open", {"view": ""}, -32602),
        ("respool/view/open", {"view": "x" * 101}, -32602),
        ("respool/view/intent", {"view": 1, "intent": "help", "request": 1}, -32602),
        ("respool/view/intent", {"view": "never opened", "intent": "help", "request": 1}, -32602),
        ("respool/view/close", {"view": "side", "session": "s1"}, -32602),
        ("respool/rewind", {"to": {"id": "u1", "line": 0}}, -32602),
        ("respool/rewind", {"to": {"id": "u1"}, "consent": {"partial": 1}}, -32602),
        ("respool/rewind", {"to": {"id": "u1"}, "mode": "everything"}, -32602),
        ("respool/rewind", {"to": {"id": "stale"}}, -32801),
        ("respool/plan", {"to": {"id": "gone"}}, -32803),
        ("respool/show", {"session": "unknown"}, -32803),
        ("respool/show", {"session": "crash"}, -32603),
    ],
)
def test_every_failure_is_an_error_with_a_code(dispatcher: Dispatcher, method: str, params: object, code: int) -> None:
    with pytest.raises(WireError) as caught:
        dispatcher.call(method, params)

    assert caught.value.code == code
    assert "secret" not in caught.value.message


def test_a_mistake_is_named_by_its_place_and_not_by_its_value(dispatcher: Dispatcher) -> None:
    with pytest.raises(WireError, match=r"^to\.line: ") as caught:
        dispatcher.call("respool/rewind", {"to": {"id": "u1", "line": "secret"}})

    assert "secret" not in caught.value.message
