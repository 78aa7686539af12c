"""What no export should have: columns without a value, and names without a text. Reported for what a query reads.

Both take little time to look for: most columns have a value in the first rows, and where rows are many, names
are looked up for some that are spread over the table. A table is read in full only where something is missing.
"""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from nsysql.capture.connection import FAILURES
from nsysql.capture.failures import explain_failure
from nsysql.catalog import requirements
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import NsysqlError

if TYPE_CHECKING:
    from nsysql.capture.connection import Engine
    from nsysql.capture.forms.source import Source

FIRST = 2048  # rows
NEVER_ZERO = frozenset({"end", "globalTid", "globalPid", "eventType", "correlationId"})
EMPTY_AT_TIMES = {("NVTX_EVENTS", "end"), ("CUPTI_ACTIVITY_KIND_MEMCPY", "correlationId")}  # marks; migrations
NAMES = ("nameId", "textId", "demangledName", "shortName")  # columns of numbers of texts
SAMPLES = "GPU_METRICS"
MANY = 200_000  # rows of a table, of which some are looked at
STRETCHES, STRETCH = 16, 2000  # so many times so many rows
KNOWN = "SELECT DISTINCT id AS known FROM string WHERE text IS NOT NULL"


class DataProblems:
    """Looks for flaws of one open export, once in each table."""

    def __init__(self, file: "Source", engine: "Engine") -> None:
        self._file = file
        self._engine = engine
        self._empty: dict[str, frozenset[str]] = {}
        self._is_nameless: dict[str, bool] = {}
        self._lost: dict[frozenset[str], tuple[int, int]] = {}

    def sentences(self, tables: frozenset[str]) -> Iterator[str]:
        """Sentences on these tables."""
        for look in (self._lost_columns, self._lost_names, self._wrapped_samples):
            try:
                yield from self._engine.run(lambda look=look: look(tables))  # type: ignore[misc]
            except (*FAILURES, NsysqlError) as error:
                why = explain_failure(error) or str(error).strip().partition("\n")[0]
                yield f"what else the export lacks cannot be found out: {why}"

    def filled(self, tables: Collection[str]) -> dict[str, list[str]]:
        """The columns of these tables, without those that every nsys fills and in which no row has a value."""
        return self._engine.run(lambda: self._filled(tables))

    # Columns -------------------------------------------------------------------------------------

    def _lost_columns(self, tables: Collection[str]) -> list[str]:
        return requirements.absent_column_notes(self._filled(tables))

    def _filled(self, tables: Collection[str]) -> dict[str, list[str]]:
        present = sorted(self._file.tables.keys() & tables & read_raw().keys())
        empty = {table: self._empty_columns(table) for table in present if self._file.has_rows(table)}
        return {t: [c for c in self._file.tables[t] if c.lower() not in empty.get(t, ())] for t in present}

    def _empty_columns(self, table: str) -> frozenset[str]:
        """The columns, in lower case, that every nsys fills, and that have no value in any row."""
        if table not in self._empty:
            has = {column.lower() for column in self._file.tables[table]}
            asked = [
                column
                for column in read_raw()[table].columns
                if column in requirements.ALWAYS and column.lower() in has and (table, column) not in EMPTY_AT_TIMES
            ]
            few = self._without_value(asked, f'(FROM unfiltered."{table}" LIMIT {FIRST})', table)
            self._empty[table] = frozenset(map(str.lower, self._without_value(few, f'unfiltered."{table}"', table)))
        return self._empty[table]

    def _without_value(self, columns: list[str], rows: str, table: str) -> list[str]:
        """Those of some columns that are NULL, or zero where nothing is, in all these rows."""
        if not columns:
            return []
        cells = ", ".join(f"coalesce(bool_or({_has_value(column)}), false)" for column in columns)
        (found,) = self._ask(f"SELECT {cells} FROM {rows}", table)
        return [column for column, has in zip(columns, found, strict=True) if not has]

    # Names ---------------------------------------------------------------------------------------

    def _lost_names(self, tables: Collection[str]) -> list[str]:
        if "StringIds" not in tables:
            return []
        named = frozenset(table for table in tables if self._names(table) and self._file.has_rows(table))
        if not any(self._lacks_names(table) for table in sorted(named)):
            return []
        lost, used = self._count(named)
        return [
            f"{lost:,} of {used:,} names are missing from StringIds: causes, and rows chosen by name, may be wrong"
        ] if lost else []  # fmt: skip

    def _names(self, table: str) -> list[str]:
        """The columns of a table of events that number rows of StringIds."""
        columns = read_raw()[table].columns if table in read_raw() else {}
        return [column for column in NAMES if column in columns and "start" in columns]

    def _lacks_names(self, table: str) -> bool:
        """Whether some of the rows looked at have a name that is not there."""
        if table not in self._is_nameless:
            sql = f"SELECT 1 FROM ({self._used(table, self._some(table))}) ANTI JOIN ({KNOWN}) ON id = known"
            self._is_nameless[table] = bool(self._ask(f"{sql} WHERE id IS NOT NULL LIMIT 1", table, "string"))
        return self._is_nameless[table]

    def _count(self, tables: frozenset[str]) -> tuple[int, int]:
        """How many of the names that these tables use are missing, and how many they use."""
        if tables not in self._lost:
            used = " UNION ".join(self._used(table, [f'unfiltered."{table}"']) for table in sorted(tables))
            counts = f"SELECT count(*) - count(known), count(*) FROM ({used}) LEFT JOIN ({KNOWN}) ON id = known"
            (self._lost[tables],) = self._ask(f"{counts} WHERE id IS NOT NULL", *tables, "string")
        return self._lost[tables]

    def _used(self, table: str, rows: list[str]) -> str:
        """The numbers of names in rows of a table: a SELECT of `id`."""
        names = ", ".join(f'"{column}"' for column in self._names(table))
        return " UNION ".join(f"SELECT DISTINCT unnest([{names}]) AS id FROM {some}" for some in rows)

    def _some(self, table: str) -> list[str]:
        """Relations of rows of a table: all, or some that are spread over it."""
        count = self._file.count(table)
        if count <= MANY:
            return [f'unfiltered."{table}"']
        columns = {"rowid": "BIGINT"} | dict.fromkeys(self._names(table), "BIGINT")
        has = {"rowid", *(column.lower() for column in self._file.tables[table])}
        columns = {column: kind for column, kind in columns.items() if column.lower() in has}
        begins = (1 + (count - STRETCH) * i // (STRETCHES - 1) for i in range(STRETCHES))
        wheres = [f"rowid BETWEEN {begin} AND {begin + STRETCH - 1}" for begin in begins]
        return [f"(FROM ({self._file.select(table, columns, True, where)}) WHERE {where})" for where in wheres]

    # Samples -------------------------------------------------------------------------------------

    def _wrapped_samples(self, tables: Collection[str]) -> list[str]:
        """Samples of GPU metrics that view gpu_metric leaves out."""
        if SAMPLES not in tables or not self._file.has_rows(SAMPLES):
            return []
        sql = f"SELECT count(*) FILTER (WHERE value < 0), count(*) FROM unfiltered.{SAMPLES}"
        [(wrapped, taken)] = self._ask(sql, SAMPLES)
        what = f"{wrapped:,} of {taken:,} samples of GPU metrics are below 0, as counters that wrapped around are"
        return [f"{what}: they are left out"] if wrapped else []

    def _ask(self, sql: str, *names: str) -> list[tuple[Any, ...]]:
        con, layout = self._engine.plain()
        layout.create(frozenset(names))
        return con.execute(sql).fetchall()


def _has_value(column: str) -> str:
    """The condition of a row in which a column that every nsys fills has a value."""
    return f'"{column}" <> 0' if column in NEVER_ZERO else f'"{column}" IS NOT NULL'
