"""A command in a terminal of its own, and the screen a person would see."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pexpect
import pyte

from tests.harness.place import Place

PATIENCE_S = 60
KEYS = {
    "up": "\x1b[A",
    "down": "\x1b[B",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "enter": "\r",
    "esc": "\x1b",
    "tab": "\t",
    "backspace": "\x7f",
    "ctrl-c": "\x03",
}


class Terminal:
    """``raw``: every byte the command has sent."""

    def __init__(self, child: "pexpect.spawn[bytes]", columns: int, lines: int) -> None:
        self._child = child
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""

    @property
    def lines(self) -> list[str]:
        """The screen, without the blanks at the ends of its lines. Wide characters take one place here, not two."""
        rows = (self._screen.buffer[number] for number in range(self._screen.lines))
        return ["".join(row[column].data for column in range(self._screen.columns)).rstrip() for row in rows]

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.lines)

    @property
    def selected(self) -> str:
        """The row that is picked."""
        return next((line[2:].strip() for line in self.lines if line.startswith("› ")), "")

    def press(self, *keys: str) -> None:
        """Names of keys, or text to type."""
        self._child.send("".join(KEYS.get(key, key) for key in keys))

    def resize(self, columns: int, lines: int) -> None:
        """Another size of the window."""
        self._screen.resize(lines, columns)
        self._child.setwinsize(lines, columns)

    def until(self, seen: Callable[["Terminal"], object], what: str = "") -> None:
        """Read until the screen is as it should be."""
        while not seen(self):
            try:
                self._feed(self._child.read_nonblocking(1 << 16, PATIENCE_S))
            except (pexpect.TIMEOUT, pexpect.EOF) as error:
                raise AssertionError(f"never seen: {what}\n{self.text}") from error

    def until_text(self, text: str) -> None:
        """Read until it stands somewhere on the screen."""
        self.until(lambda there: text in there.text, text)

    def end(self) -> int:
        """Read to the end; the exit status."""
        while True:
            try:
                self._feed(self._child.read_nonblocking(1 << 16, PATIENCE_S))
            except pexpect.EOF:
                self._child.wait()
                return int(self._child.exitstatus if self._child.exitstatus is not None else -1)

    def _feed(self, data: bytes) -> None:
        self.raw += data
        self._stream.feed(data)


@contextmanager
def terminal(
    place: Place, *args: str, columns: int = 80, lines: int = 24, language: str = "C.UTF-8"
) -> Iterator[Terminal]:
    """Run a command of the product at a terminal."""
    door = replace(place.door, extra_env={"LANG": language, "LC_ALL": language, "TERM": "xterm-256color", "TZ": "UTC"})
    command, *rest = door.command(*args)
    child: pexpect.spawn[bytes] = pexpect.spawn(
        command, rest, cwd=str(place.work), env=door.environment(), dimensions=(lines, columns), timeout=PATIENCE_S
    )
    child.delaybeforesend = None
    try:
        yield Terminal(child, columns, lines)
    finally:
        child.close(force=True)
