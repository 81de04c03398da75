"""apply(patches, stale page) == fresh page."""

from hypothesis import given
from hypothesis import strategies as st

from respool.views.patches import Item, Page, Region, apply, diff, opened, whole

KEYS = st.integers(1, 30).map(lambda number: f"m-{number}")
ITEM = st.tuples(KEYS, st.text("ab<>&", max_size=3)).map(
    lambda pair: Item(pair[0], f'<li class="x" id="{pair[0]}">{pair[1].replace("<", "&lt;")}</li>')
)
LIST = st.lists(ITEM, max_size=12, unique_by=lambda item: item.key).map(lambda items: Region(tuple(items)))
PAGE = st.fixed_dictionaries({"top": st.text("ab", max_size=3).map(whole), "messages": LIST})


def html(page: Page) -> dict[str, str]:
    return {name: region.html for name, region in page.items()}


@given(stale=PAGE, fresh=PAGE)
def test_patches_make_a_stale_page_the_fresh_one(stale: Page, fresh: Page) -> None:
    assert apply(diff(stale, fresh), html(stale)) == html(fresh)


@given(page=PAGE, more=st.lists(ITEM, max_size=5))
def test_a_list_that_grew_is_appended_to(page: Page, more: list[Item]) -> None:
    known = {item.key for item in page["messages"].items}
    new = [item for item in {one.key: one for one in more}.values() if item.key not in known]
    fresh = {**page, "messages": Region((*page["messages"].items, *new))}

    patches = diff(page, fresh)

    assert apply(patches, html(page)) == html(fresh)
    if new and known:
        assert [patch.op for patch in patches] == ["append"]


@given(stale=PAGE, fresh=PAGE)
def test_opening_makes_any_page_the_fresh_one(stale: Page, fresh: Page) -> None:
    assert apply(opened(fresh), html(stale)) == html(fresh)


def test_nothing_changed_sends_nothing() -> None:
    page = {"top": whole("a"), "messages": Region()}

    assert diff(page, dict(page)) == ()


def block(key: str, *rows: tuple[str, str]) -> Item:
    parts = tuple(Item(name, f'<li id="{name}">{text}</li>') for name, text in rows)
    return Item(key, f'<ul id="{key}">{"".join(part.html for part in parts)}</ul>', parts)


ROWS = st.lists(st.tuples(KEYS, st.text("ab", max_size=2)), max_size=6, unique_by=lambda pair: pair[0])


@given(stale=ROWS, fresh=ROWS)
def test_a_few_parts_of_an_item_change_on_their_own(stale: list[tuple[str, str]], fresh: list[tuple[str, str]]) -> None:
    old, new = {"rows": Region((block("b-0", *stale),))}, {"rows": Region((block("b-0", *fresh),))}

    patches = diff(old, new)

    assert apply(patches, html(old)) == html(new)
    if fresh and [name for name, _ in stale] == [name for name, _ in fresh]:
        assert {patch.id for patch in patches} <= {name for name, _ in fresh}
