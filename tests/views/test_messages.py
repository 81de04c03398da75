"""What is shown of each message."""

from datetime import UTC, datetime
from typing import Any

import pytest

from respool.model.ids import MessageId
from respool.model.message import Message
from respool.model.transcript import Checkpoint
from respool.views.conversation import message_view, shown_messages, targets
from respool.views.render import render
from respool.views.texts import translator
from respool.views.times import Clock

T = translator("en")
CLOCK = Clock(now=datetime(2026, 3, 2, tzinfo=UTC))


def message(
    *blocks: dict[str, Any], role: str = "assistant", checkpoint: bool = False, line: int = 2, **more: Any
) -> Message:
    return Message(id=MessageId("m1"), line=line, role=role, text="", blocks=blocks, checkpoint=checkpoint, **more)


def html(*blocks: dict[str, Any], to: str = "", **more: Any) -> str:
    return render("message", message_view(message(*blocks, **more), to, "/w", CLOCK, T), T)


def test_typed_text_stands_as_typed() -> None:
    shown = html({"type": "text", "content": "**not** <b>markup</b>"}, role="user", checkpoint=True)

    assert "**not** &lt;b&gt;markup&lt;/b&gt;" in shown


def test_an_answer_is_rendered() -> None:
    assert "<strong>yes</strong>" in html({"type": "text", "content": "**yes**"})


def test_only_a_checkpoint_can_be_rewound_to() -> None:
    assert 'data-to="m1@2"' in html({"type": "text", "content": "x"}, role="user", checkpoint=True, to="m1@2")
    assert "rewind-here" not in html({"type": "text", "content": "x"})


@pytest.mark.parametrize(
    ("block", "role", "expected"),
    [
        ({"type": "compact", "content": "Summary: x"}, "assistant", "Summary of what came before"),
        (
            {"type": "tool", "name": "Bash", "parameters": '{"command": "make"}', "result": "ok"},
            "assistant",
            "<bdi>make</bdi>",
        ),
        (
            {"type": "tool", "name": "Edit", "parameters": '{"file_path": "/w/a/../b.py"}'},
            "assistant",
            "<bdi>b.py</bdi>",
        ),
        ({"type": "tool", "name": "deploy", "parameters": "not json", "result": ""}, "user", "<bdi>not json</bdi>"),
        ({"type": "tool", "name": "Edit", "stage": "running", "result": ""}, "assistant", "running"),
        ({"type": "tool", "name": "Edit", "success": False, "error": "no"}, "assistant", "failed"),
        ({"type": "bang", "command": "git status", "output": "clean", "exitCode": 0}, "user", "! git status"),
        ({"type": "bang", "command": "false", "output": "", "exitCode": 1}, "user", "exit code 1"),
        ({"type": "task_notification", "status": "failed", "summary": "scan"}, "user", "Task failed"),
        ({"type": "image", "imageUrls": ["/tmp/shot.png"]}, "user", "/tmp/shot.png"),
        (
            {"type": "image", "imageUrls": ["data:image/png;base64,iVBORw0="]},
            "user",
            'src="data:image/png;base64,iVBORw0="',
        ),
        ({"type": "error", "content": "Request was aborted"}, "assistant", "Request was aborted"),
        ({"type": "info", "content": "note"}, "assistant", "note"),
        ({"type": "reasoning", "content": "hm"}, "assistant", "Thinking"),
        ({"type": "subagent", "subagentName": "scan"}, "assistant", "scan"),
    ],
)
def test_every_kind_of_block_is_shown(block: dict[str, Any], role: str, expected: str) -> None:
    assert expected in html(block, role=role)


@pytest.mark.parametrize(
    "url",
    ["http://example.invalid/x.png", "data:image/svg+xml;base64,AAAA", "javascript:1", 'data:image/png;base64,"x'],
)
def test_no_other_image_is_loaded(url: str) -> None:
    assert "<img" not in html({"type": "image", "imageUrls": [url]}, role="user")


def test_odd_blocks_do_not_break_the_page() -> None:
    html(
        {"type": "text", "content": 5},
        {"type": "text"},
        {"type": 7},
        {"type": "tool", "name": None, "parameters": {"a": 1}, "result": ["x"]},
        {"type": "tool", "name": "x", "parameters": "[" * 5000},
        {"type": "image", "imageUrls": "x"},
        {"type": "bang", "exitCode": "x"},
        {"type": "file_history", "snapshots": None},
    )


def test_a_very_long_text_is_cut_and_says_so() -> None:
    shown = html({"type": "text", "content": "x" * 100_000})

    assert len(shown) < 40_000
    assert "70000 more characters" in shown


def test_hidden_messages_are_not_shown() -> None:
    assert shown_messages([message(hidden=True)]) == ()


def checkpoint(line: int, name: str = "m1", timestamp: str = "") -> Checkpoint:
    return Checkpoint(id=MessageId(name), line=line, preview="", timestamp=timestamp, removes=1)


def test_a_copy_after_a_compaction_stands_for_the_prompt_further_up() -> None:
    assert targets([message(role="user", checkpoint=True, line=40)], [checkpoint(2)]) == {40: "m1@2"}


def test_two_prompts_with_one_id_are_told_apart() -> None:
    shown = [
        message(role="user", checkpoint=True, line=2, timestamp="a"),
        message(role="user", checkpoint=True, line=9, timestamp="b"),
    ]
    copied = message(role="user", checkpoint=True, line=50, timestamp="b")

    found = targets([*shown, copied], [checkpoint(2, timestamp="a"), checkpoint(9, timestamp="b")])

    assert found == {2: "m1@2", 9: "m1@9", 50: "m1@9"}
