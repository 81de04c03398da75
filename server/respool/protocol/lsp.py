"""``respool lsp``: the language server on stdio."""

import asyncio
import logging
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from respool import __version__
from respool.protocol.lsp_commands import Commands
from respool.protocol.lsp_documents import REWIND_COMMAND, lenses, symbols
from respool.protocol.lsp_stream import BrokenStream, FramedWriter, bodies, claim_stdio
from respool.protocol.lsp_wire import SafeProtocol
from respool.protocol.lsp_work import Json, Work

if TYPE_CHECKING:
    from respool.protocol.demo_folder import MakeDemo
    from respool.service.services import Services

logger = logging.getLogger(__name__)

METHODS = (
    "respool/sessions",
    "respool/open",
    "respool/checkpoints",
    "respool/plan",
    "respool/rewind",
    "respool/undo",
    "respool/show",
    "respool/view/open",
    "respool/view/intent",
    "respool/view/close",
)
UNDO_COMMAND = "respool.server.undo"


class RespoolServer(LanguageServer):
    """pygls' server with our protocol; trouble goes to the log, never into a message box."""

    protocol: SafeProtocol

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Called for notifications that fail."""
        logger.error("a notification failed", exc_info=error)


def serve_stdio(services: Callable[[], "Services"], demo: "MakeDemo") -> int:
    """Serve one client until it leaves; return the exit code (0 only after ``shutdown``).

    ``demo``: makes a demo in a folder, when a panel is asked for one.
    """
    reading, writing = claim_stdio()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="respool: %(message)s")
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)  # it logs whole messages
    return asyncio.run(_serve(services, demo, reading, FramedWriter(writing)))


async def _serve(services: Callable[[], "Services"], demo: "MakeDemo", reading: BinaryIO, writer: FramedWriter) -> int:
    over = asyncio.Event()
    server = RespoolServer("respool", __version__, protocol_cls=SafeProtocol, converter_factory=default_converter)
    protocol = server.protocol
    protocol.frames, protocol.on_exit = writer, over.set
    work = Work(services, demo, protocol)
    _register(server, work)
    _read(reading, asyncio.get_running_loop(), protocol.receive, over.set)
    await over.wait()
    await asyncio.to_thread(work.stop)
    return 0 if protocol.shut_down else 1


def _read(
    reading: BinaryIO,
    loop: asyncio.AbstractEventLoop,
    receive: Callable[[bytes], None],
    over: Callable[[], None],
) -> None:
    """Read in a thread of its own: however many requests are running, a cancellation gets through."""

    def run() -> None:
        try:
            for body in bodies(reading):
                loop.call_soon_threadsafe(receive, body)
        except BrokenStream as broken:
            logger.error("the client's stream is broken: %s", broken)
        except RuntimeError:
            return  # the loop has closed: the client said "exit" and went on talking
        try:
            loop.call_soon_threadsafe(over)
        except RuntimeError:
            return

    threading.Thread(target=run, name="stdin", daemon=True).start()


def _register(server: RespoolServer, work: Work) -> None:
    for method in METHODS:
        server.feature(method)(_request(work, method))
    commands = Commands(work, server.protocol)
    server.command(REWIND_COMMAND)(_command(commands.rewind))
    server.command(UNDO_COMMAND)(_command(commands.undo))

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        folders = params.workspace_folders
        work.place(folders[0].uri if folders else params.root_uri, params.locale)

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        work.start()

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        return await lenses(work, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def document_symbol(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return await symbols(work, params.text_document.uri)


def _request(work: Work, method: str) -> Callable[[Any], Any]:
    async def serve(params: Any) -> Json:
        token = params.get("workDoneToken") if isinstance(params, dict) else None
        return await work.call(method, params, token=token)

    return serve


def _command(run: Callable[[Json], Any]) -> Callable[[Json], Any]:
    async def command(params: Json) -> Any:
        return await run(params)

    return command
