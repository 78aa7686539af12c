"""An export as tables and views of a DuckDB file: nothing in it belongs to a connection.

What Python computes takes most of the time of a question about idle time or NVTX ranges, and is the same each
time; here it becomes tables, and so do the views that each connection keeps as one, and others of few rows.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from nsysql.catalog.packs import read_views
from nsysql.catalog.query_file import Query
from nsysql.catalog.raw_schema import read_raw
from nsysql.engine.failures import engine_of
from nsysql.engine.fingerprint import fingerprint
from nsysql.engine.frame_views import store
from nsysql.engine.layout import Layout, rows_of
from nsysql.errors import TooLarge

if TYPE_CHECKING:
    import polars

TOO_LARGE = frozenset({"nvtx_push_pop_tree"})  # of the size of the export itself


class StoredLayout(Layout):
    """The layout of a database that was just made of an export's tables."""

    def create_all(self, tell: Callable[[float], None] | None) -> None:
        """Create what Python computes and what headers call `table` or `stored` as tables, all else as views.

        `tell` is called with the part that is done, 0 to 1. What SQL cannot make a table of stays a view. A view that
        Python cannot compute, or that is too large, is left out, and so is what reads it.
        """
        for name in read_raw():
            self._define(name)
        order, lacking = _in_order(), set(TOO_LARGE)
        for number, name in enumerate(order):
            view = read_views()[name]
            if view.sources & lacking:
                lacking.add(name)
            elif view.engine.computed_by is None:
                self._define(name)
            elif name not in self._seen | lacking and not self._is_made(view, self._compute):
                lacking.add(name)
            self._forget(order[number + 1 :])
            if tell:
                tell((number + 1) / len(order))

    def _define(self, name: str) -> None:
        view = read_views().get(name)
        if not view or not (view.engine.is_table or view.engine.is_stored) or not self._is_made(view, self._make_table):
            self._con.execute(self._definition(name))
        self._created.add(name)

    def _make_table(self, view: Query) -> None:
        """Keep what a view's SQL gives as a table."""
        marked = f"COMMENT ON TABLE main.{view.name} IS '{fingerprint()}'"
        self._con.execute(
            f"{self.raw.define_pushdown(view)} CREATE TABLE main.{view.name} AS {rows_of(view)}; {marked}"
        )

    def _is_made(self, view: Query, make: Callable[[Query], None]) -> bool:
        """Make a table of a view, and of those computed along with it. Whether the export's numbers let it be made."""
        try:
            make(view)
        except Exception as error:
            if engine_of(error) is None and not isinstance(error, TooLarge):
                raise
            return False
        return True

    def _place(self, name: str, frame: "polars.DataFrame") -> None:
        if read_views()[name].engine.computed_by:  # views that it provides along are stored like all others
            store(self._con, name, frame, fingerprint())

    _extend = _place

    def _forget(self, rest: list[str]) -> None:
        """Let go of the frames that none of the views that are left is computed from."""
        needed = frozenset[str]().union(*(read_views()[name].sources for name in rest))
        for name in self._computed.keys() - needed:
            del self._computed[name]


def _in_order() -> list[str]:
    """The names of all views, each after those that it reads."""
    order: list[str] = []
    left = dict(read_views())
    while ready := sorted(name for name, view in left.items() if not view.sources & left.keys()):
        for name in ready:
            del left[name]
        order += ready
    return order
