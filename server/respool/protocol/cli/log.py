"""Log records as lines on stderr: one each, and never a traceback unless the user asked for it."""

import logging
import os
import sys

from respool.views.visible import visible

DEBUG = "RESPOOL_DEBUG"


def debugging() -> bool:
    """Whether the user wants to see tracebacks."""
    return os.environ.get(DEBUG) == "1"


def log_to_stderr() -> None:
    """Warnings and worse; all of it when debugging."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("respool: %(message)s") if debugging() else OneLine())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


class OneLine(logging.Formatter):
    """The message, and what was raised in the words of the exception."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, safe to show."""
        error = record.exc_info[1] if record.exc_info else None
        text = f"{record.getMessage()}: {type(error).__name__}: {error}" if error else record.getMessage()
        return "respool: " + visible(text).replace("\n", " ")
