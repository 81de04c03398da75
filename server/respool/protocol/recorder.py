"""The recorder: one JSON object a line in, one answer a line out, in order; events of its own in between.

Nothing a host sends ends the stream: what cannot be understood is answered with an error. While the host is silent the
log is looked at a few times a second, for tasks that have to stop and turns that were taken out.
"""

import logging
import os
import selectors
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from respool.model.capture import HostEvent
from respool.model.errors import Refusal
from respool.protocol.recorder_requests import BadRequest, Request, understood

LONGEST_LINE_BYTES = 64 << 20
PIECE_BYTES = 1 << 16
LOOK_EVERY_S = 0.1
NO_SPACE = (28, 122)
Json = dict[str, Any]
Answer = Callable[[Request], Json]


@dataclass
class Lines:
    """Lines out of pieces of bytes. A line too long to hold comes out as ``None``, when it has ended."""

    _held: bytearray = field(default_factory=bytearray)
    _skipping: bool = False

    def feed(self, piece: bytes) -> Iterator[bytes | None]:
        """The lines that end in this piece."""
        *ended, rest = piece.split(b"\n")
        for part in ended:
            yield self._line(part)
        if self._skipping or len(self._held) + len(rest) > LONGEST_LINE_BYTES:
            self._skipping = True
            self._held.clear()
        else:
            self._held += rest

    def _line(self, part: bytes) -> bytes | None:
        too_long = self._skipping or len(self._held) + len(part) > LONGEST_LINE_BYTES
        line = None if too_long else bytes(self._held) + part
        self._held.clear()
        self._skipping = False
        return line

    def end(self) -> Iterator[bytes | None]:
        """What stands after the last line feed, if anything does."""
        if self._held or self._skipping:
            yield self._line(b"")


@dataclass
class Recorder:
    """``answer`` carries one request out; ``events`` asks what there is to say unasked; ``say`` writes one object."""

    answer: Answer
    events: Callable[[], tuple[HostEvent, ...]]
    say: Callable[[Json], None]

    def serve(self, stdin: int) -> None:
        """Until the host closes its end."""
        lines = Lines()
        for piece in self._pieces(stdin):
            for line in lines.feed(piece) if piece else lines.end():
                self.take(line)

    def _pieces(self, stdin: int) -> Iterator[bytes]:
        """What arrives, an empty piece at the end."""
        with selectors.DefaultSelector() as selector:
            waits = _register(selector, stdin)
            while True:
                if waits and not selector.select(LOOK_EVERY_S):
                    self._tell()
                    continue
                piece = os.read(stdin, PIECE_BYTES)
                yield piece
                if not piece:
                    return

    def take(self, line: bytes | None) -> None:
        """Answer one line; a blank one says nothing."""
        if line is not None and not line.strip():
            return
        self._tell()
        self.say(self._answered(line))
        self._tell()

    def _answered(self, line: bytes | None) -> Json:
        try:
            if line is None:
                raise BadRequest("the line is longer than 64 MiB")
            return {"ok": True, **self.answer(understood(line))}
        except BadRequest as error:
            return _error("bad_request", str(error))
        except Refusal as refusal:
            return _error(refusal.code, str(refusal))
        except OSError as error:
            return _error("disk_full" if error.errno in NO_SPACE else "io_error", error.strerror or str(error))
        except Exception as error:
            logging.getLogger(__name__).warning("a request failed", exc_info=True)
            return _error("internal", f"{type(error).__name__}: {error}")

    def _tell(self) -> None:
        try:
            events = self.events()
        except OSError:
            logging.getLogger(__name__).warning("the change log cannot be read", exc_info=True)
            return
        for event in events:
            self.say(_event(event))


def _register(selector: selectors.BaseSelector, stdin: int) -> bool:
    """A regular file never keeps anybody waiting, and cannot be waited for."""
    try:
        selector.register(stdin, selectors.EVENT_READ)
    except PermissionError:
        return False
    return True


def _event(event: HostEvent) -> Json:
    if event.kind == "stop":
        return {"event": "stop", "task": event.task}
    return {"event": "rewound", "keptLines": event.kept_lines, "generation": event.generation}


def _error(code: str, text: str) -> Json:
    return {"ok": False, "error": {"code": code, "text": text}}
