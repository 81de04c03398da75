"""What stands at a path."""

from dataclasses import dataclass
from enum import StrEnum

from respool.model.ids import BlobId


class Kind(StrEnum):
    """What stands at a path."""

    ABSENT = "absent"
    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class FileState:
    """What stands, or should stand, at a path. ``mode``: permission bits, ``None`` = not known."""

    kind: Kind
    size: int | None = None
    mode: int | None = None
    sha256: BlobId | None = None
    link_text: str | None = None

    def same_content(self, other: "FileState") -> bool:
        """Whether kind and bytes agree; the mode only where both know it."""
        return (self.kind, self.sha256, self.link_text) == (other.kind, other.sha256, other.link_text) and (
            self.mode is None or other.mode is None or self.mode == other.mode
        )


ABSENT = FileState(kind=Kind.ABSENT)
