"""Every checkpoint of the recorded sessions: the real picker's list, and files as far as the records reach."""

from pathlib import Path

import pytest

from respool.engine.restores import plan_files
from respool.model.filestate import Kind
from respool.model.plan import Action
from respool.storage.files.blobs import Blobs
from respool.storage.files.claude_removal import ClaudeRemoval
from respool.storage.files.targets import FileTargets
from respool.storage.files.workspace import Workspace
from tests.claude.reader import listed, removals, removals_of, sessions
from tests.claude.recorded import C1, C3, C4, CASES, LaidOut, Recorded

CHECKPOINTS = [(case, prompt) for case in CASES for prompt in case.listed]
EARLIER = [(line, prompt) for line, prompts in C1.earlier.items() for prompt in prompts]


def name(value: object) -> str:
    return value.case if isinstance(value, Recorded) else str(value)


@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_list_is_that_of_the_real_picker(case: Recorded) -> None:
    assert [ident[:8] for ident in listed(str(case.transcript))] == list(case.listed)


@pytest.mark.parametrize("lines", C1.earlier)
def test_the_list_was_that_of_the_real_picker_after_each_of_its_rewinds(lines: int, tmp_path: Path) -> None:
    path = cut_off(C1.transcript, lines, tmp_path)

    assert [ident[:8] for ident in listed(path)] == list(C1.earlier[lines])


def test_rows_are_shown_as_in_the_real_picker() -> None:
    rows = sessions().checkpoints(str(C3.transcript)).checkpoints
    texts = [row.preview.split(" @@")[0] for row in rows]

    assert texts == [
        "P1 with hook",
        "P2 stop hook feedback",
        "/greet bob",
        "! echo bang > bang.txt; cat bang.txt",
        "P6 slow",
        "P7 queued",
        "P8 to interrupt",
        "[Image #1] P10 image",
        "/compact keep it short",
        "P11 after compact",
        "P12 last",
    ]
    assert [row.after_compaction for row in rows] == [False] * 8 + [True, False, False]


def test_what_was_typed_goes_back_into_the_input() -> None:
    reader = removals(C3.claude)
    wanted = {"34521b43": "/greet bob", "6f9ddd96": "/compact keep it short", "fb2bcbe5": "[Image #1] P10 image"}

    for prompt, text in wanted.items():
        assert reader.read(str(C3.transcript), full(C3.transcript, prompt)).input_content == text


@pytest.mark.parametrize(("case", "prompt"), CHECKPOINTS, ids=name)
def test_files_go_back_to_the_tree_when_the_prompt_was_sent(case: Recorded, prompt: str, tmp_path: Path) -> None:
    if prompt not in case.trees:
        assert prompt == "9522beba", "the only tree that was not recorded is that of the queued prompt"
        return
    laid = case.lay_out(tmp_path)
    removal = removals_of(laid).read(str(laid.transcript), full(laid.transcript, prompt))

    found = restored(case.tree("end"), removal, laid)

    assert_tree(case, prompt, removal, found)


@pytest.mark.parametrize(("lines", "prompt"), EARLIER)
def test_files_go_back_also_from_the_middle_of_the_story(lines: int, prompt: str, tmp_path: Path) -> None:
    after = {95: "before-P6", 131: "before-rewind-to-P6", 139: "before-rewind-code-only-to-P1", 151: "before-P10"}
    laid = C1.lay_out(tmp_path)
    path = cut_off(laid.transcript, lines, laid.transcript.parent)
    for old in laid.demo.rglob("*"):
        if old.is_file():
            old.unlink()
    for file, data in C1.tree(after[lines]).items():
        (laid.demo / file).parent.mkdir(parents=True, exist_ok=True)
        (laid.demo / file).write_bytes(data)
    removal = removals_of(laid).read(path, full(Path(path), prompt))

    found = restored(C1.tree(after[lines]), removal, laid)

    assert_tree(C1, prompt, removal, found)


def test_files_of_a_dead_branch_go_back_too() -> None:
    removal = removals(C4.claude).read(str(C4.transcript), full(C4.transcript, C4.listed[0]))

    paths = {point.path.removeprefix("/home/ana/demo/") for point in removal.points}
    assert {"i.txt", "p1.txt", "p2.txt"} <= paths


@pytest.mark.parametrize(("case", "prompt"), CHECKPOINTS, ids=name)
def test_the_list_says_how_many_messages_go_and_the_removal_names_them(case: Recorded, prompt: str) -> None:
    path = str(case.transcript)
    row = next(row for row in sessions().checkpoints(path).checkpoints if row.id.startswith(prompt))

    removal = removals(case.claude).read(path, row.id)

    assert len(removal.messages) == row.removes
    assert removal.target.line == row.line
    assert removal.tasks == ()


def full(transcript: Path, prompt: str) -> str:
    """The uuid that begins like this."""
    index, _ = sessions().read(str(transcript))
    (found,) = [row.uuid for row in index.rows if row.uuid.startswith(prompt)]
    return found


def cut_off(transcript: Path, lines: int, folder: Path) -> str:
    """The first lines of a transcript, as a session of its own name."""
    path = folder / transcript.name
    path.write_bytes(b"".join(transcript.read_bytes().splitlines(keepends=True)[:lines]))
    return str(path)


def restored(tree: dict[str, bytes], removal: ClaudeRemoval, laid: LaidOut) -> dict[str, bytes]:
    """What the engine's plan makes of a tree; nothing in it may be impossible."""
    workspace = Workspace(root=str(laid.demo))
    targets = FileTargets(workspace=workspace, blobs=Blobs(str(laid.home / "blobs")))
    part = plan_files(removal.points, targets, last_change=removal.last_change)
    assert part.not_restorable == ()
    found = dict(tree)
    for change in part.files:
        file = change.real_path.removeprefix(f"{laid.demo.resolve()}/")
        if change.before.kind is Kind.ABSENT:
            found.pop(file, None)
        elif change.action is not Action.KEEP:
            assert change.source is not None
            found[file] = Path(change.source).read_bytes()
    return found


def assert_tree(case: Recorded, prompt: str, removal: ClaudeRemoval, found: dict[str, bytes]) -> None:
    right = case.tree(case.trees[prompt])
    differs = {file for file in found.keys() | right.keys() if found.get(file) != right.get(file)}
    tools = {str(notice.params.get("tool")) for notice in removal.notices}
    named = {
        str(notice.params["path"]).rpartition("/demo/")[2] for notice in removal.notices if "path" in notice.params
    }
    for file in differs:
        assert case.unreached.get(file) in tools or file in named or file == ".red", file
