"""`nsysql summary`: the page on the terminal, as Markdown or JSON, or its main table in the other forms."""

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.narrowing import NARROWING
from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, QUIET, THREADS, dressed, formats, option
from nsysql.cli.output import PAGE_FORMS, TERMINAL, form_of, note, opened
from nsysql.cli.rows import Answer, Giving, draw, give, open_export

if TYPE_CHECKING:
    from nsysql.summary.gather import Summary

SHOWN = 5  # rows of a section
STANDS_ON = ("launch_pace", "nvtx_sum", "osrt_sum")  # queries that read what the page reads of events


def _summary(
    ctx: Any, export: Path, top: int, start: Any, end: Any, nvtx: str | None, format: Any, output: str, quiet: bool,
    threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """What was captured, what ran, and where the time went: one screen.

    GPUs with their busy and idle time, the top kernels, API calls, memory operations, NVTX ranges and OS
    calls, whether CPU or GPU is ahead, and what the export lacks. As csv, ndjson, parquet or arrow it is the
    table of all kernels.
    """
    form = form_of(format, output, TERMINAL)
    with opened(output, export) as file:
        with open_export(ctx, export, threads, memory_limit, quiet) as run:
            from nsysql.summary.gather import gather

            found = gather(run, start, end, nvtx)
            flaws = dict.fromkeys(flaw for name in STANDS_ON for flaw in run.flaws(name))
        _give(found, form, top, Giving(form, output, quiet=quiet), file)
    for flaw in () if quiet else flaws:
        note(flaw)


def _give(found: "Summary", form: str, top: int, giving: Giving, file: IO[bytes]) -> None:
    from nsysql.render import json
    from nsysql.summary import document, page

    if form in (TERMINAL, "markdown"):
        draw(page.page(found, top), giving, file)
    elif form == "json":
        json.write_document(document.document(found), file)
    else:
        none = "no rows: this export has no kernels."
        if found.stretch is not None and found.has_gpu_work:
            none = f"no rows: no kernel ran in {found.stretch.words}."
        give(Answer(found.kernels, none=none), giving, file)


summary = dressed(
    _summary,
    [
        CONTEXT, EXPORT,
        option("top", int, SHOWN, "--top", metavar="ROWS", min=1, help="Rows of each section."),
        *NARROWING,
        formats(PAGE_FORMS, TERMINAL),
        FILE, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
