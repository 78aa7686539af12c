"""Commands that output rows: open an export, query it, and write the result."""

import io
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from inspect import Parameter as Argument
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.options import (
    COMMON,
    CONTEXT,
    EXPORT,
    FILE,
    MEMORY,
    NAMES,
    QUIET,
    SHOWN_ROWS,
    THREADS,
    formats,
    with_options,
)
from nsysql.cli.output import FOR_PEOPLE, HTML, PAGE_FORMS, PAGES, SVG, TERMINAL, form_of, note, opened, text_width
from nsysql.cli.terminal import unfiltered
from nsysql.errors import MissingData, UsageError, suggestion

if TYPE_CHECKING:
    import polars

    from nsysql.capture.export import Export
    from nsysql.pages.elements import Page
    from nsysql.words.naming import Naming


Draw = Callable[["polars.DataFrame", IO[str], int], None]  # rows, output, width in columns
WIDTH = 80  # columns if the terminal's width is unknown
NAME_LETTERS = 10_000  # characters read of a name on a page


@dataclass(frozen=True)
class OutputOptions:
    """The common options for output."""

    form: str
    output: str = "-"
    columns: str | None = None
    limit: int | None = None
    quiet: bool = False
    name_width: int | None = None
    full_names: bool = False
    kernels: Callable[[], Mapping[str, str]] = dict  # gives the short names of the capture's kernels

    def of(self, run: "Export") -> "OutputOptions":
        """The same with the kernel names of an export."""
        return replace(self, kernels=lambda: run.kernel_names)

    @property
    def rows(self) -> int:
        """The number of rows to output; 0 is all."""
        shown = SHOWN_ROWS if self.form == "table" else 0
        return shown if self.limit is None else self.limit


@dataclass(frozen=True)
class QueryResult:
    """Rows, notes about them, why there may be none, and how to see those not shown."""

    frame: "polars.DataFrame"
    notes: list[str] = field(default_factory=list)
    none: str = "no rows."
    more: str | None = None
    drawn: "Draw | None" = None  # draws rows on a terminal, instead of a table
    first: tuple[str, ...] = ()  # columns, or the beginnings of their names, that a narrow table leaves out last


@dataclass(frozen=True)
class PageAnswer:
    """A page in its formats, each made only if it is chosen: for people, as JSON, its main table, and a picture."""

    page: Callable[[], "Page"]
    document: Callable[[], dict[str, Any]]
    rows: Callable[[], QueryResult] | None = None
    svg: Callable[[], str] | None = None
    after: Callable[[], None] | None = None  # draws more on a terminal


def is_drawn(giving: OutputOptions) -> bool:
    """Whether rows may be drawn: the output is a terminal, and neither --limit nor --columns is given."""
    is_whole = giving.columns is None and giving.limit is None and not giving.full_names
    return giving.form == "table" and giving.output == "-" and is_whole and sys.stdout.isatty()


def row_command(ask: Callable[..., QueryResult], options: list[Argument]) -> Callable[..., None]:
    """A command that opens an export, queries it, and outputs the rows by the common options."""

    def command(
        ctx: Any, export: Path, threads: int | None, memory_limit: str | None, format: Any, output: str,
        columns: str | None, limit: int | None, name_width: int | None, full_names: bool, quiet: bool, **given: Any,
    ) -> None:  # fmt: skip
        giving = OutputOptions(form_of(format, output), output, columns, limit, quiet, name_width, full_names)
        with opened(output, export) as file, open_export(ctx, export, threads, memory_limit, quiet) as run:
            write_rows(ask(run, giving, **given), giving.of(run), file)

    return with_options(command, [CONTEXT, EXPORT, *options, *COMMON])


def page_command(
    ask: Callable[..., PageAnswer], options: list[Argument], forms: Sequence[str] = PAGE_FORMS, last: Any = ()
) -> Callable[..., None]:
    """A command that opens an export, and writes a page of it by the common options; `last` options follow these."""

    def command(
        ctx: Any, export: Path, threads: int | None, memory_limit: str | None, format: Any, output: str,
        name_width: int | None, full_names: bool, quiet: bool, **given: Any,
    ) -> None:  # fmt: skip
        form = form_of(format, output, forms)
        giving = OutputOptions(form, output, quiet=quiet, name_width=name_width, full_names=full_names)
        is_page = form in (*PAGES, SVG)
        with opened(output, export) as file, open_export(ctx, export, threads, memory_limit, quiet, is_page) as run:
            give(ask(run, giving, **given), giving.of(run), file)

    command.__doc__ = ask.__doc__
    common = [formats(forms, TERMINAL), FILE, *NAMES, *last, QUIET, THREADS, MEMORY]
    return with_options(command, [CONTEXT, EXPORT, *options, *common])


def give(answer: PageAnswer, giving: OutputOptions, file: IO[bytes]) -> None:
    """Write the page in the chosen format."""
    if giving.form in FOR_PEOPLE:
        write_page(answer.page(), giving, file, answer.svg)
        if answer.after is not None and giving.form == TERMINAL and giving.output == "-" and sys.stdout.isatty():
            answer.after()
    elif giving.form == SVG and answer.svg is not None:
        file.write(answer.svg().encode("utf-8", "backslashreplace"))
    elif answer.rows is None or giving.form == "json":
        import_module("nsysql.render.rows").write_document(answer.document(), file)
    else:
        write_rows(answer.rows(), giving, file)
    file.flush()


def open_export(
    ctx: Any, export: Path, threads: int | None, memory_limit: str | None, quiet: bool = False, for_page: bool = False
) -> "Export":
    """Open the export with the packs of the command line; for a page long names are truncated."""
    from nsysql.api.facade import open
    from nsysql.cli.chosen_packs import packs
    from nsysql.cli.open_export import ensure_exported
    from nsysql.cli.progress import waiting

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


def more_rows(count: int, how: str = "--limit 0 shows all.") -> str | None:
    """A note on how to see rows that a table does not show."""
    return f"{count:,} more {'row' if count == 1 else 'rows'}; {how}" if count > 0 else None


def write_rows(answer: QueryResult, giving: OutputOptions, file: IO[bytes]) -> None:
    """Write the rows to the output, and the notes to stderr."""
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
        import_module("nsysql.render.rows").WRITERS[giving.form](frame, file)
    elif answer.drawn and not frame.is_empty():
        answer.drawn(answer.frame, unfiltered(sys.stdout), text_width("-") or WIDTH)
    elif not frame.is_empty():
        hidden = _write_table(frame, giving, file, answer.first)
    if not giving.quiet:
        for text in _notes(answer, frame, hidden):
            note(text)


def write_page(page: "Page", giving: OutputOptions, file: IO[bytes], svg: Callable[[], str] | None = None) -> None:
    """Write a page as HTML with its picture, as Markdown, or as text for a terminal."""
    from nsysql.render.page import write_markdown, write_terminal
    from nsysql.render.page_names import named

    width, naming = text_width(giving.output), _naming(giving)
    if giving.form == "markdown":
        write_markdown(named(page, naming, None), file)
        return
    if giving.form == HTML:
        picture = ""
        with suppress(MissingData):  # of steps, where there are none
            picture = svg() if svg else ""
        import_module("nsysql.render.html.page").write(page, file, naming=naming, picture=picture)
        return
    page = named(page, naming, width or page.widest)
    if giving.output == "-":
        write_terminal(page, unfiltered(sys.stdout), width)
    else:
        text = io.TextIOWrapper(file, "utf-8", newline="\n")
        write_terminal(page, text, width)
        text.flush()
        text.detach()


def _without_empty(frame: "polars.DataFrame") -> "polars.DataFrame":
    """The columns with a value in any row; all if there are none."""
    kept = [name for name in frame.columns if frame[name].null_count() < frame.height]
    return frame.select(kept) if kept else frame


def _naming(giving: OutputOptions) -> "Naming":
    from nsysql.words.naming import Naming

    return Naming(giving.name_width, giving.full_names, giving.kernels)


def _notes(answer: QueryResult, frame: "polars.DataFrame", hidden: list[str]) -> list[str]:
    notes = [answer.none] if frame.is_empty() else []
    if answer.more:
        notes.append(answer.more)
    if hidden:
        notes.append(f"no room for {', '.join(hidden)}; --columns chooses, --format csv gives all.")
    if any(name == "start_ns" or name.endswith("_start_ns") for name in frame.columns):
        notes.append("times are relative to the start of the capture.")
    return notes + answer.notes


def _write_table(
    frame: "polars.DataFrame", giving: OutputOptions, file: IO[bytes], first: "Sequence[str]"
) -> list[str]:
    """Write the table; returns the columns that did not fit."""
    from nsysql.render.table import write

    width, naming = text_width(giving.output), _naming(giving)
    if giving.output == "-":
        return write(frame, unfiltered(sys.stdout), width, naming, first)
    text = io.TextIOWrapper(file, "utf-8", newline="\n")
    hidden = write(frame, text, width, naming, first)
    text.flush()
    text.detach()
    return hidden


def _chosen(text: str, known: list[str]) -> list[str]:
    names = [name for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"--columns names none; there is {', '.join(known)}.")
    return list(dict.fromkeys(known_column(name, known) for name in names))


def known_column(name: str, known: Sequence[str]) -> str:
    """The column of that name, hyphens as underscores. Raises UsageError with near matches."""
    name = name.strip().replace("-", "_")
    if name not in known:
        raise UsageError(f"There is no column {name!r}; there is {', '.join(known)}.{suggestion(name, known)}")
    return name
