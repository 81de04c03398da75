"""How far long work is, on one line of the terminal that goes away again."""

import sys
from types import TracebackType

from respool.views.texts import Translate

ERASED = "\r\x1b[K"


class Progress:
    """Called with what is done and the total; silent where errors do not go to a terminal."""

    def __init__(self, t: Translate, *, silent: bool) -> None:
        self._t = t
        self._silent = silent or not sys.stderr.isatty()
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        if self._silent:
            return
        text = self._t("Working… {done} of {total}").format(done=done, total=total) if total else self._t("Working…")
        self._write(f"{ERASED}{text}")
        self._shown = True

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._shown:
            self._write(ERASED)

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
