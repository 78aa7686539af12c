"""How far long work is: a bar on stderr, where that is a terminal and the work takes longer than a second."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

AFTER = 1.0  # seconds


@contextmanager
def bar(text: str, quiet: bool = False) -> Iterator[Callable[[float], None] | None]:
    """What is called with the part that is done, 0 to 1; None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    began = time.monotonic()
    shown: Progress | None = None

    def tell(part: float) -> None:
        nonlocal shown
        if shown is None and time.monotonic() - began > AFTER:
            shown = _started(text)
        if shown is not None:
            shown.update(shown.task_ids[0], completed=part)

    try:
        yield tell
    finally:
        if shown is not None:
            shown.stop()


def _started(text: str) -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    name, done = TextColumn("{task.description}", markup=False), TaskProgressColumn()
    columns = (SpinnerColumn(), name, BarColumn(), done, TimeElapsedColumn())
    shown = Progress(*columns, console=Console(stderr=True), transient=True)
    shown.add_task(text, total=1.0)
    shown.start()
    return shown
