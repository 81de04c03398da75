"""What every command is given."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from respool.protocol.cli.output import Output
from respool.views.texts import Translate

if TYPE_CHECKING:
    from respool.model.recording import Laid
    from respool.service.capture import Capture
    from respool.service.hooks import Hooks
    from respool.service.services import Services


class WrongUsage(Exception):
    """The command line cannot mean anything, or needs a terminal that is not there. Exit 2."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class Door:
    """``workspace``: the current folder. ``services``: made when first asked for. ``demo``: makes one in a folder.

    ``capture``: begins to record a session of a workspace. ``hooks``: those in other agents' settings.
    """

    services: "Callable[[], Services]"
    demo: "Callable[[str], Laid]"
    capture: "Callable[[str, str], Capture]"
    hooks: "Callable[[], Hooks]"
    workspace: str
    out: Output
    t: Translate
    language: str

    def transcript(self, session: str | None) -> str:
        """Path of the named session, or of the newest of the current folder."""
        return self.services().sessions.find(session, workspace=self.workspace)

    @property
    def can_ask(self) -> bool:
        """Whether somebody sits there to answer."""
        return sys.stdin is not None and sys.stdin.isatty()

    def must_be_able_to_ask(self, *, agreed: bool) -> None:
        """Raise ``WrongUsage`` where a question would have to be asked and nobody is there."""
        if not agreed and not self.can_ask:
            raise WrongUsage(
                self.t("this asks a question, and there is no terminal to answer it"),
                self.t("Look with `respool plan`, then agree with --yes."),
            )
