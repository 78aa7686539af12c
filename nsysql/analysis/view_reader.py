"""Define how functions that compute views read other views, and which columns they must return."""

import re
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

import polars as pl

from nsysql.analysis.window import Window
from nsysql.catalog.packs import read_views


class ViewReader(Protocol):
    """The interface by which functions that compute views read others, as frames, and DuckDB's memory in bytes.

    `window` is the time that a question is narrowed to; views are already narrowed to it, except those of the whole.
    """

    memory_budget: float
    window: Window

    def __call__(
        self,
        view: str,
        *columns: str,
        narrow: Callable[[pl.DataFrame], pl.DataFrame] | None = None,
        stream: bool = False,
        which: str = "",
    ) -> pl.DataFrame:
        """Return these columns of a view, all if none are named, as Layout does."""

    def of_threads(self, view: str) -> Mapping[object, pl.DataFrame]:
        """Return the rows of each thread of a view that Python computes thread by thread, as Layout does."""

    def once(self, view: str, *columns: str) -> pl.DataFrame:
        """Return these columns of a view that is read once; what Python computes for it is freed if it is large."""

    def rows(self, view: str, besides: frozenset[str] = frozenset()) -> int:
        """Count the rows of NVIDIA's event tables that a view reads, except those read through these others."""

    def spill(self, view: str, *order: str, most: int | None = None) -> None:
        """Store a view as a table on disk, in the order of those columns or its own, so that parts of it can be read.

        `most` limits its rows, to any of them.
        """

    def read_spilled(self, view: str, first: int, end: int, *columns: str) -> pl.DataFrame:
        """Return the rows of a spilled view from position `first` to before `end`, in order; all columns if none."""


Function = TypeVar("Function", bound=Callable[..., object])


def reads(*_views: str) -> Callable[[Function], Function]:
    """Mark a function that computes views with the views that it reads: catalog/query.py finds them in the text.

    The function returns the frames of some views by name, or yields parts of such frames.
    """
    return lambda function: function


TYPES = {"BIGINT": pl.Int64(), "DOUBLE": pl.Float64(), "VARCHAR": pl.String(), "BOOLEAN": pl.Boolean()}


def schema_of(view: str) -> pl.Schema:
    """Return the columns of a view as polars has them, in order: those that its header declares.

    >>> dict(schema_of("_part_span"))
    {'part_id': Int64, 'gpu_id': Int64, 'start_ns': Int64, 'end_ns': Int64}
    """
    return pl.Schema({column.name: _type(column.type) for column in read_views()[view].columns})


def _type(name: str) -> pl.DataType:
    return pl.Enum(re.findall(r"'(\w+)'", name)) if name.startswith("ENUM") else TYPES[name]
