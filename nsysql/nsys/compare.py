"""Compare two CSV files of a report cell by cell.

Both are read by the same rules, which are NVIDIA's: a text with a comma is in quotes, quotes within are
left alone. Numbers are the same where they are equal (1.0 and 1), or where one is the other rounded to fewer
digits, or where a sum of doubles in another order explains it; this is counted as written otherwise.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

QUOTED, BARE = re.compile(r'"(.*?)"(?=,|$)'), re.compile(r"([^,]*)")
NOISE = Decimal("1e-12")  # relative error of a double that the order of additions can cause
WHOLE = -30
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
