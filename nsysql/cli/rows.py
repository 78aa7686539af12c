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

from nsysql.cli.options import COMMON, CONTEXT, EXPORT, SHOWN_ROWS, dressed
from nsysql.cli.output import form_of, note, opened, text_width
from nsysql.errors import UsageError, near

if TYPE_CHECKING:
    import polars

    from nsysql.export import Export
    from nsysql.render.page import Page


@dataclass(frozen=True)
class Giving:
    """How rows are to be given, as the common options say."""

    form: str
    output: str = "-"
    columns: str | None = None
    limit: int | None = None
    quiet: bool = False

    @property
    def rows(self) -> int:
        """The rows to give; 0 is all."""
        shown = SHOWN_ROWS if self.form == "table" else 0
        return shown if self.limit is None else self.limit


@dataclass(frozen=True)
class Answer:
    """Rows, what is to be said about them, why there may be none, and how to see those that are not here."""

    frame: "polars.DataFrame"
    notes: list[str] = field(default_factory=list)
    none: str = "no rows."
    more: str | None = None


def row_command(ask: Callable[..., Answer], options: list[Argument]) -> Callable[..., None]:
    """A command that opens an export, asks, and gives the rows as the common options say."""

    def command(
        ctx: Any, export: Path, threads: int | None, memory_limit: str | None, format: Any, output: str,
        columns: str | None, limit: int | None, quiet: bool, **given: Any,
    ) -> None:  # fmt: skip
        giving = Giving(form_of(format, output), output, columns, limit, quiet)
        with opened(output, export) as file:
            with open_export(ctx, export, threads, memory_limit, quiet) as run:
                answer = ask(run, giving, **given)
            give(answer, giving, file)

    return dressed(command, [CONTEXT, EXPORT, *options, *COMMON])


def open_export(ctx: Any, export: Path, threads: int | None, memory_limit: str | None, quiet: bool = False) -> "Export":
    """The export, open, with the packs of the command line."""
    from nsysql.cli.app import packs
    from nsysql.cli.bar import waiting
    from nsysql.cli.ready import ready
    from nsysql.export import open

    shown, found = waiting(f"Reading {export.name}", quiet), ready(export)
    frames = threading.Thread(target=import_module, args=["polars"])  # while DuckDB loads its extension
    frames.start()
    try:
        return open(found, packs=packs(ctx), threads=threads, memory_limit=memory_limit, waiting=shown)
    finally:
        frames.join()


def more_rows(count: int) -> str | None:
    """How to see rows that a table does not show."""
    return f"{count:,} more {'row' if count == 1 else 'rows'}; --limit 0 shows all." if count > 0 else None


def give(answer: Answer, giving: Giving, file: IO[bytes]) -> None:
    """Write the rows where they were asked for, and the notes on stderr."""
    frame = answer.frame
    if giving.columns is not None:
        frame = frame.select(_chosen(giving.columns, frame.columns))
    hidden: list[str] = []
    if giving.form != "table":
        import_module(f"nsysql.render.{giving.form}").write(frame, file)
    elif not frame.is_empty():
        hidden = _write_table(frame, giving.output, file)
    if not giving.quiet:
        for text in _notes(answer, frame, hidden):
            note(text)


def draw(page: "Page", giving: Giving, file: IO[bytes]) -> None:
    """Write a page, as Markdown or for people who read it on a terminal."""
    from nsysql.render.page import write_markdown, write_terminal

    if giving.form == "markdown":
        write_markdown(page, file)
    elif giving.output == "-":
        write_terminal(page, sys.stdout, text_width("-"))
    else:
        text = io.TextIOWrapper(file, "utf-8", newline="\n")
        write_terminal(page, text, None)
        text.flush()
        text.detach()


def _notes(answer: Answer, frame: "polars.DataFrame", hidden: list[str]) -> list[str]:
    notes = [answer.none] if frame.is_empty() else []
    if answer.more:
        notes.append(answer.more)
    if hidden:
        notes.append(f"no room for {', '.join(hidden)}; --columns chooses, --format csv gives all.")
    if any(name == "start_ns" or name.endswith("_start_ns") for name in frame.columns):
        notes.append("times are relative to the start of the capture.")
    return notes + answer.notes


def _write_table(frame: "polars.DataFrame", output: str, file: IO[bytes]) -> list[str]:
    """Write the table and name the columns that had no room."""
    from nsysql.render.table import write

    if output == "-":
        return write(frame, sys.stdout, text_width(output))
    text = io.TextIOWrapper(file, "utf-8", newline="\n")
    hidden = write(frame, text, None)
    text.flush()
    text.detach()
    return hidden


def _chosen(text: str, known: list[str]) -> list[str]:
    names = [name.strip().replace("-", "_") for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"--columns names none; there is {', '.join(known)}.")
    for name in names:
        if name not in known:
            raise UsageError(f"There is no column {name!r}; there is {', '.join(known)}.{near(name, known)}")
    return list(dict.fromkeys(names))
