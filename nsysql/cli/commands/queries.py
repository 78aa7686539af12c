"""Commands about the queries themselves: list, show, sql, check."""

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nsysql.catalog.header import public_names, view_names
from nsysql.catalog.packs import find_packs, query_paths, read_views
from nsysql.catalog.query_file import read_query
from nsysql.cli.options import CONTEXT, FILE, FORMAT, argument, option, with_options
from nsysql.cli.output import form_of, opened
from nsysql.cli.rows import OutputOptions, QueryResult, more_rows, row_command, write_rows
from nsysql.errors import UsageError, suggestion

if TYPE_CHECKING:
    from nsysql.capture.export import Export


Entry = tuple[
    str, str, str, str | None, str | None
]  # pack, name, summary, the corresponding NVIDIA report, a view's columns
ALL = option("all", bool, False, "--all", help="Also the views that only nsysql's own queries read.")
COLUMNS_IN = 118  # characters in a line of columns
VIEWS = {
    "views": "Views, to be read by your queries and by `nsysql sql`, with their columns",
    "internal": "Views of nsysql's own queries, which can change with any version; `nsysql sql` reads them too",
}


def _list(ctx: Any, all: bool, format: Any, output: str) -> None:
    """The queries, and the views that your queries can read: what a row of each is, and the columns of the views."""
    form = form_of(format, output)
    rows = list(_entries(ctx, all))
    with opened(output) as file:
        if form == "table":
            file.write("".join(_lines(rows)).encode())
        else:
            import polars

            columns = dict.fromkeys(("pack", "name", "summary", "same_as", "columns"), polars.String)
            write_rows(
                QueryResult(polars.DataFrame(rows, schema=columns, orient="row")), OutputOptions(form, output), file
            )


list_queries = with_options(_list, [CONTEXT, ALL, FORMAT, FILE])


def _entries(ctx: Any, is_all: bool) -> Iterator[Entry]:
    """Every query, then every public view, and the others only if `is_all`."""
    from nsysql.cli.chosen_packs import packs

    for path in query_paths(find_packs(packs(ctx))).values():
        query = read_query(path)
        yield query.pack, query.name, query.summary, query.same_as, None
    for names in (public_names(), view_names() - public_names() if is_all else frozenset[str]()):
        for view in (read_views()[name] for name in sorted(names)):
            yield view.pack, view.name, view.summary, None, ", ".join(view.column_names)


def _lines(rows: list[Entry]) -> Iterator[str]:
    """A section per pack, a line per query; of a view its columns below."""
    from nsysql.cli.chosen_packs import HEADINGS

    width, heading = max(len(row[1]) for row in rows), None
    for pack, name, summary, _, columns in rows:
        if pack != heading:
            yield ("" if heading is None else "\n") + f"{VIEWS.get(pack) or HEADINGS.get(pack, pack)}\n"
            heading = pack
        yield f"  {name:{width}}  {summary}\n"
        if columns:
            indent = " " * (width + 4)
            yield fill(columns, max(COLUMNS_IN, width + 44), initial_indent=indent, subsequent_indent=indent) + "\n"


def _names(ctx: Any, incomplete: str) -> list[tuple[str, str]]:
    """Queries and views for completion."""
    from nsysql.cli.chosen_packs import first_line

    begin = incomplete.replace("-", "_")
    return [(name, first_line(path)) for name, path in _files(ctx).items() if name.startswith(begin)]


def _files(ctx: Any) -> dict[str, Path]:
    from nsysql.cli.chosen_packs import packs

    return {**{name: view.path for name, view in read_views().items()}, **query_paths(find_packs(packs(ctx)))}


def show(
    ctx: typer.Context,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", autocompletion=_names, help="A query or a view, such as kernel.")
    ],
) -> None:
    """The text of a query or view: its header and its SQL."""
    files, name = _files(ctx), query.replace("-", "_")
    if name not in files:
        raise UsageError(f"There is no query or view {query!r}; see `nsysql list`.{suggestion(name, files)}")
    sys.stdout.write(files[name].read_text(encoding="utf-8", errors="backslashreplace"))


def check(
    ctx: typer.Context,
    pack: Annotated[Path, typer.Argument(metavar="PACK", help="A folder of .sql files.")],
) -> None:
    """The mistakes in a pack's query files; exit status 1 if there are any."""
    from nsysql.capture.check import check_pack
    from nsysql.cli.chosen_packs import packs

    problems = check_pack(pack, packs(ctx))
    for problem in problems:
        print(problem)
    raise typer.Exit(1 if problems else 0)


def _sql(run: "Export", giving: OutputOptions, text: str) -> QueryResult:
    frame = run.sql(sys.stdin.read() if text == "-" else text)
    if giving.rows == 0:
        return QueryResult(frame)
    return QueryResult(frame.head(giving.rows), more=more_rows(frame.height - giving.rows))


SELECT = "One SELECT over the views and raw.TABLE; - reads it from the standard input."
sql = row_command(_sql, [argument("text", str, metavar="SELECT", help=SELECT)])
sql.__doc__ = "The rows of a SELECT of your own."
