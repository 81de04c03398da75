"""Samples: what others lost in files of this shape, and the synthetic sessions of the format notes."""

from pathlib import Path

import pytest

from respool.model.errors import NotACheckpoint, UnknownMessage
from tests.claude.reader import kept, listed, removals, sessions, shown

SAMPLES = Path(__file__).parent / "samples"
ROWS = "0000000{}-0000-4000-8000-00000000000{}"
LISTED = {
    "TR-14__dangling-parent": ["u1", "u2", "u3", "u4"],
    "TR-15__side-branches": ["u1", "u2"],
    "TR-16__abandoned-branch": ["u1", "u2x", "u4"],
    "CP-02__chain-format-prompts": ["c0", "u1", "u2", "u3"],
}
KEPT = [
    ("TR-14__dangling-parent", "u4", ["u1", "a1", "u2", "a2", "u3", "a3"]),
    ("TR-14__dangling-parent", "u3", ["u1", "a1", "u2", "a2"]),
    ("TR-14__dangling-parent", "u2", ["u1", "a1"]),
    ("TR-15__side-branches", "u2", ["u1", "a1", "a1b", "r1", "r2", "a2"]),
    ("TR-16__abandoned-branch", "u4", ["u1", "a1", "u2x", "a2x"]),
    ("TR-16__abandoned-branch", "u2x", ["u1", "a1"]),
    ("CP-02__chain-format-prompts", "u2", ["m0", "c0", "c1", "u1", "a1", "r1", "a2", "i1"]),
    (
        "CP-02__chain-format-prompts",
        "u3",
        ["m0", "c0", "c1", "u1", "a1", "r1", "a2", "i1", "u2", "a3", "b1", "k1"],
    ),
]


def sample(name: str) -> str:
    return str(SAMPLES / f"{name}.jsonl")


@pytest.mark.parametrize("name", LISTED)
def test_typed_prompts_of_the_live_branch_are_listed_once_each(name: str) -> None:
    assert listed(sample(name)) == LISTED[name]


@pytest.mark.parametrize(("name", "target", "right"), KEPT)
def test_what_is_kept_is_what_the_model_had_when_the_prompt_was_sent(name: str, target: str, right: list[str]) -> None:
    assert kept(sample(name), target) == right


def test_a_missing_parent_is_told(tmp_path: Path) -> None:
    removal = removals(tmp_path).read(sample("TR-14__dangling-parent"), "u4")

    assert removal.kept.bridges == (("u3", "a2"),)
    assert [(notice.code, notice.params) for notice in removal.notices] == [("gap_bridged", {"line": 5})]


def test_nothing_of_an_answer_is_lost_to_side_branches() -> None:
    found = {message.id: message for message in sessions().show(sample("TR-15__side-branches")).messages}

    assert list(found) == ["u1", "a1", "a1b", "r1", "r2", "a2", "u2", "a3"]
    assert found["a1"].blocks[0]["result"] == "a: ok"  # type: ignore[index]
    assert found["a1b"].blocks[0]["result"] == "b: ok"  # type: ignore[index]


def test_what_was_taken_back_is_neither_listed_nor_shown_nor_a_target(tmp_path: Path) -> None:
    path = sample("TR-16__abandoned-branch")

    assert shown(path) == ["u1", "a1", "u2x", "a2x", "u4", "a4"]
    with pytest.raises(UnknownMessage):
        removals(tmp_path).read(path, "u2")


def test_the_title_and_a_picture_beside_the_text() -> None:
    found = sessions().checkpoints(sample("CP-02__chain-format-prompts"))

    assert found.title == "Shears"
    assert [row.preview for row in found.checkpoints][:3] == ["/model fast", "Sharpen the shears.", "Oil them too."]
    assert [row.after_compaction for row in found.checkpoints] == [False, False, False, True]


@pytest.mark.parametrize("row", ["m0", "c1", "r1", "i1", "k1", "a1", "b1"])
def test_what_nobody_typed_is_no_target(row: str, tmp_path: Path) -> None:
    with pytest.raises(NotACheckpoint):
        removals(tmp_path).read(sample("CP-02__chain-format-prompts"), row)


def test_a_main_session_with_a_dead_branch() -> None:
    path = sample("claude_main")

    assert [ident[6:8] for ident in listed(path)] == ["01", "20"]
    assert [ident[6:8] for ident in shown(path)] == ["01", "03", "04", "05", "20", "21"]
    assert sessions().info(path).title == "Rename work"


def test_entries_of_every_other_kind() -> None:
    path = sample("claude_other_entries")

    assert [ident[6:8] for ident in listed(path)] == ["31", "33", "41"]
    previews = [row.preview for row in sessions().checkpoints(path).checkpoints]
    assert previews == ["/model opus", "! git status", "a real prompt after compaction"]


def test_a_sub_agents_rows_are_never_prompts_of_the_session() -> None:
    assert listed(sample("claude_subagent_in_main")) == []
    assert listed(sample("claude_subagent_file")) == []
