"""Random histories of a workspace: a rewind brings every file back as it was before the prompt; undo, all of it."""

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cases.play import Play, Played
from tests.harness.place import Place, no_temporary_files
from tests.harness.tree import picture
from tests.naive import reading, restoring

EXAMPLES = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
NAMES = st.sampled_from(["a", "b.txt", "d/a", "d/e/b", "d/e/c", "x y/ü", "d2/-rf"])
BYTES = st.binary(max_size=6)
CHANGES = st.tuples(st.sampled_from(["write", "write", "remove", "turn", "user_write", "user_remove"]), NAMES, BYTES)


def free(play: Play, name: str) -> bool:
    """Whether a file may be written there: no folder on it, no file above it."""
    full = play.work / name
    above = [play.work.joinpath(*Path(name).parts[:count]) for count in range(1, len(Path(name).parts))]
    return not full.is_dir() and not any(folder.is_file() for folder in above)


def change(play: Play, what: str, name: str, data: bytes) -> None:
    full = play.work / name
    if what == "write" and free(play, name):
        play.write(name, data)
    elif what == "remove" and full.is_file():
        play.remove(name)
    elif what == "user_write" and free(play, name):
        play.put(name, data)
    elif what == "user_remove" and full.is_file():
        full.unlink()


def played(place: Place, start: dict[str, bytes], changes: list[tuple[str, str, bytes]]) -> tuple[Played, int]:
    """Play a history; how many prompts it has."""
    play = Play(place)
    for name, data in start.items():
        play.put(name, data)
    prompts = 1
    play.user("msg-u1")
    for what, name, data in changes:
        if what == "turn":
            play.answer()
            prompts += 1
            play.user(f"msg-u{prompts}")
        else:
            change(play, what, name, data)
    play.answer()
    return play.finish(), prompts


@EXAMPLES
@given(
    start=st.dictionaries(NAMES, BYTES, max_size=4), changes=st.lists(CHANGES, max_size=14), choice=st.integers(0, 1000)
)
def test_files_return_as_the_naive_restore_says_and_undo_takes_it_back(
    start: dict[str, bytes], changes: list[tuple[str, str, bytes]], choice: int
) -> None:
    with tempfile.TemporaryDirectory(prefix="rn-") as root:
        place = Place(root=Path(root)).make()
        session, prompts = played(place, start, changes)
        target = f"msg-u{1 + choice % prompts}"
        line = next(prompt.line for prompt in reading.prompts(session.data) if prompt.id == target)
        wanted, unknown = restoring.wanted(session.data, reading.kept_lines(session.data, line))
        before = picture(place.work)
        touched = {os.path.relpath(path, place.work) for path in wanted}

        done = place.door.ask("rewind", str(session.transcript), "--to", target)

        assert unknown == set()
        assert done["notRestored"] == []
        for path, content in wanted.items():
            assert os.path.lexists(path) == (content is not None)
            assert content is None or Path(path).read_bytes() == content
        after = picture(place.work)
        kept = {name: value for name, value in before.items() if value[0] != "dir" and name not in touched}
        assert {name: after.get(name) for name in kept} == kept
        assert no_temporary_files(place) == []

        place.door.ask("undo", str(session.transcript))

        assert picture(place.work) == before
        assert session.transcript.read_bytes() == session.data
        assert no_temporary_files(place) == []
