"""Where words go: answers on stdout, for people or as JSON; errors and notes on stderr.

Whatever reaches a terminal has been made visible by ``respool.views.visible`` before; what the terminal's character
set lacks becomes a question mark. A reader who leaves early (``| head``) is no error: the rest goes nowhere. Nor is
it one when nobody can be told what went wrong: the exit status says it.
"""

import io
import os
import sys
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

from rich.console import Console
from rich.text import Text

from respool.protocol.cli.lines import Line
from respool.protocol.messages import Json, dumps
from respool.views.visible import visible

STYLES = {
    "": "",
    "strong": "bold",
    "faint": "dim",
    "added": "green",
    "deleted": "red",
    "warning": "yellow",
    "bad": "bold red",
    "good": "green",
    "picked": "reverse",
}


class Output:
    """The two streams of one command."""

    def __init__(self, *, json: bool) -> None:
        self.json = json
        # A closed descriptor is no reason to fail: there is just nobody to tell.
        sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")

    @cached_property
    def _console(self) -> "_Console":
        console = _Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        if not console.is_terminal:
            console.no_color = True
        return console

    @property
    def width(self) -> int | None:
        """Cells of the terminal; ``None`` where lines may be as long as they like."""
        return self._console.width if self._console.is_terminal else None

    def print(self, lines: Iterable[Line]) -> None:
        """Lines for people; none with ``--json``."""
        if self.json:
            return
        for line in lines:
            self._console.print(Text.assemble(*((text, STYLES[style]) for style, text in line)))

    def answer(self, value: Json) -> None:
        """One JSON object on stdout."""
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(dumps(value) + b"\n")
            sys.stdout.flush()
        except BrokenPipeError:
            leave_alone("stdout")

    def note(self, text: str) -> None:
        """A line on stderr."""
        try:
            sys.stderr.write(visible(text).replace("\n", " ") + "\n")
            sys.stderr.flush()
        except OSError:
            leave_alone("stderr")

    def error(self, text: str, hint: str = "") -> None:
        """Why it did not work, and what to do about it."""
        self.note(f"respool: {text}")
        if hint:
            self.note(f"hint: {hint}")

    def close(self) -> None:
        """Let everything out while a failure can still be dealt with."""
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            leave_alone("stdout")

    def abandon(self) -> None:
        """Nothing more can be said, not even by the interpreter at its end."""
        leave_alone("stdout")
        leave_alone("stderr")


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Say no more; the command goes on to its own end."""
        self.quiet = True
        leave_alone("stdout")


def leave_alone(name: Literal["stdout", "stderr"]) -> None:
    """Nobody reads there, or nothing gets through: what is still written goes nowhere.

    That is also true of what the stream holds back: the interpreter would try it again at its end, and exit with 120.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, {"stdout": 1, "stderr": 2}[name])
    os.close(nowhere)
    setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
