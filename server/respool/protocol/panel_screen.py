"""Brings what a panel shows to its webview: one state, one page, patches in order."""

from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any

from respool.protocol.panel_state import Draftsman, PanelState
from respool.views.patches import Page, diff, opened

Send = Callable[[str, dict[str, Any]], None]
Effect = Mapping[str, Any]
PATCH = "respool/view/patch"


class Screen:
    """Thread-safe. Every change of the state goes out as one numbered notification, in the order it was made."""

    def __init__(self, state: PanelState, draftsman: Draftsman, send: Send, view: str) -> None:
        self._lock = RLock()
        self._view = view
        self._state = state
        self._draftsman = draftsman
        self._send = send
        self._page: Page = {}
        self._seq = 0
        self._request = 0
        self._overlay = 0

    @property
    def state(self) -> PanelState:
        """What is shown now."""
        with self._lock:
            return self._state

    def begin(self, draftsman: Draftsman, change: Callable[[PanelState], PanelState], request: int) -> dict[str, Any]:
        """Draw everything for a webview that shows nothing yet, or lost its place."""
        with self._lock:
            self._draftsman = draftsman
            self._state = change(self._state)
            self._request = self._overlay = max(request, self._request)
            self._page = draftsman.draw(self._state)
            return {
                "view": self._view,
                "seq": self._seq,
                "request": self._request,
                "patches": [patch.to_wire() for patch in opened(self._page)],
            }

    def seen(self, request: int) -> None:
        """Note the newest request of the webview."""
        with self._lock:
            self._request = max(self._request, request)

    def claim(self, request: int) -> bool:
        """Make this the request that decides about list and dialog; false if a newer one already does."""
        with self._lock:
            if request < self._overlay:
                return False
            self._overlay = request
            return True

    def update(self, change: Callable[[PanelState], PanelState], *effects: Effect, claimed: int | None = None) -> bool:
        """Change the state and show it. Nothing happens when ``claimed`` is no longer the deciding request.

        ``effects`` (focus, input, clear, scroll) follow the patches.
        """
        with self._lock:
            if claimed is not None and claimed != self._overlay:
                return False
            self._state = change(self._state)
            page = self._draftsman.draw(self._state)
            patches = [patch.to_wire() for patch in diff(self._page, page)]
            self._page = page
            if patches or effects:
                self._seq += 1
                number = {"view": self._view, "seq": self._seq, "request": self._request}
                self._send(PATCH, {**number, "patches": patches, "effects": list(effects)})
            return True
