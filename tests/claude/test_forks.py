"""A rewind of a Claude Code session through the command line: a fork beside it, at every recorded checkpoint."""

import json
from pathlib import Path

import pytest

from tests.claude.reader import kept, listed
from tests.claude.recorded import CASES, LaidOut, Recorded
from tests.harness.door import Door
from tests.harness.place import quieten
from tests.harness.tree import picture

TAKEN_BACK = {"c4_sdk_branch_interrupt": {"i.txt", "p1.txt", "p2.txt"}}
"""Files of branches that were dead before the fork: their rows are not in it."""
CHECKPOINTS = [(case, prompt) for case in CASES for prompt in case.listed]


def name(value: object) -> str:
    return value.case if isinstance(value, Recorded) else str(value)


def laid_out(case: Recorded, root: Path) -> tuple[LaidOut, Door]:
    """A recorded session at rest, and the command line of its user in the workspace."""
    laid = case.lay_out(root)
    for path in laid.transcript.parent.glob("*.jsonl"):
        quieten(path)
    return laid, Door(home=laid.home, state=root / "state", cwd=laid.demo)


def full(door: Door, session: str, prompt: str) -> str:
    (row,) = [row for row in door.ask("checkpoints", session)["checkpoints"] if row["id"].startswith(prompt)]
    return str(row["id"])


@pytest.mark.parametrize(("case", "prompt"), CHECKPOINTS, ids=name)
def test_a_rewind_writes_a_fork_and_undo_takes_it_away_again(case: Recorded, prompt: str, tmp_path: Path) -> None:
    """S16: the original stays byte for byte; the fork holds what stood before the prompt, and its own list works."""
    laid, door = laid_out(case, tmp_path)
    original, tree = laid.transcript.read_bytes(), picture(laid.demo)
    sessions = sorted(laid.transcript.parent.glob("*.jsonl"))
    target = full(door, case.session, prompt)
    before = kept(str(laid.transcript), target)

    done = door.ask("rewind", case.session, "--to", target, "--live", "--partial")

    assert laid.transcript.read_bytes() == original
    fork = done["forkedTo"]
    if not before:
        assert fork is None
    else:
        path = laid.transcript.with_name(f"{fork}.jsonl")
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        assert [row["uuid"] for row in rows if "uuid" in row] == before
        assert {row["sessionId"] for row in rows if "sessionId" in row} == {fork}
        assert fork in done["resume"]
        assert len(door.ask("checkpoints", fork)["checkpoints"]) == len(listed(str(path)))

    door.ask("undo", case.session)

    assert laid.transcript.read_bytes() == original
    assert sorted(laid.transcript.parent.glob("*.jsonl")) == sessions
    assert picture(laid.demo) == tree


@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_fork_can_be_rewound_again(case: Recorded, tmp_path: Path) -> None:
    """Claude's own file history goes along: the fork's first prompt gives back the tree at the beginning."""
    laid, door = laid_out(case, tmp_path)
    targets = [full(door, case.session, prompt) for prompt in case.listed]
    late = next((one for one in reversed(targets) if kept(str(laid.transcript), one)), None)
    if late is None:
        assert case.listed == case.listed[:1], "only the first prompt has nothing before it"
        return
    fork = door.ask("rewind", case.session, "--to", late, "--live", "--partial")["forkedTo"]
    quieten(laid.transcript.with_name(f"{fork}.jsonl"))
    rows = door.ask("checkpoints", fork)["checkpoints"]
    first = rows[0]["id"]

    door.ask("rewind", fork, "--to", first, "--live", "--partial")

    made = {path for path in picture(laid.demo) if path.endswith(".txt")}
    known = set(case.tree(case.trees.get(first[:8], "before-P1"))) | set(case.unreached)
    assert made <= known | TAKEN_BACK.get(case.case, set())
