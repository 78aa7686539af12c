"""Commands that output rows or a page: open an export, ask it, and write the answer by the common options."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from inspect import Parameter as Argument
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer

from nsysql.cli.open_export import open_export
from nsysql.cli.options import (
    CONTEXT,
    EXPORT,
    FILE,
    MEMORY,
    NAMES,
    NARROWING,
    OF_ROWS,
    QUIET,
    SHOWN_ROWS,
    THREADS,
    formats,
    packs,
    with_options,
)  # fmt: skip
from nsysql.cli.output import (
    FOR_PEOPLE,
    FORMATS,
    HTML,
    PAGE_FORMS,
    PAGES,
    SVG,
    TERMINAL,
    form_of,
    note,
    opened,
    text_file,
    text_width,
    unfiltered,
)  # fmt: skip
from nsysql.errors import UsageError, suggestion

if TYPE_CHECKING:
    import polars

    from nsysql.capture.export import Export
    from nsysql.pages.elements import Page
    from nsysql.words.naming import Naming


Draw = Callable[["polars.DataFrame", IO[str], int], None]  # rows, output, width in columns
WIDTH = 80  # columns if the terminal's width is unknown
PICTURE = 1000  # pixels of a picture
NAME_LETTERS = 10_000  # characters read of a name on a page
SCOPE = {"start": "start_ns", "end": "end_ns"} | {name: name for name in ("gpu", "nvtx", "steps", "step_range")}


@dataclass(frozen=True)
class Call:
    """The common options of a command as they were given, and the packs."""

    form: str = TERMINAL
    output: str = "-"
    columns: str | None = None
    limit: int | None = None
    quiet: bool = False
    name_width: int | None = None
    full_names: bool = False
    threads: int | None = None
    memory_limit: str | None = None
    packs: tuple[Path, ...] = ()
    kernels: Callable[[], Mapping[str, str]] = dict  # gives the short names of the capture's kernels

    def open(self, export: Path, for_page: bool = False) -> "Export":
        """Open an export; for a page long names are truncated."""
        letters = NAME_LETTERS if for_page else None
        return open_export(
            export, self.quiet, packs=self.packs, threads=self.threads, memory_limit=self.memory_limit,
            name_letters=letters,
        )  # fmt: skip

    def of(self, run: "Export") -> "Call":
        """The same with the kernel names of an export."""
        return replace(self, kernels=lambda: run.kernel_names)

    @property
    def naming(self) -> "Naming":
        """How kernel names are shown."""
        from nsysql.words.naming import Naming

        return Naming(self.name_width, self.full_names, self.kernels)

    def note(self, *texts: str) -> None:
        """Write notes, each a line on stderr, unless --quiet is given."""
        for text in () if self.quiet else texts:
            note(text)

    @property
    def rows(self) -> int:
        """The number of rows to output; 0 is all."""
        shown = SHOWN_ROWS if self.form == TERMINAL else 0
        return shown if self.limit is None else self.limit

    @property
    def is_drawn(self) -> bool:
        """Whether rows may be drawn: the output is a terminal, and neither --limit nor --columns is given."""
        is_whole = self.columns is None and self.limit is None and not self.full_names
        return self.form == TERMINAL and self.output == "-" and is_whole and sys.stdout.isatty()


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
    """A page in its formats, each made only if it is chosen: for people, as JSON, its main table, and a picture.

    `html` writes it if it has HTML of another kind than other pages.
    """

    page: Callable[[], "Page"]
    document: Callable[[], dict[str, Any]]
    rows: Callable[[], QueryResult] | None = None
    svg: Callable[[int], str] | None = None  # so many pixels wide
    after: Callable[[], None] | None = None  # draws more on a terminal
    html: Callable[[IO[bytes]], None] | None = None
    status: int = 0  # of the exit


def command(
    ask: Callable[..., None], options: Sequence[Argument], common: Sequence[Argument] = (), forms: Sequence[str] = ()
) -> Callable[..., None]:
    """A command with options of its own, given to `ask` by name, and common ones, given as a Call.

    With `forms` it has the option for the format, one of these. Of NARROWING and --gpu `ask` gets a PageScope.
    """
    common = [*([formats(forms, TERMINAL)] if forms else ()), *common]
    taken = {option.name for option in common} & {"format", *(option.name for option in OF_ROWS)}

    def run(ctx: Any, **given: Any) -> None:
        kept = {name: given.pop(name) for name in taken}
        form = form_of(kept.pop("format"), kept["output"], forms) if forms else TERMINAL
        ask(Call(form, packs=packs(ctx), **kept), **(_scoped(given) if NARROWING[0] in options else given))

    run.__doc__ = ask.__doc__
    return with_options(run, [CONTEXT, *options, *common])


def _scoped(given: dict[str, Any]) -> dict[str, Any]:
    """The options with a PageScope for those that it has."""
    from nsysql.pages.scope import PageScope

    scope = PageScope(**{field: given.pop(name) for name, field in SCOPE.items() if name in given})
    return {"scope": scope, **given}


def row_command(ask: Callable[..., QueryResult], options: list[Argument]) -> Callable[..., None]:
    """A command that opens an export, queries it, and outputs the rows by the common options."""

    def write(call: Call, /, export: Path, **given: Any) -> None:
        with opened(call.output, export) as file, call.open(export) as run:
            write_rows(ask(run, call, **given), call.of(run), file)

    return command(write, [EXPORT, *options], OF_ROWS, FORMATS)


def page_command(
    ask: Callable[..., PageAnswer], options: list[Argument], forms: Sequence[str] = PAGE_FORMS, more: Any = NAMES
) -> Callable[..., None]:
    """A command that opens an export, and writes a page of it by the common options, `more` of them in the middle."""

    def write(call: Call, /, export: Path, **given: Any) -> None:
        with opened(call.output, export) as file, call.open(export, call.form in (*PAGES, SVG)) as run:
            answer = ask(run, **given)
            give(answer, call.of(run), file)
        if answer.status:
            raise typer.Exit(answer.status)

    write.__doc__ = ask.__doc__
    return command(write, [EXPORT, *options], [FILE, *more, QUIET, THREADS, MEMORY], forms)


def give(answer: PageAnswer, call: Call, file: IO[bytes]) -> None:
    """Write the page in the chosen format."""
    if call.form == HTML and answer.html:
        answer.html(file)
    elif call.form in FOR_PEOPLE:
        write_page(answer.page(), call, file, answer.svg)
        if answer.after is not None and call.form == TERMINAL and call.output == "-" and sys.stdout.isatty():
            answer.after()
    elif call.form == SVG and answer.svg is not None:
        file.write(answer.svg(PICTURE).encode("utf-8", "backslashreplace"))
    elif answer.rows is None or call.form == "json":
        import_module("nsysql.render.rows").write_document(answer.document(), file)
    else:
        write_rows(answer.rows(), call, file)
    file.flush()


def more_rows(count: int, how: str = "--limit 0 shows all.") -> str | None:
    """A note on how to see rows that a table does not show."""
    return f"{count:,} more {'row' if count == 1 else 'rows'}; {how}" if count > 0 else None


def write_rows(answer: QueryResult, call: Call, file: IO[bytes]) -> None:
    """Write the rows to the output, and the notes to stderr."""
    frame = answer.frame
    if call.columns is not None:
        frame = frame.select(_chosen(call.columns, frame.columns))
    elif call.form in ("table", "markdown"):
        frame = _without_empty(frame)
    hidden: list[str] = []
    if call.form == "markdown":
        import_module("nsysql.render.table").write_markdown(frame, file, call.naming)
    elif call.form != "table":
        import_module("nsysql.render.rows").WRITERS[call.form](frame, file)
    elif answer.drawn and not frame.is_empty():
        answer.drawn(answer.frame, unfiltered(sys.stdout), text_width("-") or WIDTH)
    elif not frame.is_empty():
        from nsysql.render.table import write

        with text_file(call.output, file) as text:
            hidden = write(frame, text, text_width(call.output), call.naming, answer.first)
    call.note(*_notes(answer, frame, hidden))


def write_page(page: "Page", call: Call, file: IO[bytes], svg: Callable[[int], str] | None = None) -> None:
    """Write a page as HTML with its picture, as Markdown, or as text for a terminal."""
    from nsysql.render.page import write_markdown, write_terminal
    from nsysql.render.page_names import named

    width, naming = text_width(call.output), call.naming
    if call.form == "markdown":
        write_markdown(named(page, naming, None), file)
        return
    if call.form == HTML:
        import_module("nsysql.render.html.page").write(page, file, naming=naming, draw=svg)
        return
    with text_file(call.output, file) as text:
        write_terminal(named(page, naming, width or page.widest), text, width)


def _without_empty(frame: "polars.DataFrame") -> "polars.DataFrame":
    """The columns with a value in any row; all if there are none."""
    kept = [name for name in frame.columns if frame[name].null_count() < frame.height]
    return frame.select(kept) if kept else frame


def _notes(answer: QueryResult, frame: "polars.DataFrame", hidden: list[str]) -> list[str]:
    notes = [answer.none] if frame.is_empty() else []
    if answer.more:
        notes.append(answer.more)
    if hidden:
        notes.append(f"no room for {', '.join(hidden)}; --columns chooses, --format csv gives all.")
    if any(name == "start_ns" or name.endswith("_start_ns") for name in frame.columns):
        notes.append("times are relative to the start of the capture.")
    return notes + answer.notes


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
