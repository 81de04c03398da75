"""Random sessions against a model that keeps a copy of the whole tree for each prompt and knows nothing of logs.

The copy of a prompt is kept up to date: whatever a rewind to it would *not* take back (the user's edits, what actors
of earlier turns do) is done to the copy as well, except to paths that the rewind will restore anyway.
"""

import contextlib
import copy
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from respool.model.capture import Rewound
from tests.capture.story import Story, put, tree
from tests.harness.place import Place

PATHS = ("a", "b", "c/d", "c/e/f")
ACTORS = ("s1", "s2", "s3")
Tree = dict[str, str]

path = st.sampled_from(PATHS)
actor = st.sampled_from(ACTORS)
events = st.lists(
    st.one_of(
        st.tuples(st.just("user")),
        st.tuples(st.just("write"), path),
        st.tuples(st.just("remove"), path),
        st.tuples(st.just("launch"), actor, st.sampled_from((None, *ACTORS))),
        st.tuples(st.just("write by"), path, actor),
        st.tuples(st.just("remove by"), path, actor),
        st.tuples(st.just("by hand"), path),
        st.tuples(st.just("deleted by hand"), path),
        st.tuples(st.just("command"), path, path),
        st.tuples(st.just("abort")),
        st.tuples(st.just("restart")),
        st.tuples(st.just("rewind"), st.integers(0, 5)),
        st.tuples(st.just("undo")),
    ),
    max_size=25,
)


@dataclass
class Copy:
    """The tree a rewind to one prompt has to end with. ``taken``: path → turns whose changes it takes back."""

    tree: Tree
    taken: dict[str, set[int]] = field(default_factory=dict)


@dataclass
class Model:
    """``copies``: number of a prompt → its copy, of the prompts that are there; ``launched``: actor → its turn."""

    copies: dict[int, Copy] = field(default_factory=dict)
    launched: dict[str, int] = field(default_factory=dict)

    def changed(self, turn: int | None, name: str, now: Tree) -> None:
        """Somebody has changed a path: of a turn (0: before the first), or ``None``, the user."""
        for prompt, found in self.copies.items():
            if turn is not None and turn >= prompt:
                found.taken.setdefault(name, set()).add(turn)
            elif name not in found.taken:
                set_text(found.tree, name, now.get(name))

    def rewound(self, number: int, now: Tree) -> None:
        """Prompts from a number on are gone; what only they had changed is as it stands now."""
        self.copies = {prompt: found for prompt, found in self.copies.items() if prompt < number}
        for found in self.copies.values():
            for name in list(found.taken):
                found.taken[name] = {turn for turn in found.taken[name] if turn < number}
                if not found.taken[name]:
                    del found.taken[name]
                    set_text(found.tree, name, now.get(name))


def set_text(files: Tree, name: str, text: "str | None") -> None:
    """Put a text, or nothing, at a path."""
    files.pop(name, None)
    if text is not None:
        files[name] = text


class Session:
    """Plays events on the real thing and on the model."""

    def __init__(self, story: Story) -> None:
        self.story, self.model = story, Model()
        self.count = self.texts = 0
        self.undoable: list[tuple[Any, ...]] = []
        self.out: set[str] = set()

    @property
    def turn(self) -> int:
        """The newest prompt; 0 before the first."""
        return max(self.model.copies, default=0)

    def text(self) -> str:
        """One that was never written before."""
        self.texts += 1
        return f"text {self.texts}"

    def play(self, event: tuple[Any, ...]) -> None:
        """One event."""
        getattr(self, "_" + event[0].replace(" ", "_"))(*event[1:])
        if event[0] not in ("rewind", "undo"):
            self.undoable = self.undoable if event[0] in ("restart", "abort") else []

    def check(self) -> None:
        """A rewind to every prompt would end with its copy."""
        now = tree(self.story.work)
        for number, found in self.model.copies.items():
            after = dict(now)
            for name, text in self.story.befores(f"u{number}").items():
                set_text(after, name, text)
            assert after == found.tree, f"u{number}"

    def _user(self) -> None:
        self.count += 1
        self.story.user(f"u{self.count}")
        self.out.discard("main")
        self.model.copies[self.count] = Copy(tree(self.story.work))

    def _write(self, name: str) -> None:
        self._tool(name, "main", remove=False)

    def _remove(self, name: str) -> None:
        self._tool(name, "main", remove=True)

    def _write_by(self, name: str, who: str) -> None:
        self._tool(name, who, remove=False)

    def _remove_by(self, name: str, who: str) -> None:
        self._tool(name, who, remove=True)

    def _launch(self, who: str, parent: "str | None") -> None:
        above = parent if parent != who else None
        fenced = who in self.out or self._is_out(above or "main")
        with expected(fenced):
            self.story.capture.task_start(who, "agent", parent=above)
        if not fenced:
            self.model.launched[who] = self._of(above) if above else self.turn

    def _tool(self, name: str, who: str, *, remove: bool) -> None:
        if remove and not (self.story.work / name).exists():
            return
        fenced = self._is_out(who)
        with expected(fenced):
            if remove:
                self.story.remove(name, who)
            else:
                self.story.write(name, self.text(), who)
        if not fenced:
            self.model.changed(self._of(who), name, tree(self.story.work))

    def _of(self, who: str) -> int:
        return self.turn if who == "main" else self.model.launched.setdefault(who, self.turn)

    def _is_out(self, who: str) -> bool:
        main_out = bool(self.out & {"main"})
        return who in self.out or (main_out and who not in self.model.launched)

    def _by_hand(self, name: str) -> None:
        put(self.story.work / name, self.text())
        self.model.changed(None, name, tree(self.story.work))

    def _deleted_by_hand(self, name: str) -> None:
        (self.story.work / name).unlink(missing_ok=True)
        self.model.changed(None, name, tree(self.story.work))

    def _command(self, written: str, removed: str) -> None:
        before = tree(self.story.work)
        with expected(self._is_out("main")):
            token = self.story.capture.shell_before()
            put(self.story.work / written, self.text())
            (self.story.work / removed).unlink(missing_ok=True)
            self.story.capture.shell_after(token)
        now = tree(self.story.work)
        for name in before.keys() | now.keys():
            if before.get(name) != now.get(name):
                self.model.changed(self.turn, name, now)

    def _abort(self) -> None:
        self.story.capture.abort_turn()

    def _restart(self) -> None:
        self.story.capture._session.presence.release()  # type: ignore[attr-defined]
        self.story.capture = self.story.recorder()

    def _rewind(self, choice: int) -> None:
        if not self.model.copies:
            return
        number = sorted(self.model.copies)[choice % len(self.model.copies)]
        transcript = Path(self.story.transcript).read_bytes()
        was = tree(self.story.work), transcript, list(self.story.prompts), copy.deepcopy(self.model), set(self.out)
        self.story.rewind(f"u{number}")
        self.undoable.append((self.story.newest_operation, *was))
        now = tree(self.story.work)
        assert now == self.model.copies[number].tree
        self.model.rewound(number, now)
        self.out |= {"main"} | {who for who, turn in self.model.launched.items() if turn >= number}

    def _undo(self) -> None:
        if not self.undoable:
            return
        operation, files, transcript, self.story.prompts, self.model, self.out = self.undoable.pop()
        for name in tree(self.story.work):
            (self.story.work / name).unlink()
        for name, text in files.items():
            put(self.story.work / name, text)
        Path(self.story.transcript).write_bytes(transcript)
        self.story.changes.uncut(self.story.transcript, operation)


@contextlib.contextmanager
def expected(fenced: bool) -> Iterator[None]:
    """A removed turn, and nobody else, is told so."""
    try:
        yield
    except Rewound:
        assert fenced
    else:
        assert not fenced


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(events=events)
def test_every_prompt_of_a_random_session_can_be_gone_back_to(events: list[tuple[Any, ...]]) -> None:
    root = Path(tempfile.mkdtemp(prefix="rr-"))
    try:
        place = Place(root=root).make()
        put(place.work / "a", "a")
        put(place.work / "c" / "d", "d")
        session = Session(Story(place, scans=True))
        for event in events:
            session.play(event)
        session.check()
    finally:
        shutil.rmtree(root)
