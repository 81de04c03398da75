"""Transcripts of a session's sub-agents: which call launched which, and what they wrote.

Layout (2.1.332): ``<session>/subagents/agent-<id>.jsonl`` with ``agent-<id>.meta.json``, nested ones beside them; its
``toolUseId`` names the launching call. Before that, ``agent-<id>.jsonl`` in the project folder.
"""

import contextlib
import json
import os
from collections.abc import Iterable

from respool.model.errors import UnreadableTranscript
from respool.storage.files.claude_deeds import AGENT_TOOLS, Call, Deeds, deeds_from
from respool.storage.files.claude_home import agent_transcripts, side_folder
from respool.storage.files.claude_index import ClaudeIndex, read_claude_index

_LARGEST_META = 1 << 20


def launched_by(transcript: str, calls: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Transcript of each sub-agent → id of the launching call; ``calls``: ``(call, agent id or "")``."""
    wanted = dict(calls)
    ids = {agent: call for call, agent in wanted.items() if agent}
    found = {}
    for path in agent_transcripts(transcript):
        name = os.path.basename(path).removeprefix("agent-").removesuffix(".jsonl")
        call = ids.get(name) or _launching_call(path)
        if call in wanted:
            found[path] = call
    for agent, call in ids.items():
        old = os.path.join(os.path.dirname(side_folder(transcript)), f"agent-{agent}.jsonl")
        if os.sep not in agent and os.path.isfile(old):
            found[old] = call
    return found


def _launching_call(path: str) -> str:
    try:
        with open(f"{path.removesuffix('.jsonl')}.meta.json", "rb") as file:
            value = json.loads(file.read(_LARGEST_META))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(value.get("toolUseId", "")) if isinstance(value, dict) else ""


def agents_of(transcript: str, index: ClaudeIndex, places: Iterable[int]) -> tuple[str, ...]:
    """Transcripts of the sub-agents that the rows at these places launched, and of those that they launched in turn."""
    calls = [(call, "") for place in places for call, tool in index.rows[place].calls if tool in AGENT_TOOLS]
    return tuple(_closure(transcript, calls))


def written_by_agents(transcript: str, deeds: Deeds) -> list[Call]:
    """What the sub-agents launched by these deeds wrote, with the line of the launching call of the main file."""
    lines = {call.id: call.line for call in deeds.calls if call.tool in AGENT_TOOLS}
    found: list[Call] = []
    for call, line in lines.items():
        for path, inner in _closure(transcript, [(call, deeds.agents.get(call, ""))]).items():
            name = os.path.basename(path).removesuffix(".jsonl")
            found.extend(
                Call(line=line, id=one.id, tool=one.tool, path=one.path, changed_ms=one.changed_ms, actor=name)
                for one in inner.written
            )
    return found


def _closure(transcript: str, calls: Iterable[tuple[str, str]]) -> dict[str, Deeds]:
    """Transcripts of agents, nested ones too, with what is in them."""
    found: dict[str, Deeds] = {}
    waiting = list(launched_by(transcript, calls))
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found[path] = Deeds()
        with contextlib.suppress(UnreadableTranscript, OSError):
            inner = found[path] = deeds_from(path, read_claude_index(path), 1)
            launches = [(call.id, inner.agents.get(call.id, "")) for call in inner.calls if call.tool in AGENT_TOOLS]
            waiting.extend(launched_by(transcript, launches))
    return found
