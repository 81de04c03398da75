"""Who wins when two things cross: two intents, or an intent and what others write."""

from threading import Event

from tests.webview.fakes import PATH, FakeServices
from tests.webview.page import Webview, until


def test_two_confirms_are_one_rewind(webview: Webview, services: FakeServices) -> None:
    services.rewinds.gate = Event()
    webview.ask("choose", to="u2@4")
    digest = webview.digest
    both = [webview.later("confirm", digest=digest) for _ in range(2)]
    services.rewinds.gate.set()
    for thread in both:
        thread.join(10)

    assert [name for name, _ in services.rewinds.calls].count("rewind") == 1


def test_an_older_plan_cannot_be_confirmed_while_a_new_one_is_made(webview: Webview, services: FakeServices) -> None:
    webview.ask("choose", to="u2@4")
    old = webview.digest
    gate = services.rewinds.plan_gate = Event()
    slow = webview.later("adjust", mode="both", **{"except": ["/home/ana/demo/src/main.ts"]}, consent={})
    until(lambda: [name for name, _ in services.rewinds.calls].count("plan") == 2)
    webview.ask("confirm", digest=old)
    gate.set()
    slow.join(10)

    assert "rewind" not in [name for name, _ in services.rewinds.calls]

    webview.confirm()

    assert "src/main.ts: you left it out" in webview.page["notices"]


def test_a_plan_that_comes_after_cancel_is_dropped(webview: Webview, services: FakeServices) -> None:
    services.rewinds.plan_gate = Event()
    slow = webview.later("choose", to="u2@4")
    until(lambda: ("plan", "u2@4") in services.rewinds.calls)
    webview.ask("cancel")
    services.rewinds.plan_gate.set()
    slow.join(10)

    assert webview.page["dialog"] == ""


def test_the_newest_choice_wins(webview: Webview, services: FakeServices) -> None:
    gate = services.rewinds.plan_gate = Event()
    slow = webview.later("choose", to="u1@2")
    until(lambda: ("plan", "u1@2") in services.rewinds.calls)
    services.rewinds.plan_gate = None
    webview.ask("choose", to="u3@6")
    gate.set()
    slow.join(10)

    assert webview.digest.startswith("u3@6")


def test_what_others_append_is_followed(webview: Webview, services: FakeServices) -> None:
    services.sessions.prompts.append("and another one")
    for listener in services.sessions.listeners:
        listener(PATH)

    assert webview.prompts[-1] == "and another one"
    assert webview.rows[-1] == "u4@8"


def test_other_transcripts_do_not_matter(webview: Webview, services: FakeServices) -> None:
    services.sessions.prompts.append("and another one")
    webview.panel.changed("/somewhere/else.jsonl")

    assert len(webview.prompts) == 3


def test_nobody_listens_after_closing(webview: Webview, services: FakeServices) -> None:
    webview.panel.close()

    assert services.sessions.listeners == []
