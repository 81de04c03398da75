"""Whose turn a change belongs to, and which changes a rewind to a prompt takes back."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from respool.model.capture import PromptPlace, Rewound
from respool.storage.files.change_log import ChangeLog
from tests.capture.story import Story, put
from tests.harness.place import Place


@pytest.fixture
def story(place: Place) -> Story:
    """A session in a workspace with one file."""
    put(place.work / "a.txt", "a0")
    return Story(place)


def test_the_earliest_state_of_the_removed_range_comes_back(story: Story) -> None:
    for number in (1, 2, 3):
        story.user(f"u{number}")
        story.write("a.txt", f"a{number}")
        story.write("a.txt", f"a{number} again")

    assert story.befores("u1") == {"a.txt": "a0"}
    assert story.befores("u2") == {"a.txt": "a1 again"}
    assert story.befores("u3") == {"a.txt": "a2 again"}


def test_a_created_file_goes_and_a_deleted_one_returns(story: Story) -> None:
    story.user("u1")
    story.write("new/deep/b.txt", "b")
    story.remove("a.txt")

    captured = story.captured("u1")
    assert story.befores("u1") == {"new/deep/b.txt": None, "a.txt": "a0"}
    made = [str(story.work / "new"), str(story.work / "new/deep")]
    assert [point.absent_parents for point in captured.points] == [tuple(made), ()]


def test_a_change_whose_write_never_ended_counts(story: Story) -> None:
    story.user("u1")
    story.capture.before("a.txt")
    story = Story(story.place, story.prompts)

    assert story.befores("u1") == {"a.txt": "a0"}
    assert story.captured("u1").left == {}


def test_an_aborted_turn_keeps_its_changes(story: Story) -> None:
    story.user("u1")
    story.write("a.txt", "a1")
    story.capture.abort_turn()
    story.user("u2")
    story.write("a.txt", "a2")

    assert story.befores("u1") == {"a.txt": "a0"}
    assert story.befores("u2") == {"a.txt": "a1"}


def test_before_the_first_prompt_nothing_belongs_to_a_turn(story: Story) -> None:
    story.write("a.txt", "a1")
    story.user("u1")

    assert story.befores("u1") == {}


def test_a_sub_agents_changes_go_with_the_turn_that_launched_it_whenever_they_happen(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("sub", "agent")
    story.user("u2")
    story.write("a.txt", "a by sub", "sub")
    story.user("u3")
    story.write("b.txt", "b by sub", "sub")

    assert story.befores("u3") == {}
    assert story.befores("u2") == {}
    assert story.befores("u1") == {"a.txt": "a0", "b.txt": None}


def test_without_a_task_start_the_first_appearance_counts(story: Story) -> None:
    story.user("u1")
    story.write("a.txt", "a1", "sub")
    story.user("u2")
    story.write("a.txt", "a2", "sub")

    assert story.befores("u2") == {}
    assert story.befores("u1") == {"a.txt": "a0"}


def test_a_nested_sub_agent_belongs_where_its_root_ancestor_was_launched(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("child", "agent")
    story.user("u2")
    story.capture.task_start("grandchild", "agent", parent="child")
    story.user("u3")
    story.capture.task_start("great-grandchild", "agent", parent="grandchild")
    story.write("a.txt", "a3", "great-grandchild")

    assert story.befores("u2") == {}
    assert story.befores("u1") == {"a.txt": "a0"}
    assert [task.id for task in story.captured("u1").tasks] == ["child", "grandchild", "great-grandchild"]
    assert story.captured("u2").kept_tasks == ("child", "grandchild", "great-grandchild")


def test_the_order_of_two_writers_is_that_of_the_log(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("sub", "agent")
    story.user("u2")
    story.write("a.txt", "a1 main")
    story.write("a.txt", "a2 sub", "sub")
    story.write("a.txt", "a3 main")

    assert story.befores("u1") == {"a.txt": "a0"}
    assert story.befores("u2") == {"a.txt": "a0"}
    assert story.captured("u2").shared == {str(story.work / "a.txt")}
    assert "shared_with_running_task" in {notice.code for notice in story.captured("u2").notices}


def test_a_task_started_again_is_another_one(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("sub", "agent")
    story.capture.task_end("sub", "completed")
    story.user("u2")
    story.capture.task_start("sub", "agent")
    story.write("a.txt", "a2", "sub")

    assert story.befores("u2") == {"a.txt": "a0"}


def test_what_was_taken_out_no_longer_counts_until_it_is_brought_back(story: Story) -> None:
    story.user("u1")
    story.write("a.txt", "a1")
    story.user("u2")
    story.write("a.txt", "a2")
    story.write("b.txt", "b2")
    before = story.prompts, story.befores("u1"), story.befores("u2")
    story.rewind("u2")

    assert (story.work / "a.txt").read_text() == "a1"
    assert story.befores("u1") == {"a.txt": "a0"}
    left = {path: story.text(state) for path, state in story.captured("u1").left.items()}
    assert left == {str(story.work / "a.txt"): "a1", str(story.work / "b.txt"): None}
    story.changes.uncut(story.transcript, story.newest_operation)
    story.prompts = before[0]
    assert (story.befores("u1"), story.befores("u2")) == before[1:]


def test_publishing_twice_is_publishing_once(story: Story) -> None:
    story.user("u1")
    story.write("a.txt", "a1")
    for _ in range(2):
        story.changes.cut(story.transcript, "one", 2, 1)
    for _ in range(2):
        story.changes.uncut(story.transcript, "one")
    story.changes.cut(story.transcript, "one", 2, 1)

    assert story.befores("u1") == {"a.txt": "a0"}


def test_publishing_for_a_session_nobody_recorded_leaves_no_trace(place: Place) -> None:
    story = Story(place)
    other = str(place.home / "other.jsonl")

    story.changes.cut(other, "one", 2, 1)
    story.changes.uncut(other, "one")

    assert not ChangeLog(str(place.state), other).exists()


def test_after_a_rewind_nothing_of_the_removed_turn_is_accepted_until_the_next_prompt(story: Story) -> None:
    story.user("u1")
    story.user("u2")
    story.capture.task_start("sub", "agent")
    old = story.capture.before("a.txt")
    window = story.capture.shell_before()
    story.rewind("u2")

    refused: dict[str, Callable[[], object]] = {
        "before": lambda: story.capture.before("a.txt"),
        "before by another": lambda: story.capture.before("a.txt", actor="sub"),
        "before by a new one": lambda: story.capture.before("a.txt", actor="new"),
        "after": lambda: story.capture.after(old),
        "shell-before": lambda: story.capture.shell_before(),
        "shell-after": lambda: story.capture.shell_after(window),
        "assistant": lambda: story.capture.assistant("a2", "late"),
        "task-start": lambda: story.capture.task_start("later", "shell"),
        "task-start below": lambda: story.capture.task_start("below", "agent", parent="sub"),
    }
    files = Path(story.transcript), Path(story.log.path)
    data = [file.read_bytes() for file in files]
    for call in refused.values():
        with pytest.raises(Rewound):
            call()

    assert [file.read_bytes() for file in files] == data
    story.user("u3")
    story.write("a.txt", "a3")
    assert story.befores("u3") == {"a.txt": "a0"}
    for what in ("before by another", "after", "task-start below"):
        with pytest.raises(Rewound):
            refused[what]()


def test_a_task_launched_earlier_goes_on_after_a_rewind(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("sub", "agent")
    story.user("u2")
    story.write("a.txt", "a2")
    story.rewind("u2")
    story.write("a.txt", "a by sub", "sub")

    assert story.befores("u1") == {"a.txt": "a0"}
    assert story.captured("u1").points[0].actor == "sub"


def test_a_stopped_task_and_its_descendants_are_fenced(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("sub", "agent")
    story.capture.task_start("below", "agent", parent="sub")
    story.log.append({"kind": "stopped", "task": "sub", "operation": "one"})

    for actor in ("sub", "below"):
        with pytest.raises(Rewound):
            story.capture.before("a.txt", actor=actor)
    with pytest.raises(Rewound):
        story.capture.task_start("sub", "agent")
    story.write("a.txt", "a1")


def test_a_late_write_nobody_could_stop_belongs_to_the_turn_that_was_newest_then(story: Story) -> None:
    story.user("u1")
    story.user("u2")
    story.capture.task_start("sub", "agent")
    story.rewind("u2")
    story.user("u3")
    story.log.append({"kind": "before", "actor": "sub", "path": str(story.work / "a.txt"), "state": {"kind": "absent"}})

    assert story.befores("u3") == {"a.txt": None}


def test_a_kept_writers_state_is_free_of_what_was_taken_out_between_its_changes(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("sub", "agent")
    story.user("u2")
    story.write("a.txt", "a by main")
    story.write("a.txt", "a by sub", "sub")
    story.rewind("u2")

    assert (story.work / "a.txt").read_text() == "a0"
    assert story.befores("u1") == {"a.txt": "a0"}


def test_how_the_agent_left_a_file_is_known_exactly(story: Story) -> None:
    story.user("u1")
    story.write("a.txt", "a1")
    story.write("a.txt", "a2")
    (story.work / "a.txt").write_text("a by hand")

    left = story.captured("u1").left[str(story.work / "a.txt")]
    assert left.sha256 == sha256(b"a2").hexdigest()


def test_the_same_id_for_two_prompts_is_told_apart_by_the_line(story: Story) -> None:
    story.user("u1")
    story.write("a.txt", "a1")
    story.user("u1")
    story.write("a.txt", "a2")
    (first, second) = (line for _, line in story.prompts)
    places = tuple(PromptPlace(ids=("u1",), line=line) for line in (first, second))

    one, two = (story.changes.captured(story.transcript, places, line).points for line in (first, second))
    assert [story.text(point.before) for point in one] == ["a0", "a1"]
    assert [story.text(point.before) for point in two] == ["a1"]


def test_changes_of_a_prompt_that_is_gone_belong_to_the_one_before_it(story: Story) -> None:
    story.user("u1")
    story.user("lost")
    story.write("a.txt", "a1")
    story.user("u2")
    story.prompts = [prompt for prompt in story.prompts if prompt[0] != "lost"]

    assert story.befores("u2") == {}
    assert story.befores("u1") == {"a.txt": "a0"}


def test_hooks_name_the_prompt_and_know_no_line(story: Story) -> None:
    log = story.log
    log.append({"kind": "prompt", "id": "p1"})
    path = str(story.work / "a.txt")
    late = {"kind": "before", "actor": "main", "path": path, "state": {"kind": "absent"}, "prompt": "p1", "call": "c1"}
    log.append({"kind": "prompt", "id": "p2"}, late)
    log.append({**late, "prompt": "unannounced", "call": "c2"})
    prompts = (
        PromptPlace(ids=("uuid-1", "p1"), line=3),
        PromptPlace(ids=("uuid-2", "p2"), line=7),
        PromptPlace(ids=("uuid-3", "unannounced"), line=9),
    )

    def captured(line: int) -> int:
        return len(story.changes.captured(story.transcript, prompts, line).points)

    assert [captured(line) for line in (3, 7, 9, 10)] == [2, 1, 1, 0]
    assert story.changes.captured(story.transcript, prompts, 3).covered_calls == {"c1", "c2"}


def test_a_fork_inherits_the_changes_of_its_kept_prompts(story: Story) -> None:
    story.user("u1")
    story.write("a.txt", "a1")
    story.user("u2")
    story.write("a.txt", "a2")
    fork = str(story.place.home / "fork.jsonl")
    log = ChangeLog(str(story.place.state), fork, str(story.work), "claude")
    log.append({"kind": "inherits", "transcript": story.transcript, "prompts": ["u1"]})
    state = {"kind": "absent"}
    log.append({"kind": "prompt", "id": "u3"})
    log.append({"kind": "before", "actor": "main", "path": str(story.work / "a.txt"), "state": state, "prompt": "u3"})
    prompts = (PromptPlace(ids=("u1",), line=5), PromptPlace(ids=("u3",), line=9))

    points = story.changes.captured(fork, prompts, 5).points

    assert [story.text(point.before) for point in points] == ["a0", None]
    assert [story.text(point.before) for point in story.changes.captured(fork, prompts, 9).points] == [None]


def test_events_tell_the_host_of_tasks_to_stop_and_turns_that_are_out(story: Story) -> None:
    story.user("u1")
    story.user("u2")
    assert story.capture.events() == ()
    story.log.append({"kind": "stop", "task": "t1", "operation": "one"})
    story.rewind("u2")

    stop, rewound = story.capture.events()
    assert (stop.kind, stop.task) == ("stop", "t1")
    assert (rewound.kind, rewound.kept_lines, rewound.generation) == ("rewound", 2, 1)
    assert story.capture.events() == ()
    assert story.recorder().events() == ()
    story.changes.uncut(story.transcript, story.newest_operation)
    assert [event.generation for event in story.capture.events()] == [2]


def test_a_living_task_may_launch_another_while_the_main_agents_turn_is_out(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("sub", "agent")
    story.user("u2")
    story.rewind("u2")
    story.capture.task_start("below", "agent", parent="sub")
    story.write("a.txt", "a1", "below")

    assert story.befores("u1") == {"a.txt": "a0"}


def test_an_id_whose_task_had_ended_may_be_used_again_after_a_rewind(story: Story) -> None:
    story.user("u1")
    story.user("u2")
    story.capture.task_start("sub", "agent")
    story.capture.task_end("sub", "completed")
    story.rewind("u2")
    story.user("u3")
    story.capture.task_start("sub", "agent")
    story.write("a.txt", "a3", "sub")

    assert story.befores("u3") == {"a.txt": "a0"}
