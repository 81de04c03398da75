"""One table of ``respool/*`` requests over the services, used by the language server and the browser host."""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass

from respool.model.errors import Refusal
from respool.protocol.demo_folder import MakeDemo
from respool.protocol.errors import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, WireError, refused
from respool.protocol.messages import Json, sessions_json, to_wire
from respool.protocol.panels import Panels
from respool.protocol.requests import ListSessions, OfSession, ToMessage, checked
from respool.service.services import Services

logger = logging.getLogger(__name__)

WRITING = frozenset({"respool/rewind", "respool/undo", "respool/view/intent"})
"""Methods that may change something: they wait until what a crash left has been settled."""

Send = Callable[[str, Json], None]


@dataclass(frozen=True, kw_only=True)
class Running:
    """What a request under way has to do with its caller."""

    progress: Callable[[int, int], None] | None = None
    cancelled: Callable[[], bool] | None = None


class Dispatcher:
    """Answers requests about one workspace. Synchronous; call it from worker threads.

    ``workspace``: absolute path. ``language``: of the panels. ``send(method, params)``: delivers notifications.
    ``demo``: makes a demo in a folder.
    """

    def __init__(
        self,
        services: Services,
        *,
        workspace: str,
        demo: MakeDemo,
        language: str = "en",
        send: Send = lambda method, params: None,
    ) -> None:
        self._services = services
        self._workspace = workspace
        self._panels = Panels(services, workspace, language, send, demo)
        self._listeners: list[Callable[[str], None]] = [self._panels.changed]
        self._table: dict[str, Callable[[object, Running], Json]] = {
            "respool/sessions": self._sessions,
            "respool/open": self._open,
            "respool/checkpoints": self._checkpoints,
            "respool/show": self._show,
            "respool/plan": self._plan,
            "respool/rewind": self._rewind,
            "respool/undo": self._undo,
            "respool/view/open": lambda params, running: self._panels.open(_object(params)),
            "respool/view/intent": lambda params, running: self._panels.intent(_object(params)),
            "respool/view/close": lambda params, running: self._panels.close_view(_object(params)),
        }

    @property
    def methods(self) -> tuple[str, ...]:
        """Everything ``call`` knows."""
        return tuple(self._table)

    def on_changed(self, listener: Callable[[str], None]) -> None:
        """Call ``listener`` with the transcript's path after each rewind or undo that came to an end."""
        self._listeners.append(listener)

    def call(self, method: str, params: object, running: Running | None = None) -> Json:
        """Serve one request. Raise ``WireError``, and nothing else."""
        handler = self._table.get(method)
        if handler is None:
            raise WireError(METHOD_NOT_FOUND, f"there is no method {method}")
        try:
            return handler(params, running or Running())
        except Refusal as refusal:
            raise refused(refusal) from refusal
        except WireError:
            raise
        except Exception as error:
            logger.exception("%s failed", method)
            raise WireError(INTERNAL_ERROR, "internal error") from error

    def close(self) -> None:
        """The caller has left."""
        self._panels.close()

    def _sessions(self, params: object, running: Running) -> Json:
        asked = checked(ListSessions, params)
        return sessions_json(self._services.sessions.list(self._workspace, every_project=asked.all))

    def _open(self, params: object, running: Running) -> Json:
        return to_wire(self._services.sessions.info(self._transcript(checked(OfSession, params))))

    def _checkpoints(self, params: object, running: Running) -> Json:
        return to_wire(self._services.sessions.checkpoints(self._transcript(checked(OfSession, params))))

    def _show(self, params: object, running: Running) -> Json:
        return to_wire(self._services.sessions.show(self._transcript(checked(OfSession, params))))

    def _plan(self, params: object, running: Running) -> Json:
        """Without ``to``: what an undo would do."""
        asked = checked(OfSession, params)
        rewinds = self._services.rewinds
        if asked.to is None:
            return to_wire(rewinds.plan_undo(self._undoable(asked), workspace=self._workspace))
        return to_wire(
            rewinds.plan(
                self._transcript(asked),
                str(asked.to),
                mode=asked.mode,
                leave_out=self._paths(asked),
                workspace=self._workspace,
            )
        )

    def _rewind(self, params: object, running: Running) -> Json:
        asked = checked(ToMessage, params)
        transcript = self._transcript(asked)
        outcome = self._services.rewinds.rewind(
            transcript,
            str(asked.to),
            mode=asked.mode,
            leave_out=self._paths(asked),
            digest=asked.digest,
            consent=asked.consent.consent(),
            workspace=self._workspace,
            progress=running.progress,
            cancelled=running.cancelled,
        )
        self._changed(transcript)
        return to_wire(outcome)

    def _undo(self, params: object, running: Running) -> Json:
        asked = checked(OfSession, params)
        transcript = self._undoable(asked)
        outcome = self._services.rewinds.undo(
            transcript,
            digest=asked.digest,
            consent=asked.consent.consent(),
            workspace=self._workspace,
            progress=running.progress,
        )
        self._changed(transcript)
        return to_wire(outcome)

    def _transcript(self, asked: OfSession) -> str:
        return self._services.sessions.find(asked.session, workspace=self._workspace)

    def _undoable(self, asked: OfSession) -> str:
        if asked.session is None:
            return self._services.rewinds.undoable(workspace=self._workspace)
        return self._transcript(asked)

    def _paths(self, asked: OfSession) -> tuple[str, ...]:
        return tuple(os.path.normpath(os.path.join(self._workspace, path)) for path in asked.leave_out)

    def _changed(self, transcript: str) -> None:
        for listener in self._listeners:
            listener(transcript)


def _object(params: object) -> Json:
    if not isinstance(params, dict):
        raise WireError(INVALID_PARAMS, "the parameters are not an object")
    return params
