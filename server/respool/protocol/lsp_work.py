"""What the language server does off its loop: services made late, requests in threads, cancellation, progress."""

import asyncio
import contextlib
import gc
import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from respool.model.errors import Refusal
from respool.protocol.errors import REQUEST_CANCELLED, WireError, refused

if TYPE_CHECKING:
    from respool.protocol.demo_folder import MakeDemo
    from respool.protocol.dispatch import Dispatcher
    from respool.protocol.lsp_wire import SafeProtocol
    from respool.service.services import Services

logger = logging.getLogger(__name__)

WORKERS = 8
QUIET_S = 0.1
"""Changes of one transcript within this time are one notification."""

Json = dict[str, Any]


class Work:
    """The services of one connection. ``start`` when the client is initialised: importing them takes a while."""

    def __init__(self, services: Callable[[], "Services"], demo: "MakeDemo", protocol: "SafeProtocol") -> None:
        self._make_services = services
        self._demo = demo
        self._protocol = protocol
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="request")
        self._started: Future[tuple[Services, Dispatcher]] | None = None
        self._settled: Future[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed: set[str] = set()
        self._unwatch: Callable[[], None] = lambda: None
        self.workspace = os.getcwd()
        self.language = "en"

    def place(self, root_uri: str | None, language: str | None) -> None:
        """Take the client's folder and language, before ``start``."""
        if root_uri is not None and (path := path_of(root_uri)) is not None:
            self.workspace = path
        if language:
            self.language = language

    def start(self) -> None:
        """Begin in the background: make the services, settle what a crash left, watch the sessions."""
        if self._started is None:
            self._loop = asyncio.get_running_loop()
            self._started = self._pool.submit(self._make)
            self._settled = self._pool.submit(self._settle, self._started)

    def stop(self) -> None:
        """Stop watching, and wait for what is running."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._unwatch()
        if self._started is not None and not self._started.cancelled() and self._started.exception() is None:
            self._started.result()[1].close()

    def _make(self) -> "tuple[Services, Dispatcher]":
        # pydantic and the services: not before "initialize" is answered.
        from respool.protocol.dispatch import Dispatcher

        services = self._make_services()
        dispatcher = Dispatcher(
            services, workspace=self.workspace, language=self.language, send=self._protocol.tell, demo=self._demo
        )
        dispatcher.on_changed(self._on_changed)
        gc.freeze()  # what is imported stays: the collector need not walk it again whenever a list is long
        return services, dispatcher

    def _settle(self, started: "Future[tuple[Services, Dispatcher]]") -> None:
        services, _ = started.result()
        services.operations.settle()
        services.retention.daily_aside()
        self._watch(services)

    def _watch(self, services: "Services") -> None:
        """Without it the client is only not told of changes by others; so trouble here is no more than logged."""
        try:
            self._unwatch = services.sessions.watch(self.workspace, self._on_changed)
        except OSError as error:
            logger.warning("changes by other programs will not be noticed: %s", error)

    async def dispatcher(self) -> "Dispatcher":
        """The requests' table, when it is there."""
        self.start()
        assert self._started is not None
        try:
            _, dispatcher = await asyncio.shield(asyncio.wrap_future(self._started))
        except Refusal as refusal:
            raise refused(refusal) from refusal
        return dispatcher

    async def settled(self) -> None:
        """Wait until nothing is left of a crash and changes are watched; then writing may begin."""
        self.start()
        assert self._settled is not None
        await asyncio.shield(asyncio.wrap_future(self._settled))

    async def call(self, method: str, params: object, *, token: object = None) -> Json:
        """Serve one request. Cancelling a reading one drops it; a writing one ends only if it has not committed."""
        dispatcher = await self.dispatcher()
        from respool.protocol.dispatch import WRITING, Running

        loop = asyncio.get_running_loop()
        if method not in WRITING:
            return await loop.run_in_executor(self._pool, dispatcher.call, method, params)
        await self.settled()
        with self._progress(token, _TITLES.get(method, "Respool")) as progress:
            stop = threading.Event()
            running = Running(progress=progress, cancelled=stop.is_set)
            work = loop.run_in_executor(self._pool, dispatcher.call, method, params, running)
            return await _finish(work, stop)

    @contextlib.contextmanager
    def _progress(self, token: object, title: str) -> Any:
        """Work-done progress, where the client gave a token; its cancel button is a cancelled request."""
        if not isinstance(token, str | int):
            yield None
            return
        tell = self._protocol.tell
        tokens: dict[Any, Any] = self._protocol.progress.tokens
        tokens[token] = asyncio.current_task()
        tell("$/progress", {"token": token, "value": {"kind": "begin", "title": title, "cancellable": True}})
        try:
            yield Percentage(lambda value: tell("$/progress", {"token": token, "value": value}))
        finally:
            tokens.pop(token, None)
            tell("$/progress", {"token": token, "value": {"kind": "end"}})

    def _on_changed(self, transcript: str) -> None:
        """From whatever thread; a loop that has closed has nobody to tell."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._tell_later, transcript)

    def _tell_later(self, transcript: str) -> None:
        if transcript not in self._changed and self._loop is not None:
            self._changed.add(transcript)
            self._loop.call_later(QUIET_S, self._tell_changed, transcript)

    def _tell_changed(self, transcript: str) -> None:
        self._changed.discard(transcript)
        session = os.path.basename(transcript).removesuffix(".jsonl")
        self._protocol.tell("respool/sessionChanged", {"sessionId": session, "path": transcript})


_TITLES = {"respool/rewind": "Rewinding", "respool/undo": "Taking a rewind back"}


class Percentage:
    """Turns ``(done, total)`` into reports, one a percent at most."""

    def __init__(self, report: Callable[[Json], None]) -> None:
        self._report = report
        self._last = -1

    def __call__(self, done: int, total: int) -> None:
        percent = 100 if total <= 0 else min(100, done * 100 // total)
        if percent > self._last:
            self._last = percent
            self._report({"kind": "report", "percentage": percent, "message": f"{done}/{total}"})


async def _finish(work: "asyncio.Future[Json]", stop: threading.Event) -> Json:
    """Wait for a writing request to its end, also when it is cancelled: its answer says what was done."""
    while True:
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            if work.cancelled():
                raise WireError(REQUEST_CANCELLED, "cancelled") from None
            stop.set()


def path_of(uri: str) -> str | None:
    """The absolute path a ``file:`` URI names; bytes that are not UTF-8 as surrogateescape code points."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    return os.path.normpath(unquote(parts.path, errors="surrogateescape")) or None
