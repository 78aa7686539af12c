"""Compare a report of an export with a CSV of the same report by nsys or another tool, cell by cell.

Both are read by the same rules, which are NVIDIA's: a text with a comma is in quotes, quotes within are
left alone. Numbers are the same where they are equal (1.0 and 1), or where one is the other rounded to fewer
digits, or where a sum of doubles in another order explains it; this is counted as written otherwise.
"""

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path

from nsysql.capture.export import Export
from nsysql.catalog.query_file import read_query
from nsysql.errors import MissingData, UsageError
from nsysql.nsys.formats import CHOICES, Format, Units, cells, split_label
from nsysql.nsys.report_rows import ReportRows
from nsysql.nsys.reports import ALIASES, FLAGS, RELABELED, TITLES, Report, read_report
from nsysql.nsys.writers import csv

QUOTED, BARE = re.compile(r'"(.*?)"(?=,|$)'), re.compile(r"([^,]*)")
NOISE = Decimal("1e-12")  # relative error of a double that the order of additions can cause
WHOLE = -30
SHOWN = 10  # differences that are listed
Row = tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """A CSV file: its titles and rows; both empty if it has no lines."""

    titles: Row
    rows: list[Row]


@dataclass(frozen=True)
class Difference:
    """A cell that differs: its row (the first is 1) in theirs, its column, and both texts."""

    row: int
    column: str
    ours: str
    theirs: str


@dataclass
class Comparison:
    """What two sheets have in common, counted in theirs, and what not."""

    rows: int
    cells: int
    equal: int = 0
    written_otherwise: int = 0
    moved_rows: int = 0
    differences: list[Difference] = field(default_factory=list)
    only_ours: list[Row] = field(default_factory=list)
    only_theirs: list[Row] = field(default_factory=list)
    titles_only_ours: tuple[str, ...] = ()
    titles_only_theirs: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether all cells have the same values, in any order of rows."""
        return not (
            self.differences or self.only_ours or self.only_theirs or self.titles_only_ours or self.titles_only_theirs
        )


def read_sheet(text: str) -> Sheet:
    """Parse a CSV text; empty lines are ignored."""
    lines = [line for line in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n") if line]
    if not lines:
        return Sheet((), [])
    titles = _cells(lines[0], 0)
    return Sheet(titles, [_cells(line, len(titles)) for line in lines[1:]])


def _cells(line: str, count: int) -> Row:
    """The cells of a line; where quotes within a text leave it open, such that there are `count` of them."""
    if '"' not in line:
        return tuple(line.split(","))
    cells: list[str] = []
    at, quoted = 0, None
    while at <= len(line):
        match = QUOTED.match(line, at) or BARE.match(line, at)
        assert match is not None  # BARE fits any text
        if match.re is QUOTED and quoted is None:
            quoted = len(cells)
        cells.append(match[1])
        at = match.end() + 1
    if count and len(cells) > count and quoted is not None:
        before, text = line.split(",", quoted)[:quoted], line.split(",", quoted)[quoted]
        text, *after = text.rsplit(",", count - quoted - 1)
        return (*before, text[1:-1], *after)
    return tuple(cells)


def compare(ours: Sheet, theirs: Sheet) -> Comparison:
    """Both sheets by the columns that they share; rows are paired in order, else by their texts."""
    shared = [title for title in theirs.titles if title in ours.titles]
    result = Comparison(
        rows=len(theirs.rows),
        cells=sum(len(row) for row in theirs.rows),
        titles_only_ours=tuple(t for t in ours.titles if t not in theirs.titles) if theirs.titles else (),
        titles_only_theirs=tuple(t for t in theirs.titles if t not in ours.titles) if ours.titles else (),
    )
    for number, our, their in list(_paired(_picked(ours, shared), _picked(theirs, shared), result)):
        if our == their:
            result.equal += len(their)
            continue
        for i, cell in enumerate(their):
            mine = our[i] if i < len(our) else ""
            if mine == cell or _is_same(mine, cell):
                result.equal += 1
                result.written_otherwise += mine != cell
            else:
                column = shared[i] if i < len(shared) else f"column {i + 1}"
                result.differences.append(Difference(number, column, mine, cell))
    return result


def _picked(sheet: Sheet, titles: list[str]) -> list[Row]:
    if list(sheet.titles) == titles:
        return sheet.rows
    places = [sheet.titles.index(title) for title in titles]
    return [tuple(row[i] for i in places if i < len(row)) for row in sheet.rows]


def _paired(ours: list[Row], theirs: list[Row], result: Comparison) -> Iterator[tuple[int, Row, Row]]:
    """Rows of both that belong together, with the number in theirs; the others are put into the result."""
    if len(ours) == len(theirs) and all(a == b or _texts(a) == _texts(b) for a, b in zip(ours, theirs, strict=True)):
        yield from zip(range(1, len(theirs) + 1), ours, theirs, strict=True)
        return
    spare, left = Counter(ours), []
    for number, row in enumerate(theirs, start=1):
        if spare[row]:
            spare[row] -= 1
            result.moved_rows += number > len(ours) or ours[number - 1] != row
            yield number, row, row
        else:
            left.append((number, row))
    by_texts: dict[Row, list[Row]] = {}
    for row in ours:
        if spare[row]:
            spare[row] -= 1
            by_texts.setdefault(_texts(row), []).append(row)
    for number, row in left:
        candidates = by_texts.get(_texts(row))
        if candidates:
            yield number, candidates.pop(0), row
        else:
            result.only_theirs.append(row)
    result.only_ours.extend(row for rows in by_texts.values() for row in rows)


def _texts(row: Row) -> Row:
    """The cells of a row that are not numbers, which identify the row."""
    return tuple(cell.replace('""', '"') for cell in row if _number(cell) is None)


def _is_same(ours: str, theirs: str) -> bool:
    if ours == theirs.replace('""', '"'):
        return True
    a, b = _number(ours), _number(theirs)
    if a is None or b is None:
        return False
    if a == b:
        return True
    coarser = max(_exponent(a), _exponent(b))
    noise = abs(a) * NOISE if coarser > WHOLE else 0
    return abs(a - b) <= max(Decimal(5).scaleb(coarser - 1), noise)


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.replace(",", "")) if text[:1].isdigit() or text[:1] in "+-." else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


def _exponent(number: Decimal) -> int:
    """The place of the last digit written: -1 of 12.3; whole numbers are exact, so theirs is far right."""
    exponent = number.as_tuple().exponent
    return exponent if isinstance(exponent, int) and exponent < 0 else WHOLE


def check(run: Export, name: str, theirs: Sheet) -> Comparison:
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
    columns = {name: read_query(paths[name]).columns for name in TITLES if name in paths}
    labels = {name: [split_label(c.label)[0] for c in of if c.label is not None] for name, of in columns.items()}
    fitting = [name for name in labels if labels[name] == words]
    if len(fitting) != 1:
        offer = f"it could be {', '.join(fitting)}" if fitting else "its titles match no report"
        raise UsageError(f"Which report is {file}? Say --report NAME; {offer}.")
    return fitting[0]


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


def read_file(path: Path) -> Sheet:
    """The sheet in a .csv or .csv.gz. Raises UsageError if it cannot be read."""
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    return read_sheet(data.decode("utf-8", "replace"))
