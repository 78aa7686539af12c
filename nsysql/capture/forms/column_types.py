"""Cast columns that DuckDB reads itself to the types that raw.sql declares.

NVIDIA's Parquet and Arrow store ids as unsigned integers and flags as booleans, its SQLite both as signed 64-bit
integers; here the 64 bits are reinterpreted as signed.
"""

from collections.abc import Mapping
from pathlib import Path

from nsysql.errors import NotAnExport
from nsysql.words.sql_text import quoted

WHOLE = {"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
READABLE = {
    "BIGINT": WHOLE,
    "DOUBLE": {*WHOLE, "FLOAT", "DOUBLE"},
    "VARCHAR": {*WHOLE, "FLOAT", "DOUBLE", "VARCHAR"},
    "BLOB": {"BLOB", "BINARY", "LARGE_BINARY", "VARCHAR"},
}
DECLARED = {"BIGINT": ("INT", "BOOL"), "DOUBLE": ("REAL", "FLOA", "DOUB")}  # substrings of a declared type
SIGNED = "CASE WHEN {0} > 9223372036854775807 THEN ({0}::HUGEINT - 18446744073709551616)::BIGINT ELSE {0}::BIGINT END"


def kind_of(declared: str) -> str:
    """Return the type for reading a column that raw.sql does not list, from the type that the file declares.

    >>> kind_of("INT NOT NULL"), kind_of("FLOAT"), kind_of("TEXT")
    ('BIGINT', 'DOUBLE', 'VARCHAR')
    """
    return next(
        (kind for kind, words in DECLARED.items() if any(word in declared.upper() for word in words)), "VARCHAR"
    )


def select(
    path: Path, table: str, types: Mapping[str, str], columns: Mapping[str, str], relation: str, numbered: str
) -> str:
    """Return the SELECT of these columns, cast to these types, from `relation`, whose columns have `types`.

    `numbered` is the SQL of the row number, for tables without a rowid column. Raises NotAnExport, naming the file
    `path`, for a column of a type that nsys does not write.
    """
    spelled = {name.lower(): name for name in types}
    cells = []
    for name, kind in columns.items():
        own = spelled.get(name.lower())
        if own is None:
            cells.append(f"{numbered} AS {name}")
            continue
        if types[own] not in READABLE[kind]:
            raise NotAnExport(f"{path}: the column {own} of {table} is {types[own]}, which nsys does not write.")
        cell = SIGNED.format(quoted(own)) if types[own] == "UBIGINT" and kind == "BIGINT" else f"{quoted(own)}::{kind}"
        cells.append(f"{cell} AS {quoted(name)}")
    return f"SELECT {', '.join(cells)} FROM {relation}"
