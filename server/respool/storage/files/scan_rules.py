"""What a scan leaves out, and by which rule. README and the plan name the rules; nothing is left out in silence.

| rule | what |
|---|---|
| ``git``, ``versions`` | ``.git`` (folder or file); ``.hg``, ``.jj``, ``.svn``, ``.bzr`` |
| ``dependencies`` | ``node_modules``, ``bower_components``, ``.pnpm-store``; any folder with a ``pyvenv.cfg`` |
| ``build`` | ``.gradle``, ``.next``, ``.nuxt``, ``.turbo``; ``target`` beside a ``Cargo.toml`` |
| ``cache`` | ``__pycache__``, ``.{mypy,pytest,ruff}_cache``, ``.hypothesis``, ``.tox``, ``.nox``, ``.parcel-cache`` |
| ``tagged_cache`` | any folder with a valid ``CACHEDIR.TAG`` |
| ``state``, ``agent`` | our own state; the homes of agents (their transcripts are restored by other means) |
| ``mount``, ``unreadable``, ``too_many`` | another file system; no permission; more than ``MOST_ENTRIES`` in all |

``dist`` and ``build`` are looked into like any other folder: people keep work in folders of these names.
A file is tracked without its bytes when it is ``too_large``, when all files together are ``over_limit``, or
``unreadable``. Once a folder is left out, or looked into, it stays so for as long as it stands: a rule that begins or
ceases to hold half-way must not make files look deleted or new.

Standard library only, and little of it: the hook path imports this.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LARGEST_BYTES = 32 << 20
MOST_ENTRIES = 200_000
MOST_BYTES = 2 << 30

BY_NAME = {
    ".git": "git",
    **dict.fromkeys((".hg", ".jj", ".svn", ".bzr"), "versions"),
    **dict.fromkeys(("node_modules", "bower_components", ".pnpm-store"), "dependencies"),
    **dict.fromkeys((".gradle", ".next", ".nuxt", ".turbo"), "build"),
    **dict.fromkeys(("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"), "cache"),
    **dict.fromkeys((".tox", ".nox", ".parcel-cache"), "cache"),
}
SILENT = frozenset({"cache"})
"""Made anew by the tool that owns it; a change in it can matter to nobody."""
RETRIED = frozenset({"mount", "unreadable", "too_many"})
"""About the moment, not about the folder: tried again at every look."""
CACHE_TAG = b"Signature: 8a477f597d28d172789f06886806bc55"
AGENT_HOMES = (".claude", ".claude.json", ".wave", ".codex", ".gemini", ".qwen", ".local/share/opencode")


class Limits:
    """How much is tracked, in bytes and names."""

    __slots__ = ("largest_bytes", "most_bytes", "most_entries")

    def __init__(
        self, largest_bytes: int = LARGEST_BYTES, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES
    ) -> None:
        self.largest_bytes, self.most_bytes, self.most_entries = largest_bytes, most_bytes, most_entries


class Rules:
    """Which folders below ``root`` are left out. ``apart``: real path → rule."""

    def __init__(self, root: str, apart: "dict[str, str]") -> None:
        inside = root.rstrip("/") + "/"
        self._apart = {path[len(inside) :]: rule for path, rule in apart.items() if path.startswith(inside)}

    def names_apart(self, folder: str) -> "Iterable[str]":
        """Files (not folders) directly in ``folder`` that are left out."""
        return [os.path.basename(path) for path in self._apart if os.path.dirname(path) == folder]

    def by_place(self, folder: str, name: str, beside: "Collection[str]") -> str | None:
        """The rule for a folder, told from where it is."""
        rule = BY_NAME.get(name) or self._apart.get(folder)
        if rule is None and name == "target" and "Cargo.toml" in beside:
            return "build"
        return rule

    def by_content(self, path: str, names: "Collection[str]") -> str | None:
        """The rule for a folder, told from what is in it."""
        if "pyvenv.cfg" in names:
            return "dependencies"
        if "CACHEDIR.TAG" in names and _is_tagged(os.path.join(path, "CACHEDIR.TAG")):
            return "tagged_cache"
        return None


def places_apart(state: str) -> dict[str, str]:
    """Our own state folder and the homes of agents, with their rules."""
    home = os.path.expanduser("~")
    agents = [os.path.join(home, name) for name in AGENT_HOMES]
    agents += [os.environ[name] for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME") if os.environ.get(name)]
    return {**{os.path.realpath(path): "agent" for path in agents}, os.path.realpath(state): "state"}


def _is_tagged(path: str) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.read(fd, len(CACHE_TAG)) == CACHE_TAG
    except OSError:
        return False
    finally:
        os.close(fd)
