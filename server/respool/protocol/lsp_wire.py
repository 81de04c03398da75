"""pygls made safe: an answer to every request, parameters as they were sent, nothing of ours in an error.

Overrides internals of pygls 2.1.1 (pinned; see ``server/adr/pygls.md`` for each trap). Changed against pygls:

* only the outermost object is taken for a message, so a transcript may hold objects with a ``jsonrpc`` key;
* parameters of our own methods stay the dictionaries they were; misfits of the standard ones are answered;
* an unexpected error is logged here and answered as "internal error", without traceback, and no message is ever logged;
* the body is UTF-8 with lone surrogates escaped, its length counted in bytes.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, LanguageServerProtocol, lsp_method

from respool.protocol.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    PARSE_ERROR,
    REQUEST_CANCELLED,
    WireError,
)
from respool.protocol.lsp_stream import FramedWriter
from respool.protocol.messages import dumps

logger = logging.getLogger(__name__)

PLAIN = (types.WORKSPACE_EXECUTE_COMMAND,)
"""Standard methods whose parameters we want as sent (arguments of our commands are ours)."""

Message = dict[str, Any]


class SafeProtocol(LanguageServerProtocol):
    """One connection to one editor."""

    frames: FramedWriter
    on_exit: Callable[[], None]
    _initialized = False

    @property
    def shut_down(self) -> bool:
        """Whether the client said goodbye."""
        return self._shutdown

    def receive(self, body: bytes) -> None:
        """Handle one message from the client."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._answer_error(None, WireError(PARSE_ERROR, "the message is not JSON"))
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            self._answer_error(_id_of(message), WireError(INVALID_REQUEST, "the message is not JSON-RPC 2.0"))
        elif "method" not in message:
            self._receive_answer(message)
        elif "id" in message:
            self._receive_request(message)
        else:
            self._receive_notification(message)

    def _receive_request(self, message: Message) -> None:
        msg_id, method = _id_of(message), message["method"]
        if msg_id is None or not isinstance(method, str):
            self._answer_error(msg_id, WireError(INVALID_REQUEST, "id or method is of the wrong kind"))
            return
        try:
            self._refuse_out_of_turn(method)
            request = self._structured(message, JsonRPCRequestMessage)
            self._initialized = True  # only "initialize" comes this far before it is
        except WireError as error:
            self._answer_error(msg_id, error)
            return
        self.handle_message(request)

    def _refuse_out_of_turn(self, method: str) -> None:
        if self._shutdown:
            raise WireError(INVALID_REQUEST, "the server is shutting down")
        if method == types.INITIALIZE and self._initialized:
            raise WireError(INVALID_REQUEST, "the server is already initialized")
        if method != types.INITIALIZE and not self._initialized:
            raise WireError(NOT_INITIALIZED, "the server is not initialized")

    def _receive_notification(self, message: Message) -> None:
        method = message["method"]
        if method == types.EXIT:
            self.on_exit()
        elif isinstance(method, str) and self._initialized:
            try:
                notification = self._structured(message, JsonRPCNotification)
            except WireError as error:
                logger.warning("ignored a notification %s: %s", method, error.message)
                return
            self.handle_message(notification)

    def _receive_answer(self, message: Message) -> None:
        """The client's answer to a request of ours."""
        msg_id = _id_of(message)
        future = self._request_futures.pop(msg_id, None) if msg_id is not None else None
        if msg_id is None or future is None or future.done():
            return
        result_type = self._result_types.pop(msg_id, None)
        try:
            if "error" in message:
                raise WireError(INTERNAL_ERROR, "the client could not answer")
            result = self._converter.structure(message, result_type).result if result_type else message.get("result")
        except Exception as error:  # noqa: BLE001 - a client's mistake of whatever kind belongs to whoever asked
            future.set_exception(error)
        else:
            future.set_result(result)

    def _structured(self, message: Message, plain: type[Any]) -> Any:
        """The message as the object its handler takes; ``plain`` where the parameters stay a dictionary."""
        method = message["method"]
        known = None if method in PLAIN else self.get_message_type(method)
        if known is None:
            known_parts = {"params": message.get("params"), "jsonrpc": self.VERSION, "method": method}
            return plain(**known_parts, **({"id": message["id"]} if "id" in message else {}))
        try:
            return self._converter.structure(message, known)
        except Exception as error:  # cattrs raises whatever its hooks raise
            raise WireError(INVALID_PARAMS, f"the parameters do not fit {method}") from error

    def _handle_request(self, msg_id: str | int, method_name: str, params: Any) -> None:
        handler = self.fm.builtin_features.get(method_name) or self.fm.features.get(method_name)
        if handler is None:
            self._answer_error(msg_id, WireError(METHOD_NOT_FOUND, f"there is no method {method_name}"))
            return
        self._ctx_msg_id.set(msg_id)
        self._execute_handler(msg_id, handler, partial(self._send_handler_result, msg_id=msg_id), args=(params,))

    def _send_handler_result(self, future: "Future[Any] | asyncio.Future[Any]", *, msg_id: str | int) -> None:
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            self._answer_error(msg_id, WireError(REQUEST_CANCELLED, "cancelled"))
        elif (error := future.exception()) is not None:
            self._answer_error(msg_id, wire_error(error))
        else:
            self._send_response(msg_id, future.result())

    def _send_response(self, msg_id: str | int, result: Any = None, error: Any = None) -> None:
        if error is not None:
            self._answer_error(msg_id, WireError(error.code, error.message))
        else:
            self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "result": self._unstructured(result)})

    def _answer_error(self, msg_id: str | int | None, error: WireError) -> None:
        answer: Message = {"code": error.code, "message": error.message}
        if error.data is not None:
            answer["data"] = error.data
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": answer})

    def _unstructured(self, value: Any) -> Any:
        """Plain containers pass untouched; walking ten thousand rows would cost more than sending them."""
        if isinstance(value, list):
            return [self._unstructured(member) for member in value] if value and _is_attrs(value[0]) else value
        return self._converter.unstructure(value) if _is_attrs(value) else value

    def _send_data(self, data: Any) -> None:
        self.frames.write(dumps(self._unstructured(data)))

    def tell(self, method: str, params: Message) -> None:
        """Send a notification of plain parameters, from whatever thread."""
        self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: Any) -> Generator[Any, Any, Any]:
        """Call one of our commands with the whole parameters, checked only for their outline."""
        if not isinstance(params, dict) or not isinstance(params.get("arguments", []), list):
            raise WireError(INVALID_PARAMS, "the parameters do not fit workspace/executeCommand")
        name = params.get("command")
        handler = self.fm.commands.get(name) if isinstance(name, str) else None
        if handler is None:
            raise WireError(INVALID_PARAMS, "there is no such command")
        result = yield handler, (params,), None
        return result


def wire_error(error: BaseException) -> WireError:
    """What the client is told; of the unexpected no more than that it happened (it may quote the user's text)."""
    if isinstance(error, WireError):
        return error
    if isinstance(error, JsonRpcException):
        return WireError(error.code or INTERNAL_ERROR, error.message or "the request failed")
    logger.error("a request failed", exc_info=error)
    return WireError(INTERNAL_ERROR, "internal error")


def _id_of(message: Any) -> str | int | None:
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _is_attrs(value: object) -> bool:
    return hasattr(type(value), "__attrs_attrs__")
