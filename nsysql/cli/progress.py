"""Progress bar or spinner on stderr, shown on a terminal after one second."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from nsysql.cli.output import unfiltered

if TYPE_CHECKING:
    from rich.progress import Progress

AFTER = 1.0  # seconds until the first display
AGAIN = 0.2  # seconds until a further display, once the command has taken longer than AFTER


@contextmanager
def bar(text: str, quiet: bool = False) -> Iterator[Callable[[float], None] | None]:
    """A callback for the fraction that is done, 0 to 1; None if stderr is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    part = [0.0]
    with _shown_after(AFTER, lambda: _progress(text, total=1.0, done=part[0])) as shown:

        def on_progress(done: float) -> None:
            part[0] = done
            for progress in shown:
                progress.update(progress.task_ids[0], completed=done)

        yield on_progress


def waiting(text: str, quiet: bool = False) -> Callable[[], AbstractContextManager[object]]:
    """A spinner, for `open`, to show that a query runs; removed before anything is printed."""
    if quiet or not sys.stderr.isatty():
        return nullcontext
    began = time.monotonic()

    def wait() -> AbstractContextManager[object]:
        after = max(AGAIN, AFTER + began - time.monotonic())
        return _shown_after(after, lambda: _progress(text, total=None, began=began))

    return wait


@contextmanager
def _shown_after(seconds: float, start: "Callable[[], Progress]") -> "Iterator[list[Progress]]":
    """Start a display if the `with` block takes longer than this, and remove it at the end; yields a way to get it."""
    shown: list[Progress] = []
    timer = threading.Timer(seconds, lambda: shown.append(start()))
    timer.daemon = True
    timer.start()
    try:
        yield shown
    finally:
        timer.cancel()
        timer.join()
        for progress in shown:
            progress.stop()


def _progress(text: str, total: float | None, done: float = 0.0, began: float | None = None) -> "Progress":
    """A running display of one task: with a bar if the total is known; its time counts from `began` or from now."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    from nsysql.errors import escaped

    middle = () if total is None else (BarColumn(), TaskProgressColumn())
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), *middle, TimeElapsedColumn())
    progress = Progress(*columns, console=Console(file=unfiltered(sys.stderr)), transient=True)
    progress.add_task(escaped(text), total=total, completed=done)  # type: ignore[arg-type]
    task = progress.tasks[0]
    task.start_time = began or task.start_time
    progress.start()
    return progress
