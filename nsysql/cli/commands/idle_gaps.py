"""`nsysql idle-gaps`: the page on the terminal, as Markdown or JSON, or its main table in the other forms."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.options import ALL, CONTEXT, EXPORT, FILE, MEMORY, NAMES, QUIET, THREADS, formats, option, with_options
from nsysql.cli.output import FOR_PEOPLE, PAGE_FORMS, PAGES, TERMINAL, opened, page_form, text_width
from nsysql.cli.query_command import NARROWING, time
from nsysql.cli.rows import OutputOptions, QueryResult, open_export, write_page, write_rows
from nsysql.cli.terminal import unfiltered

if TYPE_CHECKING:
    import polars

    from nsysql.capture.export import Export
    from nsysql.pages.scope import PageScope

SHOWN = 5  # rows of a section
PIECES = 12  # rows of pieces of a gap
DRAWN = 3  # longest gaps that are drawn on a terminal
TOP = f"Maximum rows of each section (0 = all); default: {SHOWN}, with --explain {PIECES}."
APART = "Keep each process's devices apart; a GPU is then pid * 1000 + ordinal."
EXPLAIN = "Why this gap: in a sentence, by cause, call and range, then its longest segments with the evidence."
BY = ("cause", "nvtx", "pattern", "api", "thread", "function", "line", "drain")
By = StrEnum("By", [(name, name) for name in BY])  # type: ignore[misc]


def _idle_gaps(
    ctx: Any, export: Path, all: bool, by: Any, min_gap: Any, top: int | None, gpu: int | None, per_process: bool,
    start: Any, end: Any, nvtx: str | None, steps: str | None, step_range: str | None, explain: int | None,
    format: Any, output: str, name_width: int | None, full_names: bool, no_pictures: bool, quiet: bool, threads: Any,
    memory_limit: Any,
) -> None:  # fmt: skip
    """Where and why each GPU was idle, and what to do: every idle nanosecond has one cause. --all adds the tables.

    A gap is a stretch in which a GPU runs nothing. It ends because a launch on a thread asked for work: what
    the thread did before, the launch call, and what the GPU waited for after it share the gap. The causes sum
    to the idle time. A share says how long the GPU waited under a cause, not what removing it saves.

    As csv, ndjson, parquet or arrow it is the table of all gaps, with --by nvtx, pattern, api, thread, function,
    line or drain the table by that, with --explain the gap's pieces.
    """
    from nsysql.pages.scope import PageScope

    form = page_form(format, output)
    for_page = form in PAGES
    shown = SHOWN if top is None else (top or None)
    asked = PageScope(gpu, start, end, nvtx, per_process, min_gap or 0, shown, str(by.value), steps, step_range)
    giving = OutputOptions(form, output, quiet=quiet, name_width=name_width, full_names=full_names)
    with opened(output, export) as file, open_export(ctx, export, threads, memory_limit, quiet, for_page) as run:
        if explain is not None:
            _explain(run, asked, explain, PIECES if top is None else (top or None), giving, file)
        elif for_page:
            _page(run, asked, all, giving, file, not no_pictures)
        else:
            write_rows(_table(run, asked, every=top is None), giving, file)


def _page(run: "Export", asked: "PageScope", all: bool, giving: OutputOptions, file: IO[bytes], pictures: bool) -> None:
    from nsysql.pages.idle.page import collect
    from nsysql.pages.idle.tables import longest_gaps
    from nsysql.render.rows import write_document

    found = collect(run, asked, all)
    if giving.form == "json":
        write_document(found.document(), file)
    else:
        write_page(found.page(), giving, file)
        if (
            all
            and pictures
            and not asked.per_process
            and giving.form == TERMINAL
            and giving.output == "-"
            and sys.stdout.isatty()
        ):
            _pictures(run, longest_gaps(found.asked))


def _pictures(run: "Export", gaps: "polars.DataFrame") -> None:
    """Draw the longest gaps on the terminal."""
    from nsysql.pages.timeline.gaps import read_around
    from nsysql.render.timeline.terminal import write
    from nsysql.words.quantities import time

    for gap in gaps.sort("gap_ns", "gap_id", descending=[True, False]).head(DRAWN).to_dicts():
        print()
        heading = f"Gap {gap['gap_id']}: {time(gap['gap_ns'])}, drawn"
        write(read_around(run, gap), unfiltered(sys.stdout), text_width("-") or 80, 1, heading)


def _explain(
    run: "Export", asked: "PageScope", gap: int, rows: int | None, giving: OutputOptions, file: IO[bytes]
) -> None:
    from nsysql.pages.idle import explain
    from nsysql.render.rows import write_document

    found = explain.collect(run, asked, gap, rows)
    if giving.form == "json":
        write_document(explain.document(found), file)
    elif giving.form in FOR_PEOPLE:
        write_page(explain.page(found), giving, file)
    else:
        write_rows(QueryResult(found.pieces, list(found.notes)), giving, file)


def _table(run: "Export", asked: "PageScope", every: bool) -> QueryResult:
    """The page's main table."""
    from nsysql.pages.idle.gather import GROUPS, gpu_time_or_raise, groups

    gpu_time_or_raise(run, asked)
    top = None if every else asked.top
    if asked.by in GROUPS:
        frame: polars.DataFrame = groups(run, asked, top)
    elif asked.by == "drain":
        frame = run.query("idle_drains", top=top, **asked.window)
    elif asked.by == "pattern":
        frame = run.query("idle_patterns", top=top, **asked.window)
    else:
        frame = run.query("idle_gaps", min_gap_ns=asked.min_gap_ns, top=top, **asked.window)
    return QueryResult(frame, run.data_problems("idle_pieces"))


idle_gaps = with_options(
    _idle_gaps,
    [
        CONTEXT, EXPORT, ALL,
        option("by", By, By("cause"), "--by", help="What else to sum the idle time by."),
        time("min_gap", "--min-gap", "Shortest gap to list; the sums keep all."),
        option("top", int, None, "--top", metavar="ROWS", min=0, help=TOP),
        option("gpu", int, None, "--gpu", metavar="ID", help="Only this GPU."),
        option("per_process", bool, False, "--per-process", help=APART),
        *NARROWING,
        option("explain", int, None, "--explain", metavar="GAP", help=EXPLAIN),
        formats(PAGE_FORMS, TERMINAL),
        FILE, *NAMES,
        option("no_pictures", bool, False, "--no-pictures", help="Do not draw the longest gaps."),
        QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
