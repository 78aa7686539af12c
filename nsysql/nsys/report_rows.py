"""A report's rows as texts: computed by DuckDB expressions, yielded in chunks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nsysql.capture.arrow_stream import text_chunks
from nsysql.nsys.formats import Cell

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.export import Export
    from nsysql.nsys.reports import Report


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
        return f"{self.report.title} ({self.report.name})"

    def first(self, aggregates: str, lines: int) -> tuple[Any, ...]:
        """How many rows there are, at least, and aggregates of the first `lines` of them, 0 for all.

        The rows are kept for `lines`, which computes them anew only where they are too many.
        """
        end = f"LIMIT {max(lines, ROWS_REMEMBERED) + 1}" if lines else ""
        make = "CREATE OR REPLACE TEMP TABLE answer AS SELECT *"
        some = f"FROM temp.answer LIMIT {lines}" if lines else "FROM temp.answer"
        select = f"SELECT (SELECT count(*) FROM temp.answer), {aggregates} FROM ({some})"

        def fetch(
            con: "duckdb.DuckDBPyConnection", sql: str, values: dict[str, Any]
        ) -> "tuple[duckdb.DuckDBPyConnection, tuple[Any, ...]]":
            made = con.execute(f"{make} FROM ({sql}\n) {end}", values)
            return made, made.execute(select).fetchall()[0]

        rows, first_row = self.run.ask(self.report.query, self.report.parameters, fetch, as_nsys=True)
        if not lines or first_row[0] <= max(lines, ROWS_REMEMBERED):
            self._kept = rows
        return first_row

    def text(self, line: str) -> Iterator[str]:
        """The texts of all rows, some thousand in one; `line` is an expression over the query's columns."""
        select = f"SELECT coalesce({line}, '')"
        if kept := self._kept:
            chunks = self.run.parts(self.report.query, lambda: text_chunks(kept.execute(f"{select} FROM temp.answer")))
        else:
            chunks = self.run.texts(self.report.query, select, self.report.parameters)
        for count, text in chunks:
            self.count += count
            yield text


MOST = 1000  # rows counted at most
TOO_LOW = (
    "throughput is too low by a percent or more, as in nsys, for {{count}} of the {}; "
    "`nsysql {{command}}` has it right."
)
CAVEATS = {  # defects of reports that apply if they have rows: the reports, and what to say of that many rows
    "graph_trace": (
        "cuda_gpu_kern_sum cuda_gpu_kern_gb_sum cuda_gpu_sum cuda_gpu_trace cuda_api_gpu_sum cuda_kern_exec_sum"
        " cuda_kern_exec_trace nvtx_kern_sum nvtx_gpu_proj_sum nvtx_gpu_proj_trace gpu_gaps gpu_time_util",
        "runs of whole CUDA graphs ({count}) are not counted, as in nsys; `nsysql gpu-time` and `nsysql launches` "
        "count them.",
    ),
    "throughput": ("cuda_gpu_trace", TOO_LOW.format("operations")),
    "migration": ("um_sum", TOO_LOW.format("pages")),
    "domain_repeat": (
        "nvtx_sum nvtx_pushpop_sum nvtx_startend_sum",
        "ranges count several times, as in nsys, where several threads registered their domain; `nsysql {command}` "
        "counts each once.",
    ),
    "misjoined_memcpy": (
        "cuda_memcpy_async cuda_memcpy_sync",
        "copies can be listed several times, as in nsys, which joins them to calls of other processes too; "
        "`nsysql {command}` lists each once.",
    ),
    "misjoined_memset": (
        "cuda_memset_sync",
        "sets are listed several times, as in nsys, which joins them to calls of other processes too; "
        "`nsysql {command}` lists each once.",
    ),
}


def caveats(run: "Export", report: "Report") -> Iterator[str]:
    """Sentences on what the report gets wrong for this export, as NVIDIA's does."""
    for defect, (reports, text) in CAVEATS.items():
        if report.query.name in reports.split():
            is_view = defect == "graph_trace"
            view, which = (defect, "") if is_view else ("_nsys_defect", f"WHERE defect = '{defect}'")
            if count := run.count(view, report.parameters, MOST, which):
                shown = f"{count:,}" if count < MOST else f"{MOST:,} or more"
                yield text.format(count=shown, command=report.query.name.replace("_", "-"))
