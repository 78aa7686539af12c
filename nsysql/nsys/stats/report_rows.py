"""A report's rows as texts: computed by DuckDB expressions, yielded in chunks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nsysql.capture.arrow_stream import text_chunks
from nsysql.nsys.stats.cells import Cell

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.export import Export
    from nsysql.nsys.stats.reports import Report

ROWS_REMEMBERED = 100_000  # most rows kept for a second pass; with more, the query runs twice


@dataclass
class ReportRows:
    """The heading and cells of a report; the rows are computed on demand."""

    run: "Export"
    report: "Report"
    cells: list[Cell]
    count: int = 0  # rows yielded so far
    _kept: "duckdb.DuckDBPyConnection | None" = field(default=None, repr=False)

    @property
    def heading(self) -> str:
        """Title and name of the report."""
        return f"{self.report.title} ({self.report.name})"

    def first(self, aggregates: str, lines: int) -> tuple[Any, ...]:
        """How many rows there are, at least, and aggregates of the first `lines` of them, 0 for all.

        The rows are kept for `lines`, which computes them anew only where they are too many.
        """
        end = f"LIMIT {max(lines, ROWS_REMEMBERED) + 1}" if lines else ""
        make = "CREATE OR REPLACE TEMP TABLE answer AS SELECT *"
        some = f"FROM temp.answer LIMIT {lines}" if lines else "FROM temp.answer"
        select = f"SELECT (SELECT count(*) FROM temp.answer), {aggregates} FROM ({some})"

        def fetch(made: "duckdb.DuckDBPyConnection") -> "tuple[duckdb.DuckDBPyConnection, tuple[Any, ...]]":
            return made, made.execute(select).fetchall()[0]

        rows: duckdb.DuckDBPyConnection
        found: tuple[Any, ...]
        rows, found = self.run.execute_report(self.report.query, make, self.report.parameters, end, fetch)
        if not lines or found[0] <= max(lines, ROWS_REMEMBERED):
            self._kept = rows
        return found

    def text(self, line: str) -> Iterator[str]:
        """The texts of all rows, some thousand in one; `line` is an expression over the query's columns."""
        select = f"SELECT coalesce({line}, '')"
        if kept := self._kept:
            found = self.run.parts(self.report.query, lambda: text_chunks(kept.execute(f"{select} FROM temp.answer")))
        else:
            found = self.run.texts(self.report.query, select, self.report.parameters)
        for count, text in found:
            self.count += count
            yield text
