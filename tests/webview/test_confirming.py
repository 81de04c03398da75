"""The dialog of a panel: what is asked, what is agreed to, and what is carried out."""

from respool.model.errors import LiveAgent
from respool.model.plan import Consent, Notice, NotRestored
from tests.webview.fakes import FakeServices, file_change
from tests.webview.page import Webview


def test_a_chosen_message_is_asked_about_first(webview: Webview, services: FakeServices) -> None:
    webview.ask("rewind")
    webview.ask("choose", to="u2@4")

    assert 'role="alertdialog"' in webview.page["dialog"]
    assert "write a test for it" in webview.page["dialog"]
    assert webview.page["picker-head"] == ""
    assert [name for name, _ in services.rewinds.calls] == ["plan"]


def test_cancel_closes_and_changes_nothing(webview: Webview, services: FakeServices) -> None:
    webview.ask("choose", to="u2@4")
    webview.ask("cancel")

    assert webview.page["dialog"] == ""
    assert len(services.sessions.prompts) == 3


def test_a_confirmed_rewind_shows_the_folded_view_and_gives_the_prompt_back(webview: Webview) -> None:
    webview.ask("choose", to="u2@4")
    webview.confirm()

    assert webview.prompts == ["add a parser"]
    assert {"kind": "input", "text": "write a test for it"} in webview.effects
    assert webview.effects[-1] == {"kind": "focus", "id": "input"}
    assert "4 messages removed. 2 files restored." in webview.page["notices"]
    assert 'id="undo"' in webview.page["notices"]


def test_undo_asks_first_and_takes_the_text_out_of_the_input_again(webview: Webview) -> None:
    webview.ask("choose", to="u2@4")
    webview.confirm()
    webview.ask("undo")

    assert "Take back the last rewind?" in webview.page["dialog"]

    webview.confirm()

    assert len(webview.prompts) == 3
    assert {"kind": "clear"} in webview.effects


def test_the_digest_that_was_shown_is_the_one_that_counts(webview: Webview, services: FakeServices) -> None:
    webview.ask("choose", to="u2@4")
    webview.ask("confirm", digest="another")

    assert [name for name, _ in services.rewinds.calls] == ["plan"]
    assert webview.page["dialog"] != ""


def test_a_stale_plan_is_shown_anew_and_has_to_be_decided_again(webview: Webview, services: FakeServices) -> None:
    webview.ask("choose", to="u2@4")
    old = webview.digest
    services.rewinds.version = 1
    services.rewinds.files = (file_change("/home/ana/demo/other.ts"),)
    webview.confirm()

    assert "This is the new plan" in webview.page["dialog"]
    assert "other.ts" in webview.page["dialog"]
    assert webview.digest != old
    assert len(services.sessions.prompts) == 3

    webview.confirm()

    assert webview.prompts == ["add a parser"]


def test_a_consent_that_became_necessary_is_asked_for(webview: Webview, services: FakeServices) -> None:
    webview.ask("choose", to="u2@4")
    services.rewinds.refuse = LiveAgent(needs=("live",))
    webview.confirm()

    assert 'id="consent-live"' in webview.page["dialog"]
    assert 'id="confirm" class="primary" disabled' in webview.page["dialog"]


def test_a_rewind_waits_for_every_consent(webview: Webview, services: FakeServices) -> None:
    services.rewinds.not_restorable = (NotRestored(path="/home/ana/demo/x.bin", reason="missing_backup"),)
    services.rewinds.warnings = (Notice(code="live_agent", text="x"),)
    webview.ask("choose", to="u2@4")
    webview.confirm()
    agreed = {"partial": True, "live": False}
    webview.ask("adjust", mode="both", **{"except": []}, consent=agreed)
    webview.confirm()

    assert [name for name, _ in services.rewinds.calls] == ["plan"]

    webview.ask("adjust", mode="both", **{"except": []}, consent={**agreed, "live": True})
    webview.confirm()

    assert ("rewind", Consent(partial=True, live=True)) in services.rewinds.calls
    assert "its earlier content was not kept" in webview.page["notices"]


def test_a_file_left_out_is_planned_without(webview: Webview) -> None:
    webview.ask("choose", to="u2@4")
    webview.ask("adjust", mode="both", **{"except": ["/home/ana/demo/src/main.ts"]}, consent={})
    webview.confirm()

    assert "1 file restored. 1 file left as it is." in webview.page["notices"]
    assert "src/main.ts: you left it out" in webview.page["notices"]


def test_files_only_keeps_conversation_and_input(webview: Webview) -> None:
    webview.ask("choose", to="u2@4")
    webview.ask("adjust", mode="files", **{"except": []}, consent={})
    webview.confirm()

    assert len(webview.prompts) == 3
    assert [effect for effect in webview.effects if effect["kind"] == "input"] == []
