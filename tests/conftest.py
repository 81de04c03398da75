"""Fixtures of the black-box tests: all below one temporary folder, the product in child processes, nothing patched."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness import forked
from tests.harness.place import Place


@pytest.fixture
def root() -> Iterator[Path]:
    """A temporary folder with a short name; what a test has closed in it is opened to be removed."""
    folder = Path(tempfile.mkdtemp(prefix="rs-"))
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def place(root: Path) -> Place:
    """A user with an empty home and an empty workspace."""
    return Place(root=root).make()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-point", action="store_true", help="kill at every system call, those inside our store too")


@pytest.fixture
def every_point(request: pytest.FixtureRequest) -> bool:
    """Whether `make kill` asked for the whole product."""
    return bool(request.config.getoption("--every-point"))


@pytest.fixture(scope="session", autouse=True)
def _fork_server() -> Iterator[None]:
    yield
    forked.close()
