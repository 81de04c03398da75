"""Our hooks in the text of an agent's settings: added, found, taken out. Nothing else in the text moves."""

import json
import re
from typing import Any

from respool.model.hooks import TIMEOUT_S, HookedAgent
from respool.model.json_text import Group, group_at, layout, root, with_item, without_items

_OURS = re.compile(r"\brespool\b.*\bhook\b(\s|$)", re.DOTALL)


def is_ours(command: object) -> bool:
    """Whether a hook command is one of ours, of whatever installation."""
    return isinstance(command, str) and _OURS.search(command) is not None


def commands(text: str | None, event: str) -> list[str]:
    """Our commands at an event."""
    hooks = (json.loads((text or "{}").removeprefix("\ufeff")) or {}).get("hooks")
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    return [
        hook["command"]
        for group in (groups if isinstance(groups, list) else [])
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for hook in group["hooks"]
        if isinstance(hook, dict) and is_ours(hook.get("command"))
    ]


def with_ours(text: str | None, agent: HookedAgent, command: str) -> str:
    """The settings with our command at every event of the agent. Raises ``ValueError`` where they cannot be edited."""
    text = "{}\n" if text is None or not text.removeprefix("\ufeff").strip() else text
    if all(commands(text, event) == [command] for event in agent.events):
        return text
    text = without_ours(text)
    style = layout(text)
    if root(text).find("hooks") is None:
        text = with_item(text, root(text), {}, key="hooks", depth=1, style=style)
    for event, matcher in agent.events.items():
        entry = _entry(command, matcher)
        hooks = _inner(text, root(text), "hooks", "{")
        if hooks.find(event) is None:
            text = with_item(text, hooks, [entry], key=event, depth=2, style=style)
        else:
            text = with_item(text, _inner(text, hooks, event, "["), entry, key=None, depth=3, style=style)
    return text


def _entry(command: str, matcher: str | None) -> dict[str, Any]:
    hook = {"type": "command", "command": command, "timeout": TIMEOUT_S}
    return {"hooks": [hook]} if matcher is None else {"matcher": matcher, "hooks": [hook]}


def _inner(text: str, outer: Group, key: str, bracket: str) -> Group:
    item = outer.find(key)
    if item is None or text[item.value] != bracket:
        raise ValueError(f'"{key}" is not what the agent expects')
    return group_at(text, item.value)


def without_ours(text: str) -> str:
    """The settings without any command of ours; what is empty only because of that goes too."""
    hooks_item = root(text).find("hooks")
    if hooks_item is None or text[hooks_item.value] != "{":
        return text
    ours = [item.key for item in group_at(text, hooks_item.value).items if commands(text, item.key)]
    for event in ours:
        text = _without_event(text, event)
    outer = root(text)
    item = outer.find("hooks")
    if ours and item is not None and not group_at(text, item.value).items:
        text = without_items(text, outer, [item])
    return text


def _without_event(text: str, event: str) -> str:
    hooks = _inner(text, root(text), "hooks", "{")
    groups = _inner(text, hooks, event, "[")
    for number in reversed(range(len(groups.items))):
        text = _without_command(text, event, number)
    hooks = _inner(text, root(text), "hooks", "{")
    item = hooks.find(event)
    if item is not None and not group_at(text, item.value).items:
        text = without_items(text, hooks, [item])
    return text


def _without_command(text: str, event: str, number: int) -> str:
    groups = _inner(text, _inner(text, root(text), "hooks", "{"), event, "[")
    item = groups.items[number]
    if text[item.value] != "{":
        return text
    group = group_at(text, item.value)
    found = group.find("hooks")
    if found is None or text[found.value] != "[":
        return text
    listed = group_at(text, found.value)
    gone = [one for one in listed.items if _is_our_hook(text[one.value : one.end])]
    if gone and len(gone) == len(listed.items):
        return without_items(text, groups, [item])
    return without_items(text, listed, gone)


def _is_our_hook(text: str) -> bool:
    value = json.loads(text)
    return isinstance(value, dict) and is_ours(value.get("command"))
