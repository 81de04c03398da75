"""The demo, offered where there is nothing to look at."""

import errno
import os
from threading import Event

import pytest

from tests.webview.fakes import FakeServices
from tests.webview.page import Webview, until

BUTTON = 'data-intent="demo"'


@pytest.fixture
def nobody(services: FakeServices) -> FakeServices:
    """Somebody without a session."""
    services.sessions.gone = True
    return services


def test_the_demo_is_offered_when_there_is_no_session_anywhere(nobody: FakeServices) -> None:
    webview = Webview(nobody, session=None)
    assert BUTTON in webview.page["sessions"]

    webview.ask("sessions", everywhere=True)
    assert BUTTON in webview.page["sessions"]


def test_the_demo_is_not_offered_when_there_are_sessions_elsewhere(services: FakeServices) -> None:
    services.sessions.elsewhere = True
    webview = Webview(services, session=None)
    assert BUTTON not in webview.page["sessions"]

    webview.ask("sessions", everywhere=False)
    assert "There is no session in this folder yet." in webview.page["sessions"]
    assert BUTTON not in webview.page["sessions"]


def test_the_demo_is_made_in_the_home_folder_and_opened(nobody: FakeServices) -> None:
    webview = Webview(nobody, session=None)
    webview.ask("demo")

    assert nobody.demos == [os.path.expanduser("~/respool-demo")]
    assert webview.prompts == nobody.sessions.prompts
    assert "~/respool-demo" in webview.page["notices"]
    assert webview.effects[-1] == {"kind": "focus", "id": "input"}


def test_the_list_one_comes_back_to_has_the_demo(nobody: FakeServices) -> None:
    webview = Webview(nobody, session=None)
    webview.ask("demo")
    webview.ask("sessions")

    assert "Payments refactor" in webview.page["sessions"]


def test_two_clicks_are_one_demo(nobody: FakeServices) -> None:
    gate = nobody.demo_gate = Event()
    webview = Webview(nobody, session=None)
    first = webview.later("demo")
    until(lambda: len(nobody.demos) == 1)
    webview.ask("demo")
    gate.set()
    first.join(10)

    assert len(nobody.demos) == 1


def test_a_demo_that_cannot_be_made_says_why(nobody: FakeServices) -> None:
    nobody.demo_error = OSError(errno.ENOSPC, "No space left on device")
    webview = Webview(nobody, session=None)
    webview.ask("demo")

    assert "The demo could not be made: No space left on device." in webview.page["notices"]
    assert BUTTON in webview.page["sessions"]
