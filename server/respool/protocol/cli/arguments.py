"""The command line as a tree of arguments."""

import argparse
from collections.abc import Callable, Sequence
from typing import NoReturn

from respool import __version__
from respool.model.plan import Mode
from respool.protocol.cli.argument_words import say_them_with
from respool.protocol.cli.door import WrongUsage
from respool.views.texts import Translate

Sub = Callable[[str, str], argparse.ArgumentParser]


class Parser(argparse.ArgumentParser):
    """Raises ``WrongUsage`` instead of leaving on its own."""

    def error(self, message: str) -> NoReturn:
        """What is wrong, and where the help is."""
        raise WrongUsage(message, f"`{self.prog} --help`")


def parsed(argv: Sequence[str], t: Translate) -> argparse.Namespace:
    """Arguments of a command line. Raises ``WrongUsage``; ``SystemExit`` after ``--help`` and ``--version``."""
    say_them_with(t)
    return tree(t).parse_args(list(argv))


def tree(t: Translate) -> Parser:
    """All commands."""
    parser = Parser(
        prog="respool",
        description=t("Go back to an earlier message of a conversation with a coding agent, files included."),
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"respool {__version__}")
    commands = parser.add_subparsers(dest="command", metavar=t("COMMAND"), required=True)

    def sub(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=text, allow_abbrev=False)

    _hosts(sub, t)
    _reading(sub, t)
    _changing(sub, t)
    _afterwards(sub, t)
    _around(sub, t)
    return parser


def _hosts(sub: Sub, t: Translate) -> None:
    command = sub("open", t("open the panel in the browser"))
    command.add_argument(
        "--port", type=_port, default=0, metavar="N", help=t("port on this machine; any free one if not given")
    )
    command.add_argument("--no-browser", action="store_true", help=t("only print the address"))
    sub("lsp", t("language server on stdio, for editors"))
    command = sub("record", t("record a session: the agent's host says on stdin what it does"))
    command.add_argument("session", metavar="SESSION", help=t("path or id of the session; a new id begins a new one"))
    command.add_argument("--workspace", metavar="DIR", help=t("folder the agent works in, if not the current one"))
    command = sub("hooks", t("let another agent tell what it does: hooks in its settings"))
    command.add_argument("what", choices=("install", "remove", "status"), help=t("what to do with them"))
    command.add_argument("agent", choices=("claude", "wave"), help=t("whose settings"))


def _reading(sub: Sub, t: Translate) -> None:
    command = sub("sessions", t("list the sessions of this folder, newest first"))
    command.add_argument("--all", action="store_true", help=t("those of every project"))
    _json(command, t)
    command = sub("checkpoints", t("list the messages one can go back to"))
    _session(command, t)
    _json(command, t)
    command = sub("show", t("show the conversation as the model sees it"))
    _session(command, t)
    _json(command, t)
    command = sub("plan", t("say all that a rewind would do, and do nothing"))
    _session(command, t)
    command.add_argument("--to", required=True, metavar="MESSAGE", help=t("message id, or ID@LINE"))
    _part(command, t)
    _json(command, t)


def _changing(sub: Sub, t: Translate) -> None:
    command = sub("rewind", t("go back to a message; without --to: choose it from a list"))
    _session(command, t)
    command.add_argument("--to", metavar="MESSAGE", help=t("message id, or ID@LINE"))
    _part(command, t)
    _agreement(command, t)
    command = sub("undo", t("take the newest rewind back"))
    _session(command, t)
    command.add_argument("--dry-run", action="store_true", help=t("only say what would happen"))
    _agreement(command, t)


def _afterwards(sub: Sub, t: Translate) -> None:
    command = sub("recover", t("copy out what an operation overwrote or deleted"))
    command.add_argument("operation", metavar="OPERATION")
    command.add_argument("paths", nargs="*", metavar="PATH", help=t("only these files"))
    command.add_argument("--to", required=True, metavar="DIR", help=t("folder the copies go to"))
    _json(command, t)
    command = sub("operations", t("list rewinds and what came of them"))
    _session(command, t)
    _json(command, t)
    command = sub("repair", t("bring an unfinished operation to an end"))
    command.add_argument("operation", nargs="?", metavar="OPERATION")
    choice = command.add_mutually_exclusive_group()
    for name, text in (
        ("finish", t("carry the rest out")),
        ("rollback", t("put back what was there before")),
        ("close", t("leave everything as it is now")),
    ):
        choice.add_argument(f"--{name}", dest="choice", action="store_const", const=name, help=text)
    _json(command, t)


def _around(sub: Sub, t: Translate) -> None:
    command = sub("demo", t("make a scratch project with a session to try it on, and open it"))
    command.add_argument("--folder", metavar="DIR", help=t("where the project goes: a new or an empty folder"))
    command.add_argument("--no-open", action="store_true", help=t("only make it"))
    _json(command, t)
    command = sub("store", t("say what is kept, by session"))
    _json(command, t)
    command = sub("purge", t("let go of old snapshots"))
    command.add_argument("--older-than", metavar="D", help=t("those older than 12h, 30d or 4w; 30d if not given"))
    command.add_argument(
        "--max-size", metavar="S", help=t("the oldest, until the store fits 500M or 2G; 10G if not given")
    )
    command.add_argument("--dry-run", action="store_true", help=t("only say what would happen"))
    command.add_argument("--yes", action="store_true", help=t("do not ask"))
    _json(command, t)
    command = sub("doctor", t("say what is installed, what was found, and whether the store is well"))
    _json(command, t)


def _session(command: argparse.ArgumentParser, t: Translate) -> None:
    command.add_argument(
        "session",
        nargs="?",
        metavar="SESSION",
        help=t("path, id or beginning of an id; the newest of this folder if not given"),
    )


def _part(command: argparse.ArgumentParser, t: Translate) -> None:
    command.add_argument(
        "--mode", choices=[mode.value for mode in Mode], default=Mode.BOTH.value, help=t("which part goes back")
    )
    command.add_argument(
        "--except",
        dest="leave_out",
        action="append",
        default=[],
        metavar="PATH",
        help=t("leave this file as it is; may be repeated"),
    )


def _agreement(command: argparse.ArgumentParser, t: Translate) -> None:
    command.add_argument("--digest", metavar="D", help=t("refuse if the plan is not the one with this digest"))
    command.add_argument("--partial", action="store_true", help=t("go on although something cannot be restored"))
    command.add_argument("--outside", action="store_true", help=t("also change files outside the workspace"))
    command.add_argument("--live", action="store_true", help=t("go on although an agent may have the session open"))
    command.add_argument("--yes", action="store_true", help=t("do not ask"))
    _json(command, t)


def _json(command: argparse.ArgumentParser, t: Translate) -> None:
    command.add_argument("--json", action="store_true", help=t("answer in JSON; asks nothing"))


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise ValueError(text)
    return port
