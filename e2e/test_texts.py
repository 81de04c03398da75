"""Whatever somebody typed, and in whatever language it is read."""

from playwright.sync_api import Browser, Locator, expect

from e2e.host import Host
from e2e.panel import Panel
from e2e.wave import WaveSession, five_turns
from tests.harness.place import Place, lines

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
    assert panel.page.locator("#picker :is(img, script), #messages :is(img, script)").count() == 0
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
