"""Shell commands: which files did one change, and what stood there before?

Nobody says in advance what a command will touch. So a workspace is looked at before it and after it: what differs from
the last look in between is the command's; what differs when no window is open is the user's, and only moves the
baseline. What may not be looked into is named by its rule (`scan_rules`). Nothing in the workspace is ever written.

Standard library only, and little of it: the hook path imports this.
"""

import os
import time

from respool.storage.files.scan_baseline import Baseline, baseline_key
from respool.storage.files.scan_changes import ScanResult, merged
from respool.storage.files.scan_contents import Contents
from respool.storage.files.scan_pass import Pass
from respool.storage.files.scan_rules import Limits, Rules, places_apart
from respool.storage.files.scan_walk import Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Protocol

    from respool.storage.files.scan_contents import Store

    class Events(Protocol):
        """Tells a long-lived host where something was touched."""

        def touched(self, root: str) -> "set[str] | None":
            """Folders below ``root`` touched since the last call; ``None`` when that is not certain."""

        def follow(self, root: str, folder: str) -> None:
            """Tell about this folder from now on. Called before it is read."""


class Scans:
    """Looks at workspaces. ``apart``: further real paths that are left out, with their rules."""

    def __init__(
        self,
        state: str,
        blobs: "Store",
        *,
        events: "Events | None" = None,
        limits: Limits | None = None,
        apart: dict[str, str] | None = None,
    ) -> None:
        self._state, self._blobs, self._events = state, blobs, events
        self._limits = limits or Limits()
        self._apart = {**places_apart(state), **(apart or {})}
        self._baselines: dict[str, Baseline] = {}
        self._touched: dict[str, set[str] | None] = {}

    def open(self, workspace: str) -> str:
        """Begin a window. What changed before is the user's; every tracked file's bytes are durable afterwards.

        Raises ``OSError`` when our own state cannot be written.
        """
        root = os.path.realpath(workspace)
        with self._baseline(root) as baseline:
            baseline.begin()
            self._look(root, baseline)
            token = os.urandom(8).hex()
            baseline.add(("open", token, _now_ms()))
            self._commit(root, baseline)
        return token

    def close(self, workspace: str, token: str) -> ScanResult:
        """End a window: what changed in it. Asked again, it answers the same for a day."""
        root = os.path.realpath(workspace)
        with self._baseline(root) as baseline:
            window = baseline.windows.get(token)
            if window is None:
                return ScanResult([], [{"path": root, "rule": "window_lost"}])
            if window.end is None:
                self._look(root, baseline)
                baseline.add(("close", token, _now_ms()))
                self._commit(root, baseline)
            return merged(root, baseline.since(baseline.windows.get(token, window)))

    def look(self, workspace: str, token: str | None = None) -> ScanResult:
        """What differs from the last look, or with a token from the beginning of its window.

        The baseline stays as it is; only the bytes of the states before are brought into the blob store.
        """
        root = os.path.realpath(workspace)
        baseline = self._baseline(root)
        if not baseline.exists():
            return ScanResult([], [])
        with baseline:
            found = self._look(root, baseline, dry=True)
            window = baseline.windows.get(token or "")
            return merged(root, [*(baseline.since(window) if window else ()), found.record])

    def _baseline(self, root: str) -> Baseline:
        folder = os.path.join(self._state, "baselines", baseline_key(root))
        return self._baselines.setdefault(root, Baseline(folder))

    def _look(self, root: str, baseline: Baseline, *, dry: bool = False) -> Pass:
        contents = Contents(baseline.pile, self._blobs, baseline.contents, dry=dry)
        try:
            once = Pass(root, baseline, contents, self._limits, dry=dry)
            once.run(self._walk(root, baseline))
        finally:
            contents.close()
        return once

    def _walk(self, root: str, baseline: Baseline) -> "Iterable[Any]":
        folders = self._news(root)
        room = self._limits.most_entries - baseline.entries
        walk = Walk(root, baseline.tree, Rules(root, self._apart), room, self._follow(root))
        return walk.everything() if folders is None or not baseline.tree else walk.only(folders)

    def _follow(self, root: str) -> "Callable[[str], None] | None":
        events = self._events
        return None if events is None else lambda folder: events.follow(root, folder)

    def _news(self, root: str) -> set[str] | None:
        """Folders touched since the last look that counted, or ``None``."""
        if self._events is None:
            return None
        touched = self._events.touched(root)
        before = self._touched.get(root, set())
        self._touched[root] = None if touched is None or before is None else before | touched
        return self._touched[root]

    def _commit(self, root: str, baseline: Baseline) -> None:
        baseline.commit()
        self._touched[root] = set()
        baseline.trim()


def _now_ms() -> int:
    return int(time.time() * 1000)
