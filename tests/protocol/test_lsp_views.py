"""Several views over one connection: each has a panel of its own, and they show the same sessions."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases.builder import SESSION, turns, write
from tests.harness.place import Place
from tests.protocol.client import Client, Json, Start


class Views:
    """Opens views and numbers their intents, as an editor does."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._requests: dict[str, int] = {}

    def open(self, view: str, **params: Any) -> Json:
        """Everything the view shows."""
        opened: Json = self._client.ask("respool/view/open", {"view": view, **params})
        return opened

    def ask(self, view: str, intent: str, **params: Any) -> None:
        """An intent that must be served."""
        self._client.ask("respool/view/intent", self._numbered(view, intent, params))

    def refused(self, view: str, intent: str) -> int:
        """Code of the error an intent is answered with."""
        return int(self._client.refused("respool/view/intent", self._numbered(view, intent, {}))["code"])

    def patch(self, view: str, region: str) -> Json:
        """The newest notification for a view that is about a region, else the next."""

        def wanted(message: Json) -> bool:
            params = message.get("params", {})
            ids = [patch["id"] for patch in params.get("patches", ())]
            return message.get("method") == "respool/view/patch" and params["view"] == view and region in ids

        come = [message for message in self._client.messages if wanted(message)] or [self._client.until(wanted)]
        newest: Json = come[-1]["params"]
        return newest

    def _numbered(self, view: str, intent: str, params: Json) -> Json:
        self._requests[view] = self._requests.get(view, 0) + 1
        return {"view": view, "intent": intent, "request": self._requests[view], **params}


@pytest.fixture
def client(place: Place, start: Start) -> Client:
    """A server with a session of three turns."""
    write(place, *turns(3))
    return start(place)


@pytest.fixture
def views(client: Client) -> Views:
    """Its views."""
    return Views(client)


def html(view: Json, region: str) -> str:
    """What a view says about a region."""
    return "".join(patch["html"] for patch in view["patches"] if patch["id"] == region)


def patched(client: Client) -> list[tuple[str, int]]:
    """View and number of every patch that has come."""
    told = [message["params"] for message in client.messages if message.get("method") == "respool/view/patch"]
    return [(params["view"], params["seq"]) for params in told]


def test_every_view_has_its_own_screen_and_its_own_numbers(client: Client, views: Views) -> None:
    side, editor = views.open("side"), views.open("editor", session=SESSION)
    assert (side["view"], editor["view"]) == ("side", "editor")
    assert "question 1" in html(side, "sessions")
    assert "question 3" in html(editor, "messages")

    views.ask("editor", "rewind")
    views.ask("editor", "close")
    views.ask("side", "sessions", everywhere=True)

    assert patched(client) == [("editor", 1), ("editor", 2), ("side", 1)]


def test_who_names_no_view_has_the_main_one(client: Client) -> None:
    opened = client.ask("respool/view/open", {"session": SESSION})
    client.ask("respool/view/intent", {"intent": "rewind", "request": 1})

    assert opened["view"] == "main"
    assert patched(client) == [("main", 1)]


def test_a_rewind_in_one_view_is_seen_in_the_other(client: Client, views: Views) -> None:
    for view in ("side", "editor"):
        views.open(view, session=SESSION)
    rows = client.ask("respool/checkpoints", {"session": SESSION})["checkpoints"]
    views.ask("side", "choose", to=f"{rows[1]['id']}@{rows[1]['line']}")
    digest = html(views.patch("side", "dialog"), "dialog").partition('data-digest="')[2].partition('"')[0]
    views.ask("side", "confirm", digest=digest)

    shown = html(views.patch("editor", "messages"), "messages")

    assert "question 1" in shown
    assert "question 2" not in shown


def test_a_closed_view_is_gone_and_the_others_stay(client: Client, views: Views) -> None:
    for view in ("side", "editor"):
        views.open(view, session=SESSION)
    assert client.ask("respool/view/close", {"view": "side"}) == {}

    assert views.refused("side", "rewind") == -32602
    assert client.ask("respool/view/close", {"view": "side"}) == {}
    views.ask("editor", "rewind")
    assert patched(client) == [("editor", 1)]

    assert views.open("side", session=SESSION)["seq"] == 0


def test_the_empty_page_knows_the_name_of_its_view(views: Views) -> None:
    page = {"nonce": "n" * 20, "source": "https://file.example", "base": "https://file.example/static"}

    assert 'data-view="a &#34;b&#34;"' in views.open('a "b"', document=page)["document"]


def test_the_demo_is_made_on_request_and_shown_in_the_view_that_asked(place: Place, start: Start) -> None:
    views = Views(start(place))
    assert 'data-intent="demo"' in html(views.open("side"), "sessions")
    views.ask("side", "demo")

    assert 'class="message user"' in html(views.patch("side", "messages"), "messages")
    assert Path(place.home, "respool-demo").is_dir()
