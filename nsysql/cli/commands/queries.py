"""Commands about the queries themselves: list, show, sql, check."""

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import typer

from nsysql.catalog.header import public_names, view_names
from nsysql.catalog.packs import find_packs, query_paths, read_views
from nsysql.catalog.query_file import read_query
from nsysql.cli.options import FILE, argument, option, packs
from nsysql.cli.output import FORMATS, opened
from nsysql.cli.query_command import query_command
from nsysql.cli.rows import Call, command, more_rows, row_command, write_rows
from nsysql.errors import PackError, UsageError, escaped, suggestion
from nsysql.render.page_views import Rows

if TYPE_CHECKING:
    from nsysql.capture.export import Export


Entry = tuple[str, str, str, str | None, str | None]  # pack, name, summary, NVIDIA's report, a view's columns
ALL = option(False, "--all", help="Also the views that only nsysql's own queries read.")
COLUMNS_IN = 118  # characters in a line of columns
VIEWS = {
    "views": "Views, to be read by your queries and by `nsysql sql`, with their columns",
    "internal": "Views of nsysql's own queries, which can change with any version; `nsysql sql` reads them too",
}


@command([FILE], FORMATS)
def list_(call: Call, all: bool = ALL) -> None:
    """The queries, and the views that your queries can read: what a row of each is, and the columns of the views."""
    rows = list(_entries(call.packs, all))
    with opened(call.output) as file:
        if call.form == "table":
            file.write("".join(_lines(rows)).encode())
        else:
            import polars

            columns = dict.fromkeys(("pack", "name", "summary", "same_as", "columns"), polars.String)
            write_rows(Rows(polars.DataFrame(rows, schema=columns, orient="row")), call, file)


def _entries(packs: tuple[Path, ...], is_all: bool) -> Iterator[Entry]:
    """Every query, then every public view, and the others only if `is_all`."""
    for path in query_paths(find_packs(packs)).values():
        query = read_query(path)
        yield query.pack, query.name, query.summary, query.same_as, None
    for names in (public_names(), view_names() - public_names() if is_all else frozenset[str]()):
        for view in (read_views()[name] for name in sorted(names)):
            yield view.pack, view.name, view.summary, None, ", ".join(view.column_names)


def _lines(rows: list[Entry]) -> Iterator[str]:
    """A section per pack, a line per query; of a view its columns below."""
    width, heading = max(len(row[1]) for row in rows), None
    for pack, name, summary, _, columns in rows:
        if pack != heading:
            yield ("" if heading is None else "\n") + f"{VIEWS.get(pack, pack)}\n"
            heading = pack
        yield f"  {name:{width}}  {summary}\n"
        if columns:
            indent = " " * (width + 4)
            yield fill(columns, max(COLUMNS_IN, width + 44), initial_indent=indent, subsequent_indent=indent) + "\n"


def _names(ctx: Any, incomplete: str) -> list[tuple[str, str]]:
    """Queries and views for completion, with the first lines of their files."""
    names = []
    for name, path in _files(packs(ctx)).items():
        if name.startswith(incomplete.replace("-", "_")):
            with path.open(encoding="utf-8-sig", errors="replace") as file:
                names.append((name, escaped(file.readline().removeprefix("--").strip())))
    return names


def _files(packs: tuple[Path, ...]) -> dict[str, Path]:
    return {**{name: view.path for name, view in read_views().items()}, **query_paths(find_packs(packs))}


NAMED = "A query or a view, such as kernel."


@command()
def show(call: Call, query: str = argument(metavar="QUERY", autocompletion=_names, help=NAMED)) -> None:
    """The text of a query or view: its header and its SQL."""
    files, name = _files(call.packs), query.replace("-", "_")
    if name not in files:
        raise UsageError(f"There is no query or view {query!r}; see `nsysql list`.{suggestion(name, files)}")
    sys.stdout.write(files[name].read_text(encoding="utf-8", errors="backslashreplace"))


@command()
def check(call: Call, pack: Path = argument(metavar="PACK", help="A folder of .sql files.")) -> None:
    """The mistakes in a pack's query files; exit status 1 if there are any."""
    from nsysql.capture.check import check_pack
    from nsysql.cli.app import command_names

    problems = check_pack(pack, call.packs, command_names()) or list(_without_options(pack))
    for problem in problems:
        print(problem)
    raise typer.Exit(1 if problems else 0)


def _without_options(pack: Path) -> Iterator[str]:
    """Yield why parameters of a pack's queries cannot be options."""
    for path in sorted(pack.glob("*.sql")):
        try:
            query_command(read_query(path))
        except PackError as error:
            yield str(error)


SELECT = "One SELECT over the views and raw.TABLE; - reads it from the standard input."


@row_command
def sql(run: "Export", call: Call, text: str = argument(metavar="SELECT", help=SELECT)) -> Rows:
    """The rows of a SELECT of your own."""
    frame = run.sql(sys.stdin.read() if text == "-" else text)
    if call.rows == 0:
        return Rows(frame)
    return Rows(frame.head(call.rows), more=more_rows(frame.height - call.rows))
