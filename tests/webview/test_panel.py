"""The panel: what each intent brings about, who wins when two cross, and that a stale page becomes the fresh one."""

import re
from collections.abc import Callable
from threading import Event, Thread
from typing import Any, cast

import pytest

from respool.model.errors import Busy, LiveAgent, RewindInProgress
from respool.model.operation import Status
from respool.model.plan import Consent, Notice, NotRestored
from respool.model.transcript import Live
from respool.protocol.errors import WireError
from respool.protocol.panel import Panel
from respool.views.patches import Patch, apply
from tests.webview.fakes import PATH, WORKSPACE, FakeServices, file_change


class Webview:
    """The other side of a panel: keeps the page by applying patches, and numbers its intents."""

    def __init__(self, services: FakeServices, session: str | None = PATH) -> None:
        self.panel = Panel(cast(Any, services), WORKSPACE, "en", self._received)
        self.page: dict[str, str] = {}
        self.effects: list[dict[str, Any]] = []
        self.request = 0
        self.seq = 0
        opened = self.panel.open({"session": session} if session else {})
        self.page = _applied(opened, {})
        self.seq = opened["seq"]

    def ask(self, intent: str, **params: Any) -> None:
        self.request += 1
        self.panel.intent({"intent": intent, "request": self.request, **params})

    def later(self, intent: str, **params: Any) -> Thread:
        """The same from a thread of its own."""
        self.request += 1
        message = {"intent": intent, "request": self.request, **params}
        thread = Thread(target=self.panel.intent, args=(message,))
        thread.start()
        return thread

    @property
    def digest(self) -> str:
        found = re.search('data-digest="([^"]*)"', self.page["dialog"])
        return found[1] if found else ""

    def confirm(self) -> None:
        self.ask("confirm", digest=self.digest)

    def fresh(self) -> dict[str, str]:
        """What a webview that opens now is given."""
        return _applied(self.panel.open({"session": PATH}), {})

    def _received(self, method: str, params: dict[str, Any]) -> None:
        assert method == "respool/view/patch"
        assert params["seq"] == self.seq + 1
        self.seq = params["seq"]
        self.page = _applied(params, self.page)
        self.effects += params["effects"]


def _applied(view: dict[str, Any], page: dict[str, str]) -> dict[str, str]:
    return apply([Patch(**patch) for patch in view["patches"]], page)


@pytest.fixture
def services() -> FakeServices:
    return FakeServices()


@pytest.fixture
def webview(services: FakeServices) -> Webview:
    return Webview(services)


def rows(webview: Webview) -> list[str]:
    return re.findall('class="row"[^>]* data-to="([^"]*)"', webview.page["rows"])


def prompts(webview: Webview) -> list[str]:
    return re.findall('<div class="typed"[^>]*>([^<]*)', webview.page["messages"])


def test_the_first_page_lists_the_sessions(services: FakeServices) -> None:
    webview = Webview(services, session=None)

    assert "Payments refactor" in webview.page["sessions"]
    assert webview.page["messages"] == webview.page["composer"] == ""


def test_a_session_of_the_list_is_opened_and_left_again(services: FakeServices) -> None:
    webview = Webview(services, session=None)
    webview.ask("session", path=PATH)

    assert prompts(webview) == services.sessions.prompts
    assert webview.page["sessions"] == ""

    webview.ask("sessions")

    assert "Payments refactor" in webview.page["sessions"]
    assert prompts(webview) == []


def test_rewind_opens_a_list_of_every_prompt(webview: Webview) -> None:
    webview.ask("rewind")

    assert "Rewind to which message?" in webview.page["picker-head"]
    assert rows(webview) == ["u1@2", "u2@4", "u3@6"]


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


def test_confirming_is_refused_when_the_agent_began_in_between(webview: Webview, services: FakeServices) -> None:
    webview.ask("choose", to="u2@4")
    services.rewinds.refuse = Busy()
    webview.confirm()

    assert "The agent is still answering." in webview.page["notices"]
    assert webview.page["dialog"] == ""
    assert (
        prompts(webview)
        == services.sessions.prompts
        == ["add a parser", "write a test for it", "now rename the function"]
    )


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

    assert prompts(webview) == ["add a parser"]
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

    assert len(prompts(webview)) == 3
    assert {"kind": "clear"} in webview.effects


def test_two_confirms_are_one_rewind(webview: Webview, services: FakeServices) -> None:
    services.rewinds.gate = Event()
    webview.ask("choose", to="u2@4")
    digest = webview.digest
    both = [webview.later("confirm", digest=digest) for _ in range(2)]
    services.rewinds.gate.set()
    for thread in both:
        thread.join(10)

    assert [name for name, _ in services.rewinds.calls].count("rewind") == 1


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

    assert prompts(webview) == ["add a parser"]


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


def test_an_older_plan_cannot_be_confirmed_while_a_new_one_is_made(webview: Webview, services: FakeServices) -> None:
    webview.ask("choose", to="u2@4")
    old = webview.digest
    gate = services.rewinds.plan_gate = Event()
    slow = webview.later("adjust", mode="both", **{"except": ["/home/ana/demo/src/main.ts"]}, consent={})
    _until(lambda: [name for name, _ in services.rewinds.calls].count("plan") == 2)
    webview.ask("confirm", digest=old)
    gate.set()
    slow.join(10)

    assert "rewind" not in [name for name, _ in services.rewinds.calls]

    webview.confirm()

    assert "src/main.ts: you left it out" in webview.page["notices"]


def test_files_only_keeps_conversation_and_input(webview: Webview) -> None:
    webview.ask("choose", to="u2@4")
    webview.ask("adjust", mode="files", **{"except": []}, consent={})
    webview.confirm()

    assert len(prompts(webview)) == 3
    assert [effect for effect in webview.effects if effect["kind"] == "input"] == []


def test_a_failed_rewind_says_why_and_shows_the_session_as_it_is(webview: Webview, services: FakeServices) -> None:
    services.rewinds.fail = Status.FAILED
    webview.ask("choose", to="u2@4")
    webview.confirm()

    assert "Rewind failed: the disk said no." in webview.page["notices"]
    assert "Everything was put back as it was." in webview.page["notices"]
    assert 'id="undo"' not in webview.page["notices"]
    assert len(prompts(webview)) == 3


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


def test_a_message_that_is_gone_is_refused_and_the_list_is_the_new_one(
    webview: Webview, services: FakeServices
) -> None:
    webview.ask("rewind")
    services.sessions.prompts.pop()
    webview.ask("choose", to="u3@6")

    assert "There is no message u3@6 in this session." in webview.page["notices"]
    assert rows(webview) == ["u1@2", "u2@4"]


def test_a_session_that_is_gone_leads_back_to_the_list(webview: Webview, services: FakeServices) -> None:
    services.sessions.gone = True
    webview.panel.changed(PATH)

    assert "There is no session" in webview.page["sessions"]
    assert webview.page["messages"] == ""


def test_a_plan_that_comes_after_cancel_is_dropped(webview: Webview, services: FakeServices) -> None:
    services.rewinds.plan_gate = Event()
    slow = webview.later("choose", to="u2@4")
    _until(lambda: ("plan", "u2@4") in services.rewinds.calls)
    webview.ask("cancel")
    services.rewinds.plan_gate.set()
    slow.join(10)

    assert webview.page["dialog"] == ""


def test_the_newest_choice_wins(webview: Webview, services: FakeServices) -> None:
    gate = services.rewinds.plan_gate = Event()
    slow = webview.later("choose", to="u1@2")
    _until(lambda: ("plan", "u1@2") in services.rewinds.calls)
    services.rewinds.plan_gate = None
    webview.ask("choose", to="u3@6")
    gate.set()
    slow.join(10)

    assert webview.digest.startswith("u3@6")


def test_what_others_append_is_followed(webview: Webview, services: FakeServices) -> None:
    services.sessions.prompts.append("and another one")
    for listener in services.sessions.listeners:
        listener(PATH)

    assert prompts(webview)[-1] == "and another one"
    assert rows(webview)[-1] == "u4@8"


def test_other_transcripts_do_not_matter(webview: Webview, services: FakeServices) -> None:
    services.sessions.prompts.append("and another one")
    webview.panel.changed("/somewhere/else.jsonl")

    assert len(prompts(webview)) == 3


def test_nobody_listens_after_closing(webview: Webview, services: FakeServices) -> None:
    webview.panel.close()

    assert services.sessions.listeners == []


def test_counts_are_found_for_the_rows_asked_about(webview: Webview) -> None:
    webview.ask("rewind")
    webview.ask("counts", to=["u3@6", "u9@99", "nonsense"])

    assert webview.page["rows"].count("2 files") == 1


def test_a_long_conversation_opens_at_its_end_and_shows_more_on_demand(services: FakeServices) -> None:
    services.sessions.prompts[:] = [f"prompt {number}" for number in range(300)]
    webview = Webview(services)

    assert prompts(webview)[0] == "prompt 200"
    assert "Show 400 earlier messages" in webview.page["earlier"]
    assert len(rows(webview)) == 300

    webview.ask("earlier")

    assert prompts(webview)[0] == "prompt 0"


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
    webview.page = _applied(webview.panel.open({"session": PATH, "language": "zh-CN"}), {})
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


def _until(true: Callable[[], bool]) -> None:
    pause = Event()
    for _ in range(1000):
        if true():
            return
        pause.wait(0.01)
    raise AssertionError("it never happened")
