"""Transcripts of Wave's sub-agents: ``subagent-<id>.jsonl`` beside the session that launched them."""

import os
from collections.abc import Iterable


def children_of(transcript: str, agents: Iterable[str]) -> tuple[str, ...]:
    """Those that are there, by the ids of the agents. An id that would lead elsewhere names none."""
    folder = os.path.dirname(os.path.abspath(transcript))
    names = (os.path.join(folder, f"subagent-{agent}.jsonl") for agent in agents if os.path.basename(agent) == agent)
    return tuple(path for path in names if os.path.isfile(path) and not os.path.islink(path))
