"""Hold the tables that Python reads for DuckDB, as far as queries have used them, in the attached database `file`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nsysql.words.sql_text import quoted

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.forms.batch_table import BatchTable

FEW_ROWS_COPIED = 100_000  # tables with fewer rows are copied, so that DuckDB knows their row count when it plans


class Attached:
    """A database in memory. `has_views` if some tables will not be copied."""

    def __init__(self, con: "duckdb.DuckDBPyConnection", has_views: bool) -> None:
        con.execute("ATTACH ':memory:' AS file")
        if has_views:
            # DuckDB assumes that such a table has one row, and would build the hash table of a join from the largest.
            con.execute("SET disabled_optimizers = 'build_side_probe_side'")
        self._con = con
        self._names: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def add(self, name: str, table: "BatchTable", is_copied: bool) -> None:
        relation = self._con.from_arrow(table)
        try:
            self._con.execute("USE file")
            if is_copied:
                relation.create(name)
            else:
                relation.create_view(name)
        finally:
            self._con.execute("USE memory")
        self._names.add(name)

    def copy(self, name: str, stream: Any, select: str, check: Callable[[list[str]], None]) -> None:
        """Add a copy of a SELECT from `stream`, an Arrow stream whose types pass `check`; pyarrow is not imported."""
        self._con.register("stream", stream)
        try:
            check([str(kind) for kind in self._con.sql("FROM stream").types])
            self._con.execute(f"CREATE TABLE {relation(name)} AS {select}")
        finally:
            self._con.unregister("stream")
        self._names.add(name)


def relation(name: str) -> str:
    return f"file.main.{quoted(name)}"
