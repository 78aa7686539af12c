"""`nsysql idle-gaps`: the page on the terminal, as Markdown or JSON, or its main table in the other forms."""

from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.narrowing import NARROWING, time
from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, QUIET, THREADS, dressed, formats, option
from nsysql.cli.output import PAGE_FORMS, TERMINAL, form_of, opened
from nsysql.cli.rows import Answer, Giving, draw, give, open_export

if TYPE_CHECKING:
    import polars

    from nsysql.export import Export
    from nsysql.why.asked import Asked

SHOWN = 5  # rows of a section
TOP = f"Rows of each section; {SHOWN} without it, 0 for all."
APART = "Keep each process's devices apart; a GPU is then pid * 1000 + ordinal."
EXPLAIN = "Every piece of this gap, with the row that is the evidence."
BY = ("cause", "nvtx", "pattern", "api", "thread", "line")
By = StrEnum("By", [(name, name) for name in BY])  # type: ignore[misc]


def _idle_gaps(
    ctx: Any, export: Path, by: Any, min_gap: Any, top: int | None, gpu: int | None, per_process: bool,
    start: Any, end: Any, nvtx: str | None, explain: int | None, format: Any, output: str, quiet: bool,
    threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """Why each GPU was idle, and what to do first: every idle nanosecond booked to one cause.

    A gap is a stretch in which a GPU runs nothing. It ends because a launch on a thread asked for work: what
    the thread did before, the launch call, and what the GPU waited for after it share the gap. The causes sum
    to the idle time; removing one saves at most its share of the window.

    As csv, ndjson, parquet or arrow it is the table of all gaps, with --by nvtx, pattern, api, thread or line
    the table by that, with --explain the gap's pieces.
    """
    from nsysql.why.asked import Asked

    form = form_of(format, output, TERMINAL)
    shown = SHOWN if top is None else (top or None)
    asked = Asked(gpu, start, end, nvtx, per_process, min_gap or 0, shown, str(by.value))
    giving = Giving(form, output, quiet=quiet)
    with opened(output, export) as file, open_export(ctx, export, threads, memory_limit, quiet) as run:
        if explain is not None:
            _explain(run, asked, explain, giving, file)
        elif form in (TERMINAL, "markdown", "json"):
            _page(run, asked, giving, file)
        else:
            give(_table(run, asked, every=top is None), giving, file)


def _page(run: "Export", asked: "Asked", giving: Giving, file: IO[bytes]) -> None:
    from nsysql.render import json
    from nsysql.why import document, page
    from nsysql.why.gather import gather

    found = gather(run, asked)
    if giving.form == "json":
        json.write_document(document.of_page(found), file)
    else:
        draw(page.page(found), giving, file)


def _explain(run: "Export", asked: "Asked", gap: int, giving: Giving, file: IO[bytes]) -> None:
    from nsysql.render import json
    from nsysql.why import document, explain

    found = explain.gather(run, asked, gap)
    if giving.form == "json":
        json.write_document(document.of_gap(found), file)
    elif giving.form in (TERMINAL, "markdown"):
        draw(explain.page(found), giving, file)
    else:
        give(Answer(found.pieces), giving, file)


def _table(run: "Export", asked: "Asked", every: bool) -> Answer:
    """The page's main table."""
    from nsysql.why.gather import GROUPS, groups, recorded

    recorded(run, asked)
    top = None if every else asked.top
    if asked.by in GROUPS:
        frame: polars.DataFrame = groups(run, asked, top)
    elif asked.by == "pattern":
        frame = run.query("idle_patterns", top=top, **asked.window)
    else:
        frame = run.query("idle_gaps", min_gap_ns=asked.min_gap_ns, top=top, **asked.window)
    return Answer(frame)


idle_gaps = dressed(
    _idle_gaps,
    [
        CONTEXT, EXPORT,
        option("by", By, By("cause"), "--by", help="What else to sum the idle time by."),
        time("min_gap", "--min-gap", "Shortest gap to list; the sums keep all."),
        option("top", int, None, "--top", metavar="ROWS", min=0, help=TOP),
        option("gpu", int, None, "--gpu", metavar="ID", help="Only this GPU."),
        option("per_process", bool, False, "--per-process", help=APART),
        *NARROWING,
        option("explain", int, None, "--explain", metavar="GAP", help=EXPLAIN),
        formats(PAGE_FORMS, TERMINAL),
        FILE, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
