"""JSON by the C code of the standard module, without that module: importing it takes longer than a hook may run.

Text is ASCII: lone surrogates, which stand for bytes of a path that are not UTF-8, survive as ``\\udcXX``.
"""

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

WHITE = " \t\r\n"


def dumps(value: object) -> bytes:
    """Compact ASCII. Raises ``TypeError`` or ``ValueError`` for what JSON has no word for."""
    return "".join(_encode(value, 0)).encode("ascii")


def loads(text: str) -> "Any":
    """One JSON value. Raises ``ValueError``, and ``RecursionError`` for one nested too deep."""
    start = len(text) - len(text.lstrip(WHITE))
    try:
        value, end = _scan(text, start)
    except (StopIteration, SystemError):  # the C code finds the exception to raise only where `json` is imported
        raise ValueError("not JSON") from None
    if text[end:].strip(WHITE):
        raise ValueError("more than one JSON value")
    return value


def _refuse(value: object) -> "NoReturn":
    raise TypeError(f"no JSON for {type(value).__name__}")


class _Plain:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: "dict[str, str]" = {}  # noqa: RUF012 - what the scanner asks for


_encode = _json.make_encoder(None, _refuse, _json.encode_basestring_ascii, None, ":", ",", False, False, False)
_scan = _json.make_scanner(_Plain)  # type: ignore[arg-type]
