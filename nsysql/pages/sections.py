"""Sections of pages as data: which query, which columns, in which order; all output formats follow from them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from nsysql.pages.elements import Bar, Cell, Column, Section, Slices
from nsysql.pages.phrases import Row, gpu_number, percent, share, work_names
from nsysql.pages.scope import ScopedRun
from nsysql.words.kernel_names import Names
from nsysql.words.quantities import cell, counted

BAR = 8  # columns


Read = Callable[[ScopedRun], pl.DataFrame]


def table(
    title: str, columns: str, rows: Sequence[Row], meaning: str = "", before: Iterable[str] = (),
    after: Iterable[str] = (), top: int | None = None, rest: str = "", how: str = "", total: str = "",
    zeros: bool = True,
) -> Section:  # fmt: skip
    """A section of rows, of which `top` are shown: `columns` are "SOURCE=HEADING:FORM" separated by blanks.

    FORM is share (of the column's sum, with a bar), part (percent, with a bar), pct (percent), signed (a difference),
    kernel (a name that is cut), text, whole (a text that is not cut) or wrap; without it the column's unit decides. Of
    the SOURCE "A/B" share, part and pct are the share of A in B. A cell that is ready, a text or a bar, is kept. A
    heading that ends in ? is left out of narrow pages, a column without values of all; without `zeros` also one of
    nothing but 0. A row that is not shown is a `rest`; `how` is how to see it, `total` what it is a share of.
    """
    shown = rows[:top]
    specs = [
        spec
        for spec in map(_spec, columns.split())
        if _has_content(spec.source, [row[spec.source] for row in shown], zeros)
    ]
    sums = {spec.source: sum(row[spec.source] or 0 for row in rows) for spec in specs if spec.form == "share"}
    cells = tuple(tuple(cell for spec in specs for cell in spec.cells(row, sums)) for row in shown)
    left = []
    if rest and len(rows) > len(shown):
        parts = [sum(row[total] or 0 for row in some) for some in (rows[len(shown) :], rows)] if total else []
        share_of = f" with {percent(*parts)} of the time" if parts else ""
        left = [f"{counted(len(rows) - len(shown), f'more {rest}')}{share_of}{how}."]
    headings = tuple(column for spec in specs for column in spec.columns()) if cells else ()
    return Section(title, meaning, tuple(before), headings, cells, (*left, *after))


@dataclass(frozen=True)
class Table:
    """Rows of a query as `table` shows them; `read` is for rows that are more than a query's."""

    key: str
    title: str
    columns: str
    meaning: str = ""
    rest: str = ""
    total: str = "total_time_ns"
    read: Read | None = None
    after: tuple[str, ...] = ()

    def frame(self, scoped: ScopedRun) -> pl.DataFrame:
        """The rows, all of them."""
        return scoped.rows(self.key) if self.read is None else self.read(scoped)

    def sections(self, scoped: ScopedRun) -> Iterator[Section]:
        """The table for reading; nothing if there are no rows."""
        rows, top = self.frame(scoped).to_dicts(), scoped.scope.top
        if rows:
            yield table(
                self.title, self.columns, rows, self.meaning, (), self.after, top, self.rest, total=self.total,
                zeros=False,
            )  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """Rows that a function draws: prose, or tables whose columns depend on the rows. Without `read` no rows in JSON."""

    key: str
    draw: Callable[[ScopedRun], Iterable[Section]]
    read: Read | None = None

    def frame(self, scoped: ScopedRun) -> pl.DataFrame | None:
        """The rows of the section."""
        return None if self.read is None else self.read(scoped)

    def sections(self, scoped: ScopedRun) -> Iterable[Section]:
        """The section for reading."""
        return self.draw(scoped)


Part = Table | Drawn


def drawn(parts: Iterable[Part], scoped: ScopedRun) -> dict[str, tuple[Section, ...]]:
    """The sections for reading, by key; those without content are left out."""
    parts_drawn = ((part.key, tuple(s for s in part.sections(scoped) if s.rows or s.before)) for part in parts)
    return {key: sections for key, sections in parts_drawn if sections}


def rows_of(parts: Iterable[Part], scoped: ScopedRun) -> dict[str, list[dict[str, Any]]]:
    """The rows of all sections with exact values, by key, for JSON."""
    frames = ((part.key, part.frame(scoped)) for part in parts)
    return {key: frame.to_dicts() for key, frame in frames if frame is not None}


@dataclass(frozen=True)
class _Spec:
    """A column of a table: the values that it shows, as a share of others if `of` names these."""

    source: str
    of: str
    heading: str
    form: str

    def cells(self, row: Row, sums: Mapping[str, float]) -> tuple[Cell, ...]:
        """The cells of a row: one, or a percentage and its bar."""
        value = row[self.source]
        if isinstance(value, Bar | Names | Slices):
            return (value,)
        if self.form in ("share", "part", "pct"):
            whole = row[self.of] if self.of else sums.get(self.source, 100)
            text = percent(value, whole or 0)
            return (text,) if self.form == "pct" else (text, Bar(share(value, whole or 0), BAR))
        if self.source == "gpu_id":
            return (gpu_number(value),)
        if self.form == "kernel":
            return (work_names("{}", value),)
        sign = "+" if self.form == "signed" and (value or 0) > 0 else ""
        return (sign + cell(self.source, value),)

    def columns(self) -> tuple[Column, ...]:
        """The headings of these cells."""
        if self.form in ("share", "part"):
            return Column(self.heading), Column()
        is_text = self.form in ("kernel", "text", "whole", "wrap")
        heading, is_spare = self.heading.removesuffix("?"), self.heading.endswith("?")
        return (Column(heading, not is_text, self.form == "wrap", self.form == "whole", is_spare),)


def _spec(text: str) -> _Spec:
    source, _, rest = text.partition("=")
    heading, _, form = rest.partition(":")
    name, _, of = source.partition("/")
    return _Spec(name, of, heading.replace("_", " "), form)


def _has_content(name: str, values: Sequence[Any], zeros: bool) -> bool:
    """Whether a column has a value: identities count even if they are 0, and a GPU even if it is not known."""
    if name == "gpu_id":
        return True
    none = (None, "") if zeros or name.endswith(("_id", "rank")) else (None, "", 0)
    return any(value not in none for value in values)
