"""``respool/checkpoints`` over stdio, as a client sees it that decodes every answer."""

import json
import time
from collections.abc import Iterator

from e2e.wave import many_prompts
from tests.bench.row import Row
from tests.harness.place import Place
from tests.protocol.client import Client

ROWS = 10_000
REQUESTS = 100


def rows(place: Place, scale: float) -> Iterator[Row]:
    """The 95th percentile, with what of it is the client's own decoding."""
    count = int(ROWS * scale)
    session = many_prompts(place, count)
    door = place.door
    with Client(door.command("lsp"), cwd=place.work, env=door.environment()) as client:
        client.initialize(place.work)
        took = [_ask(client, str(session.path), count) for _ in range(REQUESTS)]
        client.ask("respool/checkpoints", {"session": str(session.path)})
        decoding = _decoding(client.raw[-1])
        client.leave()
    high = percentile_95(took) * 1000
    what = f"respool/checkpoints, {count} rows, p95 of {REQUESTS}"
    yield Row(what=f"{what} (client's decoding {decoding * 1000:.0f} ms in it)", measured=high, limit=50)


def _ask(client: Client, session: str, count: int) -> float:
    client.messages.clear()
    client.raw.clear()
    start = time.perf_counter()
    answer = client.ask("respool/checkpoints", {"session": session})
    took = time.perf_counter() - start
    assert len(answer["checkpoints"]) == count
    return took


def _decoding(body: bytes) -> float:
    start = time.perf_counter()
    json.loads(body)
    return time.perf_counter() - start


def percentile_95(samples: list[float]) -> float:
    """The smallest sample that 95 of 100 do not exceed."""
    return sorted(samples)[max(0, round(0.95 * len(samples)) - 1)]
