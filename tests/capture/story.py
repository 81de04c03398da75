"""A session told in this process: the parts of the recorder wired as bootstrap wires them, and its log read back."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from respool.model.capture import Captured, PromptPlace
from respool.model.filestate import FileState, Kind
from respool.model.recovery import earliest
from respool.service.capture import Capture
from respool.storage.files.before_image import after_image, before_image
from respool.storage.files.change_log import ChangeLog
from respool.storage.files.changes import Changes
from respool.storage.files.packed import Keeper, pieces_of, stored_at
from respool.storage.files.recorder_lock import NAME, FileLock
from respool.storage.files.recording import Recording
from respool.storage.files.wave_append import WaveConversation
from respool.storage.files.wave_history import WaveHistory
from tests.capture.scanner import NaiveScans
from tests.harness.place import Place

SESSION = "5e551041-0000-4000-8000-000000000301"


@dataclass
class Story:
    """``prompts``: id and line of the prompts that stand in the transcript."""

    place: Place
    prompts: list[tuple[str, int]] = field(default_factory=list)
    scans: bool = False
    _cuts: int = 0

    def __post_init__(self) -> None:
        self.changes = Changes(str(self.place.state), alive=lambda pid, started: True)
        self.capture = self.recorder()

    @property
    def transcript(self) -> str:
        """Where it is."""
        return str(self.place.home / f"{SESSION}.jsonl")

    @property
    def work(self) -> Path:
        """The workspace."""
        return self.place.work

    @property
    def log(self) -> ChangeLog:
        """Its change log."""
        return ChangeLog(str(self.place.state), self.transcript, str(self.work))

    @property
    def blobs(self) -> str:
        """Folder of the blob store."""
        return str(self.place.state / "blobs")

    def recorder(self) -> Capture:
        """One recorder of the session."""
        keeper = Keeper(self.blobs)
        recording = Recording(
            log=self.log,
            conversation=WaveConversation(self.transcript, str(self.work)),
            history=WaveHistory(str(self.place.home / "file-history"), self.blobs),
            presence=FileLock(os.path.join(self.log.folder, NAME)),
        )
        return Capture(
            workspace=str(self.work),
            session=recording,
            image=lambda path: before_image(path, keeper.keep),
            settle=keeper.settle,
            look=after_image,
            started=lambda pid: f"start of {pid}",
            turn=FileLock(str(self.place.state / "turn.lock")),
            scans=NaiveScans(self.blobs) if self.scans else None,
        )

    def user(self, name: str) -> None:
        """A prompt."""
        self.prompts.append((name, self.capture.user(name, f"text of {name}")))

    def write(self, path: str, text: str, actor: str = "main") -> None:
        """The agent writes a file."""
        token = self.capture.before(path, actor=actor)
        put(self.work / path, text)
        self.capture.after(token)

    def remove(self, path: str, actor: str = "main") -> None:
        """The agent deletes a file."""
        token = self.capture.before(path, actor=actor)
        (self.work / path).unlink()
        self.capture.after(token)

    def captured(self, name: str) -> Captured:
        """What a plan to go back to a prompt is told."""
        places = tuple(PromptPlace(ids=(one,), line=line) for one, line in self.prompts)
        return self.changes.captured(self.transcript, places, self.line(name))

    def line(self, name: str) -> int:
        """Where a prompt stands."""
        return dict(self.prompts)[name]

    def befores(self, name: str) -> dict[str, "str | None"]:
        """Path → text that would come back, ``None`` for a deletion, ``?`` where nobody knows."""
        root = os.path.realpath(self.work)
        found = earliest(self.captured(name).points)
        return {os.path.relpath(point.path, root): self.text(point.before) for point in found}

    def text(self, state: FileState | None) -> "str | None":
        """Content of a state."""
        if state is None:
            return "?"
        if state.kind is not Kind.FILE or state.sha256 is None:
            return None if state.kind is Kind.ABSENT else f"<{state.kind}>"
        stored = stored_at(self.blobs, state.sha256)
        return b"".join(pieces_of(stored)).decode() if stored else f"<{state.sha256}>"

    def rewind(self, name: str) -> None:
        """Restore the files and cut the conversation, as plainly as that can be done."""
        for path, text in self.befores(name).items():
            if text is None:
                (self.work / path).unlink(missing_ok=True)
            else:
                put(self.work / path, text)
        line = self.line(name)
        transcript = Path(self.transcript)
        shorter = transcript.with_name("shorter.tmp")
        shorter.write_bytes(b"".join(transcript.read_bytes().splitlines(keepends=True)[: line - 1]))
        os.replace(shorter, transcript)
        self.prompts = [prompt for prompt in self.prompts if prompt[1] < line]
        self._cuts += 1
        self.changes.cut(self.transcript, f"operation {self._cuts}", line, line - 1)

    @property
    def newest_operation(self) -> str:
        """The newest rewind."""
        return f"operation {self._cuts}"


def put(path: Path, text: str) -> None:
    """Write a file and make its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def tree(root: Path) -> dict[str, str]:
    """Path → text of every file."""
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def texts(pairs: Iterable[tuple[str, "str | None"]]) -> dict[str, str]:
    """Without what is absent."""
    return {path: text for path, text in pairs if text is not None}
