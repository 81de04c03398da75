"""Asking a host, through the change log, to stop tasks that live inside it; and the fence behind stopped ones.

Implements ``engine.ports.TaskLog``: a ``stop`` record, which the recorder tells its host; a ``stopped`` record, after
which neither the recorder nor a reader takes anything from the task any more.
"""

import time
from dataclasses import dataclass

from respool.model.ids import OperationId
from respool.storage.files.change_log import ChangeLog
from respool.storage.files.change_reading import ChangeReading

ANSWER_S = 5.0
LOOK_EVERY_S = 0.02


@dataclass(frozen=True)
class LoggedTasks:
    """``state``: our folder. ``answer_s``: how long a host may take, in seconds."""

    state: str
    answer_s: float = ANSWER_S

    def ask(self, transcript: str, tasks: tuple[str, ...], operation: OperationId) -> tuple[str, ...]:
        """Have the host stop tasks; those that ended in time, in the order given."""
        log = ChangeLog(self.state, transcript)
        reading = ChangeReading(log.path).extend()
        asked = [task for task in tasks if task not in _ended(reading, tasks)]
        if asked:
            log.append(*({"kind": "stop", "task": task, "operation": operation} for task in asked))
        deadline = time.monotonic() + self.answer_s
        while len(ended := _ended(reading.extend(), tasks)) < len(tasks) and time.monotonic() < deadline:
            time.sleep(LOOK_EVERY_S)
        return ended

    def fence(self, transcript: str, tasks: tuple[str, ...], operation: OperationId) -> None:
        """Nothing of these tasks, or of what they launched, is accepted from now on."""
        log = ChangeLog(self.state, transcript)
        with log.held() as held:
            reading = ChangeReading(log.path).extend()
            lives = {task: reading.life(task) for task in tasks}
            open_ones = [task for task, life in lives.items() if life is None or life.stopped is None]
            if open_ones:
                held.append(*({"kind": "stopped", "task": task, "operation": operation} for task in open_ones))


def _ended(reading: ChangeReading, tasks: tuple[str, ...]) -> tuple[str, ...]:
    lives = {task: reading.life(task) for task in tasks}
    return tuple(task for task, life in lives.items() if life is not None and (life.ended or life.stopped is not None))
