"""A report's rows as texts: asked of DuckDB expression by expression, given in chunks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nsysql.stats.cells import Cell
from nsysql.texts import joined

if TYPE_CHECKING:
    import duckdb

    from nsysql.export import Export
    from nsysql.stats.spec import Report

KEPT = 100_000  # rows that are kept where they are asked for twice; more are computed twice


@dataclass
class Answer:
    """What a report has to print: its heading and its cells; the rows are computed when they are asked for."""

    run: "Export"
    report: "Report"
    cells: list[Cell]
    count: int = 0  # of rows given so far
    _kept: "duckdb.DuckDBPyConnection | None" = field(default=None, repr=False)

    @property
    def heading(self) -> str:
        """Title and name of the report."""
        return f"{self.report.title} ({self.report.name})"

    def first(self, aggregates: str, lines: int) -> tuple[Any, ...]:
        """How many rows there are, at least, and aggregates of the first `lines` of them, 0 for all.

        The rows are kept for `lines`, which computes them anew only where they are too many.
        """
        end = f"LIMIT {max(lines, KEPT) + 1}" if lines else ""
        make = "CREATE OR REPLACE TEMP TABLE answer AS SELECT *"
        rows = self.run.execute_around(self.report.query, make, self.report.parameters, end)
        some = f"FROM temp.answer LIMIT {lines}" if lines else "FROM temp.answer"
        select = f"SELECT (SELECT count(*) FROM temp.answer), {aggregates} FROM ({some})"
        count, *found = rows.execute(select).fetchall()[0]
        if not lines or count <= max(lines, KEPT):
            self._kept = rows
        return count, *found

    def text(self, line: str) -> Iterator[str]:
        """The texts of all rows, some thousand in one; `line` is an expression over the query's columns."""
        select = f"SELECT coalesce({line}, '')"
        if self._kept:
            found = joined(self._kept.execute(f"{select} FROM temp.answer"))
        else:
            found = self.run.texts(self.report.query, select, self.report.parameters)
        while block := self.run.guarded(self.report.query, lambda: next(found, None)):
            self.count += block[0]
            yield block[1]
