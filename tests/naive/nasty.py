"""Lines that try to look like what they are not: every spelling JSON allows, and what a crash or an editor leaves."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Pairs = list[tuple[str, Any]]

TEXTS = st.sampled_from(
    ["", "plain", '"role":"user"', '{"timestamp":"t","id":"x","role":"user","blocks":[]}', "compact", "\\u0072ole",
     "tail ]}", '"end"}]}', '{"a":{"b":"agent"}}', "a\nb", "日本 🏮", "\ud83d", "\x1b[31mred", "\x7f", "\u2028"]
)  # fmt: skip
BLOCK_TYPES = st.sampled_from(["text"] * 6 + ["tool", "compact", "bang", "task_notification"])
EXTRA: list[tuple[str, Any]] = [
    ("usage", {"model": "m", "operation_type": "agent"}),
    ("usage", {}),
    ("isMeta", True),
    ("role", "user"),
    ("role", "assistant"),
    ("blocks", [{"type": "compact", "content": "s"}]),
    ("blocks", [{"type": "text", "content": "s"}]),
    ("type", "custom-title"),
    ("additionalFields", {"role": "user", "timestamp": "t", "blocks": [{"type": "compact"}]}),
    ("additionalFields", [{"timestamp": "t", "id": "n", "role": "user", "blocks": []}]),
]
WAVES_END = ("usage", {"model": "m", "operation_type": "agent"})
MORE: st.SearchStrategy[Pairs] = (
    st.just([])
    | st.lists(st.sampled_from(EXTRA), max_size=3)
    | st.sampled_from(EXTRA).map(lambda extra: [extra, WAVES_END])
)
OTHERS = st.sampled_from(
    [b"", b" \t", b"{", b"[1,2]", b"7", b"\0\0\0\0", b"\xff\xfe", b'{"a":1}{"b":2}',
     b'{"type":"bookmark","x":{"y":[]}}',
     b'{"type":"custom-title","customTitle":"Kites","sessionId":"s"}',
     b'{"type":"custom-\\u0074itle","customTitle":"Escaped"}', b'{"type":"metadata","workdir":"/w"}']
)  # fmt: skip


@dataclass(frozen=True)
class Style:
    """How JSON is written: what stands between two entries, after a key, and which letters are written as escapes."""

    comma: str = ","
    colon: str = ":"
    escaped: str = ""

    def object(self, pairs: Iterable[tuple[str, Any]]) -> str:
        """An object; a key given twice is written twice."""
        return "{" + self.comma.join(self.string(key) + self.colon + self.value(value) for key, value in pairs) + "}"

    def value(self, value: Any) -> str:
        """Any value."""
        if isinstance(value, dict):
            return self.object(value.items())
        if isinstance(value, list):
            return "[" + self.comma.join(map(self.value, value)) + "]"
        return self.string(value) if isinstance(value, str) else json.dumps(value)

    def string(self, text: str) -> str:
        """A string, in quotes."""
        return '"' + "".join(map(self._sign, text)) + '"'

    def _sign(self, sign: str) -> str:
        if sign in self.escaped or 0xD800 <= ord(sign) < 0xE000:
            return f"\\u{ord(sign):04x}"
        return json.dumps(sign, ensure_ascii=False)[1:-1]


STYLES = st.sampled_from(
    [*[Style()] * 6, Style(comma=", ", colon=": "), Style(comma=" ,", colon="\t:")]
    + [Style(escaped=letters) for letters in ("r", "u", "t", "c", "o", "aeiou", '"\x1b')]
)


@st.composite
def messages(draw: st.DrawFn) -> bytes:
    """Mostly an assistant's as Wave writes it, then keys too many, in the same spelling or another."""
    role = draw(st.sampled_from(["assistant", "assistant", "user"]))
    blocks = [
        {"type": draw(BLOCK_TYPES), "content": draw(TEXTS), "stage": "end"} for _ in range(draw(st.integers(0, 3)))
    ]
    number = draw(st.integers(1, 5))
    pairs: Pairs = [("timestamp", f"2026-03-0{number}"), ("id", f"msg-{number}"), ("role", role), ("blocks", blocks)]
    ordered = draw(st.permutations(pairs)) if draw(st.integers(0, 5)) == 0 else pairs
    head, more = draw(STYLES).object(ordered), draw(MORE)
    return (head[:-1] + "," + draw(STYLES).object(more)[1:] if more else head).encode()


def whole_lines() -> st.SearchStrategy[bytes]:
    """A line nobody damaged."""
    return messages() | messages() | messages() | OTHERS


@st.composite
def crashed_lines(draw: st.DrawFn) -> bytes:
    """A line, or what a crash leaves of it: torn, the next one glued to the rest, or bytes lost to zeros."""
    line, damage = draw(whole_lines()), draw(st.integers(0, 11))
    cut = draw(st.integers(0, len(line)))
    if damage == 0:
        return line[:cut]
    if damage == 1:
        return line[:cut] + draw(whole_lines())
    if damage == 2:
        return line[:cut] + b"\0" * draw(st.integers(1, 40)) + line[cut + draw(st.integers(0, 40)) :]
    return line


@st.composite
def spoiled_lines(draw: st.DrawFn) -> bytes:
    """A line in which any bytes were lost, or put in that do not belong there."""
    line = draw(crashed_lines())
    cut = draw(st.integers(0, len(line)))
    if draw(st.integers(0, 3)) == 0:
        put = draw(
            st.sampled_from([b"", b'"', b"\\", b"\xff", b",", b"]}", b"\x01", b'"role":"user",', b'"blocks":7,'])
        )
        return line[:cut] + put + line[cut + draw(st.integers(0, 9)) :]
    return line


@st.composite
def files(draw: st.DrawFn, lines: st.SearchStrategy[bytes]) -> bytes:
    """A whole file of such lines."""
    ending = draw(st.sampled_from([b"\n", b"\n", b"\n", b"\r\n"]))
    written = draw(st.lists(lines, max_size=9))
    data = b"".join(line.replace(b"\n", b" ") + ending for line in written)
    data = data[: len(data) - draw(st.sampled_from([0, 0, 0, 1, 5]))]
    return (b"\xef\xbb\xbf" if draw(st.integers(0, 9)) == 0 else b"") + data
