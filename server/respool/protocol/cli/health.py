"""What ``respool doctor`` looks at: what is installed, which agents are there, and whether the store is well."""

import os
import platform
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from respool import __version__
from respool.model.operation import OperationInfo, Status
from respool.model.plan import Notice
from respool.views.texts import mark

if TYPE_CHECKING:
    from respool.service.services import Services

STATE_MODE = 0o700


@dataclass(frozen=True, kw_only=True)
class Home:
    """Where an agent keeps its sessions, and whether it is there."""

    agent: str
    path: str
    found: bool


@dataclass(frozen=True, kw_only=True)
class Store:
    """Our own state. ``problems``: what is wrong with it; ``free_bytes``: ``None`` = not known."""

    path: str
    found: bool
    free_bytes: int | None
    problems: tuple[Notice, ...]


@dataclass(frozen=True, kw_only=True)
class Health:
    """Everything looked at. ``unsettled``: operations that wait for ``respool repair``."""

    versions: dict[str, str]
    homes: tuple[Home, ...]
    store: Store
    unsettled: tuple[OperationInfo, ...]


def health(services: "Callable[[], Services]") -> Health:
    """Look. Never raises for what is wrong with the store: that is what it tells."""
    unsettled: tuple[OperationInfo, ...] = ()
    problems: list[Notice] = []
    try:
        made = services()
        made.operations.settle()
        unfinished = (Status.PREPARING, Status.REPAIR_REQUIRED)
        unsettled = tuple(row for row in made.operations.list() if row.status in unfinished)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        what = f"{type(error).__name__}: {error}"
        problems.append(Notice(code="unopened", text=mark("it cannot be opened: {what}"), params={"what": what}))
    path = _state_folder()
    return Health(
        versions={
            "respool": __version__,
            "python": platform.python_version(),
            "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
            "executable": sys.executable,
        },
        homes=tuple(_homes()),
        store=Store(
            path=path, found=os.path.isdir(path), free_bytes=_free(path), problems=(*problems, *_problems(path))
        ),
        unsettled=unsettled,
    )


def _homes() -> Iterator[Home]:
    home = os.path.expanduser("~")
    claude = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    for agent, path in (("wave", os.path.join(home, ".wave")), ("claude", claude)):
        yield Home(agent=agent, path=path, found=os.path.isdir(path))


def _state_folder() -> str:
    given = os.environ.get("RESPOOL_HOME")
    if given:
        return os.path.abspath(given)
    from platformdirs import user_state_path

    return str(user_state_path("respool"))


def _problems(path: str) -> Iterator[Notice]:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return  # made when something is first kept
    except OSError as error:
        yield Notice(
            code="unseen", text=mark("it cannot be looked at: {what}"), params={"what": error.strerror or str(error)}
        )
        return
    if not stat.S_ISDIR(status.st_mode):
        yield Notice(code="no_folder", text=mark("it is not a folder"))
        return
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o077:
        text = mark("others may look into it (mode {mode}, should be {wanted})")
        yield Notice(code="open_to_others", text=text, params={"mode": f"{mode:04o}", "wanted": f"{STATE_MODE:04o}"})
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        yield Notice(code="read_only", text=mark("it cannot be written to"))


def _free(path: str) -> int | None:
    """Free bytes where the store is, or will be."""
    while not os.path.exists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    try:
        return shutil.disk_usage(path).free
    except OSError:
        return None
