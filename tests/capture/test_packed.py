"""The store of before-images: whole, verified, small, and kept once."""

import os
import random
from pathlib import Path

import pytest

from respool.model.ids import BlobId
from respool.storage.files.blobs import Blobs, DamagedBlob
from respool.storage.files.packed import keep, stored_at
from tests.harness.place import Place

TEXT = b"".join(b"%d bottles of beer on the wall\n" % number for number in range(20_000))
NOISE = random.Random(7).randbytes(200_000)


def put(place: Place, data: bytes) -> str:
    """Keep bytes; their name."""
    path = place.root / "data"
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    try:
        sha, size = keep(str(place.state / "blobs"), fd)
    finally:
        os.close(fd)
    assert size == len(data)
    return sha


def files(place: Place) -> list[Path]:
    """Everything in the store."""
    return [path for path in (place.state / "blobs").rglob("*") if path.is_file()]


@pytest.mark.parametrize(("data", "packed"), [(b"", False), (b"short\n", False), (TEXT, True), (NOISE, False)])
def test_compressed_where_it_pays_and_read_back_the_same(place: Place, data: bytes, packed: bool) -> None:
    sha = put(place, data)

    (stored,) = files(place)
    assert (stored.suffix == ".z") is packed
    assert stored.stat().st_mode & 0o777 == 0o600
    assert b"".join(Blobs(str(place.state / "blobs")).read(BlobId(sha))) == data
    if packed:
        assert stored.stat().st_size < len(data) / 2


def test_the_same_bytes_are_kept_once(place: Place) -> None:
    for _ in range(3):
        put(place, TEXT)

    assert len(files(place)) == 1


def test_what_was_kept_raw_is_not_kept_packed_as_well(place: Place) -> None:
    Blobs(str(place.state / "blobs")).put(lambda write: write(TEXT))

    put(place, TEXT)

    assert [path.suffix for path in files(place)] == [""]


@pytest.mark.parametrize("data", [NOISE, TEXT])
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_damage_is_seen_when_it_is_read(place: Place, data: bytes, damage: str) -> None:
    sha = put(place, data)
    (stored,) = files(place)
    held = bytearray(stored.read_bytes())
    if damage == "cut":
        del held[-50:]
    else:
        held[len(held) // 2] ^= 0xFF
    stored.chmod(0o600)
    stored.write_bytes(held)

    with pytest.raises((DamagedBlob, OSError)):
        list(Blobs(str(place.state / "blobs")).read(BlobId(sha)))


def test_zeros_are_read_back_in_pieces(place: Place) -> None:
    sha = put(place, bytes(64 << 20))

    sizes = [len(piece) for piece in Blobs(str(place.state / "blobs")).read(BlobId(sha))]

    assert (max(sizes), sum(sizes)) == (1 << 20, 64 << 20)


def test_a_blob_that_was_lost_is_not_there(place: Place) -> None:
    assert stored_at(str(place.state / "blobs"), "0" * 64) is None


def test_half_a_blob_of_a_killed_writer_is_replaced(place: Place) -> None:
    sha = put(place, TEXT)
    (stored,) = files(place)
    stored.write_bytes(stored.read_bytes()[:100])
    stored.chmod(0o700)

    assert put(place, TEXT) == sha
    assert b"".join(Blobs(str(place.state / "blobs")).read(BlobId(sha))) == TEXT
    assert [path.stat().st_mode & 0o777 for path in files(place)] == [0o600]
