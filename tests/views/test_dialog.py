"""What the confirm dialog asks, and what it does not let pass."""

from dataclasses import replace

import pytest

from respool.model.filestate import ABSENT, FileState, Kind
from respool.model.ids import MessageId
from respool.model.plan import Action, Consent, FileChange, Mode, Notice, NotRestored, RewindPlan, Target, Task
from respool.model.transcript import Fingerprint
from respool.views.dialog import Asked, agreed, dialog_view, needs
from respool.views.render import render
from respool.views.texts import translator

T = translator("en")
FILE = FileState(kind=Kind.FILE)
ASKED = Asked(undo=False, preview="do it", workdir="/w")
PLAN = RewindPlan(
    kind="rewind",
    session_id="s",
    transcript="/t",
    dialect="wave",
    mode=Mode.BOTH,
    target=Target(id=MessageId("u1"), line=2),
    fingerprint=Fingerprint(size=0, sha256=""),
    cut=None,
    removed_lines=(2, 3, 4),
    files=(),
    not_restorable=(),
    left_out=(),
    digest="d1",
)


def file(path: str, **more: object) -> FileChange:
    return FileChange(path=path, real_path=path, action=Action.RESTORE, before=ABSENT, now=FILE, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "consent"),
    [
        ({"not_restorable": (NotRestored(path="/w/a", reason="link"),)}, "partial"),
        ({"warnings": (Notice(code="shared_with_running_task", text="x"),)}, "partial"),
        ({"files": (file("/x", outside=True),)}, "outside"),
        ({"warnings": (Notice(code="live_agent", text="x"),)}, "live"),
        ({"tasks": (Task(id="t", kind="agent", description="", stoppable=False),)}, "live"),
    ],
)
def test_what_needs_a_consent_waits_for_it(change: dict[str, object], consent: str) -> None:
    plan = replace(PLAN, **change)  # type: ignore[arg-type]

    assert needs(plan) == (consent,)
    assert not dialog_view(plan, ASKED, T).ready
    assert dialog_view(plan, replace(ASKED, consent=Consent(**{consent: True})), T).ready


def test_a_plain_plan_can_go_at_once() -> None:
    assert dialog_view(PLAN, ASKED, T).ready


def test_a_need_only_the_service_knew_is_asked_too() -> None:
    assert not agreed(PLAN, replace(ASKED, extra_needs=("live",)))


def test_nothing_can_be_confirmed_while_it_is_under_way() -> None:
    assert not dialog_view(PLAN, replace(ASKED, working=True), T).ready


def test_a_file_left_out_keeps_its_place_in_the_list() -> None:
    plan = replace(PLAN, files=(file("/w/c"), file("/w/a")), left_out=(NotRestored(path="/w/b", reason="left_out"),))

    rows = dialog_view(plan, ASKED, T).files

    assert [(row.path, row.kept) for row in rows] == [("a", False), ("b", True), ("c", False)]


def test_marks_say_what_is_special_about_a_file() -> None:
    plan = replace(PLAN, files=(file("/x/y", outside=True, changed_since=True, through_link=True),))

    (row,) = dialog_view(plan, ASKED, T).files

    assert row.marks == ("changed since", "outside the workspace", "through a link")
    assert row.path == "/x/y"


def test_hostile_names_are_shown_as_text() -> None:
    name = "/w/<img src=x>\u202etxt.exe\udc80"
    plan = replace(PLAN, files=(file(name),), not_restorable=(NotRestored(path=name, reason="<b>"),))

    html = render("dialog", dialog_view(plan, replace(ASKED, preview="<script>"), T), T)

    assert "<img" not in html
    assert "<script" not in html
    assert "<b>" not in html
    assert "[U+202E]txt.exe\ufffd" in html


@pytest.mark.parametrize(
    ("mode", "summary", "files"),
    [
        (Mode.BOTH, "3 messages go: this one and all after it.", "No file changes."),
        (Mode.CONVERSATION, "3 messages go: this one and all after it.", "Files stay as they are."),
        (Mode.FILES, "The conversation stays as it is.", "No file changes."),
    ],
)
def test_the_summary_follows_the_mode(mode: Mode, summary: str, files: str) -> None:
    view = dialog_view(replace(PLAN, mode=mode), replace(ASKED, mode=mode), T)

    assert (view.summary, view.files_summary) == (summary, files)
    assert [row.name for row in view.modes if row.chosen] == [mode]


def test_an_undo_offers_no_modes() -> None:
    view = dialog_view(PLAN, replace(ASKED, undo=True, preview=""), T)

    assert view.modes == ()
    assert view.quote == ""
