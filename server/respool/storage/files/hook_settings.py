"""Settings files of agents: replaced as a whole, through a link if they are one, and only if nobody else wrote."""

import base64
import contextlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from respool.model.errors import Drifted
from respool.storage.files.atomic import fsync_folder, make_folder, write_file, written_beside


@dataclass(frozen=True)
class HookSettings:
    """Implements ``service.hooks.SettingsFiles``. ``paths``: agent → settings file; ``folder``: our own state."""

    folder: str
    paths: Mapping[str, str]

    def path(self, agent: str) -> str:
        """The settings file, where a link to it leads."""
        return os.path.realpath(self.paths[agent])

    def read(self, agent: str) -> bytes | None:
        """Its bytes."""
        try:
            with open(self.path(agent), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def write(self, agent: str, seen: bytes | None, data: bytes | None) -> None:
        """Replace or remove it. Its permissions stay; a new one is the user's alone."""
        path = self.path(agent)
        if data is None:
            self._must_be(agent, seen)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
                fsync_folder(os.path.dirname(path))
            return
        make_folder(os.path.dirname(path))
        mode = stat.S_IMODE(os.stat(path).st_mode) if seen is not None else 0o600
        with written_beside(path, f"{path}.respool-{os.getpid()}.tmp") as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
            self._must_be(agent, seen)

    def _must_be(self, agent: str, seen: bytes | None) -> None:
        if self.read(agent) != seen:
            raise Drifted(self.path(agent))

    def _memory(self, agent: str) -> str:
        return os.path.join(self.folder, "hooks", f"{agent}.json")

    def remember(self, agent: str, before: bytes | None, after_sha256: str) -> str:
        """Keep what was there; the copy is whole before this returns."""
        make_folder(os.path.dirname(self._memory(agent)))
        kept = None if before is None else base64.b64encode(before).decode("ascii")
        text = json.dumps({"path": self.path(agent), "before": kept, "afterSha256": after_sha256}, indent=1)
        write_file(self._memory(agent), text.encode("ascii"))
        return self._memory(agent)

    def remembered(self, agent: str) -> tuple[bytes | None, str] | None:
        """Bytes before the last installation, and the sha256 after it; ``None`` when we know of none for this file."""
        try:
            with open(self._memory(agent), "rb") as file:
                known = json.loads(file.read())
            if known["path"] != self.path(agent):
                return None
            before = known["before"]
            return (None if before is None else base64.b64decode(before)), str(known["afterSha256"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def forget(self, agent: str) -> None:
        """Drop the copy."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._memory(agent))
