"""`nsysql timeline`: what ran on GPUs and threads, in the terminal or as SVG."""

import io
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, QUIET, THREADS, formats, option, with_options
from nsysql.cli.output import note, opened, text_width
from nsysql.cli.query_command import NARROWING
from nsysql.cli.rows import open_export
from nsysql.cli.terminal import unfiltered
from nsysql.errors import UsageError

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.pages.scope import PageScope
    from nsysql.pages.timeline.model import Timeline

PIPED = 100  # columns if the output is not a terminal
SHOWN = 3  # threads
TOP = "Threads to show, those that launch most first; 0 for all."
GAP = "Show the time around this gap of idle-gaps, its GPU, and the thread whose launch ended it."


def _timeline(
    ctx: Any, export: Path, gap: int | None, gpu: int | None, top: int, start: Any, end: Any, nvtx: str | None,
    steps: str | None, step_range: str | None, format: Any, output: str, quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """What ran on GPUs and threads, and why GPUs were idle: rows of blocks in the terminal, or an SVG.

    A block's height says how much of its column of time is covered. Idle time has a letter for each cause; a legend has
    their meaning and share of the idle time. Times are relative to the left end; --start, --end, --nvtx, --steps and
    --gap select a time.
    """
    from nsysql.pages.scope import PageScope

    form = str(format) if format else "svg" if output.endswith(".svg") else "text"
    with opened(output, export) as file:
        with open_export(ctx, export, threads, memory_limit, quiet, for_page=True) as run:
            found = _found(run, gap, PageScope(gpu, start, end, nvtx, steps=steps, step_range=step_range))
        _write(found, form, output, top or None, file)
    if not quiet:
        for text in found.notes:
            note(f"{text}.")


def _found(run: "Export", gap: int | None, asked: "PageScope") -> "Timeline":
    """The requested timeline. Raises UsageError if there is no such gap."""
    from nsysql.pages.scope import PageScope
    from nsysql.pages.timeline.curves import with_curves
    from nsysql.pages.timeline.gaps import around_gap
    from nsysql.pages.timeline.gather import LEFT_OF_STILL, collect

    if gap is None:
        return with_curves(collect(run, asked, left=LEFT_OF_STILL), run, asked.gpu)
    if asked != PageScope():
        raise UsageError("--gap selects the time; give it without --start, --end, --nvtx, --steps and --gpu.")
    return around_gap(run, gap)


def _write(found: "Timeline", form: str, output: str, threads: int | None, file: IO[bytes]) -> None:
    from nsysql.render.timeline.svg import svg
    from nsysql.render.timeline.terminal import write

    if form == "svg":
        file.write(svg(found).encode("utf-8", "backslashreplace"))
    elif output == "-":
        write(found, unfiltered(sys.stdout), text_width(output) or PIPED, threads)
    else:
        text = io.TextIOWrapper(file, "utf-8", newline="\n")
        write(found, text, PIPED, threads)
        text.flush()
        text.detach()


timeline = with_options(
    _timeline,
    [
        CONTEXT, EXPORT,
        option("gap", int, None, "--gap", metavar="GAP", help=GAP),
        option("gpu", int, None, "--gpu", metavar="ID", help="Only this GPU; all threads stay."),
        option("top", int, SHOWN, "--top", metavar="THREADS", min=0, help=TOP),
        *NARROWING,
        formats(("text", "svg"), "text"),
        FILE, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
