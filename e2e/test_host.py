"""The browser host: its address, its connection, its end."""

import pytest
from playwright.sync_api import Browser, expect

from e2e.host import Host
from e2e.panel import Panel
from e2e.wave import five_turns
from tests.harness.place import Place


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
