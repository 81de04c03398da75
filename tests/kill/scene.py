"""The smallest session in which a rewind does everything: restore, delete, recreate with a folder, repeat a title."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from tests.cases.builder import title
from tests.cases.play import Play, Played
from tests.harness.place import Place, no_temporary_files
from tests.harness.tree import State, picture
from tests.naive import reading

CUT_LINE = 4
REWIND = ("rewind", "--to", "msg-u2", "--live", "--json")
UNDO = ("undo", "--live", "--json")


@dataclass(frozen=True)
class Scene:
    """A played session, and both states an operation may leave. ``args``: the operation."""

    played: Played
    args: tuple[str, ...]
    old_tree: dict[str, State]
    new_tree: dict[str, State]
    old_data: bytes

    @property
    def place(self) -> Place:
        """Where it is."""
        return self.played.place

    @property
    def root(self) -> Path:
        """Folder of everything."""
        return self.place.root

    @property
    def command(self) -> tuple[str, ...]:
        """The operation on this session."""
        return (self.args[0], str(self.played.transcript), *self.args[1:])

    def is_new(self, data: bytes) -> bool:
        """Whether transcript bytes are the wanted ones."""
        if self.args[0] == "undo":
            return data == self.played.data
        return reading.matches_cut(data, self.played.data, CUT_LINE)

    def transcript_is_whole(self) -> bool:
        """Old or new, never between."""
        data = self.played.transcript.read_bytes()
        return data == self.old_data or self.is_new(data)

    def state(self) -> str:
        """``old``, ``new``, or what is wrong."""
        data, tree = self.played.transcript.read_bytes(), picture(self.place.work)
        if data == self.old_data and tree == self.old_tree:
            return "old"
        if self.is_new(data) and tree == self.new_tree:
            return "new"
        transcript = "old" if data == self.old_data else "new" if self.is_new(data) else "broken"
        files = "old" if tree == self.old_tree else "new" if tree == self.new_tree else f"mixed {sorted(tree)}"
        return f"transcript {transcript}, files {files}"


@contextmanager
def scene(operation: tuple[str, ...] = REWIND) -> Iterator[Scene]:
    """Make a scene in a folder of its own; for an undo, the rewind is done already."""
    root = Path(tempfile.mkdtemp(prefix="rk-"))
    try:
        yield _make(Place(root=root).make(), operation)
    finally:
        rmtree(root, ignore_errors=True)


def _make(place: Place, operation: tuple[str, ...]) -> Scene:
    play = Play(place)
    play.put("bystander.txt", "mine\n")
    play.put("a.txt", "a0\n", 0o640)
    play.put("gone/deep/b.txt", "b0\n")
    play.turn("msg-u1")
    play.user("msg-u2")
    play.write("a.txt", "a1\n")
    play.write("new.txt", "new\n")
    play.remove("gone/deep/b.txt")
    play.answer()
    play.shell("rm -r gone")
    played = play.finish(append=(title("Named"),))
    before = picture(place.work)
    after = before | {"gone": ("dir", "", 0o755), "gone/deep": ("dir", "", 0o755)}
    must = {name: value for name, value in played.expected["msg-u2"].must.items() if value is not None}
    after = {name: value for name, value in (after | must).items() if name != "new.txt"}
    if operation[0] == "undo":
        place.door.ask("rewind", str(played.transcript), "--to", "msg-u2")
        return Scene(played, operation, picture(place.work), before, played.transcript.read_bytes())
    return Scene(played, operation, before, after, played.data)


def faults_after_settling(found: Scene) -> list[str]:
    """What is wrong after any door was opened once; empty = the operation is settled, all old or all new."""
    faults = []
    door = found.place.door
    answer = door.run("operations", "--json")
    if answer.code != 0:
        return [f"operations: {answer}"]
    wanted_kind = found.args[0]
    mine = [entry for entry in answer.json["operations"] if entry["kind"] == wanted_kind]
    statuses = {entry["status"] for entry in mine}
    state = found.state()
    if not statuses <= {"completed", "failed"}:
        faults.append(f"not settled: {statuses}")
    wanted = "new" if "completed" in statuses else "old"
    if state != wanted:
        faults.append(f"{statuses} but {state}")
    faults += no_temporary_files(found.place)
    return faults


def faults_of_the_next_rewind(found: Scene) -> list[str]:
    """What is wrong with a rewind to the first prompt afterwards."""
    answer = found.place.door.run("rewind", str(found.played.transcript), "--to", "msg-u1", "--live", "--json")
    if answer.code != 0:
        return [f"next rewind: {answer}"]
    tree = picture(found.place.work)
    wanted = found.new_tree if found.args[0] == "rewind" else found.old_tree
    faults = [] if tree == wanted else [f"next rewind leaves {sorted(tree)}"]
    if not reading.matches_cut(found.played.transcript.read_bytes(), found.played.data, 2):
        leftover = [row.kind for row in reading.rows(found.played.transcript.read_bytes())]
        faults += [] if set(leftover) == {"header", "title"} else [f"next rewind leaves lines {leftover}"]
    return faults + no_temporary_files(found.place)


def report(faults: "Mapping[str, list[str] | str]") -> str:
    """One paragraph a faulty point; empty = there is none."""
    return "\n".join(f"{point}\n    {found}" for point, found in faults.items() if found)
