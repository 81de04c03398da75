"""``respool demo``: a scratch project with a session to try it on."""

import argparse
import os

from respool.model.recording import Laid
from respool.protocol.cli.door import Door, WrongUsage
from respool.protocol.cli.lines import indented, text_line
from respool.protocol.demo_folder import free_folder
from respool.views.paths import short_path


def run(arguments: argparse.Namespace, door: Door) -> int:
    """Make it, say where it is, and open the panel on it."""
    made = _made(arguments.folder, door)
    if door.out.json:
        door.out.answer({"sessionId": made.session_id, "path": made.transcript, "workspace": made.workspace})
    _tell(made, door)
    if arguments.no_open or arguments.json:
        return 0
    from respool.protocol.loopback import serve  # a web server; only `open` and this need it

    return serve(
        door.services,
        port=0,
        open_browser=True,
        workspace=made.workspace,
        session=made.transcript,
        demo=door.demo,
        language=door.language,
    )


def _made(folder: str | None, door: Door) -> Laid:
    if folder is None:
        return door.demo(free_folder())
    try:
        return door.demo(os.path.normpath(os.path.join(door.workspace, folder)))
    except FileExistsError as error:
        text = door.t("the folder {folder} is not empty").format(folder=folder)
        raise WrongUsage(text, door.t("Name a new one with --folder.")) from error


def _tell(made: Laid, door: Door) -> None:
    t, width = door.t, door.out.width
    door.out.print(indented(t("A project to try it on: {folder}").format(folder=short_path(made.workspace)), width))
    door.out.print(indented(t("Its session: {session}").format(session=made.session_id), width))
    door.out.print([text_line(t("In the terminal, in that folder: `respool rewind`, then `respool undo`."), "faint")])
