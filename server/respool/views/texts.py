"""Translations: English texts are the message ids, catalogs are gettext ``.po`` files read as they stand."""

import ast
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from respool.views.location import webview_folder

Translate = Callable[[str], str]
CHINESE = "zh_CN"


def mark(text: str) -> str:
    """Name a text for extraction where it is declared; it is translated where it is shown."""
    return text


def translator(language: str | None) -> Translate:
    """Translate into the closest language there is a catalog for; English and unknown texts come back as they are."""
    catalog = _catalog(_closest(language or ""))
    return lambda text: catalog.get(text) or text


def sentences(*texts: str) -> str:
    """One after the other; after a full-width stop comes no space."""
    return "".join(text if text.endswith("。") else f"{text} " for text in texts).rstrip()


def language_of_environment() -> str:
    """What the user's locale asks for (``LC_ALL``, ``LC_MESSAGES``, ``LANG``)."""
    wished = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return _closest(next((value for value in wished if value), ""))


def html_language(language: str | None) -> str:
    """The ``lang`` attribute of a page in that language."""
    return "zh-CN" if _closest(language or "") == CHINESE else "en"


def _closest(language: str) -> str:
    """Catalog of a BCP 47 tag or a locale name. Every kind of Chinese reads the one catalog there is."""
    first = language.replace("_", "-").split(",")[0].split(".")[0].split("-")[0].strip().lower()
    return CHINESE if first == "zh" else "en"


@cache
def _catalog(language: str) -> Mapping[str, str]:
    file = webview_folder() / "locale" / language / "LC_MESSAGES" / "respool.po"
    return dict(_messages(file.read_text("utf-8"))) if file.is_file() else {}


def _messages(source: str) -> Iterator[tuple[str, str]]:
    """Pairs of a catalog: PO files of the gettext manual, without plurals and contexts, which are not used here."""
    parts: dict[str, str] = {}
    current = ""
    for line in [*source.splitlines(), "msgid"]:
        keyword, _, quoted = line.partition(" ")
        if keyword == "msgid" and parts.get("msgid"):
            yield parts["msgid"], parts.get("msgstr", "")
        if keyword in ("msgid", "msgstr"):
            current = keyword
            parts[current] = _unquoted(quoted)
        elif line.startswith('"'):
            parts[current] += _unquoted(line)


def _unquoted(quoted: str) -> str:
    text = ast.literal_eval(quoted) if quoted else ""
    return text if isinstance(text, str) else ""
