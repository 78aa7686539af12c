"""A page as HTML for notebooks: headings, sentences and tables; every text is escaped."""

from collections.abc import Iterator
from html import escape

from nsysql.pages.elements import Bar, Cell, Page, Section, Slices
from nsysql.render.timeline.palette import KINDS
from nsysql.words.naming import TIED
from nsysql.words.quantities import safe, tenths


def html(page: Page) -> str:
    """The page as one element; without bars: the shares say the same."""
    return f"<div><h3>{_text(page.title)}</h3>{''.join(map(_section, page.sections))}</div>"


def _section(section: Section) -> str:
    meaning = f" <small>{_text(section.meaning)}</small>" if section.meaning else ""
    return "".join(
        [
            f"<h4>{_text(section.title)}{meaning}</h4>" if section.title else "",
            *(f"<p>{_text(sentence)}</p>" for sentence in section.before),
            *_table(section),
            *(f"<p>{_text(sentence)}</p>" for sentence in section.after),
        ]
    )


def _table(section: Section) -> Iterator[str]:
    if not section.rows:
        return
    shown = [i for i in range(len(section.columns)) if not any(isinstance(row[i], Bar) for row in section.rows)]
    sides = [f' style="text-align: {"right" if column.right else "left"}"' for column in section.columns]
    yield "<table>"
    if any(column.heading for column in section.columns):
        yield f"<tr>{''.join(f'<th{sides[i]}>{_text(section.columns[i].heading)}</th>' for i in shown)}</tr>"
    for row in section.rows:
        yield f"<tr>{''.join(f'<td{sides[i]}>{_cell(row[i])}</td>' for i in shown)}</tr>"
    yield "</table>"


def _cell(cell: Cell) -> str:
    return slices_svg(cell) if isinstance(cell, Slices) else _text(str(cell))


def _text(text: str) -> str:
    return escape(safe(text)).replace(TIED, " ")


WIDTH, HEIGHT = 9, 16  # pixels of a slice


def slices_svg(cell: Slices) -> str:
    """The picture, self-contained; the pointer finds the share of each slice, and nothing is drawn where none is."""
    columns = []
    for place, share in enumerate(cell.shares):
        if share is None:
            continue
        high, text = HEIGHT * min(1.0, max(0.0, share)), f"<title>{tenths(100 * share)} %</title>"
        slot = f'x="{place * WIDTH}" width="{WIDTH}"'
        filled = f'y="{HEIGHT - high:.2f}" height="{high:.2f}" fill="{KINDS["kernel"]}"'
        columns += [f'<rect {slot} y="0" height="{HEIGHT}" fill="#8884">{text}</rect>']
        columns += [f"<rect {slot} {filled}>{text}</rect>"]
    size = f'width="{len(cell.shares) * WIDTH}" height="{HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" class="slices" role="img" {size}>{"".join(columns)}</svg>'
