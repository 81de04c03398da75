"""Every state, in every theme and narrow, is free of what axe can find, and nothing sticks out."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import expect

from e2e.panel import Panel
from e2e.wave import WaveSession, five_turns
from tests.harness.place import Place

THEMES = ("dark", "light", "high-contrast", "high-contrast-light")
WIDTHS = (1000, 320)


def rich(place: Place) -> None:
    """A session with something of everything."""
    session = (
        WaveSession(place)
        .header()
        .user("u1", "set the project up")
        .answer("a1", "## Done\n\n- one\n- `two`\n\n```\ncode\n```")
    )
    session.compact("c1", "Summary: **the project** was set up").again("u1", "a1")
    session.user("u2", "change these files").edits("a2", "src/main.ts", "foo()\n", "bar()\n")
    session.edits("a3", "data/lost.bin", "x", "y", backup=False).edits("a3b", "../outside.txt", "x", "y")
    tool = {"type": "tool", "id": "c", "name": "Bash", "parameters": '{"command":"make all"}', "stage": "end"}
    session.message("a4", "assistant", {**tool, "result": "cc main.c", "success": True})
    session.message("a5", "assistant", {**tool, "error": "exit 2", "success": False}).answer(
        "a6", "| a | b |\n|---|---|\n| 1 | 2 |"
    )
    session.message("b1", "user", {"type": "bang", "command": "git status", "output": "clean", "exitCode": 1})
    note = {"type": "task_notification", "taskId": "t", "taskType": "shell", "status": "failed", "summary": "make all"}
    session.message("n2", "user", note).message("e1", "assistant", {"type": "error", "content": "Request was aborted"})
    session.message("u3", "user", {"type": "image", "imageUrls": ["/tmp/shot.png"]}).answer("a7", "A picture.").write()


def sessions(panel: Panel) -> None:
    panel.open(session=False)
    expect(panel.page.locator("#s-0")).to_be_visible()


def conversation(panel: Panel) -> None:
    panel.open()
    for details in panel.page.locator("#messages details").all():
        details.evaluate("element => { element.open = true }")


def slash_menu(panel: Panel) -> None:
    panel.open().input.press_sequentially("/")


def list_open(panel: Panel) -> None:
    panel.open().rewind_list()
    expect(panel.rows.locator(".count").last).not_to_be_empty()


def filtered(panel: Panel) -> None:
    panel.open().rewind_list()
    panel.page.keyboard.type("files")
    expect(panel.rows.locator(".count")).to_have_text(["2 files"])


def no_match(panel: Panel) -> None:
    panel.open().rewind_list()
    panel.page.keyboard.type("nothing like it")


def dialog(panel: Panel) -> None:
    panel.open().ask_about("change these files")


def done(panel: Panel) -> None:
    dialog(panel)
    for consent in panel.dialog.locator(".consents input").all():
        consent.check()
    panel.confirm.click()
    expect(panel.notice).to_be_visible()


def undo_dialog(panel: Panel) -> None:
    done(panel)
    panel.page.locator("#undo").click()
    expect(panel.dialog).to_be_visible()


def refused(panel: Panel) -> None:
    panel.open().command("/undo")
    expect(panel.notice).to_be_visible()


def help_shown(panel: Panel) -> None:
    panel.open().command("/help")
    expect(panel.notice).to_be_visible()


STATES: tuple[Callable[[Panel], None], ...] = (
    sessions, conversation, slash_menu, list_open, filtered, no_match, dialog, done, undo_dialog, refused, help_shown,
)  # fmt: skip


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_axe_finds_nothing_in_any_theme_and_nothing_sticks_out(
    place: Place, panel: Panel, state: Callable[[Panel], None]
) -> None:
    rich(place)
    state(panel)
    for width in WIDTHS:
        panel.page.set_viewport_size({"width": width, "height": 700})
        for theme in THEMES:
            panel.page.evaluate("theme => { document.body.className = theme }", body_class(theme))
            found = Axe().run(panel.page)

            assert found.violations_count == 0, f"{theme} at {width}: {found.generate_report()}"
        assert panel.page.evaluate("document.documentElement.scrollWidth") <= width
        assert panel.page.evaluate(
            "document.getElementById('main').scrollWidth <= document.getElementById('main').clientWidth"
        )


def test_axe_finds_nothing_in_the_empty_states(place: Place, panel: Panel) -> None:
    panel.open(session=False)
    expect(panel.page.locator("#demo")).to_be_visible()
    assert Axe().run(panel.page).violations_count == 0

    WaveSession(place).header().answer("a1", "Hello.").write()
    panel.page.locator("#here").click()
    panel.page.locator("#s-0").click()
    panel.command("/rewind")
    expect(panel.picker).to_contain_text("There is no message of yours")
    assert Axe().run(panel.page).violations_count == 0


@pytest.mark.parametrize(
    ("scheme", "contrast", "forced", "expected"),
    [
        ("dark", "no-preference", "none", "vscode-dark"),
        ("light", "no-preference", "none", "vscode-light"),
        ("dark", "more", "none", "vscode-high-contrast"),
        ("light", "more", "none", "vscode-high-contrast-light vscode-high-contrast"),
        ("dark", "no-preference", "active", "vscode-high-contrast"),
    ],
)
def test_the_system_chooses_the_theme(
    place: Place, panel: Panel, scheme: str, contrast: str, forced: str, expected: str
) -> None:
    five_turns(place)
    panel.page.emulate_media(color_scheme=scheme, contrast=contrast, forced_colors=forced)  # type: ignore[arg-type]
    panel.open()

    expect(panel.page.locator("body")).to_have_class(expected)


def test_the_address_can_name_a_theme(place: Place, panel: Panel) -> None:
    panel.open(session=False, query="&theme=high-contrast-light")

    expect(panel.page.locator("body")).to_have_class("vscode-high-contrast-light vscode-high-contrast")


def test_nothing_moves_when_the_system_asks_for_calm(place: Place, panel: Panel) -> None:
    five_turns(place)
    panel.page.emulate_media(reduced_motion="reduce")
    panel.open()

    assert (
        panel.page.locator(".rewind-here").first.evaluate("element => getComputedStyle(element).transitionDuration")
        == "0s"
    )


def body_class(theme: str) -> str:
    """The classes VS Code gives a body."""
    return "vscode-high-contrast-light vscode-high-contrast" if theme == "high-contrast-light" else f"vscode-{theme}"
