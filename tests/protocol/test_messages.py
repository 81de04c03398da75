"""The shapes of results, field by field, and their bytes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respool.model.errors import AmbiguousMessage, NotRestorable, OutsideWorkspace, UndoExpired
from respool.model.filestate import ABSENT, FileState, Kind
from respool.model.ids import MessageId, OperationId
from respool.model.operation import OperationInfo, Status
from respool.model.plan import Action, Mode, Notice, NotRestored, Task
from respool.model.transcript import Checkpoint, CheckpointList
from respool.protocol.messages import (
    dumps,
    error_json,
    operations_json,
    outcome_json,
    plan_json,
    sessions_json,
    state_json,
    to_wire,
)
from tests.protocol import made


def test_a_plan_has_the_fields_of_the_contract() -> None:
    planned = made.planned(
        files=(
            made.change(added=1, deleted=2),
            made.change(path="/w/new", action=Action.DELETE, before=ABSENT, changed_since=True, outside=True),
        ),
        not_restorable=(NotRestored(path="/w/x", reason="missing_backup"),),
        tasks=(Task(id="t1", kind="shell", description="sleep", stoppable=False),),
        warnings=(Notice(code="not_captured", text="{tool} at {line}", params={"tool": "Bash", "line": 7}),),
    )

    assert plan_json(planned) == {
        "digest": "d1",
        "sessionId": "s1",
        "target": {"id": "u2", "line": 4},
        "mode": "both",
        "inputContent": "hello",
        "messages": {"removed": 2, "lines": [4, 5]},
        "files": [
            {
                "path": "/w/a.txt",
                "action": "restore",
                "before": {"kind": "file", "size": 3, "mode": "0644", "sha256": "ab" * 32},
                "added": 1,
                "deleted": 2,
                "changedSince": False,
                "outside": False,
                "actor": "main",
                "how": "import",
            },
            {
                "path": "/w/new",
                "action": "delete",
                "before": None,
                "added": None,
                "deleted": None,
                "changedSince": True,
                "outside": True,
                "actor": "main",
                "how": "import",
            },
        ],
        "notRestorable": [{"path": "/w/x", "reason": "missing_backup"}],
        "tasks": [{"id": "t1", "kind": "shell", "description": "sleep", "stoppable": False}],
        "warnings": [{"code": "not_captured", "text": "Bash at 7"}],
    }


@pytest.mark.parametrize(("mode", "text"), [(None, None), (0, "0000"), (0o644, "0644"), (0o4755, "4755")])
def test_a_files_mode_is_four_octal_digits_where_it_is_known(mode: int | None, text: str | None) -> None:
    shown = state_json(FileState(kind=Kind.FILE, mode=mode))

    assert shown is not None
    assert shown["mode"] == text


def test_an_outcome_has_the_fields_of_the_contract() -> None:
    assert outcome_json(made.outcome()) == {
        "operation": {"id": "20260101T000000Z-abcd", "status": "completed"},
        "inputContent": "hello",
        "removed": 2,
        "restored": ["/w/a.txt"],
        "notRestored": [{"path": "/w/b.txt", "reason": "left_out"}],
        "stoppedTasks": [],
        "undo": True,
        "resume": None,
        "forkedTo": None,
        "warnings": [{"code": "not_captured", "text": "Bash at 7"}],
    }


@pytest.mark.parametrize("status", [Status.FAILED, Status.REPAIR_REQUIRED])
def test_an_outcome_that_is_not_completed_carries_its_error_too(status: Status) -> None:
    shown = outcome_json(made.outcome(status=status, error_code="disk_full", error_text="no room"))

    assert shown["operation"]["status"] == status.value
    assert shown["error"]["code"] == "disk_full"
    assert shown["error"]["text"] == "no room"
    assert shown["error"]["hint"]


def test_a_checkpoint_has_the_fields_of_the_contract() -> None:
    row = Checkpoint(
        id=MessageId("u1"), line=2, preview="hi", timestamp="2026-01-01T00:00:00Z", removes=3, after_compaction=True
    )

    assert to_wire(CheckpointList(session_id="s1", title="A title", checkpoints=(row,))) == {
        "sessionId": "s1",
        "title": "A title",
        "checkpoints": [{"id": "u1", "line": 2, "preview": "hi", "timestamp": "2026-01-01T00:00:00Z", "removes": 3}],
    }


def test_a_session_has_the_fields_of_the_contract() -> None:
    assert sessions_json([made.session()]) == {
        "sessions": [
            {
                "sessionId": "s1",
                "path": "/h/s1.jsonl",
                "dialect": "wave",
                "title": "A title",
                "workdir": "/w",
                "createdAt": None,
                "gitBranch": None,
                "lastActiveAt": "2026-01-01T00:00:00Z",
                "live": "no",
            }
        ]
    }


def test_an_operation_has_the_fields_of_the_contract() -> None:
    row = OperationInfo(
        id=OperationId("o1"),
        session_id="s1",
        kind="rewind",
        mode=Mode.FILES,
        target="u2",
        status=Status.COMPLETED,
        started_at="2026-01-01T00:00:00Z",
        undoable=True,
        left_over=(NotRestored(path="/w/b", reason="outside"),),
    )

    assert operations_json([row]) == {
        "operations": [
            {
                "id": "o1",
                "sessionId": "s1",
                "kind": "rewind",
                "mode": "files",
                "target": "u2",
                "status": "completed",
                "startedAt": "2026-01-01T00:00:00Z",
                "undoable": True,
                "leftOver": [{"path": "/w/b", "reason": "outside"}],
            }
        ]
    }


def test_a_refusal_names_what_it_needs_and_only_then() -> None:
    assert error_json(OutsideWorkspace(count=2, needs=("outside", "live")))["error"]["needs"] == ["outside", "live"]
    assert "needs" not in error_json(NotRestorable(count=1))["error"]


def test_a_hint_is_filled_in_from_the_refusal() -> None:
    assert "u1@LINE" in error_json(AmbiguousMessage(message="u1", count=2))["error"]["hint"]
    assert "recover o1 " in error_json(UndoExpired(operation="o1"))["error"]["hint"]


def test_a_text_with_braces_is_shown_as_it_is() -> None:
    assert error_json(AmbiguousMessage(message="{x}", count=2))["error"]["text"].startswith("the id {x} ")


def test_a_value_without_a_shape_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError):
        to_wire(object())


def json_values() -> st.SearchStrategy[Any]:
    """JSON values whose texts hold anything Python can hold, lone surrogates included."""
    texts = st.text(st.characters(exclude_categories=[]))
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
    return st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=8)


def joined(value: Any) -> Any:
    """The value as JSON carries it: two surrogates that meet as a pair are one character."""
    return json.loads(json.dumps(value))


@given(json_values())
def test_every_value_becomes_one_line_of_utf8_and_comes_back(value: Any) -> None:
    data = dumps(value)

    assert b"\n" not in data
    assert json.loads(data.decode("utf-8")) == joined(value)


def test_text_is_sent_as_utf8_and_only_lone_surrogates_are_escaped() -> None:
    assert dumps({"path": "/é/\udcff"}) == b'{"path":"/\xc3\xa9/\\udcff"}'


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_json_has_no_word_for_is_null(number: float) -> None:
    assert dumps([number]) == b"[null]"
    assert dumps([number, "\udcff"]) == b'[null,"\\udcff"]'
