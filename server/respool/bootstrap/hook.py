"""What a hook of another agent is given. Standard library only, and little of it."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from respool.engine.ports import Scanned
    from respool.service.capture import Capture
    from respool.storage.files.hook_session import HookSession
    from respool.storage.files.scan import Scans


def run(argv: "list[str]") -> int:
    """``AGENT [STATE FOLDER]``. ``$RESPOOL_HOME`` wins over the folder; where neither is given the platform decides."""
    from respool.protocol.hook import handle

    return handle(argv[0] if argv else "claude", lambda: sys.stdin.buffer.read(), _Adapters(argv))


class _Adapters:
    """Implements ``protocol.hook.Adapters``."""

    def __init__(self, argv: "list[str]") -> None:
        self._argv = argv

    def state(self) -> str:
        """Our own folder."""
        named = os.environ.get("RESPOOL_HOME") or (self._argv[1] if len(self._argv) > 1 else "")
        if named:
            return os.path.abspath(named)
        from respool.bootstrap import state_folder

        return state_folder()

    def loads(self, data: bytes) -> "Any":
        """The payload."""
        from respool.storage.files.plain_json import loads

        return loads(data.decode("utf-8", "surrogateescape"))

    def capture(self, transcript: str, workspace: str, dialect: str) -> "tuple[HookSession, Capture]":
        """The session an event belongs to, and the way to write down what happens in it."""
        from respool.service.capture import Capture
        from respool.storage.files.before_image import after_image, before_image
        from respool.storage.files.change_log import ChangeLog
        from respool.storage.files.hook_session import HookSession
        from respool.storage.files.packed import Keeper

        state = self.state()
        blobs = os.path.join(state, "blobs")
        keeper = Keeper(blobs)
        session = HookSession(ChangeLog(state, transcript, workspace, dialect), transcript)
        capture = Capture(
            workspace=workspace,
            session=session,
            image=lambda path: before_image(path, keeper.keep),
            settle=keeper.settle,
            look=after_image,
            started=lambda pid: None,
            turn=session,
            scans=_Scans(state),
        )
        return session, capture

    def failed(self, text: str) -> None:
        """Write down that an event could not be dealt with; where even that fails there is nobody to tell."""
        from respool.storage.files.hook_log import write

        write(self.state(), text)


class _Scans:
    """Scans of workspaces, which only commands need: a hook about a file never imports them."""

    def __init__(self, state: str) -> None:
        self._state = state

    def _made(self) -> "Scans":
        from respool.storage.files.blobs import Blobs
        from respool.storage.files.scan import Scans

        return Scans(self._state, Blobs(os.path.join(self._state, "blobs")))

    def open(self, workspace: str) -> str:
        """See ``engine.ports.Scans``."""
        return self._made().open(workspace)

    def close(self, workspace: str, token: str) -> "Scanned":
        """See ``engine.ports.Scans``."""
        return self._made().close(workspace, token)

    def look(self, workspace: str) -> "Scanned":
        """See ``engine.ports.Scans``."""
        return self._made().look(workspace)
