"""Stopping the tasks of the removed range, after every check and undo image and before the first file is restored.

Tasks that live inside a host are asked for first: only the host can stop them, and while nothing has been stopped yet
a host that does not answer is a refusal. Then come processes, which we stop ourselves.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from respool.engine.ports import Processes, TaskLog
from respool.model.errors import TaskNotStopped
from respool.model.ids import OperationId
from respool.model.plan import RewindPlan, Task


class StopFailed(Exception):
    """One task would not stop after others had been stopped."""

    def __init__(self, task: str, stopped: tuple[str, ...]) -> None:
        super().__init__(task)
        self.task, self.stopped = task, stopped


@dataclass(frozen=True, kw_only=True)
class Stopper:
    """The two ports that stopping needs."""

    processes: Processes
    log: TaskLog

    def stop(self, plan: RewindPlan, operation: OperationId) -> tuple[str, ...]:
        """Ids of the tasks that are gone. Idempotent. Raises ``TaskNotStopped`` or ``StopFailed``.

        Afterwards nothing is accepted any more from a task of the plan, stopped or not.
        """
        stoppable = [task for task in plan.tasks if task.stoppable]
        stopped = self._by_their_host(plan, operation, [task for task in stoppable if task.pid is None])
        for task in stoppable:
            if task.pid is not None:
                if not self.processes.stop(task.pid, task.started):
                    raise _failure(task.id, stopped)
                stopped = (*stopped, task.id)
        if plan.tasks:
            self.log.fence(plan.transcript, _ids(plan.tasks), operation)
        return stopped

    def _by_their_host(self, plan: RewindPlan, operation: OperationId, tasks: list[Task]) -> tuple[str, ...]:
        if not tasks:
            return ()
        wanted = _ids(tasks)
        ended = self.log.ask(plan.transcript, wanted, operation)
        for task in wanted:
            if task not in ended:
                raise _failure(task, ended)
        return wanted


def _ids(tasks: Iterable[Task]) -> tuple[str, ...]:
    return tuple(task.id for task in tasks)


def _failure(task: str, stopped: tuple[str, ...]) -> Exception:
    return StopFailed(task, stopped) if stopped else TaskNotStopped(task=task)
