"""Every workspace sample again, live: recorded by us while it happens, shell commands included."""

from pathlib import Path

import pytest

from tests.cases.live import LivePlace
from tests.cases.stories import WHOLE, exec_bit, link_in_use, shell_moved_it
from tests.cases.test_workspaces import states
from tests.harness.place import no_temporary_files
from tests.harness.tree import git_pictures, identities, picture

LIVE = {
    **WHOLE,
    "FR-08": (exec_bit, ("msg-u2",)),
    "FR-10": (link_in_use, ("msg-u2",)),
    "FR-26": (shell_moved_it, ("msg-u2",)),
}
PARAMETERS = [(case, to) for case, (_, targets) in LIVE.items() for to in targets]


@pytest.fixture
def live(root: Path) -> LivePlace:
    """A made-up user whose agent's host records with us."""
    place = LivePlace(root=root)
    place.make()
    return place


@pytest.mark.parametrize(("case", "to"), PARAMETERS)
def test_what_we_recorded_comes_back_and_nothing_else_changes(case: str, to: str, live: LivePlace) -> None:
    """Issue: every live workspace case through the recorder; stories 2 and 3; S4-S14."""
    played = LIVE[case][0](live)
    expected = played.expected[to]
    tree, before, git = picture(live.work), identities(live.work), git_pictures(live.work)

    plan = live.door.ask("plan", str(played.transcript), "--to", to)
    assert picture(live.work) == tree
    assert [one for one in plan["warnings"] if one["code"] == "not_captured"] == []
    live.door.ask("rewind", str(played.transcript), "--to", to, "--digest", plan["digest"])

    assert states(live.work, dict(expected.must)) == expected.must
    assert states(live.work, dict(expected.untouched)) == expected.untouched
    after = identities(live.work)
    assert {name: after[name] for name in expected.untouched} == {name: before[name] for name in expected.untouched}
    assert git_pictures(live.work) == git

    live.door.ask("undo", str(played.transcript))

    assert picture(live.work) == tree
    assert played.transcript.read_bytes() == played.data
    assert no_temporary_files(live) == []
