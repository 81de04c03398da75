"""Takes pictures of every state, wide and narrow, in every theme, and in Chinese: into ``e2e/.shots``.

``python -m e2e.screenshots [STATE…]``
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from e2e import test_looks as looks
from e2e.conftest import CHROMIUM, FLAGS
from e2e.host import running
from e2e.panel import Panel
from e2e.wave import WaveSession
from tests.harness.place import Place

FOLDER = Path(__file__).parent / ".shots"
PICTURE = Path(__file__).parents[1] / "webview" / "docs" / "panel.png"
LANGUAGES = {"en-US": looks.THEMES, "zh-CN": ("dark", "light")}
"""Themes a language is looked at in."""


class AtHome(Place):
    """A user whose workspace is below the home folder, so that its path is short."""

    @property
    def work(self) -> Path:
        return self.home / "lanterns"


def lanterns(place: Place) -> None:
    """A made-up project in five turns, compacted once."""
    session = WaveSession(place).header().user("u1", "Start a small shop site for paper lanterns, plain HTML")
    session.edits("a1", "index.html", None, "<h1>Lanterns</h1>\n").answer(
        "a1b", "There is an `index.html` with a heading."
    )
    session.user("u2", "Add a price list with three sizes").edits("a2", "prices.json", None, "[]\n")
    session.edits("a2b", "index.html", "<h1>Lanterns</h1>\n", "<h1>Lanterns</h1>\n<ul></ul>\n").answer("a2c", "Added.")
    session.compact("c1", "The shop has a start page and a price list.").again("u2", "a2", "a2b", "a2c")
    session.user("u3", "Prices in euros as well, with the rate in one place")
    session.edits("a3", "rates.py", None, "EURO = 1.1\n").answer(
        "a3b", "The rate is in `rates.py`; both pages read it."
    )
    session.user("u4", "Make the page warmer: dark background, amber text")
    session.edits("a4", "style.css", None, "body { color: #ffbf69 }\n")
    session.answer("a4b", "Done:\n\n- **background** `#1d1a16`\n- **text** `#ffbf69`, 10.9 : 1 against it")
    session.user("u5", "Hm, now the photos look dull. Try a lighter one").edits("a5", "style.css", "x\n", "y\n")
    session.answer("a5b", "I raised the background to `#2b2620`.").title("Lantern shop").write()


def readme(browser: Browser) -> None:
    """The picture of the README: a made-up project with the list open."""
    with tempfile.TemporaryDirectory() as folder:
        place = AtHome(root=Path(folder)).make()
        lanterns(place)
        with running(place) as host, browser.new_context(device_scale_factor=1.5, timezone_id="UTC") as context:
            page = context.new_page()
            page.set_viewport_size({"width": 860, "height": 620})
            panel = Panel(page, f"{host.address}&theme=dark").open()
            panel.rewind_list()
            panel.press("ArrowUp", "ArrowUp")
            panel.rows.locator(".count").first.filter(has_text="file").wait_for()
            page.screenshot(path=PICTURE)


def empty(panel: Panel) -> None:
    """The list of a session without prompts."""
    panel.open().command("/rewind")
    panel.picker.wait_for()


def failure(panel: Panel) -> None:
    """A rewind that was rolled back."""
    looks.done(panel)


def nobody(panel: Panel) -> None:
    """The list of who has no session."""
    panel.open(session=False)
    panel.page.locator("#demo").wait_for()


def demo(panel: Panel) -> None:
    """The demo, just made."""
    nobody(panel)
    panel.page.locator("#demo").click()
    panel.notice.wait_for()


def focused(panel: Panel) -> None:
    """Where the keyboard is, on a button."""
    panel.open()
    panel.page.locator(".rewind-here").last.focus()
    panel.press("Tab", "Shift+Tab")


def take(browser: Browser, name: str, show: Callable[[Panel], None]) -> None:
    """One state in all views; in each language and width by a user of its own."""
    for language, themes in LANGUAGES.items():
        for width in looks.WIDTHS:
            with tempfile.TemporaryDirectory() as folder:
                place = AtHome(root=Path(folder)).make()
                prepare(place, show)
                with running(place, failing=show is failure) as host, browser.new_context(locale=language) as context:
                    page = context.new_page()
                    page.emulate_media(reduced_motion="reduce")
                    page.set_viewport_size({"width": width, "height": 700})
                    show(Panel(page, host.address))
                    for theme in themes:
                        page.evaluate("theme => { document.body.className = theme }", looks.body_class(theme))
                        page.screenshot(path=FOLDER / f"{name}-{language[:2]}-{theme}-{width}.png")


def prepare(place: Place, show: Callable[[Panel], None]) -> None:
    """The sessions a state is shown with."""
    if show is empty:
        WaveSession(place).header().answer("a1", "Hello.").write()
    elif show not in (nobody, demo):
        looks.rich(place)


def main() -> int:
    """All states, or those named on the command line."""
    FOLDER.mkdir(exist_ok=True)
    PICTURE.parent.mkdir(exist_ok=True)
    states = {state.__name__: state for state in (*looks.STATES, empty, failure, nobody, demo, focused)}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name in sys.argv[1:] or ["readme", *states]:
            if name == "readme":
                readme(browser)
            else:
                take(browser, name, states[name])
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
