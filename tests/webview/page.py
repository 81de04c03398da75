"""The other side of a panel, as tests play it."""

import re
from collections.abc import Callable
from threading import Event, Thread
from typing import Any, cast

from respool.protocol.panel import Panel
from respool.views.patches import Patch, apply
from tests.webview.fakes import PATH, WORKSPACE, FakeServices


class Webview:
    """The other side of a panel: keeps the page by applying patches, and numbers its intents."""

    def __init__(self, services: FakeServices, session: str | None = PATH) -> None:
        self.panel = Panel(cast(Any, services), WORKSPACE, "en", self._received, demo=services.demo, view="main")
        self.page: dict[str, str] = {}
        self.effects: list[dict[str, Any]] = []
        self.request = 0
        self.seq = 0
        opened = self.panel.open({"session": session} if session else {})
        self.page = applied(opened, {})
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
    def rows(self) -> list[str]:
        """``ID@LINE`` of each row of the list."""
        return re.findall('class="row"[^>]* data-to="([^"]*)"', self.page["rows"])

    @property
    def prompts(self) -> list[str]:
        """What the user typed, as shown."""
        return re.findall('<div class="typed"[^>]*>([^<]*)', self.page["messages"])

    @property
    def digest(self) -> str:
        found = re.search('data-digest="([^"]*)"', self.page["dialog"])
        return found[1] if found else ""

    def confirm(self) -> None:
        self.ask("confirm", digest=self.digest)

    def fresh(self) -> dict[str, str]:
        """What a webview that opens now is given."""
        return applied(self.panel.open({"session": PATH}), {})

    def _received(self, method: str, params: dict[str, Any]) -> None:
        assert method == "respool/view/patch"
        assert params["seq"] == self.seq + 1
        self.seq = params["seq"]
        self.page = applied(params, self.page)
        self.effects += params["effects"]


def applied(view: dict[str, Any], page: dict[str, str]) -> dict[str, str]:
    """A page with the patches of a view."""
    return apply([Patch(**patch) for patch in view["patches"]], page)


def until(true: Callable[[], bool]) -> None:
    """Wait for what another thread brings about."""
    pause = Event()
    for _ in range(1000):
        if true():
            return
        pause.wait(0.01)
    raise AssertionError("it never happened")
