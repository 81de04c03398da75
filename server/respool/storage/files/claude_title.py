"""The title of a Claude Code session, as its own list makes it (2.1.332)."""

import json
import os

from respool.storage.files.claude_chain import Branch
from respool.storage.files.claude_home import side_folder
from respool.storage.files.claude_index import ClaudeIndex
from respool.storage.files.claude_prompts import live_prompts
from respool.storage.files.wave import preview, shown

FALLBACK_TITLE = "New conversation"
TITLE_CHARACTERS = 80
_LARGEST_SIDE_FILE = 65_536


def title_of(transcript: str, index: ClaudeIndex, branch: Branch) -> str:
    """Given by the user, else by the model, else the last prompt, an old summary, the first prompt, a fixed text."""
    titles = index.titles
    named = titles.custom or side_title(transcript) or titles.ai
    if named:
        return shown(named)
    for text in (preview(titles.last_prompt), preview(titles.summary), *_first_prompt(index, branch)):
        if text:
            return text[:TITLE_CHARACTERS]
    return FALLBACK_TITLE


def _first_prompt(index: ClaudeIndex, branch: Branch) -> tuple[str, ...]:
    return tuple(index.prompts[place].preview for place in live_prompts(index, branch)[:1])


def side_title(transcript: str) -> str:
    """The title newer versions keep beside the transcript."""
    try:
        with open(os.path.join(side_folder(transcript), "custom-title.json"), "rb") as file:
            value = json.loads(file.read(_LARGEST_SIDE_FILE))
    except (OSError, ValueError, RecursionError):
        return ""
    title = value.get("customTitle") if isinstance(value, dict) else None
    return title.strip() if isinstance(title, str) else ""
