"""How far long work is: a bar on stderr, where that is a terminal and the work takes longer than a second."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

AFTER = 1.0  # seconds
AGAIN = 0.2  # seconds of a further wait, once the command has taken that long


@contextmanager
def bar(text: str, quiet: bool = False) -> Iterator[Callable[[float], None] | None]:
    """What is called with the part that is done, 0 to 1; None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    part, shown = [0.0], list["Progress"]()

    def tell(done: float) -> None:
        part[0] = done
        for progress in shown:
            progress.update(progress.task_ids[0], completed=done)

    def show() -> None:
        shown.append(_started(text, part[0]))

    timer = threading.Timer(AFTER, show)
    timer.daemon = True
    timer.start()
    try:
        yield tell
    finally:
        timer.cancel()
        timer.join()
        for progress in shown:
            progress.stop()


def waiting(text: str, quiet: bool = False) -> Callable[[], AbstractContextManager[None]]:
    """What `open` takes to show that a question runs: a spinner, gone before anything is printed."""
    if quiet or not sys.stderr.isatty():
        return nullcontext
    began = time.monotonic()

    @contextmanager
    def wait() -> Iterator[None]:
        shown = list["Progress"]()
        timer = threading.Timer(
            max(AGAIN, AFTER + began - time.monotonic()), lambda: shown.append(_spinner(text, began))
        )
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            for progress in shown:
                progress.stop()

    return wait


def _spinner(text: str, began: float) -> "Progress":
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.add_task(text, total=None)
    progress.tasks[0].start_time = began
    progress.start()
    return progress


def _started(text: str, done: float) -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    name, percent = TextColumn("{task.description}", markup=False), TaskProgressColumn()
    columns = (SpinnerColumn(), name, BarColumn(), percent, TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.update(progress.add_task(text, total=1.0), completed=done)
    progress.start()
    return progress
