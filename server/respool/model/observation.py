"""What stands at a target right now, and how it can be reached."""

from dataclasses import dataclass

from respool.model.filestate import FileState


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One look at one target.

    ``real_path``: links resolved where they may be followed. ``problem``: a reason code that forbids any write.
    ``modified_ms``: epoch milliseconds. ``blocker``: a parent that is no folder. ``missing_parents``: outermost first.
    ``inner_files``/``inner_folders``: what stands below a folder (``None``: too much to list).
    """

    path: str
    real_path: str
    now: FileState
    inside: bool
    through_link: bool = False
    problem: str | None = None
    modified_ms: int = 0
    links: int = 1
    writable: bool = True
    blocker: str | None = None
    missing_parents: tuple[str, ...] = ()
    inner_files: tuple[str, ...] | None = ()
    inner_folders: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Image:
    """What stood at a path before an operation touched it; bytes are in the blob store under ``state.sha256``.

    ``made_parents``: folders the operation had to make for it.
    """

    path: str
    real_path: str
    state: FileState
    made_parents: tuple[str, ...] = ()
    in_place: bool = False
