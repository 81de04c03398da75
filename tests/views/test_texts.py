"""The catalogs: complete, and read as gettext's own tools read them."""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from respool.model import errors
from respool.views.location import webview_folder
from respool.views.texts import html_language, translator

CATALOG = webview_folder() / "locale" / "zh_CN" / "LC_MESSAGES" / "respool.po"
SERVER = Path(errors.__file__).parents[1]


def translations() -> dict[str, str]:
    with CATALOG.open("rb") as file:
        return {str(message.id): str(message.string) for message in read_po(file) if message.id}


def texts() -> Iterator[str]:
    """Every text of the panel, of refusals and their hints."""
    keywords = {"t": None, "mark": None}
    for folder, method in ((SERVER / "views", "python"), (SERVER / "protocol", "python"), (webview_folder(), "jinja2")):
        patterns = [("**.py", method)] if method == "python" else [("templates/**.j2", method)]
        for _, _, message, _, _ in extract_from_dir(folder, patterns, keywords=keywords):
            yield str(message)
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, errors.Refusal):
            yield from filter(None, (kind.text, kind.hint))


def test_every_text_is_translated() -> None:
    assert sorted(set(texts()) - translations().keys()) == []


def test_translations_keep_the_names_of_what_is_filled_in() -> None:
    def names(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    assert [text for text, translated in translations().items() if names(text) != names(translated)] == []


def test_commands_and_flags_are_not_translated() -> None:
    words = re.compile(r"`[^`]+`|--\w+")

    assert [
        text for text, translated in translations().items() if words.findall(text) != words.findall(translated)
    ] == []


def test_the_catalog_is_read_as_babel_reads_it() -> None:
    t = translator("zh_CN")

    assert {text: t(text) for text in translations()} == translations()


@pytest.mark.parametrize("language", ["zh", "zh-CN", "zh_CN.UTF-8", "zh-Hans-CN", "ZH-cn,en;q=0.8", "zh_TW"])
def test_any_chinese_reads_the_chinese_catalog(language: str) -> None:
    assert translator(language)("Cancel") == "取消"
    assert html_language(language) == "zh-CN"


@pytest.mark.parametrize("language", ["", None, "en", "de-DE", "C.UTF-8", "../../etc", "xx"])
def test_other_languages_read_english(language: str | None) -> None:
    assert translator(language)("Cancel") == "Cancel"
    assert html_language(language) == "en"
