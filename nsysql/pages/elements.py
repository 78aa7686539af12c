"""A page as data: sections of columns, rows, bars and notes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from nsysql.words.kernel_names import Names

EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True)
class Bar:
    """A share of 1, drawn as a bar of so many columns."""

    share: float
    columns: int = 10

    def __str__(self) -> str:
        eighths = round(max(0.0, min(1.0, self.share)) * self.columns * 8)
        full, rest = divmod(eighths, 8)
        return "█" * full + (EIGHTHS[rest] if rest else "")


@dataclass(frozen=True)
class Slices:
    """Shares of 1 in equal slices of time, None if nothing is known; `text` has a character for each."""

    shares: tuple[float | None, ...]
    text: str

    def __str__(self) -> str:
        return self.text


SHADES = ((0.05, "·"), (0.3, "░"), (0.6, "▒"), (0.9, "▓"), (2.0, "█"))  # (upper limit of the share, character)
LEGEND = f"{', '.join(f'{sign} below {below:.0%}' for below, sign in SHADES[:-1])}, {SHADES[-1][1]} above"


def shaded(shares: Sequence[float | None]) -> Slices:
    """Shares of 1 over time: blank where nothing is known, · for nearly none, █ for nearly all."""
    shades = (" " if one is None else next(sign for below, sign in SHADES if one < below) for one in shares)
    return Slices(tuple(shares), "".join(shades))


Cell = str | Bar | Names | Slices


@dataclass(frozen=True)
class Column:
    """A column's heading. Cells stand to the right, or are texts that are cut, or wrapped, to fit, if not `whole`.

    On a narrow page the `spare` columns are left out, as bars are.
    """

    heading: str = ""
    right: bool = True
    wrap: bool = False
    whole: bool = False
    spare: bool = False


LABEL, PROSE = Column(right=False), Column(right=False, wrap=True)


@dataclass(frozen=True)
class Section:
    """A title, what a row means, sentences, the rows, and sentences after them."""

    title: str
    meaning: str = ""
    before: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    after: tuple[str, ...] = ()

    @property
    def bars(self) -> set[int]:
        """The columns of bars."""
        return {i for row in self.rows for i, cell in enumerate(row) if isinstance(cell, Bar)}

    def without(self, left_out: set[int]) -> "Section":
        """Return the section without these columns."""
        kept = [i for i in range(len(self.columns)) if i not in left_out]
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        return replace(self, columns=tuple(self.columns[i] for i in kept), rows=rows)


def notes_section(notes: Iterable[str]) -> Section:
    """Notes, one a row."""
    return Section("Notes", columns=(PROSE,), rows=tuple((note,) for note in notes))


@dataclass(frozen=True)
class Page:
    """A title and sections, in reading order; without a terminal it is at most `widest` columns wide."""

    title: str
    sections: tuple[Section, ...]
    widest: int = 160
