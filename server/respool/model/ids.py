"""Names of things, so that one kind of id is never taken for another."""

from typing import NewType

SessionId = NewType("SessionId", str)
"""Stem of a transcript's file name (Wave: a lower-case UUID)."""

MessageId = NewType("MessageId", str)
"""Id the agent gave a message. Not unique in a file: compaction repeats messages."""

OperationId = NewType("OperationId", str)
"""One rewind or undo attempt in the journal: a UTC stamp and random hex, sortable by age."""

BlobId = NewType("BlobId", str)
"""Lower-case hex sha256 of a blob's raw bytes."""

Path = NewType("Path", str)
"""Absolute, lexically normalised path; bytes that are not UTF-8 as surrogateescape code points."""
