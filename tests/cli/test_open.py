"""``respool open`` and the browser it starts; the page itself is the subject of ``e2e``."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

from tests.harness.place import Place

ASKING = "import sys, urllib.request; sys.stderr.write(f'{urllib.request.urlopen(sys.argv[1]).status}\\n')"


@contextmanager
def opened(place: Place, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    """The running command; stopped at the end."""
    process = replace(place.door, extra_env=environment).start("open")
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=20)


def address_of(process: "subprocess.Popen[bytes]") -> str:
    """The last word of what it printed first that is an address."""
    assert process.stdout is not None
    return next(line.decode().strip() for line in process.stdout if b"http://" in line)


def test_a_browser_that_keeps_us_waiting_is_given_the_page(place: Place, root: Path) -> None:
    script = root / "browser.py"
    script.write_text(ASKING)

    with opened(place, BROWSER=f"{sys.executable} {script} %s") as process:
        address_of(process)
        assert process.stderr is not None
        said = [line for line in (process.stderr.readline() for _ in range(2)) if b"session" not in line]

    assert said == [b"200\n"]


def test_without_a_screen_no_text_browser_uses_the_address_up(place: Place, root: Path) -> None:
    browser = root / "www-browser"
    browser.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{ASKING}" "$1"\n')
    browser.chmod(0o755)

    with opened(place, TERM="xterm", PATH=f"{root}:/usr/bin:/bin") as process:
        address = address_of(process)
        assert process.stderr is not None
        said = [line for line in (process.stderr.readline() for _ in range(2)) if b"session" not in line]
        with urlopen(address) as answer:
            status = answer.status

    assert said == [b"respool: no browser could be opened; open the address yourself\n"]
    assert status == 200
