"""Commands that output rows or a page: open an export, ask it, and write the answer by the common options."""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import Parameter as Argument
from inspect import Signature, getdoc, signature
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer

from nsysql.api.pages import Pages
from nsysql.cli.open_export import open_export
from nsysql.cli.options import CONTEXT, EXPORT, NAMES, OF_FILES, OF_ROWS, SHOWN_ROWS, formats, options_of, packs
from nsysql.cli.output import (
    FOR_PEOPLE,
    FORMATS,
    PAGE_FORMS,
    PAGES,
    form_of,
    note,
    opened,
    text_file,
    text_width,
    unfiltered,
)
from nsysql.errors import UsageError, suggestion
from nsysql.render.page_views import DrawnView, PageView, Rows

if TYPE_CHECKING:
    import polars

    from nsysql.capture.export import Export
    from nsysql.pages.elements import Page
    from nsysql.words.kernel_names import Naming


WIDTH = 80  # columns if the terminal's width is unknown
PICTURE = 1000  # pixels of a picture
NAME_LETTERS = 10_000  # characters read of a name on a page
SCOPE = ("gpu", "start_ns", "end_ns", "nvtx", "steps", "step_range")  # options of a PageScope


@dataclass(frozen=True)
class Call:
    """The common options of a command as they were given, and the packs."""

    form: str = "table"
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
        return replace(self, kernels=lambda: run.kernel_names)

    @property
    def naming(self) -> "Naming":
        from nsysql.words.kernel_names import Naming

        return Naming(self.name_width, self.full_names, self.kernels)

    def note(self, *texts: str) -> None:
        """Write notes, each a line on stderr, unless --quiet is given."""
        for text in () if self.quiet else texts:
            note(text)

    @property
    def rows(self) -> int:
        """The number of rows to output; 0 is all."""
        shown = SHOWN_ROWS if self.form == "table" else 0
        return shown if self.limit is None else self.limit

    @property
    def is_drawn(self) -> bool:
        """Whether rows may be drawn: the output is a terminal, and neither --limit nor --columns is given."""
        is_whole = self.columns is None and self.limit is None and not self.full_names
        return self.form == "table" and self.output == "-" and is_whole and sys.stdout.isatty()


def command(
    common: Sequence[Argument] = (), forms: Sequence[str] = (), options: Sequence[Argument] | None = None,
    **of_help: Any,
) -> Callable[[Callable[..., None]], Callable[..., None]]:  # fmt: skip
    """A command from a function that takes a Call of the common options, and the options of its own by name.

    Unless they are given, these are the defaults of its parameters. With `forms` it has the option for the format, one
    of these; `of_help` are `implied` and `several` of PlainCommand.
    """
    common = [*([formats(forms, "table")] if forms else ()), *common]
    taken = {option.name for option in common} & {"format", *(option.name for option in OF_ROWS)}

    def decorated(ask: Callable[..., None]) -> Callable[..., None]:
        own = options_of(ask) if options is None else options

        def run(ctx: Any, **values: Any) -> None:
            kept = {name: values.pop(name) for name in taken}
            form = form_of(kept.pop("format"), kept["output"], forms) if forms else "table"
            ask(Call(form, packs=packs(ctx), **kept), **_scoped(ask, values))

        run.__doc__ = _help(ask, own)
        run.__annotations__ = {}
        vars(run).update(of_help, __signature__=Signature([CONTEXT, *own, *common]))  # which typer reads
        return run

    return decorated


def _scoped(ask: Callable[..., object], values: dict[str, Any]) -> dict[str, Any]:
    """The options, with a PageScope of those that it has if `ask` takes one."""
    taken = signature(ask).parameters
    if "scope" not in taken:
        return values
    from nsysql.pages.scope import PageScope

    scope = PageScope(**{name: values.pop(name) for name in SCOPE if name in values and name not in taken})
    return {"scope": scope, **values}


def _help(ask: Callable[..., object], options: Sequence[Argument]) -> str:
    """The docstring as help: without what it raises, and parameters as they are spelled."""
    paragraphs = [text for text in (getdoc(ask) or "").split("\n\n") if not text.startswith("Raises")]
    names = {option.name: f"--{option.name.replace('_', '-')}" for option in options}
    return re.sub(r"`(\w+)`", lambda word: names.get(word[1], word[0]), "\n\n".join(paragraphs))


def row_command(ask: Callable[..., Rows], options: Sequence[Argument] | None = None) -> Callable[..., None]:
    """A command that opens an export, queries it, and outputs the rows by the common options."""

    def write(call: Call, /, export: Path, **values: Any) -> None:
        with opened(call.output, export) as file, call.open(export) as run:
            write_rows(ask(run, call, **values), call.of(run), file)

    write.__doc__ = ask.__doc__
    own = options_of(ask) if options is None else options
    return command(OF_ROWS, FORMATS, [EXPORT, *own])(write)


def page_command(
    ask: Callable[..., PageView], options: Sequence[Argument] | None = None, forms: Sequence[str] = PAGE_FORMS,
    more: Any = NAMES,
) -> Callable[..., None]:  # fmt: skip
    """A command that opens an export, and writes a page of it by the common options, `more` of them in the middle.

    `ask` is a method of Pages, or a function of one.
    """

    def write(call: Call, /, export: Path, **values: Any) -> None:
        with opened(call.output, export) as file, call.open(export, call.form in (*PAGES, "svg")) as run:
            view = ask(Pages(run, is_lazy=True), **_scoped(ask, values))
            give(view, call.of(run), file)
        if view.status:
            raise typer.Exit(view.status)

    write.__doc__ = ask.__doc__ or getattr(Pages, ask.__name__.lstrip("_")).__doc__
    own = options_of(ask) if options is None else options
    return command([OF_FILES[0], *more, *OF_FILES[1:]], forms, [EXPORT, *own])(write)


def give(view: PageView, call: Call, file: IO[bytes]) -> None:
    draw = view.svg if isinstance(view, DrawnView) else None
    if call.form == "html" and view.html:
        view.html(file)
    elif call.form in FOR_PEOPLE:
        write_page(view.page(), call, file, draw)
    elif call.form == "svg" and draw is not None:
        file.write(draw(PICTURE).encode("utf-8", "backslashreplace"))
    elif view.rows is None or call.form == "json":
        import_module("nsysql.render.table").write_document(view.document(), file)
    else:
        write_rows(view.rows(), call, file)
    file.flush()


def more_rows(count: int, how: str = "--limit 0 shows all.") -> str | None:
    """A note on how to see rows that a table does not show."""
    return f"{count:,} more {'row' if count == 1 else 'rows'}; {how}" if count > 0 else None


def write_rows(answer: Rows, call: Call, file: IO[bytes]) -> None:
    frame = answer.frame
    if call.columns is not None:
        frame = frame.select(_chosen(call.columns, frame.columns))
    elif call.form in ("table", "markdown"):  # the columns with a value in any row; all if there are none
        frame = frame.select([n for n in frame.columns if frame[n].null_count() < frame.height] or frame.columns)
    hidden: list[str] = []
    if call.form == "markdown":
        import_module("nsysql.render.table").write_markdown(frame, file, call.naming)
    elif call.form != "table":
        import_module("nsysql.render.table").WRITERS[call.form](frame, file)
    elif answer.drawn and not frame.is_empty():
        answer.drawn(answer.frame, unfiltered(sys.stdout), text_width("-") or WIDTH)
    elif not frame.is_empty():
        from nsysql.render.table import write

        with text_file(call.output, file) as text:
            hidden = write(frame, text, text_width(call.output), call.naming, answer.first)
    call.note(*_notes(answer, frame, hidden))


def write_page(page: "Page", call: Call, file: IO[bytes], svg: Callable[[int], str] | None = None) -> None:
    from nsysql.render.page import named, write_markdown, write_terminal

    width, naming = text_width(call.output), call.naming
    if call.form == "markdown":
        write_markdown(named(page, naming, None), file)
        return
    if call.form == "html":
        import_module("nsysql.render.html.page").write(page, file, naming=naming, draw=svg)
        return
    with text_file(call.output, file) as text:
        write_terminal(named(page, naming, width or page.widest), text, width)


def _notes(answer: Rows, frame: "polars.DataFrame", hidden: list[str]) -> list[str]:
    notes = [answer.none] if frame.is_empty() else []
    if answer.more:
        notes.append(answer.more)
    if hidden:
        notes.append(f"no room for {', '.join(hidden)}; --columns chooses, --format csv gives all.")
    if any(name == "start_ns" or name.endswith("_start_ns") for name in frame.columns):
        notes.append("times are relative to the start of the capture.")
    return [*notes, *answer.notes]


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
