"""A webview over services in memory."""

import pytest

from tests.webview.fakes import FakeServices
from tests.webview.page import Webview


@pytest.fixture
def services() -> FakeServices:
    return FakeServices()


@pytest.fixture
def webview(services: FakeServices) -> Webview:
    return Webview(services)
