"""Rewinds and undos through the panel: files and transcript on disk are what the page says."""

import json
from pathlib import Path

from playwright.sync_api import expect

from e2e.host import Host
from e2e.panel import Panel
from e2e.wave import WaveSession, five_turns
from tests.harness.place import Place, append, quieten


def ids(path: Path) -> list[str]:
    """Message ids of a transcript."""
    return [record["id"] for record in map(json.loads, path.read_text().splitlines()) if "id" in record]


def test_conversation_and_files_go_back_together(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    panel.open().rewind_to("write a test for it")

    expect(panel.prompts).to_have_text(["add a parser"])
    expect(panel.input).to_have_value("write a test for it")
    expect(panel.input).to_be_focused()
    expect(panel.notice).to_contain_text("3 files restored.")
    assert ids(session.path) == ["u1", "a1"]
    assert not (place.work / "tests/new_test.ts").exists()
    assert (place.work / "src/main.ts").read_text() == "foo()\n"
    assert (place.work / "README.md").read_text() == "# demo\n"


def test_undo_brings_everything_back(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    before = session.path.read_bytes()
    panel.open().rewind_to("write a test for it")
    panel.notice.get_by_role("button", name="Undo").click()
    expect(panel.dialog).to_contain_text("Take back the last rewind?")
    panel.confirm.click()

    expect(panel.notice).to_contain_text("Taken back.")
    expect(panel.prompts).to_have_count(5)
    expect(panel.input).to_have_value("")
    assert session.path.read_bytes() == before
    assert (place.work / "tests/new_test.ts").read_text() == "ok\n"
    assert (place.work / "src/main.ts").read_text() == "bar()\n"


def test_undo_is_a_command_too_and_says_when_there_is_nothing(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.open()
    panel.command("/undo")

    expect(panel.notice).to_contain_text("There is no rewind to take back.")


def test_the_first_prompt_clears_the_conversation_and_keeps_header_and_title(place: Place, panel: Panel) -> None:
    """Story 5, scenario 1: the title is still there, on the page and in the file."""
    session = WaveSession(place).header().user("u1", "start").answer("a1", "Yes.").title("Payments refactor").write()
    header = session.path.read_bytes().splitlines()[0]
    panel.open().rewind_to("start")

    expect(panel.page.locator("#earlier")).to_contain_text("No messages.")
    expect(panel.page.locator("h1")).to_have_text("Payments refactor")
    lines = session.path.read_bytes().splitlines()
    assert lines[0] == header
    assert [json.loads(line).get("customTitle") for line in lines[1:]] == ["Payments refactor", "Payments refactor"]

    panel.page.locator("#to-sessions").click()
    expect(panel.page.locator(".session .title")).to_have_text("Payments refactor")


def test_a_file_left_out_stays(place: Place, panel: Panel) -> None:
    five_turns(place)
    dialog = panel.open().ask_about("write a test for it")
    dialog.get_by_label("src/main.ts").uncheck()
    expect(dialog.locator(".kept .path")).to_have_text("src/main.ts")
    expect(dialog.locator("#files-title")).to_have_text("2 files change")
    panel.confirm.click()

    expect(panel.notice).to_contain_text("src/main.ts: you left it out")
    assert (place.work / "src/main.ts").read_text() == "bar()\n"
    assert (place.work / "README.md").read_text() == "# demo\n"


def test_conversation_only_leaves_the_files(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    panel.open().ask_about("write a test for it").get_by_label("Conversation only").check()
    expect(panel.dialog).to_contain_text("Files stay as they are.")
    panel.confirm.click()

    expect(panel.prompts).to_have_count(1)
    assert ids(session.path) == ["u1", "a1"]
    assert (place.work / "src/main.ts").read_text() == "bar()\n"


def test_files_only_leaves_the_conversation(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    before = session.path.read_bytes()
    panel.open().ask_about("write a test for it").get_by_label("Files only").check()
    expect(panel.dialog).to_contain_text("The conversation stays as it is.")
    panel.confirm.click()

    expect(panel.notice).to_contain_text("3 files restored.")
    expect(panel.prompts).to_have_count(5)
    expect(panel.input).to_have_value("")
    assert session.path.read_bytes() == before
    assert (place.work / "src/main.ts").read_text() == "foo()\n"


def test_a_file_that_cannot_be_restored_needs_a_consent_and_is_named(place: Place, panel: Panel) -> None:
    session = WaveSession(place).header().user("u1", "start").answer("a1", "Yes.").user("u2", "change both")
    session.edits("a2", "a.txt", "old a\n", "new a\n").edits("a3", "b.txt", "old b\n", "new b\n", backup=False).write()
    dialog = panel.open().ask_about("change both")

    expect(dialog).to_contain_text("Cannot be restored")
    expect(dialog.locator(".left")).to_contain_text("its earlier content was not kept")
    expect(panel.confirm).to_be_disabled()

    dialog.get_by_label("Rewind anyway").check()
    panel.confirm.click()

    expect(panel.notice).to_contain_text("b.txt: its earlier content was not kept")
    assert (place.work / "a.txt").read_text() == "old a\n"
    assert (place.work / "b.txt").read_text() == "new b\n"


def test_a_changed_file_is_marked_and_its_new_bytes_come_back_with_undo(place: Place, panel: Panel) -> None:
    five_turns(place)
    (place.work / "src/main.ts").write_text("mine()\n")
    dialog = panel.open().ask_about("now rename the function")

    expect(dialog.locator(".files li").filter(has_text="src/main.ts")).to_contain_text("changed since")

    panel.confirm.click()
    expect(panel.notice).to_be_visible()
    assert (place.work / "src/main.ts").read_text() == "foo()\n"

    panel.command("/undo")
    panel.confirm.click()
    expect(panel.notice).to_contain_text("Taken back.")
    assert (place.work / "src/main.ts").read_text() == "mine()\n"


def test_a_file_outside_the_workspace_needs_a_consent(place: Place, panel: Panel) -> None:
    session = WaveSession(place).header().user("u1", "start").answer("a1", "Yes.").user("u2", "change it")
    session.edits("a2", "../outside.txt", "old\n", "new\n").write()
    dialog = panel.open().ask_about("change it")

    expect(dialog.locator(".files")).to_contain_text("outside the workspace")
    expect(panel.confirm).to_be_disabled()

    dialog.get_by_label("Also change files outside the workspace").check()
    panel.confirm.click()
    expect(panel.notice).to_be_visible()
    assert (place.root / "outside.txt").read_text() == "old\n"


def test_what_a_shell_command_did_is_named_as_not_recorded(place: Place, panel: Panel) -> None:
    tool = {"type": "tool", "id": "c", "name": "Bash", "parameters": '{"command":"make"}', "result": "", "stage": "end"}
    WaveSession(place).header().user("u1", "build").message("a1", "assistant", tool).answer("a2", "Built.").write()
    dialog = panel.open().ask_about("build")

    expect(dialog).to_contain_text("What Bash did to files (line 3) was not recorded and stays.")


def test_a_session_that_may_be_open_somewhere_needs_a_consent(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    session.path.touch()
    dialog = panel.open().ask_about("document it")

    expect(dialog).to_contain_text("An agent may still have this session open.")
    expect(panel.confirm).to_be_disabled()

    dialog.get_by_label("Go on although an agent may have it open").check()
    panel.confirm.click()
    expect(panel.prompts).to_have_count(3)


def test_a_plan_that_went_stale_is_shown_anew(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    dialog = panel.open().ask_about("document it")
    expect(dialog.locator("#dialog-summary")).to_contain_text("5 messages go")
    (place.work / "README.md").write_text("# mine\n")
    panel.confirm.click()

    expect(dialog).to_contain_text("This is the new plan; look at it and decide again.")
    expect(dialog.locator(".files")).to_contain_text("changed since")
    assert len(ids(session.path)) == 13

    panel.confirm.click()
    expect(panel.prompts).to_have_count(3)
    assert (place.work / "README.md").read_text() == "# demo\n"


def test_a_message_that_is_gone_is_refused_and_the_list_is_the_new_one(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    panel.open().ask_about("is it done?")
    kept = session.path.read_bytes().splitlines(keepends=True)[:-2]
    session.path.write_bytes(b"".join(kept))
    quieten(session.path)
    panel.confirm.click()

    expect(panel.notice).to_contain_text("There is no message")
    expect(panel.prompts).to_have_count(4)
    expect(panel.rewind_list()).to_have_count(4)


def test_messages_others_append_appear_and_keep_the_readers_place(place: Place, panel: Panel) -> None:
    session = WaveSession(place).header()
    for number in range(40):
        session.user(f"u{number}", f"prompt {number}").answer(f"a{number}", "Done. " * 50)
    session.write()
    panel.open()
    panel.page.locator("#main").evaluate("element => { element.scrollTop = 200 }")
    append(session.path, *WaveSession(place, minute=99).user("new", "one more prompt").records)

    expect(panel.prompts.last).to_have_text("one more prompt")
    assert panel.page.locator("#main").evaluate("element => element.scrollTop") == 200


def test_an_open_list_takes_new_prompts_in_and_keeps_selection_and_filter(place: Place, panel: Panel) -> None:
    session = five_turns(place)
    panel.open().rewind_list()
    panel.page.keyboard.type("the")
    panel.press("ArrowUp")
    expect(panel.selected.locator(".preview")).to_have_text("now rename the function")
    append(session.path, *WaveSession(place, minute=99).user("new", "the newest").records)

    expect(panel.rows.locator(".preview")).to_have_text(["now rename the function", "the newest"])
    expect(panel.selected.locator(".preview")).to_have_text("now rename the function")
    expect(panel.filter).to_be_focused()


def test_a_page_patched_all_along_is_the_page_a_new_tab_gets(place: Place, panel: Panel, host: Host) -> None:
    """apply(patches, stale page) == fresh page, in the document."""
    session = five_turns(place)
    panel.open().rewind_list()
    panel.press("Escape")
    panel.rewind_to("document it")
    panel.command("/undo")
    panel.confirm.click()
    expect(panel.prompts).to_have_count(5)
    append(session.path, *WaveSession(place, minute=99).user("new", "one more").answer("b", "Yes.").records)
    expect(panel.prompts).to_have_count(6)
    expect(panel.answers).to_have_count(6)

    fresh = Panel(panel.page.context.new_page(), panel.page.url).open()

    assert panel.regions() == fresh.regions()
