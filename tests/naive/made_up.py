"""Random Wave transcripts: everything a crash, a compaction, another writer or an editor may have left in one."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

TEXTS = st.text(max_size=12) | st.sampled_from(
    ["", "  spaced \n\t text ", "/deploy x", "\ud83d lone", "<b>", "日本 🏮"]
)
WORDS = st.text(alphabet="abcde", min_size=1, max_size=6)
NAMES = st.sampled_from(["msg-u1", "msg-u2", "msg-u3", "msg-u4", "msg-u5", "msg-u6", "msg-u7"])
RARE = ["prompt", "meta", "hook", "notice", "bang", "title", "unknown", "bad", "blank", "half", "compact", "header"]
STEPS = st.sampled_from(["turn"] * 8 + RARE)
BAD = st.sampled_from(
    [b"{", b'{"timestamp":"t","id":"x","role":"us', b"\0" * 30, b"\xff\xfe", b"[1,", b'{"a":1}{"b":2}']
)
UNKNOWN = st.sampled_from(
    [{"type": "bookmark"}, {"timestamp": "2026"}, 7, "text", [1], None, {"type": "metadata", "blocks": []}]
)
ODD_PARTS: list[dict[str, object]] = [{"blocks": 7}, {"blocks": [1]}, {"role": "system"}, {"role": None}]
HALF = st.sampled_from(ODD_PARTS)


class Writer:
    """Writes one transcript, step by step."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.lines: list[bytes] = []
        self.since_compaction: list[Mapping[str, Any]] = []
        self.clock = 0

    def record(self, value: object) -> None:
        """A line of JSON, in one of the ways JSON may be written."""
        spaced = self.draw(st.booleans())
        ascii_only = self.draw(st.booleans()) or _has_surrogates(value)
        separators = (", ", ": ") if spaced else (",", ":")
        self.lines.append(json.dumps(value, ensure_ascii=ascii_only, separators=separators).encode())

    def message(self, ident: str, role: str, *blocks: Mapping[str, Any], **extra: Any) -> None:
        """A message line, remembered for the next compaction."""
        self.clock += 1
        stamp = f"2026-03-01T10:{self.clock // 60:02d}:{self.clock % 60:02d}.000Z"
        value = {"timestamp": stamp, "id": ident, "role": role, "blocks": list(blocks), **extra}
        self.since_compaction.append(value)
        self.record(value)

    def step(self, kind: str) -> None:
        """One thing that happens to a transcript."""
        getattr(self, f"_{kind}")()

    def _prompt(self) -> None:
        text = {"type": "text", "content": self.draw(TEXTS)}
        expanded = self.draw(st.sampled_from([{}, {"customCommandContent": "long"}, {"source": "user"}]))
        image = self.draw(st.sampled_from([(), ({"type": "image", "imageUrls": ["/x.png"]},)]))
        self.message(self.draw(NAMES), "user", text | expanded, *image)

    def _turn(self) -> None:
        self._prompt()
        self.message(f"msg-a{self.clock}", "assistant", {"type": "text", "content": self.draw(TEXTS)})

    def _meta(self) -> None:
        self.message(f"msg-m{self.clock}", "user", {"type": "text", "content": "x"}, isMeta=True)

    def _hook(self) -> None:
        self.message(f"msg-h{self.clock}", "user", {"type": "text", "content": "x", "source": "hook"})

    def _notice(self) -> None:
        self.message(
            f"msg-n{self.clock}", "user", {"type": "task_notification", "taskId": "task_1_1", "status": "failed"}
        )

    def _bang(self) -> None:
        self.message(f"msg-b{self.clock}", "user", {"type": "bang", "command": "ls", "output": ""})

    def _title(self) -> None:
        self.record({"type": "custom-title", "customTitle": self.draw(WORDS | st.just(" ")), "sessionId": "s"})

    def _unknown(self) -> None:
        self.record(self.draw(UNKNOWN))

    def _bad(self) -> None:
        self.lines.append(self.draw(BAD))

    def _blank(self) -> None:
        self.lines.append(self.draw(st.sampled_from([b"", b"  ", b"\t"])))

    def _half(self) -> None:
        text = {"type": "text", "content": "half"}
        self.record({"timestamp": "t", "id": "msg-x", "role": "user", "blocks": [text], **self.draw(HALF)})

    def _header(self) -> None:
        self.record({"type": "metadata", "workdir": "/nowhere/at/all", "createdAt": "2026-03-01T09:00:00.000Z"})

    def _compact(self) -> None:
        copied = self.draw(st.integers(0, 4))
        copies = self.since_compaction[len(self.since_compaction) - copied :] if copied else []
        self.since_compaction = []
        self.message(f"msg-c{self.clock}", "assistant", {"type": "compact", "content": "Summary"})
        for copy in copies:
            self.since_compaction.append(copy)
            self.record(copy)


def _has_surrogates(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


@st.composite
def transcripts(draw: st.DrawFn) -> bytes:
    """A whole file."""
    writer = Writer(draw)
    if draw(st.integers(0, 4)):
        writer.step("header")
    for kind in draw(st.lists(STEPS, max_size=14)):
        writer.step(kind)
    ending = draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))
    data = b"".join(line + ending for line in writer.lines)
    if draw(st.integers(0, 3)) == 0:
        data = data.removesuffix(b"\n")
    return (b"\xef\xbb\xbf" if draw(st.integers(0, 9)) == 0 else b"") + data
