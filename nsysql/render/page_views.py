"""Pages and pictures as objects: `print` shows text, a notebook HTML or SVG, and methods give numbers and files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.errors import MissingData
from nsysql.words.atomic_file import atomic_replace
from nsysql.words.kernel_names import Naming

if TYPE_CHECKING:
    import polars

    from nsysql.pages.elements import Page
    from nsysql.pages.flame import Flame
    from nsysql.pages.report.gather import Report
    from nsysql.pages.timeline.model import Timeline

Draw = Callable[["polars.DataFrame", IO[str], int], None]  # rows, output, width in columns


@dataclass(frozen=True)
class Rows:
    """Rows, notes about them, why there may be none, and how to see those not shown."""

    frame: "polars.DataFrame"
    notes: Sequence[str] = ()
    none: str = "no rows."
    more: str | None = None
    drawn: "Draw | None" = None  # draws rows on a terminal, instead of a table
    first: tuple[str, ...] = ()  # columns, or the beginnings of their names, that a narrow table leaves out last


class PageView:
    """A page: `print` shows it as text, a notebook as HTML, and `document()` gives its numbers.

    The command line writes the same object: its sections (`page`), its document, its main table (`rows`). Each is made
    when it is first asked for. `html` writes it if it has HTML of another kind than other pages, `status` is that of
    the exit.
    """

    def __init__(
        self,
        page: "Callable[[], Page]",
        document: Callable[[], dict[str, Any]],
        rows: Callable[[], Rows] | None = None,
        kernels: Callable[[], Mapping[str, str]] = dict,
        html: Callable[[IO[bytes]], None] | None = None,
        status: int = 0,
    ) -> None:
        self._make, self._document, self.rows = page, document, rows
        self._page: Page | None = None
        self.html, self.status = html, status
        self._naming = Naming(known=kernels)

    def page(self) -> "Page":
        """The page as sections."""
        if self._page is None:
            self._page = self._make()
        return self._page

    def document(self) -> dict[str, Any]:
        """The page as dictionaries and lists, as `--format json` writes it."""
        return self._document()

    def __str__(self) -> str:
        from nsysql.render.page import named, write_terminal

        text = StringIO()
        write_terminal(named(self.page(), self._naming, self.page().widest), text, None)
        return text.getvalue()

    def __repr__(self) -> str:
        return f"<nsysql page {self.page().title!r}; print it, or see document()>"

    def _repr_html_(self) -> str:
        from nsysql.render.html.page import element
        from nsysql.render.page import named

        return element(named(self.page(), self._naming, None))


class DrawnView(PageView):
    """A page that is a picture, too: `svg()` gives it, and a notebook shows it above the tables."""

    def __init__(self, draw: Callable[[int], str], *page: Any, **more: Any) -> None:
        super().__init__(*page, **more)
        self._draw = draw

    def svg(self, width: int = 1000) -> str:
        """The picture, so many pixels wide. Raises MissingData if there is nothing to draw."""
        return self._draw(width)

    def _repr_html_(self) -> str:
        try:
            drawn = self.svg()
        except MissingData:
            drawn = ""
        return drawn + super()._repr_html_()


class ReportView:
    """A report: a notebook shows it, `write` makes a file of it."""

    def __init__(self, report: "Report", top: int) -> None:
        self._found, self._top = report, top

    def write(self, path: str | Path) -> None:
        """Write the report as an HTML file, which appears only when it is whole. Raises OSError if it cannot."""
        from nsysql.render.html.report import write

        source = self._found.path
        with atomic_replace(Path(path), source) as part, part.open("wb") as file:
            write(self._found, self._top, file)

    def __repr__(self) -> str:
        return f"<nsysql report of {self._found.path.name}; write(PATH) makes a file of it>"

    def _repr_html_(self) -> str:
        from html import escape

        from nsysql.render.html.report import write

        page = BytesIO()
        write(self._found, self._top, page)
        text = escape(page.getvalue().decode())
        return f'<iframe srcdoc="{text}" style="width: 100%; height: 80vh; border: 0"></iframe>'


class TimelineView:
    """A timeline: `print` shows it as text, a notebook as SVG."""

    def __init__(self, timeline: "Timeline") -> None:
        self._timeline = timeline

    def svg(self, width: int = 1000) -> str:
        """The timeline as SVG, so many pixels wide."""
        from nsysql.render.timeline.svg import svg

        return svg(self._timeline, width)

    def __str__(self) -> str:
        from nsysql.render.timeline.terminal import write

        text = StringIO()
        write(self._timeline, text, 120)
        return text.getvalue()

    def __repr__(self) -> str:
        return f"<nsysql timeline of {self._timeline.title}; print it, or see svg()>"

    def _repr_html_(self) -> str:
        return self.svg()


class FlameView:
    """A flame graph: a notebook shows it as SVG, `write` makes a page of it that zooms and can be searched."""

    def __init__(self, flame: "Flame", source: Path) -> None:
        self._flame, self._source = flame, source

    def svg(self, width: int = 1200) -> str:
        """The flame graph as SVG, so many pixels wide."""
        from nsysql.render.flame import svg

        return svg(self._flame, width)

    def write(self, path: str | Path) -> None:
        """Write it as HTML to a file, which appears only when it is whole. Raises OSError if it cannot."""
        from nsysql.render.flame import write_html

        with atomic_replace(Path(path), self._source) as part, part.open("wb") as file:
            write_html(self._flame, file)

    def __repr__(self) -> str:
        return f"<nsysql flame graph of {self._flame.title}; write(PATH) makes a file of it, svg() a picture>"

    def _repr_html_(self) -> str:
        return self.svg()
