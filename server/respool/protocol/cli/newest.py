"""One worker thread that only ever cares for the newest thing it was asked."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Asked = TypeVar("Asked")


class Newest(Generic[Asked]):
    """Calls ``work`` with what was asked last; what was asked in between, while it was busy, is never looked at."""

    def __init__(self, work: Callable[[Asked], None]) -> None:
        self._work = work
        self._changed = threading.Condition()
        self._waiting: list[Asked] = []
        self._closed = False
        # A daemon: leaving the picker must not wait for a plan nobody will see.
        threading.Thread(target=self._run, name="plans", daemon=True).start()

    def ask(self, asked: Asked) -> None:
        """Replace whatever still waits."""
        with self._changed:
            self._waiting = [asked]
            self._changed.notify()

    def close(self) -> None:
        """Begin nothing more."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                asked = self._waiting.pop()
            self._work(asked)
