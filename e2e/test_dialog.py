"""The dialog: one of them, safe to leave, and what is said afterwards."""

from playwright.sync_api import Browser, expect

from e2e.host import running
from e2e.panel import Panel
from e2e.wave import five_turns
from tests.harness.place import Place


def test_two_confirms_are_one_rewind(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open().ask_about("document it")
    panel.confirm.evaluate("button => { button.click(); button.click(); button.click(); }")
    expect(panel.notice).to_contain_text("Rewound.")

    panel.command("/undo")
    panel.confirm.click()
    expect(panel.notice).to_contain_text("Taken back.")

    panel.command("/undo")
    expect(panel.notice).to_contain_text("There is no rewind to take back.")


def test_there_is_one_dialog_and_the_page_behind_it_is_out_of_reach(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open().ask_about("document it")
    expect(panel.confirm).to_be_focused()
    for _ in range(20):
        panel.press("Tab")
        assert panel.page.evaluate("document.getElementById('dialog').contains(document.activeElement)")

    expect(panel.dialog).to_have_count(1)
    expect(panel.dialog).to_have_attribute("aria-modal", "true")
    panel.page.mouse.click(3, 3)
    expect(panel.dialog).to_be_visible()


def test_cancel_and_escape_change_nothing_and_give_the_focus_back(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    before = session.path.read_bytes()
    panel.open().ask_about("document it")
    panel.page.get_by_role("button", name="Cancel").click()
    expect(panel.dialog).to_have_count(0)
    expect(panel.input).to_be_focused()

    panel.ask_about("document it")
    panel.press("Escape")
    expect(panel.dialog).to_have_count(0)
    expect(panel.input).to_be_focused()
    assert session.path.read_bytes() == before


def test_a_failed_rewind_says_why_and_the_page_is_the_session(place: Place, browser: Browser) -> None:
    session = five_turns(place)
    before = session.path.read_bytes()
    with running(place, failing=True) as host, browser.new_context() as context:
        panel = Panel(context.new_page(), host.address).open()
        panel.ask_about("document it")
        panel.confirm.click()

        expect(panel.notice).to_contain_text("Rewind failed: src/main.ts: Input/output error.")
        expect(panel.notice.get_by_role("button", name="Undo")).to_have_count(0)
        expect(panel.prompts).to_have_count(5)
    assert session.path.read_bytes() == before
