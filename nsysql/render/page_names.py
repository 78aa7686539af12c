"""Kernel names on a page: one short name for each, the same in every section, fitting the narrowest."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from nsysql.pages.elements import Cell, Column, Page, Section
from nsysql.render.page import GAP, natural_widths
from nsysql.words.kernel_names import Names, Naming

LEAST = 24  # least columns for a name


def named(page: Page, naming: Naming, width: int | None) -> Page:
    """The page with texts for the names; if two columns of names do not fit, they move to a line of their own."""
    names = list(dict.fromkeys(name for section in page.sections for name in _names(section)))
    short = naming.of(names)
    if width is None:
        return replace(page, sections=tuple(_with_texts(section, short) for section in page.sections))
    page = replace(page, sections=tuple(_with_room(section, short, width) for section in page.sections))
    is_chosen = naming.is_full or naming.width is not None
    if not is_chosen:
        rooms = [_name_width(section, short, width) for section in page.sections if any(True for _ in _names(section))]
        short = naming.of(names, max(LEAST, min(rooms, default=width)))
    sections = []
    for section in page.sections:
        text = _with_texts(section, short)
        columns = _name_columns(section)
        if len(columns) > 1 and _total(text) > width:
            text = _stacked(text, columns)
        elif is_chosen:
            changed = (replace(c, whole=i in columns) for i, c in enumerate(text.columns))
            text = replace(text, columns=tuple(changed))
        sections.append(text)
    return replace(page, sections=tuple(sections))


def _names(section: Section) -> Iterator[str]:
    return (name for row in section.rows for cell in row if isinstance(cell, Names) for name in cell.names)


def _name_columns(section: Section) -> list[int]:
    """The columns with names that are not wrapped."""
    held = {i for row in section.rows for i, cell in enumerate(row) if isinstance(cell, Names)}
    return sorted(i for i in held if not section.columns[i].wrap)


def _with_texts(section: Section, short: Mapping[str, str]) -> Section:
    def text(cell: Cell) -> Cell:
        return cell.shown(short) if isinstance(cell, Names) else cell

    return replace(section, rows=tuple(tuple(map(text, row)) for row in section.rows))


def _with_room(section: Section, short: Mapping[str, str], width: int) -> Section:
    """The section, without its bars and then its spare columns if its texts would have less than LEAST columns."""
    spare = {i for i, column in enumerate(section.columns) if column.spare}
    fitting = section
    for left_out in section.bars, section.bars | spare:
        if _least_width(_with_texts(fitting, short)) > width:
            fitting = section.without(left_out)
    return fitting


def _least_width(section: Section) -> int:
    """The width of the section's rows if each text that can be cut or wrapped has at most LEAST columns."""
    if not section.rows:
        return 0
    pairs = zip(section.columns, natural_widths(section), strict=True)
    return sum(GAP + (width if column.right or column.whole else min(width, LEAST)) for column, width in pairs)


def _name_width(section: Section, short: Mapping[str, str], width: int) -> int:
    """The width available for a name in the section."""
    columns, text = _name_columns(section), _with_texts(section, short)
    if len(columns) > 1 and _total(text) <= width:
        return width
    if len(columns) == 1:
        return width - _total(text, without=columns[0])
    text = _stacked(text, columns) if columns else text
    return width - _total(text, without=len(text.columns) - 1) - 1  # for the comma


def _total(section: Section, without: int | None = None) -> int:
    """The total width of all columns of the section but one."""
    widths = natural_widths(section)
    return GAP * len(widths) + sum(w for i, w in enumerate(widths) if i != without)


def _stacked(section: Section, columns: list[int]) -> Section:
    """The section with these columns as a sentence: in another line of the last text, else at the end of the row."""
    others = [i for i in range(len(section.columns)) if i not in columns]
    has_text = bool(others) and not section.columns[others[-1]].right
    rows: list[tuple[Cell, ...]] = []
    for row in section.rows:
        line = ", ".join(f"{section.columns[i].heading} {row[i]}".strip() for i in columns)
        rest = tuple(row[i] for i in others)
        rows += [rest, (*("",) * (len(rest) - 1), line)] if has_text else [(*rest, line)]
    kept = [section.columns[i] for i in others]
    last = [replace(kept.pop(), wrap=True)] if has_text else [Column(right=False, wrap=True)]
    return replace(section, columns=(*kept, *last), rows=tuple(rows))
