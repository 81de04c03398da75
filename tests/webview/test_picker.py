"""The list of checkpoints in a panel."""

from respool.model.transcript import Live
from tests.webview.fakes import FakeServices
from tests.webview.page import Webview


def test_rewind_opens_a_list_of_every_prompt(webview: Webview) -> None:
    webview.ask("rewind")

    assert "Rewind to which message?" in webview.page["picker-head"]
    assert webview.rows == ["u1@2", "u2@4", "u3@6"]


def test_closing_the_list_changes_nothing(webview: Webview, services: FakeServices) -> None:
    webview.ask("rewind")
    webview.ask("close")

    assert webview.page["picker-head"] == ""
    assert len(services.sessions.prompts) == 3


def test_rewind_is_not_heard_while_the_agent_answers(webview: Webview, services: FakeServices) -> None:
    before = dict(webview.page)
    services.sessions.live = Live.BUSY
    webview.ask("rewind")
    webview.ask("choose", to="u2@4")

    assert webview.page == before


def test_choosing_is_refused_when_the_agent_began_with_the_list_open(webview: Webview, services: FakeServices) -> None:
    webview.ask("rewind")
    services.sessions.live = Live.BUSY
    webview.ask("choose", to="u2@4")

    assert "The agent is still answering." in webview.page["notices"]
    assert webview.page["dialog"] == webview.page["picker-head"] == ""


def test_counts_are_found_for_the_rows_asked_about(webview: Webview) -> None:
    webview.ask("rewind")
    webview.ask("counts", to=["u3@6", "u9@99", "nonsense"])

    assert webview.page["rows"].count("2 files") == 1


def test_a_message_that_is_gone_is_refused_and_the_list_is_the_new_one(
    webview: Webview, services: FakeServices
) -> None:
    webview.ask("rewind")
    services.sessions.prompts.pop()
    webview.ask("choose", to="u3@6")

    assert "There is no message u3@6 in this session." in webview.page["notices"]
    assert webview.rows == ["u1@2", "u2@4"]
