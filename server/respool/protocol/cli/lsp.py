"""``respool lsp``."""

import argparse

from respool.protocol.cli.door import Door


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Serve an editor on stdio; the services are made when it has been greeted."""
    from respool.protocol.lsp import serve_stdio  # pygls takes a quarter of a second, and no other command needs it

    return serve_stdio(door.services, door.demo)
