"""The two commands an editor can run without a panel of ours: they ask before anything goes."""

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from respool.protocol.errors import INVALID_PARAMS, WireError
from respool.protocol.lsp_work import Json, Work
from respool.views.texts import mark, sentences, translator

if TYPE_CHECKING:
    from respool.protocol.lsp_wire import SafeProtocol

SHOWN_FILES = 10
QUESTIONS = {
    "partial": mark("Some files cannot be restored. Restore the rest?"),
    "outside": mark("Some files lie outside the workspace. Restore them too?"),
    "live": mark("An agent may still have this session open. Go on all the same?"),
}
YES = {
    "respool/rewind": (mark("Rewind"), mark("Rewind anyway")),
    "respool/undo": (mark("Undo"), mark("Undo anyway")),
}


class Commands:
    """``respool.server.rewind`` and ``respool.server.undo``; the one argument is an object like the request's."""

    def __init__(self, work: Work, protocol: "SafeProtocol") -> None:
        self._work = work
        self._protocol = protocol

    async def rewind(self, params: Json) -> Json | None:
        """Answer with the result, or ``null`` where the user said no."""
        return await self._run("respool/rewind", params)

    async def undo(self, params: Json) -> Json | None:
        """Answer with the result, or ``null`` where the user said no."""
        return await self._run("respool/undo", params)

    async def _run(self, method: str, params: Json) -> Json | None:
        asked = _argument(method, params)
        if self._can_ask and "digest" not in asked:
            planned = await self._work.call("respool/plan", asked)
            if planned["files"] or planned["notRestorable"]:
                if not await self._ask(self._summary(planned), YES[method][0]):
                    return None
                asked = {**asked, "digest": planned["digest"]}
        while True:
            try:
                return await self._work.call(method, asked, token=params.get("workDoneToken"))
            except WireError as error:
                needs = self._askable(error, asked)
                if not needs:
                    raise
                question = sentences(error.message + ".", *(self._text(QUESTIONS[need]) for need in needs))
            if not await self._ask(question, YES[method][1]):
                return None
            asked = {**asked, "consent": {**(asked.get("consent") or {}), **dict.fromkeys(needs, True)}}

    def _askable(self, error: WireError, asked: Json) -> list[str]:
        """The consents a refusal names that were not given yet, where there is somebody to ask for them."""
        needs, given = (error.data or {}).get("needs", ()), asked.get("consent") or {}
        return [need for need in needs if need in QUESTIONS and not given.get(need)] if self._can_ask else []

    @property
    def _can_ask(self) -> bool:
        window = self._protocol.client_capabilities.window
        return window is not None and window.show_message is not None

    async def _ask(self, question: str, yes: str) -> bool:
        yes = self._text(yes)
        params = types.ShowMessageRequestParams(
            type=types.MessageType.Warning,
            message=question,
            actions=[types.MessageActionItem(title=title) for title in (yes, self._text(mark("Cancel")))],
        )
        request = self._protocol.send_request(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
        answer: Any = await asyncio.wrap_future(request)
        return answer is not None and answer.title == yes

    def _text(self, text: str) -> str:
        return translator(self._work.language)(text)

    def _summary(self, planned: Json) -> str:
        names = [change["path"] for change in planned["files"] if change["action"] != "keep"]
        shown = ", ".join(names[:SHOWN_FILES]) + (" …" if len(names) > SHOWN_FILES else "")
        parts = [
            self._text(mark("Messages that go: {count}.")).format(count=planned["messages"]["removed"]),
            self._text(mark("Files that change: {count} ({names}).")).format(count=len(names), names=shown),
        ]
        if left := planned["notRestorable"]:
            parts.append(self._text(mark("Files that cannot be restored: {count}.")).format(count=len(left)))
        return sentences(*parts)


def _argument(method: str, params: Json) -> Json:
    """The one object. Of a rewind it names a place (without, its plan would be that of an undo); of an undo none."""
    arguments = params.get("arguments") or [{}]
    if len(arguments) != 1 or not isinstance(arguments[0], dict):
        raise WireError(INVALID_PARAMS, "the command takes one object")
    if (method == "respool/rewind") is (arguments[0].get("to") is None):
        raise WireError(INVALID_PARAMS, "to: required for a rewind, and only there")
    return dict(arguments[0])
