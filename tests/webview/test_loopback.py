"""The browser host lets nobody in but the browser it gave the token to."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest
from starlette.types import ASGIApp, Message, Scope

from respool.protocol.loopback import application
from respool.protocol.loopback_guard import Keys
from respool.protocol.loopback_socket import MESSAGE_BYTES
from tests.webview.fakes import WORKSPACE, FakeServices

PORT = 4242
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"


@pytest.fixture
def keys() -> Keys:
    return Keys(PORT)


@pytest.fixture
def app(keys: Keys) -> Iterator[ASGIApp]:
    with ThreadPoolExecutor(2) as workers:
        services = FakeServices()
        yield application(cast(Any, services), keys, WORKSPACE, "en", workers, services.demo)


class Answer:
    """Status, headers and text of an HTTP answer."""

    def __init__(self, messages: list[Message]) -> None:
        start = next(message for message in messages if message["type"] == "http.response.start")
        self.status: int = start["status"]
        self.headers = {name.decode(): value.decode() for name, value in start["headers"]}
        self.text = b"".join(message.get("body", b"") for message in messages).decode()


def get(app: ASGIApp, path: str = "/", *, query: str = "", method: str = "GET", **headers: str) -> Answer:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    async def run() -> None:
        await app(_scope("http", path, query, {"host": HOST, **headers}, method), receive, send)

    asyncio.run(run())
    return Answer(sent)


def talk(app: ASGIApp, *texts: str, **headers: str) -> list[dict[str, Any]]:
    """Open a WebSocket, say the texts, and give what came back for each; empty when it was not let in."""
    answers: list[dict[str, Any]] = []

    async def run() -> None:
        heard = asyncio.Semaphore(0)
        said = iter([{"type": "websocket.connect"}, *({"type": "websocket.receive", "text": text} for text in texts)])

        async def receive() -> Message:
            message = next(said, None)
            if message is not None:
                return message
            for _ in texts:
                await heard.acquire()
            return {"type": "websocket.disconnect", "code": 1000}

        async def send(message: Message) -> None:
            if message["type"] == "websocket.send":
                answer = json.loads(message["text"])
                answers.append(answer)
                if "id" in answer:
                    heard.release()

        await app(_scope("websocket", "/socket", "", {"host": HOST, **headers}), receive, send)

    asyncio.run(run())
    return answers


def _scope(kind: str, path: str, query: str, headers: dict[str, str], method: str = "GET") -> Scope:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": raw,
        "method": method,
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", PORT),
        "client": ("127.0.0.1", 1),
        "subprotocols": [],
        "extensions": {},
    }


def token(keys: Keys) -> str:
    return keys.address.partition("?")[2]


def cookie(app: ASGIApp, keys: Keys) -> str:
    shown: str = get(app, query=token(keys)).headers["set-cookie"].split(";")[0]
    return shown


def test_the_token_is_exchanged_for_a_cookie_that_no_script_and_no_other_site_can_use(app: ASGIApp, keys: Keys) -> None:
    answer = get(app, query=token(keys))

    assert answer.status == 200
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=strict" in answer.headers["set-cookie"]


def test_the_token_works_once(app: ASGIApp, keys: Keys) -> None:
    query = token(keys)
    get(app, query=query)

    assert get(app, query=query).status == 403


@pytest.mark.parametrize("query", ["", "token=", "token=wrong", "token=%C3%A9"])
def test_without_the_token_there_is_nothing_to_see(app: ASGIApp, query: str) -> None:
    answer = get(app, query=query)

    assert answer.status == 403
    assert "set-cookie" not in answer.headers


def test_with_the_cookie_page_and_files_are_served(app: ASGIApp, keys: Keys) -> None:
    shown = cookie(app, keys)

    assert get(app, cookie=shown).status == 200
    assert get(app, "/static/main.js", cookie=shown).status == 200
    assert get(app, "/static/../templates/top.html.j2", cookie=shown).status == 404


def test_files_need_the_cookie_too(app: ASGIApp) -> None:
    assert get(app, "/static/main.js").status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1:1"},
        {"host": f"evil.example:{PORT}"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://{HOST}"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_a_foreign_host_origin_or_site_is_refused_even_with_the_cookie(
    app: ASGIApp, keys: Keys, headers: dict[str, str]
) -> None:
    shown = cookie(app, keys)

    assert get(app, "/static/main.js", cookie=shown, **headers).status == 403


def test_a_foreign_host_does_not_use_the_token_up(app: ASGIApp, keys: Keys) -> None:
    query = token(keys)
    get(app, query=query, host="evil.example")

    assert get(app, query=query).status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_only_reading_is_possible(app: ASGIApp, keys: Keys, method: str) -> None:
    assert get(app, method=method, cookie=cookie(app, keys)).status == 403


def test_every_answer_carries_the_protecting_headers(app: ASGIApp, keys: Keys) -> None:
    shown = cookie(app, keys)

    for answer in (
        get(app, cookie=shown),
        get(app, "/static/main.js", cookie=shown),
        get(app),
        get(app, "/nothing", cookie=shown),
    ):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_the_page_may_run_nothing_but_its_own_modules(app: ASGIApp, keys: Keys) -> None:
    shown = cookie(app, keys)
    first, second = (get(app, cookie=shown).headers["content-security-policy"] for _ in range(2))

    assert "unsafe" not in first
    assert "frame-ancestors 'none'" in first
    assert first != second


def test_the_socket_needs_cookie_and_origin(app: ASGIApp, keys: Keys) -> None:
    shown = cookie(app, keys)
    ask = '{"jsonrpc":"2.0","id":1,"method":"respool/sessions","params":{}}'

    assert talk(app, ask) == []
    assert talk(app, ask, cookie=shown) == []
    assert talk(app, ask, origin=ORIGIN) == []
    assert talk(app, ask, cookie=shown, origin="http://evil.example") == []
    assert talk(app, ask, cookie=shown, origin=ORIGIN)[0]["result"]["sessions"] != []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", -32700),
        ("[" * 100_000, -32700),
        ("[]", -32600),
        ('{"id":1}', -32600),
        ('{"method":"respool/sessions"}', -32600),
        ('{"id":1,"method":"respool/sessions","params":[]}', -32600),
        ('{"id":1,"method":"nothing"}', -32601),
        ('{"id":1,"method":"respool/view/nothing"}', -32601),
        ('{"id":1,"method":"respool/view/intent","params":{"intent":"x"}}', -32602),
        ('{"id":1,"method":"respool/view/open","params":{"session":5}}', -32602),
    ],
)
def test_nonsense_is_answered_and_the_socket_stays_open(app: ASGIApp, keys: Keys, text: str, code: int) -> None:
    good = '{"id":2,"method":"respool/view/open","params":{}}'
    answers = talk(app, text, good, cookie=cookie(app, keys), origin=ORIGIN)

    assert {answer.get("error", {}).get("code") for answer in answers} == {code, None}
    assert "Traceback" not in json.dumps(answers)


def test_a_page_speaks_the_language_it_is_asked_for(app: ASGIApp, keys: Keys) -> None:
    shown = cookie(app, keys)

    assert '<html lang="zh-CN">' in get(app, cookie=shown, accept_language="zh-CN,zh;q=0.9").text
    assert '<html lang="en">' in get(app, cookie=shown, accept_language="de").text
    assert '<html lang="zh-CN">' in get(app, cookie=shown, accept_language="de", query="lang=zh").text


def test_a_theme_can_be_asked_for_by_name_only(app: ASGIApp, keys: Keys) -> None:
    shown = cookie(app, keys)

    assert 'class="vscode-high-contrast"' in get(app, cookie=shown, query="theme=high-contrast").text
    assert "<body>" in get(app, cookie=shown, query="theme=%22%3E%3Cscript%3E").text


def test_messages_are_limited() -> None:
    assert MESSAGE_BYTES <= 1 << 20
