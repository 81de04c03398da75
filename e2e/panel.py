"""The panel as a person uses it: keys, clicks, and what is on the screen."""

import re

from playwright.sync_api import Locator, Page, expect


class Panel:
    """One browser tab. Every question waits until the answer is there."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address

    def open(self, *, session: bool = True, query: str = "") -> "Panel":
        """Open the address; with ``session``, the first session of the list too."""
        self.page.goto(self.address + query)
        if session:
            self.page.locator("#s-0").click()
            expect(self.input).to_be_visible()
        return self

    @property
    def input(self) -> Locator:
        return self.page.locator("#input")

    @property
    def picker(self) -> Locator:
        return self.page.locator("#picker")

    @property
    def rows(self) -> Locator:
        return self.page.locator("#list .row")

    @property
    def selected(self) -> Locator:
        return self.page.locator("#list .row[aria-selected=true]")

    @property
    def filter(self) -> Locator:
        return self.page.locator("#filter")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("alertdialog")

    @property
    def confirm(self) -> Locator:
        return self.page.locator("#confirm")

    @property
    def notice(self) -> Locator:
        return self.page.locator("#notices .notice")

    @property
    def prompts(self) -> Locator:
        return self.page.locator(".message.user .typed")

    @property
    def answers(self) -> Locator:
        return self.page.locator(".message.assistant .markdown")

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        for key in keys:
            self.page.keyboard.press(key)

    def command(self, text: str) -> None:
        """Type a command in place of what is in the input, and send it."""
        self.input.fill("")
        self.input.press_sequentially(text)
        self.press("Enter")

    def rewind_list(self) -> Locator:
        """Type /rewind; the rows of the list it opens."""
        self.command("/rewind")
        expect(self.picker).to_be_visible()
        return self.rows

    def ask_about(self, text: str) -> Locator:
        """Choose a message of the list by its text; the dialog about it."""
        self.rewind_list().filter(has_text=text).click()
        expect(self.dialog).to_be_visible()
        return self.dialog

    def rewind_to(self, text: str) -> None:
        """The whole way, with nothing to agree to."""
        self.ask_about(text)
        self.confirm.click()
        expect(self.notice).to_be_visible()
        expect(self.dialog).to_have_count(0)

    def regions(self) -> dict[str, str]:
        """What stands in every region, as the document has it; selection and sizes aside."""
        names = ["top", "sessions", "earlier", "messages", "picker-head", "rows", "dialog"]
        script = "names => names.map(name => [name, document.getElementById(name).innerHTML])"
        found = dict(self.page.evaluate(script, names))
        return {name: re.sub(r' style="[^"]*"', "", html).replace("true", "false") for name, html in found.items()}
