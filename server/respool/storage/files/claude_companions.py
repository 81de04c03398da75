"""What stands beside a fork, so that it can do what the original could: backups of its snapshots, its sub-agents.

Backups are hard-linked, as Claude Code does; transcripts of sub-agents are copied, since a living one still grows.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator

from respool.storage.files.atomic import fsync_folder, make_folder
from respool.storage.files.claude_agents import agents_of
from respool.storage.files.claude_fork import Source, kept_snapshots
from respool.storage.files.claude_home import history_folders, side_folder

_BACKUP = re.compile(r"[0-9a-f]{16}@v[0-9]+")
_AGENT = re.compile(r"agent-[^/]+\.(jsonl|meta\.json)")
Copy = tuple[str, str]
"""Where something is, and where the fork needs it."""


def lay(source: Source, home: str, fork: str) -> None:
    """Put them there, durably. What is there already stays; what is missing was missing before. Raises ``OSError``."""
    folders = set()
    for backup, place in _backups(source, home, fork):
        if os.path.isfile(backup):
            make_folder(os.path.dirname(place))
            _link(backup, place)
            folders.add(os.path.dirname(place))
    for transcript, place in _agents(source, fork):
        if os.path.isfile(transcript):
            make_folder(os.path.dirname(place))
            _copy(transcript, place)
            folders.add(os.path.dirname(place))
    for folder in folders:
        fsync_folder(folder)


def sweep(home: str, fork: str) -> None:
    """Take them away again: the fork is gone, or was never made. All of it is linked or copied from the original's."""
    agents = os.path.join(side_folder(fork), "subagents")
    for folder, name in ((_history(home, fork), _BACKUP), (agents, _AGENT)):
        with contextlib.suppress(OSError):
            for entry in os.listdir(folder):
                if name.fullmatch(entry):
                    os.unlink(os.path.join(folder, entry))
    for folder in (_history(home, fork), agents, side_folder(fork)):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def _history(home: str, transcript: str) -> str:
    return history_folders(home, transcript)[0]


def _backups(source: Source, home: str, fork: str) -> Iterator[Copy]:
    names = dict.fromkeys(
        name
        for _, files in kept_snapshots(source)
        for entry in files.values()
        if isinstance(entry, dict) and isinstance(name := entry.get("backupFileName"), str) and _plain(name)
    )
    for name in names:
        found = [os.path.join(folder, name) for folder in history_folders(home, source.transcript)]
        yield next(filter(os.path.isfile, found), found[0]), os.path.join(_history(home, fork), name)


def _plain(name: str) -> bool:
    """A name that leads nowhere else."""
    return bool(name) and name not in (".", "..") and "/" not in name and "\0" not in name


def _agents(source: Source, fork: str) -> Iterator[Copy]:
    folder = os.path.join(side_folder(fork), "subagents")
    for path in agents_of(source.transcript, source.index, source.kept.places):
        meta = f"{path.removesuffix('.jsonl')}.meta.json"
        for one in (path, meta):
            yield one, os.path.join(folder, os.path.basename(one))


def _link(backup: str, place: str) -> None:
    try:
        os.link(backup, place, follow_symlinks=False)
    except FileExistsError:
        return
    except OSError:
        _copy(backup, place)


def _copy(path: str, place: str) -> None:
    """A whole copy or none, with the original's permissions."""
    if os.path.lexists(place):
        return
    temporary = f"{place}.respool-{os.getpid()}.tmp"
    try:
        shutil.copy2(path, temporary)
        fd = os.open(temporary, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(temporary, place)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
