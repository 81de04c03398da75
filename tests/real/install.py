"""The real Claude Code for the tests: its binary out of the wheel of ``claude-agent-sdk``, kept in the user's cache.

It is proprietary and may not be passed on, so every machine fetches its own. ``python -m tests.real.install``
"""

import fcntl
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

VERSION = "0.2.189"
"""Of the wheel; the binary in it is 2.1.332."""
SHA256 = {
    "claude_agent_sdk-0.2.189-py3-none-manylinux_2_17_x86_64.whl": (
        "b26a6a30a4e2cb025a6f5c95e1ce4469b38fcc51015c392f627bea7c948d67ad"
    )
}
"""Wheel → digest. A wheel for another machine is not pinned: pip compares it with what the index says."""
MEMBER = "claude_agent_sdk/_bundled/claude"
PIECE_BYTES = 1 << 20


class NotToBeHad(Exception):
    """There is no binary and none could be fetched; the text is one line."""


def folder() -> Path:
    """Where the binary of this version is, or would be."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "respool-test" / f"claude-{VERSION}-{platform.system()}-{platform.machine()}".lower()


def installed() -> Path | None:
    """The binary, if it is whole: it gets its name last, and a digest beside it first."""
    binary, noted = folder() / "claude", folder() / "claude.sha256"
    if not (binary.is_file() and noted.is_file()):
        return None
    return binary if noted.read_text() == f"{sha256(binary)}\n" else None


def install() -> tuple[Path, bool]:
    """The binary, and whether it had to be fetched. Raises ``NotToBeHad``."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with open(folder() / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            binary = installed()
            return (binary, False) if binary is not None else (_fetched(), True)
    except OSError as error:
        raise NotToBeHad(f"the real claude cannot be kept in {folder()}: {error}") from error


def _fetched() -> Path:
    with tempfile.TemporaryDirectory(dir=folder()) as name:
        wheel = _downloaded(Path(name))
        wanted = SHA256.get(wheel.name)
        if wanted is not None and sha256(wheel) != wanted:
            raise NotToBeHad(
                f"the real claude was not installed: {wheel.name} is not the file the tests were made with"
            )
        try:
            with zipfile.ZipFile(wheel) as archive:
                made = Path(archive.extract(MEMBER, name))
        except (zipfile.BadZipFile, KeyError) as error:
            raise NotToBeHad(f"the real claude was not installed: {wheel.name} holds no {MEMBER}") from error
        made.chmod(0o755)
        (folder() / "claude.sha256").write_text(f"{sha256(made)}\n")
        os.replace(made, folder() / "claude")
    return folder() / "claude"


def _downloaded(into: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    wanted = ["download", "--no-deps", "--only-binary", ":all:", "--dest", str(into), f"claude-agent-sdk=={VERSION}"]
    done = subprocess.run([*pip, *wanted], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    wheels = list(into.glob("*.whl"))
    if done.returncode or not wheels:
        errors = re.findall(r"^ERROR: (.*)$", done.stderr, re.MULTILINE) or [f"pip ended with {done.returncode}"]
        raise NotToBeHad(f"the real claude cannot be fetched (claude-agent-sdk {VERSION}): {errors[-1]}")
    return wheels[0]


def sha256(path: Path) -> str:
    """Digest of a large file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def main() -> int:
    """Install it and say so."""
    try:
        binary, fetched = install()
    except NotToBeHad as error:
        print(error, file=sys.stderr)
        return 1
    print(f"claude of claude-agent-sdk {VERSION} {'fetched into' if fetched else 'is there already:'} {binary}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
