"""Every code has its sentence; an unknown one speaks for itself."""

import pytest

from respool.model import errors
from respool.model.plan import Notice
from respool.views.notices import REASONS, WARNINGS, reason_text, refusal_notice, sentence, warning_text
from respool.views.texts import translator

EN, ZH = translator("en"), translator("zh_CN")
CODES = (
    "missing_backup folder_in_the_way parent_not_a_folder link not_regular read_only outside_workspace outside_history "
    "git_folder protected left_out bad_path unreadable"
)


@pytest.mark.parametrize("code", CODES.split())
def test_every_reason_has_a_sentence_in_both_languages(code: str) -> None:
    assert code in REASONS
    assert reason_text(code, EN) != reason_text(code, ZH)


@pytest.mark.parametrize("code", list(WARNINGS))
def test_every_warning_has_a_sentence_in_both_languages(code: str) -> None:
    notice = Notice(code=code, text="x {tool} {line}", params={"tool": "Bash", "line": 7})

    assert warning_text(notice, EN) != warning_text(notice, ZH)
    assert warning_text(notice, EN) != "X Bash 7."


def test_an_unknown_warning_is_shown_in_its_own_words() -> None:
    assert warning_text(Notice(code="new_one", text="{n} things happened", params={"n": 2}), ZH) == "2 things happened."


def test_a_warning_without_the_usual_parameters_is_shown_in_its_own_words() -> None:
    assert warning_text(Notice(code="not_captured", text="a tool ran", params={}), EN) == "A tool ran."


def test_a_shell_escape_is_named_in_words() -> None:
    notice = Notice(code="not_captured", text="", params={"tool": "!", "line": 7})

    assert warning_text(notice, EN) == "What your own command did to files (line 7) was not recorded and stays."


def test_an_unknown_reason_is_its_code() -> None:
    assert reason_text("brand_new", EN) == "brand_new"


def test_parameters_from_a_transcript_are_harmless() -> None:
    notice = Notice(code="not_captured", text="", params={"tool": "\x1b[31m{line}\u202e", "line": 1})

    assert warning_text(notice, EN) == "What {line}[U+202E] did to files (line 1) was not recorded and stays."


def test_a_refusal_says_why_and_what_to_do() -> None:
    notice = refusal_notice(errors.UnknownMessage(message="u9"), EN)

    assert notice.text == "There is no message u9 in this session."
    assert notice.hint == "The conversation has changed; look at the list again."


def test_sentences_end_as_their_language_ends_them() -> None:
    assert sentence("agent 仍在回答") == "Agent 仍在回答。"
    assert sentence("it works") == "It works."
    assert sentence("really?") == "Really?"
    assert sentence("") == ""
