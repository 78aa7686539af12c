"""Register computed frames as views of DuckDB, and read rows of DuckDB as frames, with little memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from nsysql.capture import arrow_stream
from nsysql.capture.arrow_stream import batches
from nsysql.catalog.header import own_folder
from nsysql.catalog.packs import read_views
from nsysql.words.sql_text import literal

if TYPE_CHECKING:
    import duckdb
    import polars
    import pyarrow


@cache
def fingerprint() -> str:
    """Return a digest of the SQL and the Python that compute stored views."""
    return digest_of(own_folder(), Path(__file__).parent.parent / "analysis")


def digest_of(sql: Path, compute: Path) -> str:
    """Return the digest of the views in a folder of SQL and of every module below a folder, wherever these are."""
    digest = sha256()
    views = [*sql.glob("*.sql"), *(sql / "views").rglob("*.sql")]
    for folder, parts in ((sql, views), (compute, [*compute.rglob("*.py")])):
        for part in sorted(parts, key=lambda part: part.relative_to(folder).parts):
            digest.update(f"{part.relative_to(folder).as_posix()} {part.stat().st_size} ".encode() + part.read_bytes())
    return digest.hexdigest()


ROWS_PER_BATCH = 2**17  # rows
FEW_ROWS_COPIED = 500_000  # fewer rows are copied faster than pyarrow, needed for an Arrow table, is imported
SORTED_ROWS = 2**20  # rows that are written or read at a time in their order
ROWS_PER_WRITE = 2 * ROWS_PER_BATCH  # with as many rows DuckDB writes them to their place at once


def merge_parts(parts: "Iterable[dict[str, polars.DataFrame]]") -> "Iterator[tuple[str, polars.DataFrame]]":
    """Yield the frames of views that come in parts: the first of each view as it is, later ones joined."""
    import polars

    from nsysql.analysis.parallel import drain

    waiting: dict[str, list[polars.DataFrame]] = {}
    for frames in parts:
        for name in list(frames):  # each is let go when it is read: the next one needs its memory
            if name not in waiting:
                waiting[name] = []
                yield name, frames.pop(name)
                continue
            waiting[name].append(frames.pop(name))
            if sum(some.height for some in waiting[name]) >= ROWS_PER_WRITE:
                rows, waiting[name] = waiting[name], []
                yield name, polars.concat(drain(rows), how="diagonal_relaxed")
    for name, rest in waiting.items():
        if rest:
            yield name, polars.concat(rest, how="diagonal_relaxed")


def register(con: "duckdb.DuckDBPyConnection", name: str, frame: "polars.DataFrame") -> None:
    """Create the view of a computed frame, for this connection only; a small frame, or a `table`, is copied."""
    rows = f"SELECT {_typed(name)} FROM {_registered(name)}"
    # as a stream: to read an Arrow table imports much of pyarrow
    if frame.height < FEW_ROWS_COPIED or read_views()[name].engine.is_table:
        con.register(_registered(name), frame.__arrow_c_stream__())
        con.execute(f"CREATE OR REPLACE TEMP TABLE {name}__copied AS {rows}")
        con.unregister(_registered(name))
        rows = f"FROM {name}__copied"
    else:
        con.register(_registered(name), _in_batches(frame))
    con.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {rows}")


def unregister(con: "duckdb.DuckDBPyConnection", name: str) -> None:
    """Drop the view of a frame and free its rows."""
    con.execute(f"DROP VIEW IF EXISTS temp.{name}")
    con.execute(f"DROP TABLE IF EXISTS temp.{name}__copied")
    con.unregister(_registered(name))


def append(con: "duckdb.DuckDBPyConnection", name: str, frame: "polars.DataFrame", table: str) -> None:
    """Add rows to a registered view; all of its rows are then in that table."""
    con.execute(f"CREATE TABLE IF NOT EXISTS {table} AS SELECT {_packed(name, frame)} FROM {name}")
    _insert(con, table, name, frame, _packed(name, frame))
    con.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT {_typed(name)} FROM {table}")


class RowsOfThreads(Mapping[object, "polars.DataFrame"]):
    """The rows of each thread in a table that has them one thread after the other, read when they are asked for."""

    def __init__(self, con: "duckdb.DuckDBPyConnection", table: str) -> None:
        self._con, self._table = con, table
        places = con.execute(f"SELECT thread_id, min(rowid), max(rowid) FROM {table} GROUP BY thread_id ORDER BY 2")
        self._places = {thread: (first, last) for thread, first, last in places.fetchall() if thread is not None}

    def __getitem__(self, thread: object) -> "polars.DataFrame":
        import polars

        from nsysql.analysis.idle.activity import shrink_ints

        first, last = self._places[thread]
        parts = [
            f"FROM {self._table} WHERE rowid BETWEEN {at} AND {min(at + SORTED_ROWS - 1, last)} ORDER BY rowid"
            for at in range(first, last + 1, SORTED_ROWS)
        ]
        rows = (shrink_ints(arrow_stream.frame(self._con.sql(part))) for part in parts)
        return polars.concat(rows, how="vertical_relaxed")

    def __contains__(self, thread: object) -> bool:
        return thread in self._places

    def __iter__(self) -> Iterator[object]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def store(con: "duckdb.DuckDBPyConnection", name: str, frame: "polars.DataFrame", mark: str) -> None:
    """Write a frame to a table of the database, or add its rows to it, with the fingerprint of what computed it."""
    columns = ", ".join(f"{column.name} {column.type}" for column in read_views()[name].columns)
    con.execute(f"CREATE TABLE IF NOT EXISTS main.{name} ({columns})")
    con.execute(f"COMMENT ON TABLE main.{name} IS '{mark}'")
    _insert(con, f"main.{name}", name, frame, _typed(name))


def _insert(con: "duckdb.DuckDBPyConnection", table: str, name: str, frame: "polars.DataFrame", columns: str) -> None:
    """Add the rows computed for a view to a table, in order."""
    for rows in frame.iter_slices(SORTED_ROWS):
        con.register(_registered(name), _in_batches(rows.with_row_index("its place")))
        con.execute(f'INSERT INTO {table} SELECT {columns} FROM {_registered(name)} ORDER BY "its place"')
        con.unregister(_registered(name))


def collect_batches(
    rows: "pyarrow.Table | pyarrow.RecordBatchReader", narrow: "Callable[[polars.DataFrame], polars.DataFrame]"
) -> "polars.DataFrame":
    """Return rows as a frame, each batch reduced by `narrow` and then freed.

    Batches can have a column in several widths; the widest is used.
    """
    import polars
    import pyarrow

    from nsysql.analysis.parallel import drain

    empty = pyarrow.Table.from_batches([], rows.schema)  # empty_table() imports pandas if it is installed
    frames = [narrow(polars.DataFrame(empty))]
    parts = batches(rows) if isinstance(rows, pyarrow.RecordBatchReader) else drain(rows.to_batches())
    del rows
    frames += (_copied(narrow(polars.DataFrame(part))) for part in parts)
    return polars.concat(frames, how="vertical_relaxed")


def _copied(frame: "polars.DataFrame") -> "polars.DataFrame":
    """Copy the frame to its own memory: a column that shares a batch's memory would keep the whole batch."""
    import polars

    own = frame.select(polars.all().gather(polars.int_range(polars.len(), dtype=polars.UInt32)))
    texts = own.select(polars.col(polars.String))  # views of the batch's texts, which would keep all of them
    return own.with_columns(polars.DataFrame(texts.to_arrow(compat_level=polars.CompatLevel.oldest())))


def _in_batches(frame: "polars.DataFrame") -> "pyarrow.Table":
    """Return the frame as an Arrow table of short batches: DuckDB's threads take one each."""
    import pyarrow

    table = frame.to_arrow()
    return pyarrow.Table.from_batches(table.to_batches(max_chunksize=ROWS_PER_BATCH), table.schema)


def _registered(name: str) -> str:
    """Return the name under which a view's frame is registered in DuckDB."""
    return f"{name}__computed"


def _typed(name: str) -> str:
    """Return the columns of a frame, cast to the types of its view."""
    columns = (c.name if c.type == "BOOLEAN" else f"{c.name}::{c.type} AS {c.name}" for c in read_views()[name].columns)
    return ", ".join(columns)


def _packed(name: str, frame: "polars.DataFrame") -> str:
    """Return the columns as _typed does, with those of few different texts as ENUMs."""
    import polars

    kinds = {column: kind.categories for column, kind in frame.schema.items() if isinstance(kind, polars.Enum)}
    few = {column: f"ENUM({', '.join(map(literal, texts))})" for column, texts in kinds.items()}
    return ", ".join(f"{c.name}::{few.get(c.name, c.type)} AS {c.name}" for c in read_views()[name].columns)


def whole_sums(frame: "polars.DataFrame") -> "polars.DataFrame":
    """Cast DuckDB's sums of whole numbers from decimals to Int64, or to Float64 if they are larger."""
    import polars as pl

    wide = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Decimal) and kind.scale == 0]
    narrow = {name: frame[name].cast(pl.Int64, strict=False) for name in wide}
    fits = {name: narrow[name].null_count() == frame[name].null_count() for name in wide}
    return frame.with_columns(narrow[name] if fits[name] else frame[name].cast(pl.Float64) for name in wide)
