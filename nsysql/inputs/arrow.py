"""A folder of Arrow files, one a table: of `nsys export --type arrowdir`, or of `nsysql convert`.

NVIDIA writes Arrow's stream form, nsysql its file form; both are mapped into memory, so that only the columns
that a query reads are read from disk.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.errors import NotAnExport
from nsysql.inputs import columns as typed
from nsysql.inputs.words import HOW_TO_EXPORT, of_nsys, quoted

if TYPE_CHECKING:
    import duckdb
    import pyarrow

FILE_FORM = b"ARROW1"
STREAM_ENDS = (b"\xff\xff\xff\xff\x00\x00\x00\x00", b"\x00\x00\x00\x00")  # since Arrow 0.15, before it
FEW = 100_000  # rows that are copied, so that DuckDB knows how many there are when it plans
KINDS = {
    "bool": "BOOLEAN", "int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT",
    "uint8": "UTINYINT", "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT",
    "float": "FLOAT", "double": "DOUBLE", "string": "VARCHAR", "large_string": "VARCHAR",
}  # fmt: skip


@dataclass
class ArrowFolder:
    """The tables of a folder, mapped; a connection sees those that were selected from in its database `arrow`."""

    path: Path
    tables: dict[str, dict[str, str]]
    _mapped: dict[str, "pyarrow.Table"]
    _con: "duckdb.DuckDBPyConnection | None" = None
    _shown: set[str] = field(default_factory=set)

    @property
    def size_bytes(self) -> int:
        """The bytes of all tables."""
        return sum(table.nbytes for table in self._mapped.values())

    def attach(self, con: "duckdb.DuckDBPyConnection") -> None:
        """Make room for the tables that will be asked for."""
        con.execute("ATTACH ':memory:' AS arrow")
        if any(table.num_rows >= FEW for table in self._mapped.values()):
            # DuckDB takes a mapped table for one of a row, and would hold the largest of a join in memory.
            con.execute("SET disabled_optimizers = 'build_side_probe_side'")
        self._con, self._shown = con, set()

    def select(self, table: str, columns: dict[str, str], mended: bool = False, where: str = "") -> str:
        """The SELECT of these columns as these types."""
        self._show(table)
        relation = f"arrow.main.{quoted(table)}"
        return typed.select(self.path, table, self.tables[table], columns, relation, "row_number() OVER ()")

    def _show(self, table: str) -> None:
        """Let the attached connection see a table."""
        assert self._con is not None, "attach comes first"
        if table in self._shown:
            return
        rows = self._con.from_arrow(self._mapped[table])
        try:
            self._con.execute("USE arrow")
            if self._mapped[table].num_rows < FEW:
                rows.create(table)
            else:
                rows.create_view(table)
        finally:
            self._con.execute("USE memory")
        self._shown.add(table)

    def values(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """The rows of a small table, some columns."""
        return list(zip(*(self._mapped[table][name].to_pylist() for name in columns), strict=True))

    def has_rows(self, table: str) -> bool:
        """Whether there is that table with at least one row."""
        return self.count(table) > 0

    def count(self, table: str) -> int:
        """How many rows a table has."""
        return self._mapped[table].num_rows if table in self._mapped else 0

    def wrong_cells(self, table: str, columns: dict[str, str]) -> int:
        """None: a column of Arrow has one type."""
        return 0

    def stored(self) -> dict[str, str]:
        """None: a folder has tables alone."""
        return {}

    def close(self) -> None:
        """Let go of the files."""
        self._mapped.clear()


def look(path: Path) -> ArrowFolder:
    """The export in a folder of Arrow files. Raises NotAnExport with the reason and the mend."""
    files = sorted(path.glob("*.arrow"))
    if not of_nsys(file.stem for file in files):
        raise NotAnExport(f"{path} has Arrow files, but none that nsys writes; {HOW_TO_EXPORT}.")
    mapped = {file.stem: _map(file) for file in files}
    tables = {
        name: {field.name: KINDS.get(str(field.type), str(field.type).upper()) for field in table.schema}
        for name, table in mapped.items()
    }
    return ArrowFolder(path, tables, mapped)


def _map(file: Path) -> "pyarrow.Table":
    """A file as a table whose cells stay on disk until they are read."""
    import pyarrow
    from pyarrow import ipc

    try:
        with file.open("rb") as opened:
            begin, size = opened.read(len(FILE_FORM)), opened.seek(0, 2)
            opened.seek(max(0, size - 8))
            end = opened.read()
        if begin == FILE_FORM:
            return ipc.open_file(pyarrow.memory_map(str(file))).read_all()
        if not end.endswith(STREAM_ENDS):  # Arrow takes a stream without an end for a whole one
            raise pyarrow.ArrowInvalid(f"it ends too early, at {size:,} bytes")
        return ipc.open_stream(pyarrow.memory_map(str(file))).read_all()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        told = " ".join(str(error).split()).rstrip(".")
        raise NotAnExport(f"{file} is damaged: {told}; copy it again, or export the report again.") from None
