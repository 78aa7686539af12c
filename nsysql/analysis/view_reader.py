"""What a module that computes views is given, and the columns that it has to give."""

import re
from collections.abc import Callable
from typing import Protocol, TypeVar

import polars as pl

from nsysql.analysis.window import Window
from nsysql.catalog.packs import read_views


class ViewReader(Protocol):
    """What a module that computes views is given: the others, as frames, and how many bytes DuckDB works in.

    `window` is the time that a question is narrowed to; what is read is narrowed already but for views of the whole.
    """

    memory_budget: float
    window: Window

    def __call__(
        self,
        view: str,
        narrow: Callable[[pl.DataFrame], pl.DataFrame] | None = None,
        stream: bool = False,
        which: str = "",
    ) -> pl.DataFrame:
        """The rows of a view, as Layout gives them."""

    def once(self, view: str, narrow: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
        """The same of a view that is read this once: what Python computes for it is let go, where it is much."""

    def rows(self, view: str, besides: frozenset[str] = frozenset()) -> int:
        """How many events NVIDIA's tables have that a view reads, but through these others."""

    def spill(self, view: str, *order: str, most: int | None = None) -> None:
        """Make a view a table on disk, in the order of those columns or in its own, so that parts of it can be read.

        It has so many rows at `most`, any ones.
        """

    def read_spilled(self, view: str, first: int, end: int, *columns: str) -> pl.DataFrame:
        """The rows of a spilled view from the place first to before end, in order; all columns if none."""


Function = TypeVar("Function", bound=Callable[..., object])


def reads(*_views: str) -> Callable[[Function], Function]:
    """Mark a function that computes views from these others: catalog/engine_line.py finds them in the text.

    It returns the frames of some views by name, or yields such parts of them.
    """
    return lambda function: function


TYPES = {"BIGINT": pl.Int64(), "DOUBLE": pl.Float64(), "VARCHAR": pl.String(), "BOOLEAN": pl.Boolean()}


def schema_of(view: str) -> pl.Schema:
    """The columns of a view as polars has them, in order: those that its header declares.

    >>> dict(schema_of("_part_span"))
    {'part_id': Int64, 'gpu_id': Int64, 'start_ns': Int64, 'end_ns': Int64}
    """
    return pl.Schema({column.name: _type(column.type) for column in read_views()[view].columns})


def _type(name: str) -> pl.DataType:
    return pl.Enum(re.findall(r"'(\w+)'", name)) if name.startswith("ENUM") else TYPES[name]
