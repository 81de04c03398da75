"""Text as it may be shown: nothing that moves the cursor, colours a terminal or turns the reading direction."""

import re

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])")
"""Control sequences of ECMA-48: CSI, OSC, DCS and kin, two-character escapes."""

_MARKED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029\ufeff\ud800-\udfff]"
)
_SPACE = re.compile(r"\s+")
PREVIEW_CHARACTERS = 240


def visible(text: str) -> str:
    """Drop terminal sequences; other controls and direction overrides become marks that are seen and do nothing."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return _MARKED.sub(_mark, _ANSI.sub("", plain))


def one_line(text: str, limit: int = PREVIEW_CHARACTERS) -> str:
    """A bounded line: white space collapsed, the rest replaced by an ellipsis."""
    line = _SPACE.sub(" ", visible(text[: limit * 20])).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def bounded(text: str, limit: int) -> tuple[str, int]:
    """The first characters of a text, and how many were left away."""
    return (text, 0) if len(text) <= limit else (text[:limit], len(text) - limit)


def _mark(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000:
        return "\ufffd"
    return "" if code in (0x200B, 0xFEFF) else " " if code in (0x2028, 0x2029) else f"[U+{code:04X}]"
