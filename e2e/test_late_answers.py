"""Answers that come when something else is wanted by now."""

from playwright.sync_api import expect

from e2e.host import Host
from e2e.panel import Panel
from e2e.wave import five_turns
from tests.harness.place import Place


def test_a_list_that_arrives_after_escape_stays_closed(place: Place, panel: Panel, host: Host) -> None:
    five_turns(place)
    panel.open()
    host.pause()
    panel.command("/rewind")
    panel.press("Escape")
    host.resume()
    panel.command("/help")

    expect(panel.notice).to_contain_text("/undo")
    expect(panel.picker).to_be_hidden()


def test_a_dialog_that_arrives_after_another_choice_gives_way(place: Place, panel: Panel, host: Host) -> None:
    five_turns(place)
    panel.open()
    host.pause()
    for index in (0, 3):
        panel.page.locator(".rewind-here").nth(index).evaluate("button => button.click()")
    host.resume()

    expect(panel.dialog.locator("blockquote")).to_have_text("document it")
