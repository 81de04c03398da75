"""What changes a page that is already on the screen.

Law: ``apply(diff(stale, fresh), stale) == fresh``. A page is a set of regions, a region a list of items; a list goes
whole unless it only grew or a few of its items changed. ``webview/static/patches.js`` does the same to the document.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

FEW = 8
Page = Mapping[str, "Region"]


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of a region. ``key``: id of its one outer element; ``""`` for a region that is one piece.

    ``parts``: pieces inside it that may change on their own; the rest of ``html`` follows from their keys.
    """

    key: str
    html: str
    parts: tuple["Item", ...] = ()


@dataclass(frozen=True, slots=True)
class Region:
    """An element of the page with a stable id, and all that stands in it."""

    items: tuple[Item, ...] = ()

    @property
    def html(self) -> str:
        """The whole content."""
        return "".join(item.html for item in self.items)


@dataclass(frozen=True, slots=True)
class Patch:
    """``replace`` fills region ``id``, ``append`` adds at its end, ``item`` takes the place of element ``id``."""

    op: Literal["replace", "append", "item"]
    id: str
    html: str

    def to_wire(self) -> dict[str, Any]:
        """As the webview reads it."""
        return asdict(self)


def whole(html: str) -> Region:
    """A region of one piece."""
    return Region((Item("", html),)) if html else Region()


def diff(stale: Page, fresh: Page) -> tuple[Patch, ...]:
    """Patches that make a stale page the fresh one. Both have the same regions, or ``stale`` lacks some."""
    return tuple(patch for name, region in fresh.items() for patch in _region(name, stale.get(name, Region()), region))


def opened(page: Page) -> tuple[Patch, ...]:
    """Patches that make any page this one."""
    return tuple(Patch("replace", name, region.html) for name, region in page.items())


def _region(name: str, stale: Region, fresh: Region) -> Iterable[Patch]:
    if stale is fresh or stale == fresh:
        return
    count = len(stale.items)
    changed = [(old, new) for old, new in zip(stale.items, fresh.items, strict=False) if old != new]
    grown = count and [item.key for item in stale.items] == [item.key for item in fresh.items[:count]]
    if not grown or len(changed) > FEW or any(not new.key for _, new in changed):
        yield Patch("replace", name, fresh.html)
        return
    for old, new in changed:
        yield from _item(old, new)
    if len(fresh.items) > count:
        yield Patch("append", name, "".join(item.html for item in fresh.items[count:]))


def _item(stale: Item, fresh: Item) -> Iterable[Patch]:
    changed = [new for old, new in zip(stale.parts, fresh.parts, strict=False) if old != new]
    same = fresh.parts and [part.key for part in stale.parts] == [part.key for part in fresh.parts]
    for item in changed if same and len(changed) <= FEW else (fresh,):
        yield Patch("item", item.key, item.html)


def apply(patches: Iterable[Patch], page: Mapping[str, str]) -> dict[str, str]:
    """The model of what the webview does, on regions as text."""
    result = dict(page)
    for patch in patches:
        if patch.op == "replace":
            result[patch.id] = patch.html
        elif patch.op == "append":
            result[patch.id] += patch.html
        else:
            result = {name: _with_item(html, patch) for name, html in result.items()}
    return result


def _with_item(html: str, patch: Patch) -> str:
    """Elements of items are ``<li … id="KEY">…</li>`` or ``<ul …>``, and never nested in one of their own name."""
    mark = f' id="{patch.id}"'
    if mark not in html:
        return html
    start = html.rindex("<", 0, html.index(mark))
    name = html[start + 1 :].split(None, 1)[0]
    end = html.index(f"</{name}>", start) + len(name) + 3
    return html[:start] + patch.html + html[end:]
