"""The panels of one connection: an editor may show several webviews, each a view with a name and a panel of its own."""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

from respool.protocol.errors import INVALID_PARAMS, WireError

if TYPE_CHECKING:
    from respool.protocol.demo_folder import MakeDemo
    from respool.protocol.panel import Panel
    from respool.service.services import Services

MAIN = "main"
"""The view of whoever has only one, and names none."""
NAME_CHARACTERS = 100

Json = dict[str, Any]


class Panels:
    """A panel is there from the first opening of its view until the view is closed. See ``Panel`` for the arguments."""

    def __init__(
        self,
        services: "Services",
        workspace: str,
        language: str,
        send: Callable[[str, Json], None],
        demo: "MakeDemo",
    ) -> None:
        self._services = services
        self._workspace = workspace
        self._language = language
        self._send = send
        self._demo = demo
        self._lock = Lock()
        self._panels: dict[str, Panel] = {}

    def open(self, params: Json) -> Json:
        """``respool/view/open``: draw everything. Of a view that is there already: anew."""
        view, rest = _view(params)
        return self._begun(view).open(rest)

    def intent(self, params: Json) -> Json:
        """``respool/view/intent``: to the panel of its view."""
        view, rest = _view(params)
        with self._lock:
            panel = self._panels.get(view)
        if panel is None:
            raise WireError(INVALID_PARAMS, "view: it is not open")
        return panel.intent(rest)

    def close_view(self, params: Json) -> Json:
        """``respool/view/close``: nobody looks at this view any more. Closing one that is not there is no mistake."""
        view, rest = _view(params)
        if rest:
            raise WireError(INVALID_PARAMS, "only the view is named")
        with self._lock:
            panel = self._panels.pop(view, None)
        if panel is not None:
            panel.close()
        return {}

    def changed(self, transcript: str) -> None:
        """A transcript was changed over this connection."""
        for panel in self._all():
            panel.changed(transcript)

    def close(self) -> None:
        """The connection is gone."""
        for panel in self._all():
            panel.close()

    def _all(self) -> "tuple[Panel, ...]":
        with self._lock:
            return tuple(self._panels.values())

    def _begun(self, view: str) -> "Panel":
        # Brings the templates; an editor that never opens a panel need not wait for them.
        from respool.protocol.panel import Panel

        with self._lock:
            if view not in self._panels:
                self._panels[view] = Panel(
                    self._services, self._workspace, self._language, self._send, demo=self._demo, view=view
                )
            return self._panels[view]


def _view(params: Json) -> tuple[str, Json]:
    """Which view is meant, and the other parameters."""
    view = params.get("view", MAIN)
    if not isinstance(view, str) or not 0 < len(view) <= NAME_CHARACTERS:
        raise WireError(INVALID_PARAMS, f"view: a text of 1 to {NAME_CHARACTERS} characters")
    return view, {name: value for name, value in params.items() if name != "view"}
