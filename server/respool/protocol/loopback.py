"""The browser host: the panel on 127.0.0.1, for one browser."""

import asyncio
import logging
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from respool.protocol.demo_folder import MakeDemo
from respool.protocol.loopback_guard import Guard, Keys
from respool.protocol.loopback_socket import MESSAGE_BYTES, Tab
from respool.service.services import Services
from respool.views.location import webview_folder
from respool.views.models import DocumentView
from respool.views.render import render
from respool.views.texts import html_language, language_of_environment, translator

logger = logging.getLogger(__name__)
THEMES = ("light", "dark", "high-contrast", "high-contrast-light")
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
WORKERS = 12
GRACE_S = 3


def serve(
    services_factory: Callable[[], Services],
    *,
    port: int,
    open_browser: bool,
    workspace: str,
    demo: MakeDemo,
    session: str | None = None,
    language: str | None = None,
    announce: Callable[[str], None] | None = None,
) -> int:
    """Serve until Ctrl-C or SIGTERM and return the exit status. ``port`` 0: any free one. ``OSError`` if it is taken.

    ``announce`` is given the address once the host listens, instead of standard output; ``session``: what the first
    page shows; ``demo``: makes a demo in a folder, for who has no session yet.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(64)
        keys = Keys(listener.getsockname()[1])
        address = keys.address + (f"&session={quote(session, safe='')}" if session else "")
        services = services_factory()
        with ThreadPoolExecutor(WORKERS, thread_name_prefix="panel") as workers:
            app = application(services, keys, workspace, language or language_of_environment(), workers, demo)
            return asyncio.run(_run(app, listener, address, open_browser=open_browser, announce=announce or _print))


def application(
    services: Services, keys: Keys, workspace: str, language: str, workers: ThreadPoolExecutor, demo: MakeDemo
) -> ASGIApp:
    """Page, static files and WebSocket behind the guard."""

    async def page(request: Request) -> Response:
        return _page(request, keys, language)

    async def tab(connection: WebSocket) -> None:
        await connection.accept()
        await Tab(connection, services, workspace, language, workers, demo).serve()

    static = StaticFiles(directory=webview_folder() / "static")
    routes = [Route("/", page), WebSocketRoute("/socket", tab), Mount("/static", static)]
    return Starlette(routes=routes, middleware=[Middleware(Guard, keys=keys)])


def _page(request: Request, keys: Keys, language: str) -> Response:
    """The empty page. A token is exchanged on the way; a page that has the cookie needs none."""
    cookie = keys.exchange(request.query_params.get("token", ""))
    if cookie is None and not keys.known(request):
        return PlainTextResponse("This address was used already. Start `respool open` again.\n", 403)
    wished = request.query_params.get("lang") or request.headers.get("accept-language") or language
    nonce, theme = secrets.token_urlsafe(16), request.query_params.get("theme", "")
    host = request.headers["host"]
    view = DocumentView(
        language=html_language(wished),
        nonce=nonce,
        source="'self'",
        connect=f"ws://{host}",
        base="/static",
        theme=theme if theme in THEMES else "",
        view="",
    )
    response = HTMLResponse(render("document", view, translator(wished)))
    response.headers["Content-Security-Policy"] = policy(view)
    if cookie is not None:
        response.set_cookie(keys.cookie_name, cookie, httponly=True, samesite="strict", path="/")
    return response


def policy(view: DocumentView) -> str:
    """The page may run its own modules, use its own style sheet and talk to us; nothing else."""
    return (
        f"default-src 'none'; script-src 'nonce-{view.nonce}'; style-src 'nonce-{view.nonce}'; img-src data:; "
        f"connect-src {view.connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


async def _run(
    app: ASGIApp, listener: socket.socket, address: str, *, open_browser: bool, announce: Callable[[str], None]
) -> int:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=MESSAGE_BYTES,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=GRACE_S,
        log_config=None,
    )
    server = _Server(config)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, server.handle_exit, number, None)
    announce(address)
    if open_browser:
        # Some browsers keep whoever starts them waiting, and the page can come only while we serve.
        threading.Thread(target=_open_browser, args=(address,), daemon=True).start()
    await server.serve(sockets=[listener])
    return 0


def _open_browser(address: str) -> None:
    """Where there is no screen, no browser either: a text browser cannot show the panel, but would use up the token."""
    may_show = sys.platform == "darwin" or any(os.environ.get(name) for name in SCREENS)
    if not (may_show and webbrowser.open(address)):
        logger.warning("no browser could be opened; open the address yourself")


def _print(address: str) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()


class _Server(uvicorn.Server):
    """Signals are ours to hear, from before the address is announced: an asked-for end is no failure."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
