"""Which hooks of which agent we need, and what they cannot show us."""

from dataclasses import dataclass

from respool.model.errors import Refusal
from respool.model.plan import Notice

WRITING_TOOLS = "Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.*"
"""Tools that may change files; the others are not worth a process."""
TIMEOUT_S = 60
"""The first look at a large workspace takes its time; everything after it is quick."""


@dataclass(frozen=True, kw_only=True)
class HookedAgent:
    """An agent that runs our command at its events.

    ``events``: event → matcher, ``None`` where the event takes none. Only the agent's own events: one it does not know
    may make it refuse the whole file. ``gaps``: what its events never tell.
    """

    name: str
    events: dict[str, str | None]
    gaps: tuple[Notice, ...] = ()


CLAUDE = HookedAgent(
    name="claude",
    events={
        "SessionStart": None,
        "UserPromptSubmit": None,
        "PreToolUse": WRITING_TOOLS,
        "PostToolUse": WRITING_TOOLS,
        "PostToolUseFailure": WRITING_TOOLS,
        "SubagentStart": None,
        "SubagentStop": None,
        "Stop": None,
        "SessionEnd": None,
    },
)
"""Claude Code 2.1; events and payloads as measured with 2.1.332."""

WAVE = HookedAgent(
    name="wave",
    events={
        "SessionStart": None,
        "UserPromptSubmit": None,
        "PreToolUse": WRITING_TOOLS,
        "PostToolUse": WRITING_TOOLS,
        "SubagentStop": None,
        "Stop": None,
        "SessionEnd": None,
    },
    gaps=(
        Notice(
            code="no_subagent_identity",
            text="Wave does not say which of several sub-agents acts: their changes go with the prompt that is newest",
        ),
        Notice(
            code="background_unseen",
            text="what a background command writes after its tool call returned is seen only by the next look",
        ),
    ),
)
"""Wave's hook events as its settings name them; it knows no failure event and no start of a sub-agent."""

AGENTS = {agent.name: agent for agent in (CLAUDE, WAVE)}


@dataclass(frozen=True, kw_only=True)
class HookChange:
    """What installing or removing does to a settings file. ``before``/``after``: its text, ``None`` = no file."""

    agent: str
    path: str
    before: str | None
    after: str | None
    backup: str | None = None

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return self.before != self.after


@dataclass(frozen=True, kw_only=True)
class HookStatus:
    """``missing``: events without our command. ``stale``: events with a command of ours that is not today's."""

    agent: str
    path: str
    installed: tuple[str, ...]
    missing: tuple[str, ...]
    stale: tuple[str, ...]
    gaps: tuple[Notice, ...]


class UnreadableSettings(Refusal):
    """The settings of an agent are not what the agent itself could read."""

    code = "unreadable_settings"
    text = "{path} cannot be edited: {reason}"
    hint = "Nothing was changed. Repair the file, then try again."
