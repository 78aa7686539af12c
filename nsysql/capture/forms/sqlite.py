"""Inspect a .sqlite export without writing anything, and give its tables to DuckDB.

Both inspection, by the standard library's sqlite3, and reading rows open the file with immutable=1, which neither locks
nor writes.
"""

import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.analysis.parallel import parallel_map
from nsysql.capture.forms.attached import FEW_ROWS_COPIED, Attached, relation
from nsysql.capture.forms.source import Source
from nsysql.capture.forms.sqlite_rows import TYPES_READ, batches, copy, readable, schema, select_cells, uri
from nsysql.capture.forms.unchanged import Unchanged
from nsysql.errors import NotAnExport
from nsysql.words.sql_text import HOW_TO_EXPORT, of_nsys, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb
    import pyarrow

    from nsysql.capture.forms.batch_table import BatchTable

MAGIC = b"SQLite format 3\x00"
ROLLBACK = b"\x01\x01"  # header bytes 18 and 19 of a file that is not in WAL mode
SIDE_FILES = ("-wal", "-journal")  # suffixes of files that SQLite applies or creates next to a file it opens
PART = 2**17  # rows of a part of a table
LOOKED_UP = 10_000  # rows that are looked up in one statement
RARE = 4  # if at most one row in so many is needed, rows are looked up instead of reading all
MOST_PARTS = 10_000
LARGE = 20_000_000  # bytes of an export whose long tables are not copied


@dataclass
class SqliteFile(Source):
    """An export on disk: `path` as the user gave it, `readable` the file that is read (the same, or a copy)."""

    path: Path
    readable: Path
    tables: dict[str, dict[str, str]]
    _copy: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)
    unchanged: Unchanged = field(default_factory=Unchanged)
    _attached: Attached | None = field(default=None, repr=False)
    _threads: int = 1
    _has_rows: dict[str, bool] = field(default_factory=dict, repr=False)
    _wanted: "Mapping[str, list[int]]" = field(default_factory=dict, repr=False)

    @cached_property
    def connection(self) -> sqlite3.Connection:
        """A read-only connection of the standard library; invalid UTF-8 is replaced."""
        return _connect(self.readable)

    @property
    def size_bytes(self) -> int:
        return self.readable.stat().st_size

    def attach(self, con: "duckdb.DuckDBPyConnection") -> None:
        self._attached = Attached(con, has_views=self._is_large)
        self._threads = int(con.execute("SELECT current_setting('threads')").fetchall()[0][0])

    def select(self, table: str, columns: dict[str, str], wrong_as_null: bool = False, where: str = "") -> str:
        """Return the SELECT of these columns, cast to these types.

        A large table is read anew by each query, and SQLite itself evaluates `where`, which takes a fifth of the time
        of passing every row to DuckDB.
        """
        assert self._attached is not None, "attach comes first"
        is_copied = not self.is_streamed(table)
        select = select_cells(table, columns, wrong_as_null, "" if is_copied else where)
        if is_copied and select not in self._attached:
            copy(self._attached, select, self.readable, columns, select)
        elif select not in self._attached:
            self._attached.add(select, self._table(table, columns, wrong_as_null, where), is_copied=False)
        cells = [quoted(name) if is_copied else readable(name, kind) for name, kind in columns.items()]
        return f"SELECT {', '.join(cells)} FROM {relation(select)}"

    def _table(self, table: str, columns: dict[str, str], wrong_as_null: bool, where: str) -> "BatchTable":
        from nsysql.capture.forms.batch_table import BatchTable

        def rows(names: list[str]) -> "Iterator[pyarrow.RecordBatch]":
            types = {name: columns[name] for name in names}
            parts = self._parts(table, where)

            def read(part: str) -> "list[pyarrow.RecordBatch]":
                return list(batches(self.readable, types, select_cells(table, types, wrong_as_null, part)))

            return chain.from_iterable(parallel_map(read, parts, self._threads))

        return BatchTable(schema(columns), rows)

    def _parts(self, table: str, where: str) -> list[str]:
        """Split a table by conditions into parts that are read in parallel and returned in order.

        SQLite reads a table in one thread. Of 9.6 million NVTX ranges it takes 7.5 s, in parts on two cores 3.8 s. A
        subquery would run once per part, so a table with one in `where` is one part, as are rows that `where` names.
        """
        rows = self.count(table)
        if (wanted := self._wanted.get(table)) is not None and len(wanted) * RARE < rows:
            some = [wanted[first : first + LOOKED_UP] for first in range(0, len(wanted) or 1, LOOKED_UP)]
            return [f"({where or 1}) AND rowid IN ({', '.join(map(str, of_part))})" for of_part in some]
        size = max(PART, rows // MOST_PARTS)
        if rows <= size or "SELECT" in where or "rowid" in where:
            return [where]
        inside = [f"rowid > {first} AND rowid <= {first + size}" for first in range(size, rows - size, size)]
        parts = [f"rowid <= {size}", *inside, f"rowid > {(len(inside) + 1) * size}"]
        return [f"({where}) AND {part}" if where else part for part in parts]

    @contextmanager
    def looking_up(self, rows: "Mapping[str, list[int]]") -> "Iterator[None]":
        """Look up only these rows while active, if they are few.

        Reading 9.6 million NVTX ranges takes 4.7 s of CPU time, looking up 600,000 of them 1.1 s, 40,000 0.3 s.
        """
        self._wanted = rows
        try:
            yield
        finally:
            self._wanted = {}

    @property
    def _is_large(self) -> bool:
        return bool(self.tables) and self.size_bytes >= LARGE

    def has_rows(self, table: str) -> bool:
        if table not in self._has_rows:
            first = f"SELECT 1 FROM {quoted(table)} LIMIT 1"
            self._has_rows[table] = table in self.tables and bool(self.rows(first))
        return self._has_rows[table]

    def count(self, table: str) -> int:
        """Return the largest rowid of the table."""
        return int(self.rows(f"SELECT coalesce(max(rowid), 0) FROM {quoted(table)}")[0][0])

    def values(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        return self.rows(f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(table)}")

    def is_streamed(self, table: str) -> bool:
        return self._is_large and self.count(table) >= FEW_ROWS_COPIED

    def wrong_cells(self, table: str, columns: dict[str, str]) -> int:
        has = {name.lower() for name in self.tables[table]}
        wrong = [
            f"({quoted(name)} IS NOT NULL AND typeof({quoted(name)}) NOT IN {TYPES_READ[kind]})"
            for name, kind in columns.items()
            if name.lower() in has
        ]
        if not wrong:
            return 0
        return int(self.rows(f"SELECT total({' + '.join(wrong)}) FROM {quoted(table)}")[0][0])

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small SELECT. Raises NotAnExport if that part of the file is damaged."""
        with self.unchanged.during():
            try:
                return self.connection.execute(sql).fetchall()
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise damaged(self.path, error) from None

    def close(self) -> None:
        if "connection" in self.__dict__:
            self.connection.close()
        if self._copy:
            self._copy.cleanup()


def open_source(path: Path) -> SqliteFile:
    unchanged = Unchanged(_with_side_files(path))
    header = _header(path)
    readable, copy = path.absolute(), None
    if header[18:20] != ROLLBACK or any(path.with_name(path.name + s).exists() for s in SIDE_FILES):
        copy = tempfile.TemporaryDirectory(prefix="nsysql-")
        readable = _settled_copy(path, Path(copy.name))
        unchanged.refuse_changes()
        unchanged = Unchanged(_with_side_files(readable))
    try:
        with closing(_connect(readable)) as db:
            tables = _tables(db)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # SQLite's message quotes text that it cannot decode
        raise damaged(path, error) from None
    if not of_nsys(tables):
        raise NotAnExport(f"{path} is a SQLite file but no Nsight Systems export; {HOW_TO_EXPORT}.")
    return SqliteFile(path, readable, tables, copy, unchanged)


def _with_side_files(path: Path) -> list[Path]:
    """Return the file and its side files, which change what SQLite reads if they exist."""
    return [path, *(path.with_name(path.name + suffix) for suffix in SIDE_FILES)]


def _header(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            header = file.read(100)
            size = file.seek(0, 2)
    except FileNotFoundError:
        raise NotAnExport(f"{path} does not exist; give the path of an export.") from None
    except IsADirectoryError:
        raise NotAnExport(f"{path} is a folder; give the path of an export.") from None
    except PermissionError:
        raise NotAnExport(f"{path} cannot be read: permission denied; change its permissions or copy it.") from None
    except OSError as error:
        raise NotAnExport(f"{path} cannot be read: {error.strerror or error}.") from None
    if not header:
        raise NotAnExport(f"{path} is empty; {HOW_TO_EXPORT}.")
    if header[:16] != MAGIC:
        raise NotAnExport(f"{path} is not a SQLite file; {HOW_TO_EXPORT}.")
    page = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    counted = header[24:28] == header[92:96]  # the page count is valid only then
    if len(header) < 100 or (counted and size < pages * (65536 if page == 1 else page)):
        raise NotAnExport(f"{path} is cut short ({size:,} bytes); copy it again, or export the report again.")
    return header


def _settled_copy(path: Path, folder: Path) -> Path:
    """Copy the file and let SQLite apply the write-ahead log or journal, so that reading creates no side files."""
    target = folder / "export.sqlite"
    shutil.copyfile(path, target)
    for suffix in SIDE_FILES:
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            shutil.copyfile(companion, folder / (target.name + suffix))
    try:
        with closing(sqlite3.connect(target)) as db:
            db.execute("PRAGMA journal_mode = DELETE").fetchone()
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from None
    return target


def damaged(path: Path, error: Exception) -> NotAnExport:
    why = "unreadable text" if isinstance(error, UnicodeDecodeError) else f"{error}"
    return NotAnExport(f"{path} is a damaged SQLite file ({why}); copy it again, or export the report again.")


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(uri(path), uri=True, check_same_thread=False)
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return db


def _tables(db: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """Return the columns and declared types of all but virtual tables; NVIDIA writes no views or virtual tables."""
    names = [
        name
        for name, sql in db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        if sql and not sql.upper().startswith("CREATE VIRTUAL")
    ]
    return {
        name: {row[1]: row[2].upper() for row in db.execute(f"PRAGMA table_info({quoted(name)})")} for name in names
    }
