"""Write a page, titled sections of small tables and sentences: for the terminal, or as Markdown.

The texts of a page are ready to read; drawing only lays them out. A kernel has one short name, the same in every
section, which fits the narrowest.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import IO

from rich.console import Console
from rich.text import Text

from nsysql.pages.elements import Bar, Cell, Column, Page, Section, Slices
from nsysql.render.table import escaped
from nsysql.render.timeline.palette import KINDS
from nsysql.words.kernel_names import TIED, Names, Naming
from nsysql.words.quantities import columns_of, safe, tenths
from nsysql.words.truncate import cut, cut_names

WIDTH = 80  # least width of a page without a terminal
PROSE, TEXT = 120, 100  # the widest sentence, and the widest text of a cell that is wrapped
GAP = 2
# Least columns of a text that is wrapped instead of cutting others, of one that is cut, and of one on a narrow page.
WRAPPED_TEXT, SHORTEST_TEXT, NARROW_TEXT = 20, 12, 8


def write_terminal(page: Page, file: IO[str], width: int | None) -> None:
    """Draw within `width` columns (None: as many as needed); color only if `file` is a terminal."""
    if width is None:
        width = min(page.widest, max([WIDTH, columns_of(safe(page.title)), *map(natural_width, page.sections)]))
    console = Console(file=file, width=max(width, 40), highlight=False, soft_wrap=True)
    with console.capture() as captured:  # rich would end the process on a closed pipe
        console.print(Text(cut(safe(page.title), width), style="bold"))
        for section in page.sections:
            for line in _lines(section, width):
                console.print(line)
    file.write(captured.get().replace(TIED, " "))


def _lines(section: Section, width: int) -> Iterator[Text]:
    yield Text("")
    yield from _heading(section, width)
    for sentence in section.before:
        yield from _wrapped(safe(sentence), width, GAP)
    if section.rows:
        widths = _widths(section, width - GAP)
        if any(column.heading for column in section.columns):
            headings = tuple(column.heading for column in section.columns)
            yield _line(headings, section, widths, "dim")
        for row in _fitting(section, widths):
            yield from _row(row, section, widths)
    for sentence in section.after:
        yield from _wrapped(safe(sentence), width, GAP)


def _heading(section: Section, width: int) -> Iterator[Text]:
    title, meaning = Text(safe(section.title), style="bold cyan"), safe(section.meaning)
    if not section.title:
        return
    if not meaning:
        yield title
    elif columns_of(section.title) + 2 + columns_of(meaning) <= width:
        yield Text.assemble(title, "  ", (meaning, "dim"))
    else:
        yield title
        for line in _wrapped(meaning, width, GAP):
            line.stylize("dim")
            yield line


def _wrapped(text: str, width: int, indent: int) -> Iterator[Text]:
    """The text in indented lines of whole words, those after the first indented a little more."""
    for i, line in enumerate(_words(text, min(width, PROSE) - indent - 2)):
        yield Text(" " * (indent + (2 if i else 0)) + line)


def _words(text: str, width: int) -> Iterator[str]:
    """The text in lines of whole words; of longer ones those that are tied part, and others are cut."""
    line = ""
    for word in (w for tied in text.split(" ") for w in ([tied] if columns_of(tied) <= width else tied.split(TIED))):
        if line and columns_of(line) + 1 + columns_of(word) > width:
            yield line
            line = ""
        line = f"{line} {word}" if line else cut(word, width)
    yield line


def _widths(section: Section, width: int) -> list[int]:
    """The width of each column: a text that wraps is reduced first, then the widest, in the end below SHORTEST_TEXT."""
    widths = natural_widths(section)
    excess = sum(widths) + GAP * (len(widths) - 1) - width
    cuts = {i: columns_of(c.heading) for i, c in enumerate(section.columns) if not (c.right or c.whole)}
    wrapped = {i: WRAPPED_TEXT for i in cuts if section.columns[i].wrap}
    narrow = {i: max(NARROW_TEXT, heading) for i, heading in cuts.items()}
    for least in (wrapped, dict.fromkeys(cuts, SHORTEST_TEXT), narrow):
        while excess > 0 and (texts := [i for i in least if widths[i] > least[i]]):
            widths[max(texts, key=lambda i: widths[i])] -= 1
            excess -= 1
    return widths


def _fitting(section: Section, widths: list[int]) -> Iterator[tuple[Cell, ...]]:
    """The rows with texts cut to their columns, except a last one that is wrapped."""
    cells: list[list[Cell]] = []
    for column, width, of_rows in zip(section.columns, widths, zip(*section.rows, strict=True), strict=True):
        texts = [safe(str(cell)) for cell in of_rows]
        cut_texts = texts if column.wrap or column.whole else cut_names(texts, width)
        cells.append([c if isinstance(c, Bar) else text for c, text in zip(of_rows, cut_texts, strict=True)])
    yield from zip(*cells, strict=True)


def _row(row: tuple[Cell, ...], section: Section, widths: list[int]) -> Iterator[Text]:
    """The row in one line, or in several if a text is wrapped."""
    wrapped = next((i for i, column in enumerate(section.columns) if column.wrap), None)
    if wrapped is None:
        yield _line(row, section, widths, "")
        return
    for i, part in enumerate(_words(str(row[wrapped]), widths[wrapped])):
        cells = row if i == 0 else ("",) * len(row)
        yield _line((*cells[:wrapped], part, *cells[wrapped + 1 :]), section, widths, "")


def _line(row: tuple[Cell, ...], section: Section, widths: list[int], style: str) -> Text:
    line = Text(" " * GAP)
    for i, (cell, column) in enumerate(zip(row, section.columns, strict=True)):
        text = str(cell)
        space = " " * (widths[i] - columns_of(text))
        filled = space + text if column.right and not isinstance(cell, Bar) else text + space
        line.append(filled + " " * GAP, "green" if isinstance(cell, Bar) else style)
    line.rstrip()
    return line


def natural_widths(section: Section) -> list[int]:
    """The natural width of each column of the section."""
    return [
        max(columns_of(column.heading), *(space(row[i]) for row in section.rows))
        for i, column in enumerate(section.columns)
    ]


def natural_width(section: Section) -> int:
    """The width that a section needs; its sentences and long texts are wrapped."""
    if not section.rows:
        return 0
    total = 0
    for i, (column, width) in enumerate(zip(section.columns, natural_widths(section), strict=True)):
        words = (word for row in section.rows for word in safe(str(row[i])).split(" "))
        total += GAP + (max(min(width, TEXT), *map(columns_of, words)) if column.wrap else width)
    return total


def space(cell: Cell) -> int:
    """The width of a cell."""
    return cell.columns if isinstance(cell, Bar) else columns_of(safe(str(cell)))


def write_markdown(page: Page, file: IO[bytes]) -> None:
    """Write the same sections with Markdown tables; without bars: the shares say the same."""
    lines = [f"# {escaped(safe(page.title))}"]
    for section in page.sections:
        lines += ["", f"## {escaped(safe(section.title))}", ""] if section.title else [""]
        if section.meaning:
            lines += [escaped(safe(section.meaning)), ""]
        lines += [*(f"- {escaped(safe(sentence))}" for sentence in section.before), ""]
        if section.rows:
            lines += [*_markdown_rows(section), ""]
        lines += [f"- {escaped(safe(sentence))}" for sentence in section.after]
    text = "\n".join(line for i, line in enumerate(lines) if line or (i and lines[i - 1]))
    file.write((text.rstrip() + "\n").replace(TIED, " ").encode())


def _markdown_rows(section: Section) -> Iterator[str]:
    section = section.without(section.bars)
    yield f"| {' | '.join(escaped(column.heading) for column in section.columns)} |"
    yield f"|{'|'.join('---:' if column.right else '---' for column in section.columns)}|"
    lines: list[list[str]] = []
    for row in section.rows:
        texts = [escaped(safe(str(cell))) for cell in row]
        if lines and not any(texts[:-1]):  # it continues the previous row
            lines[-1][-1] += f"<br>{texts[-1]}"
        else:
            lines.append(texts)
    yield from (f"| {' | '.join(texts)} |" for texts in lines)


SLICE_WIDTH, SLICE_HEIGHT = 9, 16  # pixels of a slice


def slices_svg(cell: Slices) -> str:
    """The picture, self-contained; the pointer finds the share of each slice, and nothing is drawn where none is."""
    columns = []
    for place, share in enumerate(cell.shares):
        if share is None:
            continue
        high, text = SLICE_HEIGHT * min(1.0, max(0.0, share)), f"<title>{tenths(100 * share)}%</title>"
        slot = f'x="{place * SLICE_WIDTH}" width="{SLICE_WIDTH}"'
        filled = f'y="{SLICE_HEIGHT - high:.2f}" height="{high:.2f}" fill="{KINDS["kernel"]}"'
        columns += [f'<rect {slot} y="0" height="{SLICE_HEIGHT}" fill="#8884">{text}</rect>']
        columns += [f"<rect {slot} {filled}>{text}</rect>"]
    size = f'width="{len(cell.shares) * SLICE_WIDTH}" height="{SLICE_HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" class="slices" role="img" {size}>{"".join(columns)}</svg>'


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
    columns, text = _name_columns(section), _with_texts(section, short)
    if len(columns) > 1 and _total(text) <= width:
        return width
    if len(columns) == 1:
        return width - _total(text, without=columns[0])
    text = _stacked(text, columns) if columns else text
    return width - _total(text, without=len(text.columns) - 1) - 1  # for the comma


def _total(section: Section, without: int | None = None) -> int:
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
