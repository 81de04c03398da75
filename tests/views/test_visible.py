"""Hostile text is readable and does nothing."""

import pytest

from respool.views.visible import one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("bell\x07 and escape\x1b", "bell␇ and escape␛"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("tab\tstays", "tab\tstays"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("gnp\u202efdp.exe", "gnp[U+202E]fdp.exe"),
        ("isolate\u2066x\u2069", "isolate[U+2066]x[U+2069]"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("שלום and 你好 stay", "שלום and 你好 stay"),
    ],
)
def test_controls_are_dropped_or_marked_and_words_stay(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_preview_is_one_bounded_line() -> None:
    line = one_line("  a\n\n\tb  " + "x" * 1_000_000)

    assert line.startswith("a b xxx")
    assert line.endswith("…")
    assert len(line) == 240


def test_a_blank_text_gives_nothing() -> None:
    assert one_line(" \n\t ") == ""
