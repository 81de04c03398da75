"""Mouse, keys and input methods."""

from playwright.sync_api import expect

from e2e.panel import Panel
from e2e.wave import five_turns
from tests.harness.place import Place


def test_the_rewind_button_shows_on_hover_and_on_focus_of_prompts_only(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open()
    button = panel.page.locator(".message.user").nth(1).locator(".rewind-here")
    expect(panel.page.locator(".message.assistant .rewind-here")).to_have_count(0)
    panel.page.mouse.move(5, 5)
    expect(button).to_have_css("opacity", "0")

    panel.page.locator(".message.user").nth(1).hover()
    expect(button).to_have_css("opacity", "1")

    panel.page.mouse.move(5, 5)
    button.focus()
    expect(button).to_have_css("opacity", "1")

    panel.press("Enter")
    expect(panel.dialog.locator("blockquote")).to_have_text("write a test for it")

    panel.press("Escape")
    expect(button).to_be_focused()


def test_a_click_outside_closes_the_list_and_changes_nothing(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    before = session.path.read_bytes()
    panel.open().rewind_list()
    panel.page.mouse.click(500, 120)

    expect(panel.picker).to_be_hidden()
    assert session.path.read_bytes() == before


def test_keys_of_an_input_method_do_nothing(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open().rewind_list()
    compose = (
        "(element, init) => "
        "element.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, cancelable: true, ...init}))"
    )
    for init in (
        {"key": "Enter", "isComposing": True},
        {"key": "Enter", "keyCode": 229},
        {"key": "Escape", "isComposing": True},
    ):
        panel.filter.evaluate(compose, init)
    expect(panel.picker).to_be_visible()

    panel.press("Enter")
    expect(panel.dialog).to_be_visible()
    panel.confirm.evaluate(compose, {"key": "Escape", "isComposing": True})
    panel.page.locator("#dialog-scroll").evaluate(compose, {"key": "Enter", "keyCode": 229})
    expect(panel.dialog).to_be_visible()
    expect(panel.prompts).to_have_count(5)


def test_everything_can_be_done_with_the_keyboard_alone(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    before = session.path.read_bytes()
    panel.open(session=False)
    expect(panel.page.locator("#s-0")).to_be_visible()
    while panel.page.evaluate("document.activeElement.id") != "s-0":
        panel.press("Tab")
    panel.press("Enter")
    expect(panel.input).to_be_focused()

    panel.press("/", "ArrowDown", "ArrowUp", "Enter")
    expect(panel.filter).to_be_focused()
    panel.press("ArrowUp", "Enter")
    expect(panel.confirm).to_be_focused()
    panel.press("Enter")
    expect(panel.input).to_have_value("document it")
    expect(panel.input).to_be_focused()

    panel.press("Control+a")
    panel.page.keyboard.type("/undo")
    panel.press("Enter")
    expect(panel.confirm).to_be_focused()
    panel.press("Enter")
    expect(panel.notice).to_contain_text("Taken back.")
    assert session.path.read_bytes() == before


def test_the_slash_menu_offers_the_commands(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open().input.click()
    panel.press("/")
    expect(panel.page.get_by_role("option").filter(visible=True)).to_have_count(4)

    panel.press("Escape")
    expect(panel.page.locator("#slash")).to_be_hidden()
    expect(panel.input).to_have_value("/")

    panel.input.fill("/s")
    panel.page.locator("#slash-sessions").click()
    expect(panel.page.locator(".session")).to_have_count(1)


def test_other_text_is_not_sent_anywhere(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open()
    panel.command("hello")

    expect(panel.notice).to_contain_text("Nothing is sent from here.")
    expect(panel.input).to_have_value("hello")
