"""A Python that has imported the product and forks for every command: a real process each, without the start-up.

Reads one JSON request a line on stdin and answers each with one number. ``run``: the exit code. ``hold``: the pid of
a command that has stopped itself before its first step, to be traced. ``wait``: the exit code of such a one.
"""

import atexit
import contextlib
import importlib
import json
import os
import pkgutil
import runpy
import signal
import sys
import threading
import traceback
from typing import Any, NoReturn

LIMIT_S = 60
"""A command that takes longer is killed (SIGALRM), so that one that hangs does not hang the server."""


def warm_up() -> None:
    """Import what commands import; nothing of it runs."""
    for name in ("respool", "sqlalchemy.dialects.sqlite", "alembic.command"):
        importlib.import_module(name)
    package = importlib.import_module("respool")
    for module in pkgutil.walk_packages(package.__path__, "respool."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)


def become(request: dict[str, Any]) -> None:
    """Turn this process into the command: its streams, environment, folder and arguments."""
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    for stream, path in enumerate((os.devnull, request["out"], request["err"])):
        fd = os.open(path, os.O_WRONLY if stream else os.O_RDONLY)
        os.dup2(fd, stream)
        os.close(fd)
    sys.argv = ["respool", *request["args"]]
    signal.alarm(LIMIT_S)
    if request["do"] == "hold":
        os.kill(os.getpid(), signal.SIGSTOP)


def exit_code(pid: int) -> int:
    """Wait for a child."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main() -> None:
    """Serve until stdin ends."""
    warm_up()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    for line in iter(sys.stdin.readline, ""):
        request = json.loads(line)
        if request["do"] == "wait":
            answers.write(f"{exit_code(request['pid'])}\n")
            continue
        pid = os.fork()
        if pid == 0:
            answers.close()
            become(request)
            break
        answers.write(f"{pid if request['do'] == 'hold' else exit_code(pid)}\n")
    else:
        return
    leave(run())


def run() -> int:
    """Do what ``python -m respool`` does, and return its exit code."""
    try:
        runpy.run_module("respool", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:  # noqa: BLE001 - this is the top of the process
        traceback.print_exc()
        return 1
    return 0


def leave(code: int) -> NoReturn:
    """End as an interpreter does, but for freeing every module, which costs more than the command itself."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
