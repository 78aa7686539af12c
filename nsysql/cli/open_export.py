"""Open an export of the command line, which is made from a report first if there is none.

What takes longer than a second shows a progress bar or spinner on stderr, if that is a terminal.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.cli.output import note, unfiltered
from nsysql.errors import NotAnExport, UsageError, escaped
from nsysql.words.sql_text import REPORTS

if TYPE_CHECKING:
    from rich.progress import Progress

    from nsysql.api.facade import Run

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

    middle = () if total is None else (BarColumn(), TaskProgressColumn())
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), *middle, TimeElapsedColumn())
    progress = Progress(*columns, console=Console(file=unfiltered(sys.stderr)), transient=True)
    progress.add_task(escaped(text), total=total, completed=done)  # type: ignore[arg-type]
    task = progress.tasks[0]
    task.start_time = began or task.start_time
    progress.start()
    return progress


def open_export(export: Path, quiet: bool = False, **options: Any) -> "Run":
    """The open export, with these options of nsysql.open, once it can be opened without waiting."""
    from nsysql.api.facade import open

    shown, exported = waiting(f"Reading {export.name}", quiet), ensure_exported(export)
    frames = threading.Thread(target=import_module, args=["polars"])  # while DuckDB loads its extension
    frames.start()
    try:
        return open(exported, waiting=shown, **options)
    finally:
        frames.join()


def ensure_exported(export: Path) -> Path:
    """Return the path once it can be opened without waiting; warnings are shown even with --quiet."""
    from nsysql.capture.forms.nsys_report import exported, stale

    text = stale(export)
    if text:
        note(text)
    if export.suffix in REPORTS and export.is_file():
        with bar(f"Exporting {export.name}") as on_progress:
            exported(export, on_progress)
    return export


def find_export(path: Path, sqlite: Path | None, force: bool) -> Path:
    """The path to open for `path`: for a report `sqlite`, or the .sqlite next to it, else the report itself.

    A missing export is made from the report: in `sqlite`, with `force` next to the report, else in the cache. Raises
    UsageError if `sqlite` is given with an export, NsysqlError if nsys is missing or fails.
    """
    from nsysql.capture.forms import nsys_report

    if path.suffix not in REPORTS:
        if sqlite is not None:
            raise UsageError(f"--sqlite names the export of a report, and {path} is an export already.")
        return ensure_exported(path)
    if not path.exists():
        raise NotAnExport(f"{path} does not exist; give the path of a report or of an export.")
    sibling = path.with_suffix(".sqlite")
    if sqlite is None and not force:
        ensure_exported(path)
        return sibling if sibling.exists() and nsys_report.stale(path) is None else path
    export = sqlite or sibling
    if force or not export.exists():
        with bar(f"Exporting {path.name}") as on_progress:
            nsys_report.make_at(path, export, on_progress)
    return export
