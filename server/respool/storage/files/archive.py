"""Transcripts of sub-agents that an operation took out of the way, and brings back when it is undone (decision S20)."""

import contextlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass

from respool.model.ids import BlobId
from respool.storage.files.atomic import fsync_folder, make_folder, write_file, written_beside
from respool.storage.files.blobs import Blobs


@dataclass(frozen=True)
class Archive:
    """``archive/<operation>.json`` names what was moved; the bytes are in the blob store."""

    folder: str
    blobs: Blobs

    def _path(self, operation: str) -> str:
        return os.path.join(self.folder, "archive", f"{operation}.json")

    def move(self, operation: str, paths: Iterable[str]) -> None:
        """Keep them, write down what was kept, and only then remove them. Once more is as good as once."""
        moved = dict(self.moved(operation))
        for path in paths:
            with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
                moved[path] = self.blobs.put_file(file)[0]
        if not moved:
            return
        make_folder(os.path.dirname(self._path(operation)))
        write_file(self._path(operation), json.dumps(moved, ensure_ascii=True).encode("ascii"))
        for path in moved:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
                fsync_folder(os.path.dirname(path))

    def moved(self, operation: str) -> dict[str, BlobId]:
        """Path → blob."""
        try:
            with open(self._path(operation), "rb") as file:
                value = json.loads(file.read())
        except (OSError, ValueError):
            return {}
        return {str(path): BlobId(str(blob)) for path, blob in value.items()}

    def bring_back(self, operation: str) -> None:
        """Put them where they were; what stands there by now is somebody else's and stays."""
        for path, blob in self.moved(operation).items():
            if os.path.lexists(path) or not os.path.isdir(os.path.dirname(path)):
                continue
            temporary = os.path.join(os.path.dirname(path), f".respool-{operation}-{os.getpid()}.tmp")
            with written_beside(path, temporary) as file:
                for piece in self.blobs.read(blob):
                    file.write(piece)
