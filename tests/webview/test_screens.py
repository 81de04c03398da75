"""What a panel shows: the list of sessions, a conversation, notices; and that a stale page becomes the fresh one."""

from typing import Any

import pytest

from respool.protocol.errors import WireError
from tests.webview.fakes import PATH, FakeServices
from tests.webview.page import Webview, applied


def test_the_first_page_lists_the_sessions(services: FakeServices) -> None:
    webview = Webview(services, session=None)

    assert "Payments refactor" in webview.page["sessions"]
    assert webview.page["messages"] == webview.page["composer"] == ""


def test_a_session_of_the_list_is_opened_and_left_again(services: FakeServices) -> None:
    webview = Webview(services, session=None)
    webview.ask("session", path=PATH)

    assert webview.prompts == services.sessions.prompts
    assert webview.page["sessions"] == ""

    webview.ask("sessions")

    assert "Payments refactor" in webview.page["sessions"]
    assert webview.prompts == []


def test_a_session_that_is_gone_leads_back_to_the_list(webview: Webview, services: FakeServices) -> None:
    services.sessions.gone = True
    webview.panel.changed(PATH)

    assert "There is no session" in webview.page["sessions"]
    assert webview.page["messages"] == ""


def test_a_long_conversation_opens_at_its_end_and_shows_more_on_demand(services: FakeServices) -> None:
    services.sessions.prompts[:] = [f"prompt {number}" for number in range(300)]
    webview = Webview(services)

    assert webview.prompts[0] == "prompt 200"
    assert "Show 400 earlier messages" in webview.page["earlier"]
    assert len(webview.rows) == 300

    webview.ask("earlier")

    assert webview.prompts[0] == "prompt 0"


def test_a_text_that_is_no_command_goes_nowhere(webview: Webview) -> None:
    webview.ask("say")

    assert "Nothing is sent from here." in webview.page["notices"]


def test_help_is_shown_and_dismissed(webview: Webview) -> None:
    webview.ask("help")
    assert "/undo" in webview.page["notices"]

    webview.ask("dismiss")
    assert webview.page["notices"] == ""


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"intent": "rewind"},
        {"intent": "nonsense", "request": 1},
        {"intent": "choose", "request": 1},
        {"intent": "choose", "request": "1", "to": "u1"},
        {"intent": "rewind", "request": 1, "more": 1},
        {"intent": "adjust", "request": 1, "mode": "all", "except": [], "consent": {}},
        {"intent": "counts", "request": 1, "to": ["u1"] * 1000},
    ],
)
def test_a_malformed_intent_is_the_callers_mistake(webview: Webview, params: dict[str, Any]) -> None:
    with pytest.raises(WireError) as error:
        webview.panel.intent(params)

    assert error.value.code == -32602


def test_an_editor_is_given_the_empty_page_too(webview: Webview) -> None:
    asked = {"nonce": "n" * 20, "source": "https://file.example", "base": "https://file.example/static"}
    page = webview.panel.open({"session": PATH, "document": asked})["document"]

    assert f"script-src 'nonce-{'n' * 20}'" in page.replace("&#39;", "'")
    assert 'src="https://file.example/static/main.js"' in page
    assert "style-src https://file.example" in page


def test_chinese_is_chinese_throughout(services: FakeServices) -> None:
    webview = Webview(services)
    webview.page = applied(webview.panel.open({"session": PATH, "language": "zh-CN"}), {})
    webview.ask("choose", to="u2@4")

    assert "要回退到这条消息吗？" in webview.page["dialog"]


def test_a_page_that_was_patched_all_along_is_the_fresh_page(webview: Webview, services: FakeServices) -> None:
    webview.ask("rewind")
    webview.ask("counts", to=["u3@6"])
    services.sessions.prompts.append("one more")
    webview.panel.changed(PATH)
    webview.ask("choose", to="u2@4")
    webview.confirm()
    webview.ask("undo")
    webview.confirm()
    webview.ask("choose", to="u4@8")
    webview.confirm()
    patched = dict(webview.page)

    assert patched == webview.fresh()
