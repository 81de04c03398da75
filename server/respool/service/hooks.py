"""Capture hooks in other agents' settings: put in, taken out, looked at."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from respool.model.hooks import AGENTS, HookChange, HookedAgent, HookStatus, UnreadableSettings
from respool.service.hook_entries import commands, with_ours, without_ours


class SettingsFiles(Protocol):
    """Settings files of agents."""

    def path(self, agent: str) -> str:
        """Where an agent's settings are, or would be."""

    def read(self, agent: str) -> bytes | None:
        """The bytes; ``None`` when there is no file. Raises ``OSError``."""

    def write(self, agent: str, seen: bytes | None, data: bytes | None) -> None:
        """Replace them (``None``: remove the file) if they are still what was seen. Raises ``Drifted``, ``OSError``."""

    def remember(self, agent: str, before: bytes | None, after_sha256: str) -> str:
        """Keep what was there (``None``: no file), durably, before anything is written; tells where the copy is."""

    def remembered(self, agent: str) -> tuple[bytes | None, str] | None:
        """What the last installation found, and the sha256 of what it wrote."""

    def forget(self, agent: str) -> None:
        """Nothing of ours is left in the settings."""


@dataclass(frozen=True, kw_only=True)
class Hooks:
    """``commands``: agent → the command line its hooks run."""

    files: SettingsFiles
    commands: Mapping[str, str]

    def plan_install(self, agent: str) -> HookChange:
        """What installing would change. Raises ``UnreadableSettings``."""
        return self._change(agent, lambda text: with_ours(text, AGENTS[agent], self.commands[agent]))

    def install(self, agent: str) -> HookChange:
        """Put our hooks in; doing it twice is doing it once. A copy of what was there is kept first."""
        seen, change = self.files.read(agent), self.plan_install(agent)
        if not change.changes or change.after is None:
            return change
        after = change.after.encode("utf-8")
        known = self._untouched(agent, seen)
        kept = self.files.remember(agent, known[0] if known else _cleaned(seen), _sha256(after))
        self.files.write(agent, seen, after)
        return _with_backup(change, kept)

    def plan_remove(self, agent: str) -> HookChange:
        """What removing would change. Untouched since the installation: exactly the bytes from before it."""
        known = self._untouched(agent, self.files.read(agent))
        if known is not None:
            path, (before, _) = self.files.path(agent), known
            return self._change(agent, lambda text: None if before is None else _text(before, path))
        return self._change(agent, lambda text: None if text is None else without_ours(text))

    def remove(self, agent: str) -> HookChange:
        """Take our hooks out."""
        seen, change = self.files.read(agent), self.plan_remove(agent)
        if change.changes:
            self.files.write(agent, seen, None if change.after is None else change.after.encode("utf-8"))
        self.files.forget(agent)
        return change

    def status(self, agent: str) -> HookStatus:
        """Which events run our command."""
        text = self._change(agent, lambda text: text).before
        hooked: HookedAgent = AGENTS[agent]
        found = {event: commands(text, event) for event in hooked.events}
        wanted = [self.commands[agent]]
        return HookStatus(
            agent=agent,
            path=self.files.path(agent),
            installed=tuple(event for event in found if found[event] == wanted),
            missing=tuple(event for event in found if not found[event]),
            stale=tuple(event for event in found if found[event] and found[event] != wanted),
            gaps=hooked.gaps,
        )

    def _untouched(self, agent: str, seen: bytes | None) -> tuple[bytes | None, str] | None:
        """What we remember, if the file is still as the installation left it."""
        known = self.files.remembered(agent)
        return known if known is not None and seen is not None and known[1] == _sha256(seen) else None

    def _change(self, agent: str, edit: "Edit") -> HookChange:
        path = self.files.path(agent)
        seen = self.files.read(agent)
        before = None if seen is None else _text(seen, path)
        try:
            after = edit(before)
        except (ValueError, RecursionError) as error:
            raise UnreadableSettings(path=path, reason=str(error)) from error
        return HookChange(agent=agent, path=path, before=before, after=after)


class Edit(Protocol):
    """From the text of settings to the text they become."""

    def __call__(self, text: str | None, /) -> str | None:
        """Raises ``ValueError`` where the text cannot be edited."""


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableSettings(path=path, reason="it is not UTF-8") from error


def _cleaned(seen: bytes | None) -> bytes | None:
    """What was there before us, as far as that can be told from settings that hold hooks of ours already."""
    return None if seen is None else without_ours(seen.decode("utf-8")).encode("utf-8") if seen.strip() else seen


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _with_backup(change: HookChange, kept: str) -> HookChange:
    return HookChange(agent=change.agent, path=change.path, before=change.before, after=change.after, backup=kept)
