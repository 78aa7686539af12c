"""Submit tasks to workers, and yield outcomes as they arrive."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nsysql.fleet.cluster import Workers
from nsysql.fleet.task import Outcome, Task, answer, outcome_of

AHEAD = 4  # tasks submitted per worker
LEAST = 64  # least number of tasks submitted, as workers can be added


def execute(
    workers: Workers, tasks: Sequence[Task], on_progress: Callable[[float], None] | None = None
) -> Iterator[Outcome]:
    """Run the tasks, in order, and yield the outcome of each as it ends; a task's failure never raises.

    A task whose worker dies is run by another; after several deaths it counts as failed. `on_progress` is called with
    the fraction that is done.
    """
    from distributed import as_completed

    left = iter(tasks)
    by_key: dict[Any, Task] = {}

    def submit_next() -> Any:
        task = next(left, None)
        if task is None:
            return None
        future = workers.client.submit(answer, task, pure=False)
        by_key[future.key] = task
        return future

    first = [future for _ in range(max(LEAST, workers.count * AHEAD)) if (future := submit_next()) is not None]
    running: Any = as_completed(first)  # type: ignore[no-untyped-call]
    for done, future in enumerate(running, start=1):
        task = by_key.pop(future.key)
        found = _outcome(future, task)
        future.release()
        following = submit_next()
        if following is not None:
            running.add(following)
        if on_progress is not None:
            on_progress(done / len(tasks))
        yield found


def _outcome(future: Any, task: Task) -> Outcome:
    if future.status == "finished":
        found: Outcome = future.result()
        return found
    error = future.exception() if future.status == "error" else None
    names = [question.name for question in task.questions]
    return outcome_of(task.run, names, {}, _why(error, future.status), 0.0)


def _why(error: BaseException | None, status: str) -> str:
    """A sentence on why a task has no outcome."""
    if type(error).__name__ == "KilledWorker":
        deaths = getattr(error, "allowed_failures", 3) + 1
        return (
            f"the worker that read it died, {deaths} times: it needs more memory than a worker has, or workers are "
            "ended from outside; use fewer workers (--workers)."
        )
    if isinstance(error, ModuleNotFoundError):
        return f"the workers have no module {error.name}; install this version of nsysql there."
    if error is not None:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return f"the scheduler gave it up ({status})."
