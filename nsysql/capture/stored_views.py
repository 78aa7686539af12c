"""Create the tables and views of an export in a DuckDB file, independent of any connection.

Python-computed views take most of the time of queries about idle time or NVTX ranges and never change; here they are
stored as tables, and so are the views that connections materialize, and others of few rows.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from nsysql.capture.fingerprint import fingerprint
from nsysql.capture.frame_views import store
from nsysql.capture.layout import Layout, rows_of
from nsysql.catalog.packs import read_views
from nsysql.catalog.query import Query
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import TooLarge, engine_of

if TYPE_CHECKING:
    import polars

TOO_LARGE = frozenset({"nvtx_push_pop_tree"})  # as large as the export itself


class StoredLayout(Layout):
    """The layout of a database that was just created from an export's tables."""

    def create_all(self, on_progress: Callable[[float], None] | None) -> None:
        """Create Python-computed views and those with `table` or `stored` in their header as tables, the rest as views.

        `on_progress` is called with the fraction that is done, 0 to 1. A view whose SQL fails as a table stays a view.
        A view that Python cannot compute, or that is too large, is left out, and so are those that read it.
        """
        for name in read_raw():
            self._define(name)
        order, left_out = _in_order(), set(TOO_LARGE)
        for number, name in enumerate(order):
            view = read_views()[name]
            if view.sources & left_out:
                left_out.add(name)
            elif view.engine.computed_by is None:
                self._define(name)
            elif name not in self._seen | left_out and not self._try_to_make(view, self._compute):
                left_out.add(name)
            self._forget(order[number + 1 :])
            if on_progress:
                on_progress((number + 1) / len(order))

    def _define(self, name: str) -> None:
        view = read_views().get(name)
        if (
            not view
            or not (view.engine.is_table or view.engine.is_stored)
            or not self._try_to_make(view, self._make_table)
        ):
            self._con.execute(self._definition(name))
        self._created.add(name)

    def _make_table(self, view: Query) -> None:
        """Store the rows of an SQL view as a table."""
        comment = f"COMMENT ON TABLE main.{view.name} IS '{fingerprint()}'"
        self._con.execute(f"{self.raw.define_before(view)} CREATE TABLE main.{view.name} AS {rows_of(view)}; {comment}")

    def _try_to_make(self, view: Query, make: Callable[[Query], None]) -> bool:
        """Create the table of a view and of those computed with it; False if the export's data makes that fail."""
        try:
            make(view)
        except Exception as error:
            if engine_of(error) is None and not isinstance(error, TooLarge):
                raise
            return False
        return True

    def _place(self, name: str, frame: "polars.DataFrame") -> None:
        if read_views()[
            name
        ].engine.computed_by:  # other views that the same module provides are stored in their own turn
            store(self._con, name, frame, fingerprint())

    _extend = _place

    def _forget(self, rest: list[str]) -> None:
        """Free the frames that none of the remaining views is computed from."""
        needed = frozenset[str]().union(*(read_views()[name].sources for name in rest))
        for name in self._computed.keys() - needed:
            del self._computed[name]


def _in_order() -> list[str]:
    """The names of all views, each after those that it depends on."""
    order: list[str] = []
    left = dict(read_views())
    while ready := sorted(name for name, view in left.items() if not view.sources & left.keys()):
        for name in ready:
            del left[name]
        order += ready
    return order
