"""Large Wave transcripts: the made-up work of an agent, in lines as long and as full of escapes as real ones."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from tests.harness.place import Place, lines, quieten

SESSION = "be7c4e00-0000-4000-8000-000000000300"
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
ANSWERS = (12, 24)
"""Fewest and most messages of the agent in one turn."""
COMPACTS_EVERY = 50
USAGE = {
    "prompt_tokens": 81_220,
    "completion_tokens": 412,
    "total_tokens": 81_632,
    "model": "m",
    "operation_type": "agent",
}
WORDS = (
    *("const", "return", "the", "kite", "tail", "spool", "reel", "wind", "lamp.signal", "index", "offset", "buffer"),
    *("parse(", ")", "=>", "commit", "window", "=", "{", "}", "if", "while", "// see", "length - 1", '"draft"', "风筝"),
)

Record = dict[str, Any]


@dataclass
class Author:
    """Writes one turn after the other; a seed always writes the same."""

    seed: int = 1
    compacts: bool = True
    turns: int = 0
    _messages: int = 0
    _random: Random = field(init=False)
    _pages: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self._random = Random(self.seed)
        self._pages = [code(self._random, 30_000) for _ in range(40)]

    def turn(self, snapshots: Iterator[Record]) -> list[Record]:
        """A prompt and its answers. Each edit takes one snapshot; without any left, nothing is edited."""
        self.turns += 1
        prompt = self._message("user", self._text(self._random.randint(60, 600)))
        answers = [self._answer(snapshots) for _ in range(self._random.randint(*ANSWERS))]
        last = self._message("assistant", self._text(self._random.randint(300, 3000)))
        written = [prompt, *answers, last]
        if self.compacts and self.turns % COMPACTS_EVERY == 0:
            written += [self._message("assistant", {"type": "compact", "content": self._page(6000)}), *written]
        return written

    def _answer(self, snapshots: Iterator[Record]) -> Record:
        kind = self._random.choice(("Read", "Read", "Grep", "Bash", "Edit"))
        snapshot = next(snapshots, None) if kind == "Edit" else None
        if snapshot is not None:
            edit = {"file_path": snapshot["filePath"], "old_string": self._page(900), "new_string": self._page(900)}
            history = {"type": "file_history", "snapshots": [snapshot]}
            return self._message("assistant", self._tool("Edit", edit, "Text replaced successfully"), history)
        name = "Read" if kind == "Edit" else kind
        given = {"file_path": f"/home/dev/kite/src/part{self._messages % 97}.ts"}
        return self._message(
            "assistant", self._text(120), self._tool(name, given, self._page(self._random.randint(200, 12_000)))
        )

    def _tool(self, name: str, parameters: Mapping[str, str], result: str) -> Record:
        ended = {"id": f"call_{self._messages}", "name": name, "success": True, "stage": "end"}
        given = json.dumps(parameters, ensure_ascii=False, separators=(",", ":"))
        return {"type": "tool", "parameters": given, "result": result, "shortResult": "done", **ended}

    def _message(self, role: str, *blocks: Record) -> Record:
        self._messages += 1
        stamp = START + timedelta(seconds=7 * self._messages)
        record = {
            "timestamp": f"{stamp:%Y-%m-%dT%H:%M:%S}.000Z",
            "id": f"msg-{self._messages:08x}-ddd3-4193-98eb-29fae05c6614",
            "role": role,
            "blocks": list(blocks),
        }
        return record if role == "user" else {**record, "usage": USAGE}

    def _text(self, characters: int) -> Record:
        return {"type": "text", "content": self._page(characters), "stage": "end"}

    def _page(self, characters: int) -> str:
        page = self._random.choice(self._pages)
        start = self._random.randrange(len(page) - characters)
        return page[start : start + characters]


def code(random: Random, characters: int) -> str:
    """Text that looks like source: short indented lines, some quotes, now and then a character beyond ASCII."""
    written = ""
    while len(written) < characters:
        words = random.choices(WORDS, k=random.randint(2, 9))
        written += "    " * random.randint(0, 3) + " ".join(words) + ";\n"
    return written[:characters]


def begin(place: Place) -> Path:
    """A transcript with nothing but its header."""
    workdir = str(place.work.resolve())
    header = {"type": "metadata", "workdir": workdir, "createdAt": "2026-03-01T08:59:30.000Z", "gitBranch": "main"}
    return place.session(lines([header]), session=SESSION)


def fill(path: Path, author: Author, size_bytes: int, snapshots: Iterator[Record]) -> str:
    """Let the transcript grow by whole turns, at least ``size_bytes``; return the id of the first prompt written."""
    first = ""
    with path.open("ab") as file:
        stop = file.tell() + size_bytes
        while file.tell() < stop:
            written = author.turn(snapshots)
            first = first or written[0]["id"]
            file.write(lines(written))
    quieten(path)
    return first


def made_up() -> Iterator[Record]:
    """Snapshots of edits to files that nobody will look for."""
    number = 0
    while True:
        number += 1
        yield {
            "messageId": "msg-0",
            "filePath": f"/home/dev/kite/src/part{number % 97}.ts",
            "timestamp": 1_772_355_600_000 + number,
            "operation": "modify",
            "snapshotPath": f"/home/dev/.wave/file-history/{SESSION}/8bb7eabbcc10bf45@v{number}",
        }
