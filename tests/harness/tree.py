"""A picture of a folder: every name with kind, bytes and mode, and for bystanders times and inode too."""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

State = tuple[str, str, int]
"""Kind, content digest or link text, permission bits."""


def state(path: "str | Path") -> State | None:
    """What stands at a path; ``None`` = nothing."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return ("link", os.readlink(path), 0o777)
    if stat.S_ISDIR(status.st_mode):
        return ("dir", "", mode)
    if not stat.S_ISREG(status.st_mode):
        return ("other", str(stat.S_IFMT(status.st_mode)), mode)
    with open(path, "rb") as file:
        return ("file", hashlib.sha256(file.read()).hexdigest(), mode)


def names(root: "str | Path") -> Iterator[str]:
    """Every name below a folder, relative, links not followed."""
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            yield os.path.relpath(os.path.join(folder, name), root)


def picture(root: "str | Path") -> dict[str, State]:
    """Relative name → state, for everything below a folder."""
    found = {name: state(os.path.join(root, name)) for name in names(root)}
    return {name: value for name, value in found.items() if value is not None}


def files_of(pictured: dict[str, State]) -> dict[str, State]:
    """Without the folders."""
    return {name: value for name, value in pictured.items() if value[0] != "dir"}


def folders_of(pictured: dict[str, State]) -> set[str]:
    """Only the folders."""
    return {name for name, value in pictured.items() if value[0] == "dir"}


def identities(root: "str | Path") -> dict[str, tuple[int, int]]:
    """Relative name → inode and mtime_ns of everything that is no folder."""
    found = {}
    for name in names(root):
        status = os.lstat(os.path.join(root, name))
        if not stat.S_ISDIR(status.st_mode):
            found[name] = (status.st_ino, status.st_mtime_ns)
    return found


def git_pictures(root: "str | Path") -> dict[str, tuple[State | None, int, int]]:
    """Every file of every ``.git`` below a folder, with inode and mtime."""
    found = {}
    for name in names(root):
        if ".git" in name.split(os.sep):
            status = os.lstat(os.path.join(root, name))
            found[name] = (state(os.path.join(root, name)), status.st_ino, status.st_mtime_ns)
    return found
