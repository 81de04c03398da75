"""What a panel says when a rewind fails, is refused, or meets a defect."""

import pytest

from respool.model.errors import Busy, RewindInProgress
from respool.model.operation import Status
from tests.webview.fakes import FakeServices
from tests.webview.page import Webview


def test_confirming_is_refused_when_the_agent_began_in_between(webview: Webview, services: FakeServices) -> None:
    webview.ask("choose", to="u2@4")
    services.rewinds.refuse = Busy()
    webview.confirm()

    assert "The agent is still answering." in webview.page["notices"]
    assert webview.page["dialog"] == ""
    assert (
        webview.prompts
        == services.sessions.prompts
        == ["add a parser", "write a test for it", "now rename the function"]
    )


def test_a_failed_rewind_says_why_and_shows_the_session_as_it_is(webview: Webview, services: FakeServices) -> None:
    services.rewinds.fail = Status.FAILED
    webview.ask("choose", to="u2@4")
    webview.confirm()

    assert "Rewind failed: the disk said no." in webview.page["notices"]
    assert "Everything was put back as it was." in webview.page["notices"]
    assert 'id="undo"' not in webview.page["notices"]
    assert len(webview.prompts) == 3


def test_a_half_done_rewind_says_how_to_repair_it(webview: Webview, services: FakeServices) -> None:
    services.rewinds.fail = Status.REPAIR_REQUIRED
    webview.ask("choose", to="u2@4")
    webview.confirm()

    assert "respool repair 20260301T090000-ab" in webview.page["notices"]


def test_a_refused_rewind_says_why(webview: Webview, services: FakeServices) -> None:
    services.rewinds.refuse = RewindInProgress()
    webview.ask("choose", to="u2@4")
    webview.confirm()

    assert "Another rewind of this session is not finished." in webview.page["notices"]
    assert webview.page["dialog"] == ""


def test_a_defect_is_said_and_nothing_hangs(webview: Webview, services: FakeServices) -> None:
    services.rewinds.crash = ZeroDivisionError()
    webview.ask("choose", to="u2@4")
    with pytest.raises(ZeroDivisionError):
        webview.confirm()

    assert "Something went wrong" in webview.page["notices"]
    assert webview.page["dialog"] == ""
