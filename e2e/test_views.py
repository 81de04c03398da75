"""A page that knows the name of its view, as an editor gives one to each of its webviews."""

import json
from typing import Any

from playwright.sync_api import WebSocket, expect

from e2e.panel import Panel
from e2e.wave import five_turns
from tests.harness.place import Place

NAMED = """new MutationObserver((_, watch) => {
  if (!document.body) return;
  document.body.dataset.view = "side";
  watch.disconnect();
}).observe(document, { childList: true, subtree: true })"""
"""Gives the page its name before its modules run, as the language server does when it draws it."""


def test_a_named_view_sends_its_name_along_and_takes_what_is_for_it(place: Place, panel: Panel) -> None:
    five_turns(place)
    sent: list[dict[str, Any]] = []

    def watch(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: sent.append(json.loads(frame)["params"]))

    panel.page.on("websocket", watch)
    panel.page.add_init_script(NAMED)
    panel.open().rewind_to("document it")

    expect(panel.input).to_have_value("document it")
    assert {params.get("view") for params in sent} == {"side"}
