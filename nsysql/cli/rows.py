"""Commands that answer with rows: their common options, in one place, and how the rows are given."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from inspect import Parameter as Argument
from inspect import Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import polars

    from nsysql.export import Export

SHOWN_ROWS = 50


class Format(StrEnum):
    """The forms in which rows are given."""

    table = "table"
    csv = "csv"
    json = "json"
    ndjson = "ndjson"
    markdown = "markdown"
    parquet = "parquet"
    arrow = "arrow"


@dataclass(frozen=True)
class Answer:
    """Rows, and what is to be said about them."""

    frame: "polars.DataFrame"
    notes: list[str] = field(default_factory=list)


EXPORT = Argument(
    "export",
    Argument.KEYWORD_ONLY,
    annotation=Annotated[Path, typer.Argument(metavar="EXPORT", help="An Nsight Systems .sqlite export.")],
)


def _option(name: str, kind: Any, default: Any, *spelled: str, **options: Any) -> Argument:
    annotation = Annotated[kind, typer.Option(*spelled, **options)]
    return Argument(name, Argument.KEYWORD_ONLY, default=default, annotation=annotation)


GIVING = [
    _option("format", Format, Format.table, "--format", "-f", help="How the rows are given."),
    _option("output", str, "-", "--output", "-o", metavar="FILE", help="Where to; - is the standard output."),
    _option("limit", int | None, None, "--limit", metavar="ROWS", help="Rows of a table; 0 is all.", show_default="50"),
    _option("quiet", bool, False, "--quiet", "-q", help="No notes."),
]
OPENING = [
    _option("threads", int | None, None, "--threads", help="Threads of DuckDB."),
    _option("memory_limit", str | None, None, "--memory-limit", metavar="SIZE", help="Memory of DuckDB, such as 4GB."),
]


def row_command(ask: Callable[..., Answer], options: list[Argument]) -> Callable[..., None]:
    """A command that opens an export, asks, and gives the rows as the common options say."""

    def command(
        ctx: typer.Context, export: Path, format: Format, output: str, limit: int | None, quiet: bool,
        threads: int | None, memory_limit: str | None, **given: Any,
    ) -> None:  # fmt: skip
        from nsysql.cli.app import packs
        from nsysql.export import open

        with open(export, packs=packs(ctx), threads=threads, memory_limit=memory_limit) as run:
            answer = ask(run, format=format.value, **given)
        give(answer, format, output, limit, quiet)

    context = Argument("ctx", Argument.KEYWORD_ONLY, annotation=typer.Context)
    command.__annotations__ = {}
    command.__signature__ = Signature([context, EXPORT, *options, *GIVING, *OPENING])  # type: ignore[attr-defined]
    return command


def give(answer: Answer, format: Format, output: str, limit: int | None, quiet: bool) -> None:
    """Write the rows where they were asked for, and the notes on stderr."""
    from nsysql.render import write

    write(answer.frame, format.value, output, SHOWN_ROWS if limit is None else limit)
    if not quiet:
        for note in answer.notes:
            print(f"nsysql: note: {note}", file=sys.stderr)
