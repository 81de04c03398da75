"""Language servers: over services in memory, and the real one."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.harness.place import Place
from tests.protocol.client import Client, Start

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def started(home: Path) -> Iterator[Client]:
    """The server before it has been greeted."""
    env = {**os.environ, "HOME": str(home), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with Client([sys.executable, "-m", "tests.protocol.fake"], cwd=ROOT, env=env) as client:
        yield client


@pytest.fixture
def silent(tmp_path: Path) -> Iterator[Client]:
    """The server before it has been greeted; its home is empty."""
    with started(tmp_path) as client:
        yield client


@pytest.fixture
def client(silent: Client, tmp_path: Path) -> Client:
    """The server, greeted, in an empty workspace. For tests that end or change it."""
    silent.initialize(tmp_path)
    return silent


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One greeted server for all tests that leave it as it was."""
    folder = tmp_path_factory.mktemp("shared")
    with started(folder) as client:
        client.initialize(folder)
        yield client


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts and greets the real language server of a user."""
    with ExitStack() as stack:

        def greeted(place: Place, **capabilities: Any) -> Client:
            door = place.door
            client = stack.enter_context(Client(door.command("lsp"), cwd=door.cwd, env=door.environment()))
            client.initialize(place.work, **capabilities)
            return client

        yield greeted
