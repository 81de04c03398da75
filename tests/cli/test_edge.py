"""Whatever a command raises becomes words and an exit status, here and nowhere else."""

import json
import os
from collections.abc import Callable
from typing import NoReturn

import pytest

from respool.model.recording import Laid
from respool.protocol.cli.main import run
from respool.service.capture import Capture
from respool.service.hooks import Hooks
from respool.service.services import Services


def no_demo(folder: str) -> Laid:
    raise AssertionError(folder)


def no_capture(session: str, workspace: str) -> Capture:
    raise AssertionError(session)


def no_hooks() -> Hooks:
    raise AssertionError("hooks")


def raising(error: BaseException) -> Callable[[], Services]:
    """Services that cannot be made."""

    def services() -> NoReturn:
        raise error

    return services


def test_the_unforeseen_is_one_line_exit_4_and_internal(capfd: pytest.CaptureFixture[str]) -> None:
    status = run(["sessions", "--json"], raising(RuntimeError("a wheel\ncame off")), no_demo, no_capture, no_hooks)

    out, err = capfd.readouterr()
    assert status == 4
    assert json.loads(out)["error"]["code"] == "internal"
    assert len(err.splitlines()) == 2
    assert "Traceback" not in err


def test_who_asks_for_the_traceback_gets_it(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESPOOL_DEBUG", "1")

    status = run(["sessions"], raising(RuntimeError("a wheel came off")), no_demo, no_capture, no_hooks)

    assert status == 4
    assert "Traceback" in capfd.readouterr().err


def test_ctrl_c_is_130(capfd: pytest.CaptureFixture[str]) -> None:
    status = run(["sessions", "--json"], raising(KeyboardInterrupt()), no_demo, no_capture, no_hooks)

    assert status == 130
    assert json.loads(capfd.readouterr().out)["error"]["code"] == "interrupted"


def test_a_broken_system_call_says_where(capfd: pytest.CaptureFixture[str]) -> None:
    status = run(
        ["sessions"], raising(PermissionError(13, os.strerror(13), "/somewhere")), no_demo, no_capture, no_hooks
    )

    assert status == 4
    assert capfd.readouterr().err == "respool: /somewhere: Permission denied\n"


def test_services_are_not_made_for_wrong_usage(capfd: pytest.CaptureFixture[str]) -> None:
    status = run(["rewind", "--mode", "everything"], raising(AssertionError()), no_demo, no_capture, no_hooks)

    assert status == 2
    assert capfd.readouterr().err.startswith("respool: ")
