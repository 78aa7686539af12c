"""`nsysql verify`: a report of an export against a CSV of the same report by nsys or another tool."""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from nsysql.catalog.query_file import read_query
from nsysql.cli.options import argument, option
from nsysql.cli.rows import Call, command
from nsysql.errors import MissingData, UsageError
from nsysql.nsys.compare import Comparison, Sheet, compare, read_sheet
from nsysql.nsys.formats import CHOICES, Format, Units, cells, split_label
from nsysql.nsys.report_rows import ReportRows
from nsysql.nsys.reports import ALIASES, FLAGS, RELABELED, TITLES, Report, read_report
from nsysql.nsys.writers import csv

if TYPE_CHECKING:
    from nsysql.capture.export import Export

SHOWN = 10


@command()
def verify(
    call: Call,
    export: Path = argument(metavar="EXPORT", help="An Nsight Systems .sqlite export."),
    against: Path = option(..., "--against", metavar="FILE", help="The CSV to compare with; .csv or .csv.gz."),
    report: str | None = option(
        None, "--report", "-r", metavar="NAME[:OPTION...]", help="The report; by default by FILE's name."
    ),
    any_order: bool = option(False, "--any-order", help="Ignore the order of rows."),
    exact: bool = option(False, "--exact", help="Count numbers written differently as differences."),
) -> None:
    """The cells in which a report differs from a CSV of nsys stats.

    The exit status is 0 if all are equal, 1 if not. Numbers are equal if they are so in the digits that both have.
    """
    theirs = _read(against)
    with call.open(export) as run:
        name = report or guess(against, theirs, run.paths)
        result = check(run, name, theirs)
    for line in report_lines(result, name):
        typer.echo(line)
    moved = result.moved_rows and not any_order
    raise typer.Exit(0 if result.is_same and not moved and not (exact and result.written_otherwise) else 1)


def check(run: "Export", name: str, theirs: Sheet) -> Comparison:
    """Compare the report with a sheet, in the units of the sheet's titles. Raises UsageError."""
    report = read_report(name, {}, run.paths)
    form = Format("csv", _units(theirs, report))
    answer = ReportRows(run, report, cells(report.query, form.units, RELABELED.get(report.name, {})))
    try:
        ours = read_sheet("".join(csv(answer, form)))
    except MissingData:
        ours = Sheet((), [])
    return compare(ours, theirs)


def _units(sheet: Sheet, report: Report) -> Units:
    """The units of the report's columns in a sheet, by its titles."""
    chosen: dict[str, str] = {}
    for column in report.query.columns:
        words, category = split_label(column.label or "")
        for title in sheet.titles if category else ():
            before, _, unit = title.rpartition(" (")
            spelled = unit.removesuffix(")").removesuffix("/s")
            if category and before == words and spelled in CHOICES[category]:
                chosen[category] = spelled
    return Units(chosen)


def guess(file: Path, sheet: Sheet, paths: Mapping[str, Path]) -> str:
    """The report in a file: by its name (run_cuda_gpu_kern_sum_base.csv), else by its titles.

    Raises UsageError if neither matches.
    """
    stem = file.name.partition(".csv")[0]
    for name in sorted({*TITLES, *ALIASES, *paths}, key=len, reverse=True):
        before, middle, after = stem.rpartition(name)
        if middle and (not before or before[-1] in "_-.") and (not after or after[0] == "_"):
            return ":".join([name, *(part for part in after.split("_") if part in FLAGS or "=" in part)])
    words = [title.rpartition(" (")[0] if title.endswith(")") else title for title in sheet.titles]
    fitting = [name for name in TITLES if name in paths and _labels(paths[name]) == words]
    if len(fitting) != 1:
        offer = f"it could be {', '.join(fitting)}" if fitting else "its titles match no report"
        raise UsageError(f"Which report is {file}? Say --report NAME; {offer}.")
    return fitting[0]


def _labels(path: Path) -> list[str]:
    return [split_label(c.label)[0] for c in read_query(path).columns if c.label is not None]


def report_lines(result: Comparison, report: str) -> Iterator[str]:
    yield f"{report}: {result.equal:,} of {result.cells:,} cells equal in {result.rows:,} rows"
    if result.written_otherwise:
        yield f"  {result.written_otherwise:,} of them are numbers written differently, such as 1.0 and 1"
    if result.moved_rows:
        yield f"  {result.moved_rows:,} equal rows are in another order"
    for titles, whose in ((result.titles_only_ours, "here"), (result.titles_only_theirs, "in the file")):
        if titles:
            yield f"  columns only {whose}: {', '.join(titles)}"
    for d in result.differences[:SHOWN]:
        yield f"  row {d.row}, {d.column}: {d.ours!r} here, {d.theirs!r} in the file"
    if len(result.differences) > SHOWN:
        yield f"  and {len(result.differences) - SHOWN:,} more cells differ"
    for rows, whose in ((result.only_ours, "here"), (result.only_theirs, "in the file")):
        for row in rows[:SHOWN]:
            yield f"  row only {whose}: {','.join(row)!r}"
        if len(rows) > SHOWN:
            yield f"  and {len(rows) - SHOWN:,} more rows only {whose}"


def _read(path: Path) -> Sheet:
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    return read_sheet(data.decode("utf-8", "replace"))
