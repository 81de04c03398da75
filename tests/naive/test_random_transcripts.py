"""Random transcripts: list, fold, cut and undo of the product agree with the naive reading."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.harness.place import Place, quieten
from tests.naive import reading
from tests.naive.made_up import transcripts

EXAMPLES = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
SESSION = "9e551041-0000-4000-8000-000000000001"


def encodable(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@EXAMPLES
@given(data=transcripts())
def test_list_and_view_agree_with_the_naive_reading(data: bytes) -> None:
    with tempfile.TemporaryDirectory(prefix="rn-") as root:
        place = Place(root=Path(root)).make()
        path = place.session(data, session=SESSION)

        listed = place.door.ask("checkpoints", str(path))["checkpoints"]
        shown = place.door.ask("show", str(path))["messages"]

        assert [(row["id"], row["line"]) for row in listed] == [(one.id, one.line) for one in reading.prompts(data)]
        assert [one["id"] for one in shown] == reading.fold(data)
        assert path.read_bytes() == data


@EXAMPLES
@given(data=transcripts(), choice=st.integers(0, 1000), again=st.integers(0, 1000))
def test_cut_and_undo_agree_with_the_naive_reading(data: bytes, choice: int, again: int) -> None:
    with tempfile.TemporaryDirectory(prefix="rn-") as root:
        place = Place(root=Path(root)).make()
        path = place.session(data, session=SESSION)
        seen = [data]
        for number in (choice, again):
            before = path.read_bytes()
            prompts = reading.prompts(before)
            if not prompts:
                break
            chosen = prompts[number % len(prompts)]
            done = place.door.ask("rewind", str(path), "--to", f"{chosen.id}@{chosen.line}")
            after = path.read_bytes()

            assert reading.matches_cut(after, before, chosen.line)
            assert done["inputContent"] == encodable(chosen.text)
            listed = place.door.ask("checkpoints", str(path))["checkpoints"]
            assert [row["id"] for row in listed] == [one.id for one in reading.prompts(after)]
            seen.append(after)

        for before in reversed(seen[:-1]):
            quieten(path)
            place.door.ask("undo", str(path))
            assert path.read_bytes() == before
