"""Editing one place in a JSON text and leaving every other character as it is.

Values are found with the standard library's decoder, which tells where each one ends; nothing is written out anew.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

SPACE = " \t\r\n"
_value_at = json.JSONDecoder().raw_decode


@dataclass(frozen=True)
class Item:
    """A member of an object, or an element of an array (``key`` is empty). ``start`` is where the member begins."""

    key: str
    start: int
    value: int
    end: int


@dataclass(frozen=True)
class Group:
    """An object or array. ``open`` and ``close`` are the places of its brackets."""

    open: int
    items: tuple[Item, ...]
    close: int

    def find(self, key: str) -> Item | None:
        """The member that counts: of equal keys the last."""
        return next((item for item in reversed(self.items) if item.key == key), None)


def group_at(text: str, at: int) -> Group:
    """The object or array that begins there. Raises ``ValueError`` where the text is neither, or no JSON."""
    if text[at : at + 1] not in ("{", "["):
        raise ValueError("it is no object")
    named, place, items = text[at] == "{", _past_space(text, at + 1), []
    while text[place : place + 1] not in ("}", "]"):
        start, key = place, ""
        if named:
            key, place = _value_at(text, place) if text[place : place + 1] == '"' else _no_key(place)
            place = _past_space(text, _past(text, place, ":"))
        value = place
        _, place = _value_at(text, place)
        items.append(Item(key, start, value, place))
        place = _past_space(text, place)
        if text[place : place + 1] == ",":
            place = _past_space(text, place + 1)
    return Group(at, tuple(items), place)


def _no_key(place: int) -> tuple[str, int]:
    raise ValueError(f"a name is missing at character {place}")


def _past_space(text: str, place: int) -> int:
    while text[place : place + 1] and text[place] in SPACE:
        place += 1
    return place


def _past(text: str, place: int, sign: str) -> int:
    place = _past_space(text, place)
    if text[place : place + 1] != sign:
        raise ValueError(f"{sign!r} is missing at character {place}")
    return place + 1


def root(text: str) -> Group:
    """The outermost object; a byte order mark may stand before it. Raises ``ValueError``."""
    json.loads(text.removeprefix("\ufeff"))
    found = group_at(text, _past_space(text, 1 if text.startswith("\ufeff") else 0))
    if text[found.open] != "{":
        raise ValueError("it is no object")
    return found


@dataclass(frozen=True)
class Layout:
    """How a text is laid out: ``indent`` for one step (``None``: all on one line) and its line end."""

    indent: str | None
    newline: str

    def written(self, value: object, depth: int) -> str:
        """A value as it would stand at that depth."""
        if self.indent is None:
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, ensure_ascii=False, indent=self.indent).split("\n")
        return (self.newline + self.indent * depth).join(lines)


def layout(text: str) -> Layout:
    """Read off the first member, where there is one."""
    found = root(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    if not found.items:
        return Layout("  ", newline)
    before = text[found.open + 1 : found.items[0].start]
    return Layout(before.rpartition("\n")[2] or "  ", newline) if "\n" in before else Layout(None, newline)


def with_item(text: str, group: Group, value: object, *, key: str | None, depth: int, style: Layout) -> str:
    """The text with one more member or element at the end of a group; ``depth``: of the new item."""
    written = ("" if key is None else json.dumps(key, ensure_ascii=False) + ": ") + style.written(value, depth)
    if style.indent is None:
        lead, tail = (" " if group.items else ""), ""
    else:
        lead, tail = style.newline + style.indent * depth, style.newline + style.indent * (depth - 1)
    if group.items:
        end = group.items[-1].end
        return f"{text[:end]},{lead}{written}{text[end:]}"
    return f"{text[: group.open + 1]}{lead}{written}{tail}{text[group.close :]}"


def without_items(text: str, group: Group, gone: Iterable[Item]) -> str:
    """The text without some items of a group, their commas, and the space around them."""
    left = [item for item in group.items if item not in set(gone)]
    if len(left) == len(group.items):
        return text
    if not left:
        return text[: group.open + 1] + text[group.close :]
    parts, previous = [text[: group.items[0].start]], None
    for place, item in enumerate(group.items):
        if item not in left:
            continue
        if previous is not None:
            parts.append(text[group.items[place - 1].end : item.start])
        parts.append(text[item.start : item.end])
        previous = item
    return "".join(parts) + text[group.items[-1].end :]
