"""``respool lsp``."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respool.service.services import Services


def run(arguments: argparse.Namespace, services: Callable[[], "Services"]) -> int:
    """Serve an editor on stdio; the services are made when it has been greeted."""
    from respool.protocol.lsp import serve_stdio  # pygls takes a quarter of a second, and no other command needs it

    return serve_stdio(services)
