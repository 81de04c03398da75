"""The same plays, live: a host tells our recorder what the agent does, command by command."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.capture.host import Host, host
from tests.cases.play import Expected, Play, Played, with_folders
from tests.harness.place import Place, quieten
from tests.harness.tree import State, picture


@dataclass(frozen=True, kw_only=True)
class LivePlace(Place):
    """A place in which plays are recorded by us."""


def player(place: Place, *, same_instant: bool = False) -> Play:
    """Somebody who plays a session: the way Wave would leave it, or live."""
    return LivePlay(place) if isinstance(place, LivePlace) else Play(place, same_instant=same_instant)


@dataclass
class LivePlay(Play):
    """``put`` and ``shell`` are the user's; the rest goes through the recorder."""

    _host: Host | None = None
    _ending: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    @property
    def host(self) -> Host:
        """The recorder, started with the first prompt."""
        if self._host is None:
            self._host = self._ending.enter_context(host(self.place, self.session))
        return self._host

    def user(self, ident: str, text: str = "Hi.") -> None:
        """The user sends a prompt."""
        self._must[ident] = {}
        self._answer = ident.replace("msg-u", "msg-a")
        self.host.do("user", id=ident, text=text)

    def answer(self, text: str = "Done.", *blocks: Mapping[str, Any]) -> None:
        """The agent ends its answer."""
        self.host.do("assistant", id=self._answer, text=text, blocks=list(blocks))

    def write(self, path: str, data: "str | bytes") -> None:
        """The agent writes a file with its tool."""
        self._remember(self._full(path))
        self.host.write(path, data)

    def remove(self, path: str) -> None:
        """The agent deletes a file with its tool."""
        self._remember(self._full(path))
        self.host.remove(path)

    def agent_shell(self, script: str) -> None:
        """The agent's shell does something, between two looks of ours."""
        token = self.host.do("shell-before", command=script)["token"]
        before = picture(self.work)
        self.shell(script)
        self.host.do("shell-after", token=token)
        after = picture(self.work)
        for path in before.keys() | after.keys():
            if before.get(path) != after.get(path) and not _is_folder(before.get(path), after.get(path)):
                for must in self._must.values():
                    must.setdefault(path, before.get(path))

    def finish(self, *, header: bool = True, append: tuple[Mapping[str, Any], ...] = ()) -> Played:
        """The host goes away."""
        assert header
        assert not append
        self._ending.close()
        (transcript,) = (self.place.home / ".wave" / "projects").glob(f"*/{self.session}.jsonl")
        quieten(transcript)
        now = {name: value for name, value in picture(self.work).items() if value[0] != "dir"}
        expected = {
            ident: Expected(must=with_folders(must), untouched={k: v for k, v in now.items() if k not in must})
            for ident, must in self._must.items()
        }
        return Played(place=self.place, transcript=transcript, data=transcript.read_bytes(), expected=expected)


def _is_folder(*states: State | None) -> bool:
    return all(one is None or one[0] == "dir" for one in states)
