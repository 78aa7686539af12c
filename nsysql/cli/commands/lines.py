"""`nsysql lines`: the page on the terminal, as Markdown, HTML or JSON, or its table in the other forms."""

from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, QUIET, THREADS, formats, option, with_options
from nsysql.cli.output import HTML, PAGE_FORMS, PAGES, TERMINAL, form_of, opened
from nsysql.cli.query_command import NARROWING
from nsysql.cli.rows import OutputOptions, PageAnswer, QueryResult, give, open_export

if TYPE_CHECKING:
    from nsysql.pages.lines.gather import Lines

SHOWN = 20  # rows
BY = ("line", "function", "file")
SORT = ("gpu", "launches", "wait", "idle", "samples", "name")
By = StrEnum("By", [(name, name) for name in BY])  # type: ignore[misc]
Sort = StrEnum("Sort", [(name, name) for name in SORT])  # type: ignore[misc]
SOURCE = "Folder of the program's source, whose lines HTML then shows."
ORDER = "What to sort by, largest first; names from A."


def _lines(
    ctx: Any, export: Path, by: Any, sort: Any, top: int, idle: bool, source: Path | None, start: Any, end: Any,
    nvtx: str | None, steps: str | None, step_range: str | None, format: Any, output: str, quiet: bool, threads: Any,
    memory_limit: Any,
) -> None:  # fmt: skip
    """Where in the source the time goes: GPU work launched, waits, idle time and CPU samples by line.

    A call counts at the line in its own call stack, else at that of the nearest Python sample of its thread, of an NVTX
    range named file.py:12 name, or of an OpenACC construct; each row says which. Time without a known line is a row
    too, so that rows sum to the whole. An .html has each file line by line. As csv, ndjson, parquet or arrow it is the
    table of all rows.
    """
    from nsysql.pages.lines.gather import LinesAsked, collect
    from nsysql.pages.scope import PageScope

    form = form_of(format, output, PAGE_FORMS)
    scope = PageScope(None, start, end, nvtx, steps=steps, step_range=step_range)
    asked = LinesAsked(str(by.value), str(sort.value), top or None, idle, scope.filters)
    with opened(output, export) as file:
        with open_export(ctx, export, threads, memory_limit, quiet, form in PAGES) as run:
            found = collect(run, asked)
        _write(found, source, OutputOptions(form, output, quiet=quiet), file)


def _write(found: "Lines", source: Path | None, giving: OutputOptions, file: IO[bytes]) -> None:
    from nsysql.pages.lines import page
    from nsysql.pages.lines.source import texts

    if giving.form == HTML:
        from nsysql.render.lines.html import write

        names = found.rows["file"].drop_nulls().unique().to_list()
        write(found, {} if source is None else texts(source, names), file)
    else:
        rows = QueryResult(found.rows, list(found.notes))
        give(PageAnswer(lambda: page.page(found), lambda: page.document(found), lambda: rows), giving, file)


lines = with_options(
    _lines,
    [
        CONTEXT, EXPORT,
        option("by", By, By("line"), "--by", help="What a row is."),
        option("sort", Sort, Sort("gpu"), "--sort", help=ORDER),
        option("top", int, SHOWN, "--top", metavar="ROWS", min=0, help="Maximum rows to print (0 = all)."),
        option("idle", bool, True, "--idle/--no-idle", help="Attribute the idle time, which takes longer."),
        option("source", Path, None, "--source", metavar="FOLDER", help=SOURCE),
        *NARROWING,
        formats(PAGE_FORMS, TERMINAL),
        FILE, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
