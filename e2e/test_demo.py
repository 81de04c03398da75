"""The demo, for who has nothing to look at yet: from the button to a rewind and back."""

from playwright.sync_api import expect

from e2e.panel import Panel
from e2e.wave import five_turns
from tests.harness.place import Place


def test_the_demo_is_a_click_away_and_can_be_rewound(place: Place, panel: Panel) -> None:
    panel.open(session=False)
    expect(panel.page.locator("#sessions")).to_contain_text("There is no session yet.")
    panel.page.get_by_role("button", name="Try the demo").click()
    expect(panel.prompts.first).to_be_visible()
    expect(panel.input).to_be_focused()
    expect(panel.notice).to_contain_text("~/respool-demo")
    shown = panel.prompts.all_inner_texts()

    rows = panel.rewind_list()
    oldest = rows.first.locator(".preview").inner_text()
    rows.first.click()
    expect(panel.dialog.locator("blockquote")).to_have_text(oldest)
    for consent in panel.dialog.locator(".consents input").all():
        consent.check()
    panel.confirm.click()
    expect(panel.notice).to_contain_text("Rewound.")
    expect(panel.prompts).to_have_count(0)
    expect(panel.input).to_have_value(oldest)

    panel.command("/undo")
    panel.confirm.click()
    expect(panel.notice).to_contain_text("Taken back.")
    expect(panel.prompts).to_have_text(shown)


def test_the_demo_can_be_started_with_the_keyboard_and_found_again(place: Place, panel: Panel) -> None:
    panel.open(session=False)
    panel.page.locator("#demo").focus()
    panel.press("Enter")
    expect(panel.input).to_be_focused()

    panel.page.locator("#to-sessions").click()
    expect(panel.page.locator(".session")).to_have_count(1)
    expect(panel.page.locator("#s-0")).to_be_focused()
    expect(panel.page.locator("#demo")).to_have_count(0)


def test_nobody_with_a_session_is_offered_the_demo(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open(session=False)

    expect(panel.page.locator(".session")).to_have_count(1)
    expect(panel.page.locator("#demo")).to_have_count(0)
