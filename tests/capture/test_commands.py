"""What a shell command changed, and what a background command writes between the looks."""

import pytest

from tests.capture.story import Story, put
from tests.harness.place import Place


@pytest.fixture
def story(place: Place) -> Story:
    """A session whose workspace is looked at around commands."""
    put(place.work / "a.txt", "a0")
    put(place.work / "mine.txt", "mine 0")
    return Story(place, scans=True)


def test_what_changed_while_a_command_ran_is_the_commands_and_the_rest_is_the_users(story: Story) -> None:
    story.user("u1")
    put(story.work / "mine.txt", "mine 1")
    token = story.capture.shell_before(command="make")
    put(story.work / "a.txt", "a1")
    put(story.work / "made.txt", "made")
    assert story.capture.shell_after(token) is None
    put(story.work / "mine.txt", "mine 2")
    story.capture.shell_after(story.capture.shell_before())

    captured = story.captured("u1")
    assert story.befores("u1") == {"a.txt": "a0", "made.txt": None}
    assert {point.how for point in captured.points} == {"shell"}
    assert captured.covered_shells == {2: 2}
    assert captured.notices == ()


def test_a_command_that_never_ended_is_said_to_be_unknown(story: Story) -> None:
    story.user("u1")
    story.capture.shell_before()

    captured = story.captured("u1")
    assert [notice.code for notice in captured.notices] == ["unfinished_command"]
    assert captured.covered_shells == {}


def test_a_window_survives_the_recorder(story: Story) -> None:
    story.user("u1")
    token = story.capture.shell_before()
    put(story.work / "a.txt", "a1")
    old = story.capture._scans
    story.capture = story.recorder()
    story.capture._scans = old

    assert story.capture.shell_after(token) is None
    assert story.befores("u1") == {"a.txt": "a0"}


def test_two_commands_at_once_say_that_a_change_may_be_anybodys(story: Story) -> None:
    story.user("u1")
    one = story.capture.shell_before()
    other = story.capture.shell_before(actor="sub")
    put(story.work / "a.txt", "a1")
    story.capture.shell_after(one)
    story.capture.shell_after(other)

    assert "may_include_yours" in {notice.code for notice in story.captured("u1").notices}


def test_what_a_background_command_writes_goes_with_the_turn_that_launched_it(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("t1", "shell", pid=101)
    put(story.work / "tick1", "1")
    story.user("u2")
    token = story.capture.shell_before()
    story.capture.task_start("t2", "shell", pid=102)
    put(story.work / "tick1", "2")
    put(story.work / "tick2", "1")
    story.capture.shell_after(token)
    put(story.work / "tick1", "3")
    story.changes.look = story.capture._scans.look  # type: ignore[union-attr]

    captured = story.captured("u2")
    assert story.befores("u2") == {"tick2": None}
    assert [(task.id, task.stoppable) for task in captured.tasks] == [("t2", True)]
    assert captured.kept_tasks == ("t1",)
    assert story.befores("u1") == {"tick1": None, "tick2": None}


def test_what_a_background_command_wrote_since_the_last_look_is_found_by_the_plan(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("t1", "shell", pid=101)
    put(story.work / "late.txt", "1")
    put(story.work / "a.txt", "a1")
    story.changes.look = story.capture._scans.look  # type: ignore[union-attr]

    assert story.befores("u1") == {"a.txt": "a0", "late.txt": None}
    assert story.captured("u1").unsteady == {str(story.work / name) for name in ("a.txt", "late.txt")}
    story.capture.task_end("t1", "completed")
    story.changes.look = None
    assert story.befores("u1") == {"a.txt": "a0", "late.txt": None}
    assert story.captured("u1").tasks == ()


def test_a_task_whose_process_is_gone_is_not_to_be_stopped(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("t1", "shell", pid=101)
    story.changes.alive = lambda pid, started: False

    assert story.captured("u1").tasks == ()


def test_a_task_inside_the_host_can_be_stopped_only_while_the_host_is_there(story: Story) -> None:
    story.user("u1")
    story.capture.task_start("agent", "agent")

    assert [task.stoppable for task in story.captured("u1").tasks] == [True]
    story.capture._session.presence.release()  # type: ignore[attr-defined]
    assert [task.stoppable for task in story.captured("u1").tasks] == [False]
