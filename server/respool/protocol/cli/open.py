"""``respool open``: the panel in the browser."""

import argparse

from respool.protocol.cli.door import Door


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Serve until Ctrl-C."""
    from respool.protocol.loopback import serve  # a web server; no other command needs it

    services = door.services()
    services.operations.settle()
    services.retention.daily_aside()
    if not services.sessions.list(door.workspace):
        door.out.note(door.t("This folder has no session yet. `respool demo` makes a project with one to try it on."))
    return serve(
        door.services,
        port=arguments.port,
        open_browser=not arguments.no_browser,
        workspace=door.workspace,
        demo=door.demo,
        language=door.language,
    )
