"""A scene for every test."""

from pathlib import Path

import pytest

from tests.scan.scene import Scene


@pytest.fixture
def scene(root: Path) -> Scene:
    """An empty workspace that was never looked at."""
    made = Scene(root)
    made.work.mkdir()
    return made
