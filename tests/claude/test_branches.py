"""Which branch is live, what stands before a prompt, and what the model sees: rule by rule."""

from pathlib import Path

import pytest

from respool.storage.files.claude_chain import Kept, fingerprint_of, kept_before
from tests.claude.reader import kept, listed, sessions, shown
from tests.claude.records import Rec, boundary, call, hint, queued, result, row, said, summary, user, write
from tests.claude.records import lines as bytes_of

ZERO = "00000000-0000-0000-0000-000000000000"
TURN = [user("u1", None), said("a1", "u1"), user("u2", "a1"), said("a2", "u2")]
BRANCH = [user("u3", "a1"), said("a3", "u3")]


@pytest.mark.parametrize(
    ("more", "right"),
    [
        ([], ["u1", "u3"]),
        ([hint("a2")], ["u1", "u2"]),
        ([hint("u2")], ["u1", "u2"]),
        ([hint("a1")], ["u1", "u3"]),
        ([hint("a2"), hint("a3")], ["u1", "u3"]),
        ([hint("a2"), hint(ZERO, explicit=True)], ["u1", "u3"]),
        ([hint("a1", explicit=True)], ["u1"]),
        ([hint("u2", explicit=True)], ["u1", "u2"]),
        ([hint("ghost")], ["u1", "u3"]),
        ([hint("a2"), {"type": "last-prompt", "lastPrompt": "no leaf"}], ["u1", "u2"]),
    ],
)
def test_the_newest_hint_decides_or_else_the_last_row(more: list[Rec], right: list[str], tmp_path: Path) -> None:
    assert listed(write(tmp_path, [*TURN, *BRANCH, *more])) == right


def test_a_newer_time_stamp_elsewhere_does_not_matter(tmp_path: Path) -> None:
    late = [user("u1", None), said("a1", "u1", timestamp="2090-01-01T00:00:00.000Z"), user("u2", None)]

    assert listed(write(tmp_path, late)) == ["u2"]


COMPACTED = [
    *TURN,
    boundary("b", "a2"),
    summary("s", "b"),
    user("u3", "s"),
    said("a3", "u3"),
]


def test_an_older_leaf_cannot_be_chosen_while_a_compaction_follows(tmp_path: Path) -> None:
    path = write(tmp_path, [*COMPACTED, hint("a1", explicit=True)])

    assert listed(path) == ["u1", "u2", "u3"]
    assert shown(path) == ["s", "u3", "a3"]


def test_before_a_compaction_the_conversation_is_the_uncompacted_one(tmp_path: Path) -> None:
    path = write(tmp_path, COMPACTED)

    assert kept(path, "u2") == ["u1", "a1"]
    assert kept(path, "u3") == ["u1", "a1", "u2", "a2", "b", "s"]


def preserved(head: str, tail: str, anchor: str, *uuids: str) -> Rec:
    """Metadata of a compaction that kept rows in view."""
    return {
        "preservedSegment": {"headUuid": head, "tailUuid": tail, "anchorUuid": anchor},
        "preservedMessages": {"anchorUuid": anchor, "uuids": uuids, "allUuids": uuids},
    }


def test_summarised_up_to_here_the_kept_turn_follows_the_summary(tmp_path: Path) -> None:
    kept_turn = preserved("u2", "a2", "s", "u2", "a2")
    path = write(tmp_path, [*TURN, boundary("b", "a1", **kept_turn), summary("s", "b"), user("u3", "s")])

    assert shown(path) == ["s", "u2", "a2", "u3"]
    assert listed(path) == ["u1", "u2", "u3"]
    assert kept(path, "u3") == ["u1", "a1", "u2", "a2", "b", "s"]


def test_summarised_from_here_the_kept_turn_comes_before_the_summary(tmp_path: Path) -> None:
    kept_turn = preserved("u1", "a1", "b", "u1", "a1")
    path = write(tmp_path, [*TURN, boundary("b", "a2", **kept_turn), summary("s", "b"), user("u3", "s")])

    assert shown(path) == ["u1", "a1", "s", "u3"]
    assert listed(path) == ["u1", "u2", "u3"]


def test_a_hint_at_a_preserved_row_leads_on_past_the_compaction(tmp_path: Path) -> None:
    kept_turn = preserved("a2", "a2", "s", "a2")
    rows = [*TURN, hint("a2"), boundary("b", "a2", **kept_turn), summary("s", "b"), user("u3", "s"), said("a3", "u3")]

    assert listed(write(tmp_path, rows)) == ["u1", "u2", "u3"]


PARALLEL = [
    user("u1", None),
    call("c1", "u1", "t1", "Write") | {"requestId": "r"},
    call("c2", "c1", "t2", "Write"),
    result("r1", "c1", "t1"),
    row("attachment", "x1", "r1", attachment={"type": "task_reminder"}),
    result("r2", "c2", "t2"),
    said("a1", "r2"),
]


def test_the_answers_of_parallel_calls_stay_with_them_and_what_hangs_below(tmp_path: Path) -> None:
    path = write(tmp_path, [*PARALLEL, user("u2", "a1")])

    assert kept(path, "u2") == ["u1", "c1", "c2", "r1", "x1", "r2", "a1"]


def test_the_other_rows_of_one_answer_stay_with_it(tmp_path: Path) -> None:
    rows = [
        user("u1", None),
        said("a1", "u1", message={"role": "assistant", "id": "m", "content": [{"type": "thinking", "thinking": "hm"}]}),
        said("a2", "u1", message={"role": "assistant", "id": "m", "content": [{"type": "text", "text": "yes"}]}),
        user("u2", "a2"),
    ]

    assert kept(write(tmp_path, rows), "u2") == ["u1", "a1", "a2"]


def test_a_call_answered_on_the_branch_takes_no_answer_from_another(tmp_path: Path) -> None:
    rows = [
        user("u1", None),
        call("c1", "u1", "t1", "Bash"),
        result("dead", "c1", "t1", "the real end"),
        result("live", "c1", "t1", "interrupted"),
        user("u2", "live"),
    ]

    assert kept(write(tmp_path, rows), "u2") == ["u1", "c1", "live"]


def test_a_queued_prompt_is_a_target_in_the_middle_of_its_turn(tmp_path: Path) -> None:
    rows = [
        user("u1", None),
        call("c1", "u1", "t1", "Bash"),
        result("r1", "c1", "t1"),
        queued("q", "r1", "meanwhile"),
        said("a1", "q"),
        user("u2", "a1"),
    ]
    path = write(tmp_path, rows)

    assert listed(path) == ["u1", "q", "u2"]
    assert kept(path, "q") == ["u1", "c1", "r1"]
    assert shown(path) == ["u1", "c1", "r1", "q", "a1", "u2"]


def test_progress_and_sub_agent_rows_in_an_old_file_never_lead_astray(tmp_path: Path) -> None:
    rows = [
        user("u1", None),
        row("progress", "p1", "u1"),
        said("a1", "p1"),
        user("s1", None, "you are an agent", isSidechain=True),
        said("s2", "s1", isSidechain=True),
        user("u2", "a1"),
        said("a2", "u2"),
        row("progress", "p2", "u1"),
        said("s3", "s2", isSidechain=True),
    ]
    path = write(tmp_path, rows)

    assert listed(path) == ["u1", "u2"]
    assert shown(path) == ["u1", "a1", "u2", "a2"]
    assert kept(path, "u2") == ["u1", "a1"]


def test_a_cycle_hides_nothing_that_stands_before_it(tmp_path: Path) -> None:
    rows = [user("u0", None), said("a0", "u0"), user("u1", "a1"), said("a1", "u1"), user("u2", "a1")]

    assert listed(write(tmp_path, rows)) == ["u0", "u1", "u2"]


def test_a_row_that_is_its_own_parent_goes_on_with_the_one_before(tmp_path: Path) -> None:
    assert listed(write(tmp_path, [user("u1", None), said("a1", "a1"), user("u2", "a1")])) == ["u1", "u2"]


def test_the_first_of_equal_uuids_counts(tmp_path: Path) -> None:
    rows = [user("u1", None), said("a1", "u1"), user("u2", "a1"), user("u1", "u2", "again"), said("a2", "u2")]
    found = sessions().checkpoints(write(tmp_path, rows)).checkpoints

    assert [(found_row.id, found_row.line) for found_row in found] == [("u1", 1), ("u2", 3)]


@pytest.mark.parametrize(
    "before",
    [[], [user("m", None, "<local-command-caveat>", isMeta=True)], [said("a", None), said("b", "a")]],
)
def test_the_first_prompt_takes_everything_with_it(before: list[Rec], tmp_path: Path) -> None:
    last = before[-1]["uuid"] if before else None
    path = write(tmp_path, [*before, user("u1", last), said("a1", "u1")])
    index, _ = sessions().read(path)

    assert kept_before(index, index.place["u1"]) == Kept()
    assert sessions().checkpoints(path).checkpoints[0].removes == len(before) + 2


def test_a_summary_stays_when_the_compacting_command_goes(tmp_path: Path) -> None:
    command = "<command-name>/compact</command-name>\n<command-args></command-args>"
    rows = [boundary("b", None), summary("s", "b"), user("k", "s", command), user("u1", "k")]
    path = write(tmp_path, rows)

    assert kept(path, "k") == ["b", "s"]
    assert [found.preview for found in sessions().checkpoints(path).checkpoints] == ["/compact", "text of u1"]


def test_the_fingerprint_covers_the_kept_rows_and_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path, TURN)
    index, _ = sessions().read(path)
    before = fingerprint_of(path, index, kept_before(index, index.place["u2"]))

    Path(path).write_bytes(bytes_of([*TURN, user("u9", "a2")]))
    later, _ = sessions().read(path)

    assert fingerprint_of(path, later, kept_before(later, later.place["u2"])) == before
    assert before.size == len(bytes_of(TURN[:2]))
    assert fingerprint_of(path, later, Kept()).size == 0
