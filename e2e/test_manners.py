"""How the panel behaves under the hand: focus, keys, mouse, input methods, hostile texts, failures, languages."""

import re

import pytest
from playwright.sync_api import Browser, Locator, expect

from e2e.host import Host, running
from e2e.panel import Panel
from e2e.wave import WaveSession, five_turns, many_prompts
from tests.harness.place import Place, lines


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


HOSTILE = [
    "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>",
    "\x1b[31mred\x1b[0m \x1b]0;owned\x07",
    "evil\u202egnp.exe and \u2066more",
    "x" * 200_000,
    " \n\t ",
    "{{ 7 * 7 }} {% raw %} ${7*7} &amp; &lt;b&gt;",
    "\ud800 lone, \x00 zero, \u2028 separator",
    "שלום עולם, مرحبا",
]


def test_hostile_texts_are_harmless_and_readable(place: Place, panel: Panel) -> None:
    session = WaveSession(place).header()
    for number, text in enumerate(HOSTILE):
        session.user(f"u{number}", text).answer(f"a{number}", text)
    place.session(hostile_lines(session), session=session.session)
    rows = panel.open().rewind_list().locator(".preview")

    expect(rows).to_have_count(len(HOSTILE))
    expect(rows.nth(0)).to_contain_text("<img src=x onerror=")
    expect(rows.nth(1)).to_have_text("red")
    expect(rows.nth(2)).to_contain_text("[U+202E]gnp.exe")
    expect(rows.nth(4)).to_have_text("(no text)")
    expect(rows.nth(5)).to_contain_text("{{ 7 * 7 }}")
    expect(rows.nth(7)).to_have_text(HOSTILE[7])
    assert len(rows.nth(3).inner_text()) < 300
    assert panel.page.locator("#rows img, #rows script, #messages img, #messages script").count() == 0
    heights = {round(box["height"]) for box in map(Locator.bounding_box, panel.rows.all()) if box}
    assert len(heights) == 1
    assert panel.page.title() != "owned"


def test_a_hostile_prompt_comes_back_as_it_was_typed(place: Place, panel: Panel) -> None:
    WaveSession(place).header().user("u1", "a").answer("a1", "b").user("u2", HOSTILE[0]).answer("a2", "c").write()
    panel.open().rewind_to("onerror")

    expect(panel.input).to_have_value(HOSTILE[0])


def hostile_lines(session: WaveSession) -> bytes:
    """Lone surrogates as JSON escapes, as only a broken writer leaves them."""
    for record in session.records:
        for block in record.get("blocks", []):
            block["content"] = block["content"].replace("\ud800", "SURROGATE")
    return lines(session.records).replace(b"SURROGATE", rb"\ud800")


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


def test_chinese_readers_get_chinese(place: Place, host: Host, browser: Browser) -> None:
    five_turns(place)
    with browser.new_context(locale="zh-CN") as context:
        panel = Panel(context.new_page(), host.address).open()
        panel.rewind_list()
        expect(panel.picker).to_contain_text("回退到哪条消息？")
        panel.rows.last.click()
        expect(panel.dialog).to_contain_text("要回退到这条消息吗？")
        expect(panel.confirm).to_have_text("回退")
        panel.confirm.click()
        expect(panel.notice).to_contain_text("删除了 2 条消息。")
        expect(panel.page.locator("html")).to_have_attribute("lang", "zh-CN")


def test_a_reload_shows_the_same_session_again(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open()
    assert "token" not in panel.page.url
    panel.page.reload()

    expect(panel.prompts).to_have_count(5)


def test_the_address_works_once(place: Place, panel: Panel, browser: Browser) -> None:
    five_turns(place)
    panel.open()
    with browser.new_context() as other:
        page = other.new_page()
        answer = page.goto(panel.address)

        assert answer is not None
        assert answer.status == 403


def test_a_lost_connection_is_said(place: Place, panel: Panel, host: Host) -> None:
    five_turns(place)
    panel.open()

    assert host.stop() == 0
    expect(panel.page.locator("#offline")).to_be_visible()


@pytest.mark.parametrize("number", [2, 15])
def test_the_host_stops_cleanly_when_asked(host: Host, number: int) -> None:
    assert host.stop(number) == 0


def test_ten_thousand_rows_are_all_there(place: Place, panel: Panel) -> None:
    many_prompts(place, 10_000)
    panel.open().command("/rewind")
    expect(panel.filter).to_be_focused()
    expect(panel.page.locator(".row")).to_have_count(10_000)
    expect(panel.selected).to_contain_text("thing number 9999")

    panel.press("Home")
    expect(panel.selected).to_be_in_viewport(ratio=1)
    panel.page.keyboard.type("number 5000")
    expect(panel.rows.locator(".preview")).to_have_text(["please do thing number 5000"])

    panel.filter.fill("")
    panel.press("End")
    expect(panel.selected).to_contain_text("thing number 9999")
    expect(panel.selected).to_be_in_viewport(ratio=1)
