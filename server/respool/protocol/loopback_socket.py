"""One browser tab: JSON-RPC objects over a WebSocket, served by a dispatcher of its own."""

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from respool.protocol.demo_folder import MakeDemo
from respool.protocol.dispatch import Dispatcher
from respool.protocol.errors import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, WireError
from respool.protocol.messages import dumps
from respool.service.services import Services

logger = logging.getLogger(__name__)

MESSAGE_BYTES = 1 << 20
"""More than that no panel has to say."""
AT_ONCE = 16


class Tab:
    """Serves one accepted WebSocket until it closes. Calls run in ``workers``; what they send keeps its order."""

    def __init__(
        self,
        socket: WebSocket,
        services: Services,
        workspace: str,
        language: str,
        workers: ThreadPoolExecutor,
        demo: MakeDemo,
    ) -> None:
        self._socket = socket
        self._loop = asyncio.get_running_loop()
        self._outgoing: asyncio.Queue[str | None] = asyncio.Queue()
        self._workers = workers
        self._free = asyncio.Semaphore(AT_ONCE)
        self._dispatcher = Dispatcher(services, workspace=workspace, language=language, send=self._notify, demo=demo)

    async def serve(self) -> None:
        """Until the browser leaves."""
        writer = asyncio.create_task(self._write())
        calls: set[asyncio.Task[None]] = set()
        try:
            while True:
                text = await self._socket.receive_text()
                await self._free.acquire()
                call = asyncio.create_task(self._answer(text))
                calls.add(call)
                call.add_done_callback(calls.discard)
        except (WebSocketDisconnect, KeyError):
            pass
        finally:
            self._outgoing.put_nowait(None)
            await asyncio.gather(writer, *calls, return_exceptions=True)
            await self._loop.run_in_executor(self._workers, self._dispatcher.close)

    async def _write(self) -> None:
        while (text := await self._outgoing.get()) is not None:
            try:
                await self._socket.send_text(text)
            except (WebSocketDisconnect, RuntimeError):
                return

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        """From any thread."""
        self._put({"jsonrpc": "2.0", "method": method, "params": params})

    def _put(self, message: dict[str, Any]) -> None:
        text = dumps(message).decode()
        try:
            self._loop.call_soon_threadsafe(self._outgoing.put_nowait, text)
        except RuntimeError:
            logger.debug("a message for a tab that is gone was dropped")

    async def _answer(self, text: str) -> None:
        try:
            await self._loop.run_in_executor(self._workers, self._serve, text)
        finally:
            self._free.release()

    def _serve(self, text: str) -> None:
        """Never raises; an answer always."""
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": None}
        try:
            message = _parsed(text)
            answer["id"] = message.get("id")
            answer["result"] = self._call(message)
        except WireError as error:
            data = {} if error.data is None else {"data": error.data}
            answer["error"] = {"code": error.code, "message": error.message, **data}
        except Exception:
            logger.exception("a request of the panel failed")
            answer["error"] = {"code": INTERNAL_ERROR, "message": "internal error"}
        self._put(answer)

    def _call(self, message: dict[str, Any]) -> dict[str, Any]:
        method, params = message.get("method"), message.get("params", {})
        if not isinstance(method, str) or not isinstance(params, dict):
            raise WireError(INVALID_REQUEST, "this is no request")
        return self._dispatcher.call(method, params)


def _parsed(text: str) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise WireError(PARSE_ERROR, "this is no JSON") from None
    if not isinstance(message, dict) or not isinstance(message.get("id"), int | str):
        raise WireError(INVALID_REQUEST, "this is no request")
    return message
