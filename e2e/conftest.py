"""A browser for all tests, a user, a host and a tab for each."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from e2e.host import Host, running
from e2e.panel import Panel
from tests.harness.place import Place

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT_MS = 15_000


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(root=tmp_path).make()


@pytest.fixture
def host(place: Place) -> Iterator[Host]:
    with running(place) as host:
        yield host


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1000, "height": 700}, timezone_id="UTC", locale="en-US")
    context.set_default_timeout(WAIT_MS)
    yield context
    context.close()


@pytest.fixture
def panel(context: BrowserContext, host: Host) -> Iterator[Panel]:
    """A tab that has not opened the address yet; at the end, nothing went wrong in it."""
    wrong: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    yield Panel(page, host.address)

    assert [text for text in wrong if "WebSocket" not in text] == []


@pytest.fixture
def opened(panel: Panel) -> Callable[[], Panel]:
    """Open the first session, once it has been written."""
    return panel.open
