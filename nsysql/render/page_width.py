"""The natural width of a page's content."""

from typing import TYPE_CHECKING

from nsysql.words.quantities import columns_of, safe

if TYPE_CHECKING:
    from nsysql.pages.elements import Cell, Section

PROSE = 100  # columns in which a long text is wrapped
GAP = 2


def natural_widths(section: "Section") -> list[int]:
    """The natural width of each column of the section."""
    return [
        max(columns_of(column.heading), *(space(row[i]) for row in section.rows))
        for i, column in enumerate(section.columns)
    ]


def natural_width(section: "Section") -> int:
    """The width that a section needs; its sentences and long texts are wrapped."""
    if not section.rows:
        return 0
    total = 0
    for i, (column, width) in enumerate(zip(section.columns, natural_widths(section), strict=True)):
        words = (word for row in section.rows for word in safe(str(row[i])).split(" "))
        total += GAP + (max(min(width, PROSE), *map(columns_of, words)) if column.wrap else width)
    return total


def space(cell: "Cell") -> int:
    """The width of a cell."""
    return columns_of(safe(str(cell))) if isinstance(cell, str) or not hasattr(cell, "columns") else cell.columns
