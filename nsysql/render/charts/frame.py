"""Shared by all charts: the SVG element, escaped and fitted texts, a legend."""

from collections.abc import Iterable, Sequence
from itertools import cycle

from nsysql.render.timeline.palette import GRAY, PATHS, color, shade, svg_text
from nsysql.words.truncate import beginning

LETTER = 6.4  # width of a letter, about
LINE, HEADING = 16, 20  # heights
PATH = "path:"  # prefix of the style of an NVTX path
PALER = 0.62  # of a color's distance to white
OWN = {"lead_in": "#b9bcc2", "tail": "#94a0ad", "other": GRAY}  # colors of styles that must differ within one bar
LIGHT = ".{0}{{font:11px ui-sans-serif,system-ui,sans-serif;fill:#1c1f24;background:#fff}}.{0} .m{{fill:#5b6470}}"
DARK = "@media(prefers-color-scheme:dark){{.{0}{{fill:#e6e8eb;background:#14171b}}.{0} .m{{fill:#9aa4b2}}}}"
STYLE = (
    ".ch .g{font-weight:600;font-size:12px}.ch .l{stroke:#8886}.ch .d{stroke:#8888;stroke-dasharray:4 3}"
    ".ch .e{text-anchor:end}"
)


def picture(title: str, width: int, height: float, parts: Iterable[str], style: str = STYLE, kind: str = "ch") -> str:
    """The elements as self-contained SVG, in that style for its CSS class."""
    size = f'width="{width}" height="{height:g}" viewBox="0 0 {width} {height:g}"'
    head = f"<title>{svg_text(title)}</title><style>{(LIGHT + DARK).format(kind)}{style}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" role="img" {size}>{head}{"".join(parts)}</svg>'


def cut(text: str, width: float) -> str:
    """As much of a text as fits into `width` pixels."""
    return beginning(text, int(width / LETTER))


def text(x: float, y: float, content: str, kind: str = "") -> str:
    """A text at a position; `kind` are its CSS classes."""
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:.1f}" y="{y:.1f}">{svg_text(content)}</text>'


def box(x: float, y: float, width: float, height: float, fill: str, about: str = "") -> str:
    """A filled box with a tooltip."""
    title = f"<title>{svg_text(about)}</title>" if about else ""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(0.3, width):.1f}" height="{max(0.3, height):.1f}"'
    return f'<rect {place} fill="{fill}">{title}</rect>'


def wrapped(content: str, width: float) -> list[str]:
    """A sentence in lines of at most `width` pixels; longer words are cut."""
    lines: list[str] = []
    for word in (cut(one, width) for one in content.split(" ")):
        if lines and (len(lines[-1]) + 1 + len(word)) * LETTER <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def headed(title: str, sentences: Iterable[str], width: float) -> tuple[list[str], float]:
    """Return a title with the sentences below it, and their lower edge."""
    parts, y = [text(0, 14, title, "g")], float(HEADING)
    for line in (line for sentence in sentences for line in wrapped(sentence, width)):
        parts.append(text(0, y + 12, line, "m"))
        y += LINE
    return parts, y


def legend(entries: Sequence[tuple[str, str]], y: float, width: float) -> tuple[list[str], float]:
    """A legend of colors in lines, and its lower edge."""
    x, parts = 0.0, []
    for fill, label in entries:
        room = 26 + len(label) * LETTER
        if x and x + room > width:
            x, y = 0.0, y + LINE
        parts += [box(x, y + 3, 10, 10, fill), text(x + 14, y + 12, cut(label, width - 20))]
        x += room
    return parts, y + LINE if parts else y


def fills(styles: Iterable[str]) -> dict[str, str]:
    """A distinct color for each style: NVTX paths beyond PATHS get increasingly pale."""
    made: dict[str, str] = {}
    paths = cycle(PATHS)
    for style in styles:
        fill, times = next(paths) if style.startswith(PATH) else OWN.get(style) or color(style), 0
        while (paler := shade(fill, 1 - PALER**times)) in made.values():
            times += 1
        made[style] = paler
    return made
