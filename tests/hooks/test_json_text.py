"""Editing JSON text in place, against random documents and layouts."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from respool.model.hooks import AGENTS
from respool.service.hook_entries import with_ours, without_ours

COMMAND = "python -I -S /somewhere/respool/__main__.py hook claude"
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
GROUPS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(st.fixed_dictionaries({"type": st.just("command"), "command": st.text(min_size=1)}))},
        optional={"matcher": st.text()},
    ),
    min_size=1,
)
HOOKS = st.dictionaries(st.sampled_from([*AGENTS["claude"].events, "Other"]), GROUPS, min_size=1)
SETTINGS = st.builds(
    lambda rest, hooks: rest if hooks is None else {**rest, "hooks": hooks},
    st.dictionaries(st.text().filter(lambda key: key != "hooks"), VALUES),
    st.none() | HOOKS,
)
EXAMPLES = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
LAYOUTS = st.sampled_from([None, 1, 2, 4, "\t"])


@EXAMPLES
@given(SETTINGS, LAYOUTS, st.booleans())
def test_adding_and_taking_out_gives_the_same_text(value: dict[str, object], indent: int | str, bom: bool) -> None:
    text = ("\ufeff" if bom else "") + json.dumps(value, indent=indent)

    added = with_ours(text, AGENTS["claude"], COMMAND)

    assert without_ours(added) == text


@EXAMPLES
@given(SETTINGS, LAYOUTS)
def test_adding_changes_nothing_but_our_entries(value: dict[str, object], indent: int | str) -> None:
    after = json.loads(with_ours(json.dumps(value, indent=indent), AGENTS["claude"], COMMAND))

    hooks = after.pop("hooks")
    for event in AGENTS["claude"].events:
        assert hooks[event].pop()["hooks"][0]["command"] == COMMAND
    before = dict(value)
    given_hooks = before.pop("hooks", {})
    assert after == before
    assert {event: groups for event, groups in hooks.items() if groups} == given_hooks
