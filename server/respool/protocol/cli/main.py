"""From an argument vector to an exit status. The one place where whatever a command raises becomes words.

0 done · 2 wrong usage · 3 refused, nothing changed · 4 failed, also in a way nobody foresaw · 5 needs repair ·
130 interrupted. What was begun when something unforeseen happened is settled by the next start of any command.
"""

import argparse
import os
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from respool.model.errors import Refusal
from respool.protocol.cli.arguments import parsed
from respool.protocol.cli.door import Door, WrongUsage
from respool.protocol.cli.log import debugging, log_to_stderr
from respool.protocol.cli.output import Output
from respool.protocol.cli.refused import report_refusal
from respool.views.texts import Translate, language_of_environment, translator

if TYPE_CHECKING:
    from respool.model.recording import Laid
    from respool.service.capture import Capture
    from respool.service.hooks import Hooks
    from respool.service.services import Services

WRONG_USAGE, REFUSED, FAILED, INTERRUPTED = 2, 3, 4, 130
THEMSELVES = ("lsp", "open", "doctor")
"""They settle on their own: once they can be reached, or when they know whether the store can be opened."""


def run(
    argv: Sequence[str],
    services: "Callable[[], Services]",
    demo: "Callable[[str], Laid]",
    capture: "Callable[[str, str], Capture]",
    hooks: "Callable[[], Hooks]",
) -> int:
    """Run one command. ``services`` is called at most once; the others are what a door is given."""
    out = Output(json="--json" in argv)
    log_to_stderr()
    language = language_of_environment()
    try:
        door = Door(
            services=cache(services),
            demo=demo,
            capture=capture,
            hooks=hooks,
            workspace=os.getcwd(),
            out=out,
            t=translator(language),
            language=language,
        )
        status = _run(argv, door)
        out.close()
    except BaseException as error:  # noqa: BLE001 - nothing passes this line but words and a status
        status = _reported(error, out, language)
    return status


def _run(argv: Sequence[str], door: Door) -> int:
    arguments = parsed(argv, door.t)
    if arguments.command not in THEMSELVES:
        door.services().operations.settle()
    return _command(arguments, door)


def _command(arguments: argparse.Namespace, door: Door) -> int:
    command = import_module(f"respool.protocol.cli.{arguments.command}")
    status: int = command.run(arguments, door)
    return status


def _reported(error: BaseException, out: Output, language: str) -> int:
    """Say it, also where even that cannot be said: a full disk behind stdout must not become a traceback."""
    try:
        status = _told(error, out, translator(language))
        out.close()
    except OSError:
        out.abandon()
        return FAILED
    return status


def _told(error: BaseException, out: Output, t: Translate) -> int:
    if debugging() and not isinstance(error, SystemExit):
        traceback.print_exception(error)
    match error:
        case SystemExit():
            return error.code if isinstance(error.code, int) else 0
        case WrongUsage():
            _said(out, "usage", error.text, error.hint)
            return WRONG_USAGE
        case Refusal():
            report_refusal(error, out, t)
            return REFUSED
        case KeyboardInterrupt():
            _said(out, "interrupted", t("interrupted"), "")
            return INTERRUPTED
        case OSError() if error.strerror:
            where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
            _said(out, "io_error", where + error.strerror, "")
        case _:
            text = t("something went wrong that should not: {what}").format(what=f"{type(error).__name__}: {error}")
            _said(out, "internal", text, t("RESPOOL_DEBUG=1 shows where."))
    return FAILED


def _said(out: Output, code: str, text: str, hint: str) -> None:
    out.error(text, hint)
    if out.json:
        out.answer({"error": {"code": code, "text": text, "hint": hint}})
