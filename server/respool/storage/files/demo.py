"""Laying a made-up session on disk as Wave does: project files, backups, transcript."""

import errno
import json
import os
from collections.abc import Mapping

from respool.model.recording import Laid, Recording
from respool.storage.files.wave_home import encoded


def lay(recording: Recording, wave: str) -> Laid:
    """``wave``: the ``.wave`` folder. Everything is as old as the recording says, so that it does not look open.

    Raises ``FileExistsError`` if the workspace is there and not empty; then nothing has been written.
    """
    _claim(recording.workspace)
    for folder in recording.folders:
        os.makedirs(os.path.join(recording.workspace, folder), exist_ok=True)
    _write(recording.workspace, recording.files, recording.changed_s)
    _write(os.path.join(wave, "file-history"), recording.backups, {})
    project = os.path.join(wave, "projects", encoded(recording.workspace))
    name = f"{recording.session_id}.jsonl"
    _write(project, {name: b"".join(_line(record) for record in recording.records)}, {name: recording.ended_s})
    transcript = os.path.join(project, name)
    return Laid(session_id=recording.session_id, workspace=recording.workspace, transcript=transcript)


def _claim(folder: str) -> None:
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder):
        raise FileExistsError(errno.EEXIST, "the folder is not empty", folder)


def _write(folder: str, files: Mapping[str, bytes], changed_s: Mapping[str, float]) -> None:
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as file:
            file.write(content)
        if name in changed_s:
            os.utime(path, (changed_s[name], changed_s[name]))


def _line(record: object) -> bytes:
    """Compact JSON as ``JSON.stringify`` writes it."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
