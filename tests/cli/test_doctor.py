"""`respool doctor`."""

from dataclasses import replace

from respool import __version__
from tests.cases.builder import turns, write
from tests.harness.place import Place


def test_it_names_versions_homes_and_a_store_that_is_well(place: Place) -> None:
    write(place, *turns(2))
    place.door.ask("rewind", "--to", "msg-u2")

    found = place.door.ask("doctor")

    assert found["versions"]["respool"] == __version__
    assert {home["agent"]: home["found"] for home in found["homes"]} == {"wave": True, "claude": False}
    assert found["store"]["path"] == str(place.state)
    assert found["store"]["healthy"], found
    assert found["unsettled"] == []
    assert place.door.run("doctor").code == 0


def test_it_says_what_is_wrong_with_the_store(place: Place) -> None:
    place.state.mkdir(mode=0o755)
    place.state.chmod(0o755)

    found = place.door.ask("doctor")

    assert not found["store"]["healthy"]
    assert "0755" in found["store"]["problems"][0]


def test_a_store_that_cannot_be_opened_is_a_finding_and_no_failure(place: Place) -> None:
    (place.root / "file").write_text("not a folder")
    door = replace(place.door, state=place.root / "file")

    answer = door.run("doctor")

    assert answer.code == 0, str(answer)
    assert "it is not a folder" in answer.out.decode()
