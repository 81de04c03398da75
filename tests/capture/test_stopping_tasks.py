"""A running host is asked to stop its tasks, and is fenced out afterwards."""

import threading

import pytest

from respool.model.capture import Rewound
from respool.model.ids import OperationId
from respool.storage.files.task_log import LoggedTasks
from tests.capture.host import SESSION, host, log_of, records, transcript
from tests.capture.story import Story, put
from tests.harness.place import Place

ONE = OperationId("one")


def test_a_silent_host_is_told_at_once_and_its_answer_is_waited_for(place: Place) -> None:
    with host(place) as agent:
        agent.do("user", id="msg-u1", text="")
        for task in ("agent", "other"):
            agent.do("task-start", id=task, kind="agent")
        agent.do("task-end", id="other", status="completed")
        ended: list[tuple[str, ...]] = []
        tasks = LoggedTasks(str(place.state), answer_s=60)
        asking = threading.Thread(
            target=lambda: ended.append(tasks.ask(str(transcript(place)), ("other", "agent"), ONE))
        )
        asking.start()

        assert agent.event() == {"event": "stop", "task": "agent"}
        agent.do("task-end", id="agent", status="killed")
        asking.join()
        assert ended == [("other", "agent")]


def test_a_host_that_does_not_answer_in_time_has_not_stopped_it(place: Place) -> None:
    story = Story(place)
    story.user("u1")
    story.capture.task_start("agent", "agent")

    assert LoggedTasks(str(place.state), answer_s=0.05).ask(story.transcript, ("agent",), ONE) == ()


def test_a_fenced_task_is_fenced_once(place: Place) -> None:
    put(place.work / "a.txt", "a0")
    story = Story(place)
    story.user("u1")
    story.capture.task_start("agent", "agent")
    for _ in range(2):
        LoggedTasks(str(place.state)).fence(story.transcript, ("agent",), ONE)

    with pytest.raises(Rewound):
        story.capture.before("a.txt", actor="agent")
    assert [record["kind"] for record in records(place)].count("stopped") == 1
    assert story.captured("u1").tasks == ()


def test_the_recorder_tells_of_a_rewind_while_its_host_is_silent(place: Place) -> None:
    with host(place) as agent:
        agent.turn(1)
        agent.turn(2)
        assert log_of(place).exists()
        with log_of(place).open("ab") as log:
            log.write(b'{"kind":"cut","operation":"one","line":4,"kept_lines":3}\n')

        assert agent.event() == {"event": "rewound", "keptLines": 3, "generation": 1}
        agent.refused("rewound", "before", path="a.txt")
        agent.refused("rewound", "assistant", id="msg-late", text="late")
        agent.do("user", id="msg-u3", text="")
        agent.do("before", path="a.txt")
    assert place.door.ask("checkpoints", SESSION)
