"""What a module that computes views is given."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from nsysql.analysis.window import Window

if TYPE_CHECKING:
    import polars


class ViewReader(Protocol):
    """What a module that computes views is given: the others, as frames, and how many bytes DuckDB works in.

    `window` is the time that a question is narrowed to; what is read is narrowed already but for views of the whole.
    """

    memory_budget: float
    window: Window

    def __call__(
        self,
        view: str,
        narrow: "Callable[[polars.DataFrame], polars.DataFrame] | None" = None,
        stream: bool = False,
        which: str = "",
    ) -> "polars.DataFrame":
        """The rows of a view, as Layout gives them."""

    def once(self, view: str, narrow: "Callable[[polars.DataFrame], polars.DataFrame]") -> "polars.DataFrame":
        """The same of a view that is read this once: what Python computes for it is let go, where it is much."""

    def rows(self, view: str, besides: frozenset[str] = frozenset()) -> int:
        """How many events NVIDIA's tables have that a view reads, but through these others."""

    def spill(self, view: str, *order: str, most: int | None = None) -> None:
        """Make a view a table on disk, in the order of those columns or in its own, so that parts of it can be read.

        It has so many rows at `most`, any ones.
        """

    def read_spilled(self, view: str, first: int, end: int, *columns: str) -> "polars.DataFrame":
        """The rows of a spilled view from the place first to before end, in order; all columns if none."""
