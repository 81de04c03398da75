"""Weaving the bytes a cut took out back into a transcript (decision S8)."""

import hashlib

from respool.engine.ports import Entry
from respool.model.errors import UndoExpired
from respool.model.ids import BlobId
from respool.model.plan import Cut, Piece
from respool.model.removal import Reversal
from respool.model.transcript import Fingerprint
from respool.storage.files.atomic import Sink, copy_range
from respool.storage.files.blobs import Blobs
from respool.storage.files.fingerprints import Fingerprints, prefix_sha256
from respool.storage.files.wave_cut import only_titles, removed_ranges, tail_lines


def undo_cut(transcript: str, entry: Entry, blobs: Blobs, fingerprints: Fingerprints) -> Reversal:
    """The old bytes, then titles and unknown file-level lines added since; and the fingerprint of the file as it is.

    Raises ``UndoExpired`` when a message stands after the cut, or the file is not the one the operation left.
    """
    try:
        now = fingerprints.of(transcript)
    except OSError as error:
        raise UndoExpired(operation=entry.id) from error
    done = entry.plan.cut
    if done is None:
        return Reversal(fingerprint=now)
    if now != done.after and prefix_sha256(transcript, done.after.size) != done.after.sha256:
        raise UndoExpired(operation=entry.id)
    added = tail_lines(transcript, done.after.size)
    if not only_titles(added) or (added and not added[-1].endswith(b"\n")):
        raise UndoExpired(operation=entry.id)
    pieces = _pieces(done, entry.plan.fingerprint.size, BlobId(entry.removed or ""))
    digest, last = hashlib.sha256(), b"\n"

    def take(piece: bytes | memoryview) -> None:
        nonlocal last
        digest.update(piece)
        last = bytes(piece[-1:])

    _weave(transcript, pieces, blobs, take, entry)
    if digest.hexdigest() != entry.plan.fingerprint.sha256:
        raise UndoExpired("the bytes that were cut out are damaged", operation=entry.id)
    append = (b"\n" if added and last != b"\n" else b"") + b"".join(added)
    digest.update(append)
    size = entry.plan.fingerprint.size + len(append)
    cut = Cut(pieces=pieces, append=append, after=Fingerprint(size=size, sha256=digest.hexdigest()))
    return Reversal(fingerprint=now, cut=cut)


def _pieces(done: Cut, old_size: int, blob: BlobId) -> tuple[Piece, ...]:
    """Kept ranges stand one after the other in the new file, removed ones in the blob; the old order weaves them."""
    kept: list[tuple[int, int, BlobId | None]] = [(start, end, None) for start, end in done.kept]
    gone: list[tuple[int, int, BlobId | None]] = [(start, end, blob) for start, end in removed_ranges(done, old_size)]
    parts = sorted((*kept, *gone), key=lambda part: part[:2])
    place: dict[BlobId | None, int] = {None: 0, blob: 0}
    pieces = []
    for start, end, source in parts:
        pieces.append(Piece(start=place[source], end=place[source] + end - start, blob=source))
        place[source] += end - start
    return tuple(pieces)


def _weave(transcript: str, pieces: tuple[Piece, ...], blobs: Blobs, put: Sink, entry: Entry) -> None:
    try:
        with open(transcript, "rb", buffering=0) as file:
            for piece in pieces:
                if piece.blob is None:
                    copy_range(file, piece.start, piece.end, put)
                else:
                    with open(blobs.path(piece.blob), "rb", buffering=0) as stored:
                        copy_range(stored, piece.start, piece.end, put)
    except (EOFError, OSError) as error:
        raise UndoExpired("the bytes that were cut out are no longer kept", operation=entry.id) from error
