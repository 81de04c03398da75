"""Putting a new transcript in place of the old one: the commit point of a session rewind is one rename."""

import contextlib
import hashlib
import os
from collections.abc import Callable
from typing import BinaryIO

from respool.model.errors import Drifted
from respool.model.transcript import Fingerprint
from respool.storage.files.atomic import Ahead, Sink, fsync_folder, write_all
from respool.storage.files.fingerprints import Fingerprints

Weave = Callable[[BinaryIO, Sink], None]
"""``weave(old, put)`` reads the open old file and puts the new bytes."""


def temporary_name(path: str, operation: str) -> str:
    """Name of the file written beside a transcript; no session name, so that no list shows it."""
    return os.path.join(os.path.dirname(path), f".respool-{operation}.tmp")


def replace_transcript(
    path: str, operation: str, expected: Fingerprint, weave: Weave, wanted: Fingerprint, fingerprints: Fingerprints
) -> bytes:
    """Write the new transcript beside the old one and rename it over. THE commit point.

    Raises ``Drifted`` before the rename when the old file is not ``expected``, or the new one would not be ``wanted``.
    Returns what another writer managed to append to the old file meanwhile.
    """
    temporary = temporary_name(path, operation)
    with open(path, "rb", buffering=0) as old:
        _write_beside(old, temporary, weave, wanted)
        try:
            if not _same(old, path, expected, fingerprints):
                raise Drifted
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
        fsync_folder(os.path.dirname(path))
        old.seek(expected.size)
        return old.read()


def _write_beside(old: BinaryIO, temporary: str, weave: Weave, wanted: Fingerprint) -> None:
    status = os.fstat(old.fileno())
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb", buffering=0) as new:
            if _woven(old, new, weave) != wanted:
                raise Drifted
            _same_owner(fd, status)
            os.fchmod(fd, status.st_mode & 0o7777)
            os.fsync(fd)
    except BaseException as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        if isinstance(error, EOFError):
            raise Drifted from error
        raise


def _woven(old: BinaryIO, new: BinaryIO, weave: Weave) -> Fingerprint:
    digest, ahead, size = hashlib.sha256(), Ahead(new.fileno()), 0

    def put(piece: bytes | memoryview) -> None:
        nonlocal size
        digest.update(piece)
        size += len(piece)
        write_all(new, piece)
        ahead.wrote(len(piece))

    weave(old, put)
    ahead.begin()
    return Fingerprint(size=size, sha256=digest.hexdigest())


def _same_owner(fd: int, status: os.stat_result) -> None:
    mine = os.fstat(fd)
    if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(fd, status.st_uid, status.st_gid)


def _same(old: BinaryIO, path: str, expected: Fingerprint, fingerprints: Fingerprints) -> bool:
    """Whether the path still names the open file, with the expected bytes and no more."""
    if fingerprints.of_open(old, path) != expected:
        return False
    now = os.fstat(old.fileno())
    return now.st_size == expected.size and os.path.samestat(now, os.stat(path))
