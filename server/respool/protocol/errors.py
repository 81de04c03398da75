"""How a request that gets no result is answered: JSON-RPC codes and the refusals behind them."""

from typing import Any

from respool.model.errors import Refusal
from respool.protocol.messages import refusal_json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_CANCELLED = -32800
CONTENT_MODIFIED = -32801
REQUEST_FAILED = -32803


class WireError(Exception):
    """An error answer. ``data`` of a refusal: ``{code, hint, needs?, operation?}``."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def refused(refusal: Refusal) -> WireError:
    """A refusal as an answer; one for a plan that is out of date has a code of its own."""
    data = refusal_json(refusal)
    text = data.pop("text")
    return WireError(CONTENT_MODIFIED if refusal.code == "stale_plan" else REQUEST_FAILED, text, data)
