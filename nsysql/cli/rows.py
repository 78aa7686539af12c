"""Commands that answer with rows: how they open an export, ask, and give the answer."""

import io
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from inspect import Parameter as Argument
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.options import COMMON, CONTEXT, EXPORT, SHOWN_ROWS, with_options
from nsysql.cli.output import HTML, form_of, note, opened, text_width
from nsysql.cli.terminal import unfiltered
from nsysql.errors import UsageError, suggestion

if TYPE_CHECKING:
    import polars

    from nsysql.export import Export
    from nsysql.names.naming import Naming
    from nsysql.pages.elements import Page


Draw = Callable[["polars.DataFrame", IO[str], int], None]  # rows, where, and in how many columns
WIDTH = 80  # columns of a terminal that says nothing
NAME_LETTERS = 10_000  # of a name on a page


@dataclass(frozen=True)
class OutputOptions:
    """How rows are to be given, as the common options say."""

    form: str
    output: str = "-"
    columns: str | None = None
    limit: int | None = None
    quiet: bool = False
    name_width: int | None = None
    full_names: bool = False

    @property
    def rows(self) -> int:
        """The rows to give; 0 is all."""
        shown = SHOWN_ROWS if self.form == "table" else 0
        return shown if self.limit is None else self.limit


@dataclass(frozen=True)
class QueryResult:
    """Rows, what is to be said about them, why there may be none, and how to see those that are not here."""

    frame: "polars.DataFrame"
    notes: list[str] = field(default_factory=list)
    none: str = "no rows."
    more: str | None = None
    drawn: "Draw | None" = None  # for a terminal, instead of a table


def is_drawn(giving: OutputOptions) -> bool:
    """Whether rows are for a terminal, and neither rows nor columns were chosen: then they can be a drawing."""
    is_whole = giving.columns is None and giving.limit is None and not giving.full_names
    return giving.form == "table" and giving.output == "-" and is_whole and sys.stdout.isatty()


def row_command(ask: Callable[..., QueryResult], options: list[Argument]) -> Callable[..., None]:
    """A command that opens an export, asks, and gives the rows as the common options say."""

    def command(
        ctx: Any, export: Path, threads: int | None, memory_limit: str | None, format: Any, output: str,
        columns: str | None, limit: int | None, name_width: int | None, full_names: bool, quiet: bool, **given: Any,
    ) -> None:  # fmt: skip
        giving = OutputOptions(form_of(format, output), output, columns, limit, quiet, name_width, full_names)
        with opened(output, export) as file:
            with open_export(ctx, export, threads, memory_limit, quiet) as run:
                answer = ask(run, giving, **given)
            write_rows(answer, giving, file)

    return with_options(command, [CONTEXT, EXPORT, *options, *COMMON])


def open_export(
    ctx: Any, export: Path, threads: int | None, memory_limit: str | None, quiet: bool = False, for_page: bool = False
) -> "Export":
    """The export, open, with the packs of the command line; a page shows the beginning of long names."""
    from nsysql.cli.chosen_packs import packs
    from nsysql.cli.open_export import ensure_exported
    from nsysql.cli.progress import waiting
    from nsysql.facade import open

    shown, found = waiting(f"Reading {export.name}", quiet), ensure_exported(export)
    frames = threading.Thread(target=import_module, args=["polars"])  # while DuckDB loads its extension
    frames.start()
    try:
        letters = NAME_LETTERS if for_page else None
        return open(
            found, packs=packs(ctx), threads=threads, memory_limit=memory_limit, waiting=shown, name_letters=letters
        )
    finally:
        frames.join()


def more_rows(count: int) -> str | None:
    """How to see rows that a table does not show."""
    return f"{count:,} more {'row' if count == 1 else 'rows'}; --limit 0 shows all." if count > 0 else None


def write_rows(answer: QueryResult, giving: OutputOptions, file: IO[bytes]) -> None:
    """Write the rows where they were asked for, and the notes on stderr."""
    frame = answer.frame
    if giving.columns is not None:
        frame = frame.select(_chosen(giving.columns, frame.columns))
    elif giving.form in ("table", "markdown"):
        frame = _without_empty(frame)
    hidden: list[str] = []
    if giving.form == "markdown":
        markdown = import_module("nsysql.render.markdown")
        markdown.write(frame, file, _naming(giving))
    elif giving.form != "table":
        import_module(f"nsysql.render.{giving.form}").write(frame, file)
    elif answer.drawn and not frame.is_empty():
        answer.drawn(answer.frame, unfiltered(sys.stdout), text_width("-") or WIDTH)
    elif not frame.is_empty():
        hidden = _write_table(frame, giving, file)
    if not giving.quiet:
        for text in _notes(answer, frame, hidden):
            note(text)


def write_page(page: "Page", giving: OutputOptions, file: IO[bytes]) -> None:
    """Write a page for people: as HTML, as Markdown, or as text for a terminal."""
    from nsysql.render.page import write_markdown, write_terminal
    from nsysql.render.page_names import named
    from nsysql.render.page_width import WIDEST

    width, naming = text_width(giving.output), _naming(giving)
    if giving.form == "markdown":
        write_markdown(named(page, naming, None), file)
        return
    if giving.form == HTML:
        import_module("nsysql.render.html.page").write(page, file)
        return
    page = named(page, naming, width or WIDEST)
    if giving.output == "-":
        write_terminal(page, unfiltered(sys.stdout), width)
    else:
        text = io.TextIOWrapper(file, "utf-8", newline="\n")
        write_terminal(page, text, width)
        text.flush()
        text.detach()


def _without_empty(frame: "polars.DataFrame") -> "polars.DataFrame":
    """The columns that have a value in any row, which may be none: then all of them."""
    kept = [name for name in frame.columns if frame[name].null_count() < frame.height]
    return frame.select(kept) if kept else frame


def _naming(giving: OutputOptions) -> "Naming":
    from nsysql.names.naming import Naming

    return Naming(giving.name_width, giving.full_names)


def _notes(answer: QueryResult, frame: "polars.DataFrame", hidden: list[str]) -> list[str]:
    notes = [answer.none] if frame.is_empty() else []
    if answer.more:
        notes.append(answer.more)
    if hidden:
        notes.append(f"no room for {', '.join(hidden)}; --columns chooses, --format csv gives all.")
    if any(name == "start_ns" or name.endswith("_start_ns") for name in frame.columns):
        notes.append("times are relative to the start of the capture.")
    return notes + answer.notes


def _write_table(frame: "polars.DataFrame", giving: OutputOptions, file: IO[bytes]) -> list[str]:
    """Write the table and name the columns that had no room."""
    from nsysql.render.table import write

    width, naming = text_width(giving.output), _naming(giving)
    if giving.output == "-":
        return write(frame, unfiltered(sys.stdout), width, naming)
    text = io.TextIOWrapper(file, "utf-8", newline="\n")
    hidden = write(frame, text, width, naming)
    text.flush()
    text.detach()
    return hidden


def _chosen(text: str, known: list[str]) -> list[str]:
    names = [name.strip().replace("-", "_") for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"--columns names none; there is {', '.join(known)}.")
    for name in names:
        if name not in known:
            raise UsageError(f"There is no column {name!r}; there is {', '.join(known)}.{suggestion(name, known)}")
    return list(dict.fromkeys(names))
