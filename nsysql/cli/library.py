"""Commands about the queries themselves: list, show, sql, check."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nsysql.cli.rows import Answer, row_command
from inspect import Parameter as Argument

if TYPE_CHECKING:
    from nsysql.export import Export


def list_queries(ctx: typer.Context) -> None:
    """The queries and views, with what a row of each is."""
    from nsysql.cli.app import packs
    from nsysql.pack import find_packs, query_paths, read_query, read_views

    for path in query_paths(find_packs(packs(ctx))).values():
        query = read_query(path)
        typer.echo(f"{query.pack:8} {query.name:24} {query.summary}")
    for view in read_views().values():
        typer.echo(f"{'view':8} {view.name:24} {view.summary}")


def show(ctx: typer.Context, query: Annotated[str, typer.Argument(metavar="QUERY")]) -> None:
    """The text of a query or view: its header and its SQL."""
    from nsysql.cli.app import packs
    from nsysql.errors import UsageError, near
    from nsysql.pack import find_packs, query_paths, read_views

    paths = {**{n: v.path for n, v in read_views().items()}, **query_paths(find_packs(packs(ctx)))}
    name = query.replace("-", "_")
    if name not in paths:
        raise UsageError(f"There is no query or view {query!r}; see `nsysql list`.{near(name, paths)}")
    typer.echo(paths[name].read_text(encoding="utf-8"), nl=False)


def check(pack: Annotated[Path, typer.Argument(metavar="PACK", help="A folder of .sql files.")]) -> None:
    """The promises that a pack's query files do not keep; none is success."""
    from nsysql.check import check_pack

    problems = check_pack(pack)
    for problem in problems:
        typer.echo(problem)
    raise typer.Exit(1 if problems else 0)


def _sql(run: "Export", format: str, text: str) -> Answer:
    return Answer(run.sql(text))


sql: Any = row_command(
    _sql,
    [
        Argument(
            "text",
            Argument.KEYWORD_ONLY,
            annotation=Annotated[str, typer.Argument(metavar="SELECT", help="One SELECT over the views and raw.TABLE.")],
        )
    ],
)
sql.__doc__ = "The rows of a SELECT of your own."
