"""Story 4: the list of checkpoints in the panel. Each scenario by its number."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import expect

from e2e.panel import Panel
from e2e.wave import WaveSession, compacted_twice, five_turns
from respool.storage.files.locks import Locks
from tests.harness.place import Place

FIVE = ["add a parser", "write a test for it", "now rename the function", "document it", "is it done?"]


@contextmanager
def answering(place: Place, session: WaveSession) -> Iterator[None]:
    """A host of ours inside a turn."""
    path = Locks(str(place.state)).turn_path(str(session.path))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_rewind_lists_every_prompt_with_the_newest_selected(place: Place, panel: Panel) -> None:
    """Scenario 1."""
    five_turns(place)
    rows = panel.open().rewind_list()

    expect(rows.locator(".preview")).to_have_text(FIVE)
    expect(panel.selected.locator(".preview")).to_have_text("is it done?")
    expect(panel.page.get_by_role("listbox", name="Your messages, newest last")).to_be_visible()
    expect(panel.page.locator("#slash")).to_be_hidden()


def test_the_list_scrolls_when_it_is_longer_than_the_place_for_it(place: Place, panel: Panel) -> None:
    """Scenario 1: it can be scrolled, and opens at its end."""
    session = WaveSession(place).header()
    for number in range(60):
        session.user(f"u{number}", f"prompt {number}").answer(f"a{number}", "Done.")
    session.write()
    panel.open().rewind_list()
    first = panel.rows.filter(has_text=re.compile("prompt 0"))

    expect(panel.selected).to_be_in_viewport(ratio=1)
    expect(first).not_to_be_in_viewport()

    panel.page.locator("#list").hover()
    panel.page.mouse.wheel(0, -10_000)

    expect(first).to_be_in_viewport(ratio=1)


def test_arrows_move_within_the_list_and_keep_the_selection_in_view(place: Place, panel: Panel) -> None:
    """Scenario 2: keys."""
    five_turns(place)
    panel.open().rewind_list()
    panel.press("ArrowDown")
    expect(panel.selected.locator(".preview")).to_have_text("is it done?")

    panel.press("ArrowUp", "ArrowUp")
    expect(panel.selected.locator(".preview")).to_have_text("now rename the function")

    panel.press("ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp")
    expect(panel.selected.locator(".preview")).to_have_text("add a parser")
    expect(panel.selected).to_be_in_viewport(ratio=1)
    expect(panel.filter).to_have_attribute("aria-activedescendant", panel.selected.get_attribute("id") or "?")


def test_enter_asks_for_confirmation(place: Place, panel: Panel) -> None:
    """Scenario 2: Enter."""
    five_turns(place)
    panel.open().rewind_list()
    panel.press("ArrowUp", "Enter")

    expect(panel.dialog).to_be_visible()
    expect(panel.dialog.locator("blockquote")).to_have_text("document it")
    expect(panel.picker).to_be_hidden()


def test_escape_closes_and_changes_nothing(place: Place, panel: Panel) -> None:
    """Scenario 2: Esc."""
    session = five_turns(place)
    before = session.path.read_bytes()
    panel.open().rewind_list()
    panel.press("ArrowUp", "Escape")

    expect(panel.picker).to_be_hidden()
    expect(panel.input).to_be_focused()
    expect(panel.prompts).to_have_text(FIVE)
    assert session.path.read_bytes() == before


def test_a_click_on_a_row_asks_like_enter(place: Place, panel: Panel) -> None:
    """Scenario 3."""
    five_turns(place)
    panel.open().rewind_list().nth(1).click()

    expect(panel.dialog.locator("blockquote")).to_have_text("write a test for it")


def test_prompts_from_before_a_compaction_are_listed_and_can_be_gone_back_to(place: Place, panel: Panel) -> None:
    """Scenario 4."""
    compacted_twice(place)
    panel.open()
    expect(panel.prompts).to_have_text(["prompt 3", "prompt 4", "prompt 5"])

    rows = panel.rewind_list()
    expect(rows.locator(".preview")).to_have_text([f"prompt {number}" for number in (1, 2, 3, 4, 5)])
    expect(panel.page.locator("#list .divider")).to_have_count(2)

    rows.nth(1).click()
    panel.confirm.click()

    expect(panel.prompts).to_have_text(["prompt 1"])
    expect(panel.page.locator(".compact-block")).to_have_count(0)
    expect(panel.input).to_have_value("prompt 2")


def test_rewind_is_ignored_while_the_agent_answers(place: Place, panel: Panel) -> None:
    """Scenario 5."""
    session = five_turns(place)
    panel.open()
    with answering(place, session):
        panel.command("/rewind")
        panel.page.locator(".message.user").first.hover()
        panel.page.locator(".rewind-here").first.click()
        panel.command("/help")

        expect(panel.notice).to_contain_text("/undo")
        expect(panel.picker).to_be_hidden()
        expect(panel.dialog).to_have_count(0)


def test_a_rewind_is_refused_when_the_agent_began_to_answer_in_between(place: Place, panel: Panel) -> None:
    """Scenario 5: it starts between the list and the confirmation."""
    session = five_turns(place)
    before = session.path.read_bytes()
    panel.open().ask_about("document it")
    with answering(place, session):
        panel.confirm.click()

        expect(panel.notice).to_contain_text("The agent is still answering.")

    expect(panel.prompts).to_have_text(FIVE)
    assert session.path.read_bytes() == before


def test_without_prompts_the_list_says_so_and_escape_closes_it(place: Place, panel: Panel) -> None:
    """Scenario 6."""
    WaveSession(place).header().answer("a1", "Hello.").write()
    panel.open()
    panel.command("/rewind")

    expect(panel.picker).to_contain_text("There is no message of yours to go back to.")
    panel.press("Enter")
    expect(panel.dialog).to_have_count(0)

    panel.press("Escape")
    expect(panel.picker).to_be_hidden()
    expect(panel.input).to_be_focused()


def test_notifications_and_hook_texts_are_not_listed(place: Place, panel: Panel) -> None:
    """Scenario 7."""
    session = WaveSession(place).header().user("u1", "run the build")
    session.user("h1", "printed by a hook", source="hook")
    note = {"type": "task_notification", "taskId": "t1", "taskType": "shell", "status": "completed", "summary": "built"}
    session.message("n1", "user", note, isMeta=True).message("n2", "user", {**note, "summary": "an old one"})
    session.message("b1", "user", {"type": "bang", "command": "git status", "output": "clean", "exitCode": 0})
    session.answer("a1", "Built.").user("u2", "thanks").answer("a2", "Sure.").write()
    rows = panel.open().rewind_list()

    expect(rows.locator(".preview")).to_have_text(["run the build", "thanks"])
    expect(panel.page.locator(".rewind-here")).to_have_count(2)


def test_after_a_rewind_behind_compactions_the_view_is_what_the_model_saw(place: Place, panel: Panel) -> None:
    """Scenario 8."""
    compacted_twice(place)
    panel.open().rewind_to("prompt 5")

    expect(panel.page.locator(".compact-block summary")).to_have_text("Summary of what came before")
    expect(panel.page.locator(".compact-block .markdown")).to_contain_text("Summary two")
    expect(panel.prompts).to_have_text(["prompt 3", "prompt 4"])
    expect(panel.answers).to_have_text(["answer 3", "answer 4"])

    expect(panel.rewind_list().locator(".preview")).to_have_text([f"prompt {number}" for number in (1, 2, 3, 4)])
