"""Where Claude Code keeps sessions, and how a session is found there.

Layout (2.1.332): ``$CLAUDE_CONFIG_DIR`` or ``~/.claude``, below it ``projects/<slug>/<uuid>.jsonl``, and beside each
transcript a folder ``<uuid>/`` for sub-agents and large outputs; ``file-history/<uuid>/``; ``sessions/<pid>.json``. The
slug loses information, and its hash for long paths is the client's own: the ``cwd`` of the first row decides.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_NAME = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl")
_LONGEST_SLUG = 200
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9]")
_HASH = re.compile(r"-[0-9a-z]+")


def slug(workdir: str) -> str:
    """Folder name for a work directory, links resolved; of a long one only what is known of it."""
    return _NOT_PLAIN.sub("-", os.path.realpath(workdir))[:_LONGEST_SLUG]


def is_slug_of(name: str, workdir: str) -> bool:
    """Whether a project folder's name fits a work directory."""
    plain = _NOT_PLAIN.sub("-", os.path.realpath(workdir))
    if len(plain) <= _LONGEST_SLUG:
        return name == plain
    return name.startswith(plain[:_LONGEST_SLUG]) and _HASH.fullmatch(name[_LONGEST_SLUG:]) is not None


def config_folder(environment: Mapping[str, str], home: str) -> str:
    """The folder everything of Claude Code lies in."""
    named = environment.get("CLAUDE_CONFIG_DIR")
    return os.path.abspath(os.path.expanduser(named)) if named else os.path.join(home, ".claude")


@dataclass(frozen=True)
class ClaudeHome:
    """``~/.claude`` of one user."""

    folder: str

    @property
    def projects(self) -> str:
        """Folder of the project folders."""
        return os.path.join(self.folder, "projects")

    def transcripts(self) -> Iterator[str]:
        """Every session of every project; transcripts of sub-agents and other files are passed over."""
        for project in _listed(self.projects):
            folder = os.path.join(self.projects, project)
            for name in _listed(folder):
                if _NAME.fullmatch(name):
                    yield os.path.join(folder, name)

    def holds(self, transcript: str) -> bool:
        """Whether a transcript lies among the sessions."""
        return os.path.realpath(transcript).startswith(os.path.realpath(self.projects) + os.sep)


def home_of(transcript: str) -> str | None:
    """``…`` of ``…/projects/<slug>/<uuid>.jsonl``."""
    projects = os.path.dirname(os.path.dirname(os.path.abspath(transcript)))
    return os.path.dirname(projects) if os.path.basename(projects) == "projects" else None


def history_folders(home: str, transcript: str) -> tuple[str, ...]:
    """Folders the backups of a session may lie in: where its own home keeps them, and where the user's does."""
    session = os.path.basename(transcript).removesuffix(".jsonl")
    homes = (home_of(transcript), home)
    return tuple(dict.fromkeys(os.path.join(one, "file-history", session) for one in homes if one))


def side_folder(transcript: str) -> str:
    """Folder beside a transcript: sub-agents, large outputs, the title."""
    return transcript.removesuffix(".jsonl")


def agent_transcripts(transcript: str) -> tuple[str, ...]:
    """Transcripts of a session's sub-agents, nested ones too; the older place is the project folder."""
    folder = os.path.join(side_folder(transcript), "subagents")
    return tuple(
        os.path.join(folder, name) for name in _listed(folder) if name.startswith("agent-") and name.endswith(".jsonl")
    )


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
