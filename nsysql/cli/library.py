"""Commands about the queries themselves: list, show, sql, check."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nsysql.cli.options import CONTEXT, FILE, FORMAT, argument, dressed
from nsysql.cli.output import form_of, opened
from nsysql.cli.rows import Answer, Giving, give, more_rows, row_command
from nsysql.errors import UsageError, near
from nsysql.pack import find_packs, query_paths, read_views
from nsysql.sqlfile import read_query

if TYPE_CHECKING:
    from nsysql.export import Export


def _list(ctx: Any, format: Any, output: str) -> None:
    """The queries and views, with what a row of each is."""
    form = form_of(format, output)
    rows = list(_entries(ctx))
    with opened(output) as file:
        if form == "table":
            file.write("".join(_lines(rows)).encode())
        else:
            import polars

            columns = dict.fromkeys(("pack", "name", "summary", "same_as"), polars.String)
            give(Answer(polars.DataFrame(rows, schema=columns, orient="row")), Giving(form, output), file)


list_queries = dressed(_list, [CONTEXT, FORMAT, FILE])


def _entries(ctx: Any) -> Iterator[tuple[str, str, str, str | None]]:
    """Pack, name, summary and NVIDIA's twin of every query, then of every view."""
    from nsysql.cli.app import packs

    for path in query_paths(find_packs(packs(ctx))).values():
        query = read_query(path)
        yield query.pack, query.name, query.summary, query.same_as
    for view in read_views().values():
        yield "views", view.name, view.summary, None


def _lines(rows: list[tuple[str, str, str, str | None]]) -> Iterator[str]:
    """A section per pack, a line per query."""
    from nsysql.cli.app import HEADINGS

    width, heading = max(len(row[1]) for row in rows), None
    for pack, name, summary, _ in rows:
        if pack != heading:
            titled = "Views, to be read by `nsysql sql`" if pack == "views" else HEADINGS.get(pack, pack)
            yield ("" if heading is None else "\n") + f"{titled}\n"
            heading = pack
        yield f"  {name:{width}}  {summary}\n"


def _names(ctx: Any, incomplete: str) -> list[tuple[str, str]]:
    """Queries and views for completion."""
    from nsysql.cli.app import first_line

    begin = incomplete.replace("-", "_")
    return [(name, first_line(path)) for name, path in _files(ctx).items() if name.startswith(begin)]


def _files(ctx: Any) -> dict[str, Path]:
    from nsysql.cli.app import packs

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
        raise UsageError(f"There is no query or view {query!r}; see `nsysql list`.{near(name, files)}")
    sys.stdout.write(files[name].read_text(encoding="utf-8"))


def check(
    ctx: typer.Context,
    pack: Annotated[Path, typer.Argument(metavar="PACK", help="A folder of .sql files.")],
) -> None:
    """What a pack's query files promise and do not keep; exit status 1 if there is any."""
    from nsysql.check import check_pack
    from nsysql.cli.app import packs

    problems = check_pack(pack, packs(ctx))
    for problem in problems:
        print(problem)
    raise typer.Exit(1 if problems else 0)


def _sql(run: "Export", giving: Giving, text: str) -> Answer:
    frame = run.sql(sys.stdin.read() if text == "-" else text)
    if giving.rows == 0:
        return Answer(frame)
    return Answer(frame.head(giving.rows), more=more_rows(frame.height - giving.rows))


SELECT = "One SELECT over the views and raw.TABLE; - reads it from the standard input."
sql = row_command(_sql, [argument("text", str, metavar="SELECT", help=SELECT)])
sql.__doc__ = "The rows of a SELECT of your own."
