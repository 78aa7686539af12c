"""Sections of pages as data: which query, which columns, in which order; all output formats follow from them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData
from nsysql.pages.elements import Bar, Cell, Column, Section
from nsysql.pages.phrases import counted, gpu_number, percent, share, work_names
from nsysql.pages.scope import PageScope
from nsysql.words.quantities import cell

TYPES = {"BIGINT": pl.Int64, "INTEGER": pl.Int64, "DOUBLE": pl.Float64, "VARCHAR": pl.String, "BOOLEAN": pl.Boolean}
WITHOUT_TIMES = ("capture_messages", "gpus", "idle_causes")  # cannot be narrowed
BAR = 8  # columns


@dataclass
class Asked:
    """An export and what of it a page is about; each query is asked once."""

    run: Export
    scope: PageScope
    _frames: dict[str, pl.DataFrame] = field(default_factory=dict)

    def rows(self, query: str) -> pl.DataFrame:
        """The answer to a query, narrowed as the page is; without rows if the export lacks what it needs."""
        if query not in self._frames:
            self._frames[query] = self._ask(query)
        return self._frames[query]

    def _ask(self, query: str) -> pl.DataFrame:
        found = self.run.find(query)
        names = {*(p.name for p in found.parameters), *self.scope.filters}
        narrowing = {} if query in WITHOUT_TIMES else self.scope.window
        try:
            return self.run.query(query, **{name: value for name, value in narrowing.items() if name in names})
        except MissingData:
            columns = found.columns
            return pl.DataFrame(schema={column.name: TYPES.get(column.type, pl.String) for column in columns})


Read = Callable[[Asked], pl.DataFrame]


@dataclass(frozen=True)
class Table:
    """Rows of a query: `columns` are "SOURCE=HEADING:FORM" separated by blanks.

    FORM is share (of the column's sum, with a bar), part (percent, with a bar), kernel (a name that is cut) or text;
    without it the column's unit decides. A heading that ends in ? is left out of narrow pages, a column of nothing but
    NULL and 0 of all. `rest` is the word for rows that are not shown, `total` the column that they are summed up by;
    `read` is for rows that are more than a query's.
    """

    key: str
    title: str
    columns: str
    meaning: str = ""
    rest: str = ""
    total: str = "total_time_ns"
    read: Read | None = None
    after: tuple[str, ...] = ()

    def frame(self, asked: Asked) -> pl.DataFrame:
        """The rows, all of them."""
        return asked.rows(self.key) if self.read is None else self.read(asked)

    def sections(self, asked: Asked) -> Iterator[Section]:
        """The table for reading; nothing if there are no rows."""
        frame, top = self.frame(asked), asked.scope.top
        if frame.is_empty():
            return
        shown = frame if top is None else frame.head(top)
        specs = [spec for spec in map(_spec, self.columns.split()) if _has_content(shown[spec[0]])]
        sums = {source: int(frame[source].sum() or 0) for source, _, form in specs if form == "share"}
        rows = tuple(
            tuple(one for spec in specs for one in _cells(spec, row, sums)) for row in shown.iter_rows(named=True)
        )
        columns = tuple(column for spec in specs for column in _columns(spec))
        yield Section(self.title, self.meaning, (), columns, rows, (*self._rest(frame, shown.height), *self.after))

    def _rest(self, frame: pl.DataFrame, shown: int) -> Iterator[str]:
        if self.rest and frame.height > shown:
            part = percent(int(frame[shown:][self.total].sum()), int(frame[self.total].sum()))
            yield f"{counted(frame.height - shown, f'more {self.rest}')} with {part} of the time."


@dataclass(frozen=True)
class Drawn:
    """Rows that a function draws: prose, or tables whose columns depend on the rows. Without `read` no rows in JSON."""

    key: str
    draw: Callable[[Asked], Iterable[Section]]
    read: Read | None = None

    def frame(self, asked: Asked) -> pl.DataFrame | None:
        """The rows of the section."""
        return None if self.read is None else self.read(asked)

    def sections(self, asked: Asked) -> Iterable[Section]:
        """The section for reading."""
        return self.draw(asked)


Part = Table | Drawn


def drawn(parts: Iterable[Part], asked: Asked) -> dict[str, tuple[Section, ...]]:
    """The sections for reading, by key; those without content are left out."""
    found = ((part.key, tuple(s for s in part.sections(asked) if s.rows or s.before)) for part in parts)
    return {key: sections for key, sections in found if sections}


def rows_of(parts: Iterable[Part], asked: Asked) -> dict[str, list[dict[str, Any]]]:
    """The rows of all sections with exact values, by key, for JSON."""
    frames = ((part.key, part.frame(asked)) for part in parts)
    return {key: frame.to_dicts() for key, frame in frames if frame is not None}


def _spec(text: str) -> tuple[str, str, str]:
    source, _, rest = text.partition("=")
    heading, _, form = rest.partition(":")
    return source, heading.replace("_", " "), form


def _has_content(values: pl.Series) -> bool:
    """Whether a column has a value: identities count even if they are 0, and a GPU even if it is not known."""
    if values.name == "gpu_id":
        return True
    if values.null_count() == values.len():
        return False
    return not values.dtype.is_numeric() or values.name.endswith(("_id", "rank")) or bool((values != 0).any())


def _cells(spec: tuple[str, str, str], row: Mapping[str, Any], sums: Mapping[str, float]) -> tuple[Cell, ...]:
    source, _, form = spec
    value = row[source]
    if form == "share":
        return percent(value, sums[source]), Bar(share(value, sums[source]), BAR)
    if form == "part":
        return percent(value, 100), Bar(share(value, 100), BAR)
    if source == "gpu_id":
        return (gpu_number(value),)
    if form == "kernel":
        return (work_names("{}", value),)
    return (cell(source, value),)


def _columns(spec: tuple[str, str, str]) -> tuple[Column, ...]:
    _, heading, form = spec
    if form in ("share", "part"):
        return Column(heading), Column()
    return (Column(heading.removesuffix("?"), right=form not in ("kernel", "text"), spare=heading.endswith("?")),)
