"""The one place that picks adapters.

Light to import: a hook of an agent passes through here, and whatever it does not need would keep that agent waiting.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from respool.model.recording import Laid
    from respool.service.capture import Capture
    from respool.service.hooks import Hooks
    from respool.service.services import Services

_made: "list[Services]" = []


def main(argv: "list[str]") -> int:
    """The command line."""
    from respool.protocol.cli.main import run

    return run(argv, services, _demo, capture, hooks)


def hook(argv: "list[str]") -> int:
    """One event of another agent, on stdin. Standard library only from here on; never fails."""
    from respool.bootstrap.hook import run

    return run(argv)


def services() -> "Services":
    """The use cases over the user's files, made once. Databases are opened at their first use."""
    must_be_supported()
    if not _made:
        from respool.bootstrap.sessions import services as make

        _made.append(make(state_folder()))
    return _made[0]


def capture(session: str, workspace: str) -> "Capture":
    """Begin to record a session: a path, the id of one that is there, or a new id in a workspace."""
    must_be_supported()
    from respool.bootstrap.recording import capture as begin

    return begin(state_folder(), session, workspace)


def hooks() -> "Hooks":
    """Capture hooks in the settings of other agents."""
    must_be_supported()
    from respool.bootstrap.settings import hooks as make

    return make(state_folder())


def _demo(folder: str) -> "Laid":
    from respool.service.demo import Demo
    from respool.storage.files.demo import lay

    wave = os.path.join(os.path.expanduser("~"), ".wave")
    return Demo(history=os.path.join(wave, "file-history"), lay=lambda recording: lay(recording, wave)).make(folder)


def must_be_supported() -> None:
    """Raise ``UnsupportedPlatform`` on Windows."""
    if sys.platform == "win32":
        from respool.model.errors import UnsupportedPlatform

        raise UnsupportedPlatform


def state_folder() -> str:
    """``$RESPOOL_HOME``, or the platform's state folder."""
    named = os.environ.get("RESPOOL_HOME")
    if named:
        return os.path.abspath(named)
    from platformdirs import user_state_dir

    return user_state_dir("respool", appauthor=False)
