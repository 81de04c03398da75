"""Where Wave keeps sessions, and how a session is found there.

Layout (Wave 469391bb): ``~/.wave/projects/<encoded workdir>/<uuid>.jsonl``. The encoding loses information, so the
header's ``workdir`` decides and the folder name is only for files without header.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from respool.model.errors import UnknownSession

_NAME = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl")
_LONGEST_NAME = 200
_WHITE = re.compile(r"\s+")


def encoded(workdir: str) -> str:
    """Folder name for a work directory, links resolved (formats of Wave's path encoder)."""
    path = os.path.realpath(workdir)
    name = _WHITE.sub("_", path.removeprefix("/").replace("/", "-").replace("\\", "-")).replace("\0", "_")
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:191]}-{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}"


@dataclass(frozen=True)
class WaveHome:
    """``~/.wave`` of one user."""

    folder: str

    @property
    def projects(self) -> str:
        """Folder of the project folders."""
        return os.path.join(self.folder, "projects")

    def transcripts(self) -> Iterator[str]:
        """Every main session of every project; sub-agent sessions and other files are passed over."""
        for project in _listed(self.projects):
            folder = os.path.join(self.projects, project)
            for name in _listed(folder):
                if _NAME.fullmatch(name):
                    yield os.path.join(folder, name)

    def find(self, session: str) -> str:
        """Transcript of a session id or an unambiguous prefix of one. Raises ``UnknownSession``."""
        found = [path for path in self.transcripts() if os.path.basename(path).startswith(session)]
        exact = [path for path in found if os.path.basename(path) == f"{session}.jsonl"]
        found = exact or found
        if len(found) == 1 and session:
            return found[0]
        if len(found) > 1 and len({os.path.basename(path) for path in found}) == 1:
            raise UnknownSession(
                "{count} projects have a session {session}",
                hint="Name it by its path.",
                count=len(found),
                session=session,
            )
        if found and session:
            raise UnknownSession(
                "{count} sessions begin with {session}", hint="Give more of the id.", count=len(found), session=session
            )
        raise UnknownSession(session=session)


def history_roots(home: str, transcript: str) -> tuple[str, ...]:
    """Folders backups may lie in: the user's, and that of the Wave home the transcript itself stands in."""
    roots = [os.path.join(home, ".wave", "file-history")]
    wave = _wave_folder(transcript)
    if wave:
        roots.append(os.path.join(wave, "file-history"))
    return tuple(dict.fromkeys(roots))


def task_folders(home: str, transcript: str) -> tuple[str, ...]:
    """To-do list folders of a session, which count as inside the workspace (decision S11)."""
    session = os.path.basename(transcript).removesuffix(".jsonl")
    waves = (os.path.join(home, ".wave"), _wave_folder(transcript))
    return tuple(dict.fromkeys(os.path.join(wave, "tasks", session) for wave in waves if wave))


def _wave_folder(transcript: str) -> str | None:
    """``…/.wave`` of ``…/.wave/projects/<project>/<id>.jsonl``."""
    wave = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(transcript))))
    return wave if os.path.basename(wave) == ".wave" else None


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
