"""The list under the hand: filter, jumps, what a row says, however many rows there are."""

import re

from playwright.sync_api import expect

from e2e.panel import Panel
from e2e.wave import five_turns, many_prompts
from tests.harness.place import Place


def test_typing_filters_the_list(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open().rewind_list()
    panel.page.keyboard.type("IT do")
    expect(panel.rows.locator(".preview")).to_have_text(["document it", "is it done?"])
    expect(panel.selected.locator(".preview")).to_have_text("is it done?")

    panel.page.keyboard.type("xyz")
    expect(panel.rows).to_have_count(0)
    expect(panel.picker).to_contain_text("No message matches.")
    panel.press("Enter")
    expect(panel.picker).to_be_visible()

    panel.filter.fill("parser")
    panel.press("Enter")
    expect(panel.dialog.locator("blockquote")).to_have_text("add a parser")


def test_home_end_and_pages_jump(place: Place, panel: Panel) -> None:
    many_prompts(place, 100)
    panel.open().rewind_list()
    panel.press("Home")
    expect(panel.selected).to_contain_text("thing number 0")
    expect(panel.selected).to_be_in_viewport(ratio=1)

    panel.press("PageDown")
    expect(panel.selected).not_to_contain_text(re.compile(r"number [01]\b"))
    expect(panel.selected).to_be_in_viewport(ratio=1)

    panel.press("End")
    expect(panel.selected).to_contain_text("thing number 99")

    panel.press("PageUp")
    expect(panel.selected).to_be_in_viewport(ratio=1)


def test_rows_say_when_and_how_many_files(place: Place, panel: Panel) -> None:
    five_turns(place)
    rows = panel.open().rewind_list()

    expect(rows.locator(".count")).to_have_text(["3 files", "3 files", "2 files", "1 file", "no files"])
    expect(rows.first.locator("time")).to_have_text(re.compile(r"^(Mar 1, 09:01|Mar 1, 2026|09:01)$"))


def test_ten_thousand_rows_are_all_there(place: Place, panel: Panel) -> None:
    many_prompts(place, 10_000)
    panel.open().command("/rewind")
    expect(panel.filter).to_be_focused()
    expect(panel.selected).to_contain_text("thing number 9999")
    expect(panel.selected).to_have_attribute("aria-setsize", "10000")
    expect(panel.selected).to_have_attribute("aria-posinset", "10000")

    panel.press("Home")
    expect(panel.selected).to_be_in_viewport(ratio=1)
    panel.page.keyboard.type("number 5000")
    expect(panel.rows.locator(".preview")).to_have_text(["please do thing number 5000"])

    panel.filter.fill("")
    panel.press("End")
    expect(panel.selected).to_contain_text("thing number 9999")
    expect(panel.selected).to_be_in_viewport(ratio=1)


def test_the_filter_stays_where_it_is_while_fewer_rows_match(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open().rewind_list()
    before = panel.filter.bounding_box()
    for text in ("do", "nothing like it"):
        panel.filter.fill(text)
        expect(panel.rows.filter(has_text="add a parser")).to_have_count(0)
        assert panel.filter.bounding_box() == before


def test_a_screen_reader_is_told_the_selected_row_and_its_place_among_all(place: Place, panel: Panel) -> None:
    many_prompts(place, 300)
    panel.open().rewind_list()
    expect(panel.selected).to_have_attribute("aria-posinset", "300")
    panel.page.locator("#list").hover()
    panel.page.mouse.wheel(0, -100_000)
    expect(panel.rows.get_by_text("please do thing number 0", exact=True)).to_be_in_viewport()

    named = panel.filter.get_attribute("aria-activedescendant")
    assert named == panel.selected.get_attribute("id")
    assert panel.rows.count() < 60

    panel.page.keyboard.type("number 29")
    expect(panel.rows).to_have_count(13)
    expect(panel.rows.first).to_have_attribute("aria-setsize", "13")
    expect(panel.rows.first).to_have_attribute("aria-posinset", "1")
