"""Hooks in the settings of other agents, with their adapters."""

import os
import shlex
import sys

import respool
from respool.model.hooks import AGENTS
from respool.service.hooks import Hooks
from respool.storage.files.hook_settings import HookSettings


def hooks(state: str) -> Hooks:
    """Capture hooks in the settings of other agents."""

    home = os.path.expanduser("~")
    claude = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    folders = {"claude": claude, "wave": os.path.join(home, ".wave")}
    paths = {agent: os.path.join(folders[agent], "settings.json") for agent in AGENTS}
    return Hooks(files=HookSettings(state, paths), commands={agent: _command(state, agent) for agent in AGENTS})


def _command(state: str, agent: str) -> str:
    """A command line that finds this very installation, and starts nothing but the standard library."""
    entry = os.path.join(os.path.dirname(os.path.abspath(respool.__file__)), "__main__.py")
    return shlex.join((sys.executable, "-I", "-S", entry, "hook", agent, state))
