"""Who may talk to the browser host: one browser, from this machine, that was given the token.

Every request and the WebSocket are checked: ``Host`` (against DNS rebinding), ``Origin`` and ``Sec-Fetch-Site``
(against other pages), then the cookie. The token in the printed address works once and only to get that cookie.
"""

import secrets
from hmac import compare_digest

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


class Keys:
    """The token of the address, and the cookie it is exchanged for: cookies know no ports, so ours is named by one."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://127.0.0.1:{port}"
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.cookie_name = f"respool-{port}"
        self._cookie = secrets.token_urlsafe(32)
        self._token: str | None = secrets.token_urlsafe(32)

    @property
    def address(self) -> str:
        """What to open. Works once."""
        return f"{self.origin}/?token={self._token}"

    def exchange(self, token: str) -> str | None:
        """The cookie's value for the right token; from then on the token is dead."""
        if self._token is None or not compare_digest(token.encode(), self._token.encode()):
            return None
        self._token = None
        return self._cookie

    def known(self, connection: HTTPConnection) -> bool:
        """Whether the browser shows our cookie."""
        shown = connection.cookies.get(self.cookie_name, "")
        return compare_digest(shown.encode(), self._cookie.encode())


class Guard:
    """Refuses what does not come from our own page, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif self._allows(scope):
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(1008)
        else:
            await PlainTextResponse("Open the address that `respool open` printed.\n", 403)(
                scope, receive, _with_headers(send)
            )

    def _allows(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self._keys.hosts]:
            return False
        connection = HTTPConnection(scope)
        origin = headers.get("origin")
        own = {f"http://{host}" for host in self._keys.hosts}
        if scope["type"] == "websocket":
            return origin in own and self._keys.known(connection)
        if origin is not None and origin not in own:
            return False
        if scope["method"] not in ("GET", "HEAD"):
            return False
        if scope["path"] == "/" and "token" in connection.query_params:
            return True
        return headers.get("sec-fetch-site", "none") in ("none", "same-origin") and self._keys.known(connection)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
