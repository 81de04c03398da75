"""Writes Wave sessions as Wave would: a transcript, the backups it names, and the files as the agent left them."""

import hashlib
import json
import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.harness.place import Place, lines

SESSION = "11111111-2222-4333-8444-555555555555"
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@dataclass
class WaveSession:
    """Collects records; ``write`` puts them where Wave would, untouched for an hour."""

    place: Place
    session: str = SESSION
    records: list[dict[str, Any]] = field(default_factory=list)
    minute: int = 0

    @property
    def path(self) -> Path:
        """The transcript, once it is written."""
        (found,) = (self.place.home / ".wave" / "projects").glob(f"*/{self.session}.jsonl")
        return found

    def header(self) -> "WaveSession":
        """The first line."""
        self.records.append(
            {"type": "metadata", "workdir": str(self.place.work), "createdAt": _stamp(0), "gitBranch": "main"}
        )
        return self

    def title(self, text: str) -> "WaveSession":
        """A title somebody gave it."""
        self.records.append({"type": "custom-title", "customTitle": text, "sessionId": self.session})
        return self

    def user(self, name: str, text: str, **block: Any) -> "WaveSession":
        """A prompt."""
        return self._message(name, "user", {"type": "text", "content": text, "stage": "end", **block})

    def answer(self, name: str, text: str) -> "WaveSession":
        """An answer."""
        return self._message(name, "assistant", {"type": "text", "content": text, "stage": "end"})

    def message(self, name: str, role: str, *blocks: dict[str, Any], **more: Any) -> "WaveSession":
        """Any message."""
        return self._message(name, role, *blocks, **more)

    def compact(self, name: str, text: str = "Summary: what came before") -> "WaveSession":
        """A compaction; the messages copied after it are repeated with ``again``."""
        return self._message(name, "assistant", {"type": "compact", "content": text})

    def again(self, *names: str) -> "WaveSession":
        """Copies of earlier messages, as a compaction leaves them."""
        self.records += [next(record for record in self.records if record.get("id") == name) for name in names]
        return self

    def edits(self, name: str, path: str, before: str | None, after: str, *, backup: bool = True) -> "WaveSession":
        """A Write or Edit of a file of the workspace; ``before`` ``None``: it was new; no ``backup``: it is lost."""
        file = self.place.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(after)
        kept = self._backup(str(file), before) if before is not None and backup else ""
        stamp = START + timedelta(minutes=self.minute, seconds=30)
        os.utime(file, (stamp.timestamp(), stamp.timestamp()))
        snapshot = {
            "messageId": name,
            "filePath": str(file),
            "timestamp": int(stamp.timestamp() * 1000),
            "operation": "create" if before is None else "modify",
            "snapshotPath": kept,
        }
        call = {"file_path": str(file), "content": after}
        tool: dict[str, Any] = {
            "type": "tool",
            "id": f"call_{name}",
            "name": "Edit" if before is not None else "Write",
            "stage": "end",
        }
        tool |= {"parameters": json.dumps(call), "result": "Text replaced successfully", "success": True}
        return self._message(name, "assistant", tool, {"type": "file_history", "snapshots": [snapshot]})

    def write(self) -> "WaveSession":
        """Put the transcript on disk."""
        self.place.session(lines(self.records), session=self.session)
        return self

    def _backup(self, path: str, text: str) -> str:
        folder = self.place.home / ".wave" / "file-history" / self.session
        folder.mkdir(parents=True, exist_ok=True)
        stem = hashlib.sha256(path.encode()).hexdigest()[:16]
        file = folder / f"{stem}@v{len(list(folder.glob(stem + '*'))) + 1}"
        file.write_text(text)
        return str(file)

    def _message(self, name: str, role: str, *blocks: dict[str, Any], **more: Any) -> "WaveSession":
        self.minute += 1
        self.records.append(
            {"timestamp": _stamp(self.minute), "id": name, "role": role, "blocks": list(blocks), **more}
        )
        return self


def five_turns(place: Place) -> WaveSession:
    """Five prompts and answers, files made and edited on the way."""
    session = WaveSession(place).header().user("u1", "add a parser").answer("a1", "Here is the **parser**.")
    session.user("u2", "write a test for it").edits("a2", "tests/new_test.ts", None, "ok\n").answer(
        "a2b", "Test added."
    )
    session.user("u3", "now rename the function").edits("a3", "src/main.ts", "foo()\n", "bar()\n").answer(
        "a3b", "Renamed."
    )
    session.user("u4", "document it").edits("a4", "README.md", "# demo\n", "# demo\n\nDocs.\n").answer(
        "a4b", "Documented."
    )
    return session.user("u5", "is it done?").answer("a5", "Yes.").write()


def compacted_twice(place: Place) -> WaveSession:
    """The example of the specification: u1 a1 u2 a2 u3 a3 c1 u2 a2 u3 a3 u4 a4 c2 u3 a3 u4 a4 u5 a5."""
    session = WaveSession(place).header()
    for number in (1, 2, 3):
        session.user(f"u{number}", f"prompt {number}").answer(f"a{number}", f"answer {number}")
    session.compact("c1", "Summary one").again("u2", "a2", "u3", "a3").user("u4", "prompt 4").answer("a4", "answer 4")
    session.compact("c2", "Summary two").again("u3", "a3", "u4", "a4").user("u5", "prompt 5").answer("a5", "answer 5")
    return session.write()


def many_prompts(place: Place, count: int) -> WaveSession:
    """A long session without answers worth reading."""
    session = WaveSession(place).header()
    for number in range(count):
        session.user(f"u{number}", f"please do thing number {number}").answer(f"a{number}", "Done.")
    return session.write()


def _stamp(minute: int) -> str:
    return f"{START + timedelta(minutes=minute):%Y-%m-%dT%H:%M:%S}.000Z"
