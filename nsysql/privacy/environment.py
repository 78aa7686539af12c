"""Which texts of StringIds are the profiled program's environment: nsys keeps it among the names."""

from typing import TYPE_CHECKING

from nsysql.privacy.rules import LINE, reference
from nsysql.sources.sql_text import literal, quoted

if TYPE_CHECKING:
    import duckdb

    from nsysql.sources.source import Source

BLOCK = rf"(?m)^{LINE}[\n\x00]+{LINE}"  # lines of an environment within a text
VARIABLE = r"^[A-Za-z_][\w.()%]*="  # an environment if nothing refers to the text


def environment_texts(con: "duckdb.DuckDBPyConnection", file: "Source") -> set[int]:
    """The ids of texts that are variables of an environment: several in one, or one that nothing refers to."""
    if not {"id", "value"} <= file.tables.get("StringIds", {}).keys():
        return set()
    texts = file.select("StringIds", {"id": "BIGINT", "value": "VARCHAR"}, mended=True)
    matches = {pattern: f"regexp_matches(value, {literal(pattern)})" for pattern in (BLOCK, VARIABLE)}
    blocks = _ids(con, f"SELECT id FROM ({texts}) WHERE {matches[BLOCK]}")
    single = _ids(con, f"SELECT id FROM ({texts}) WHERE {matches[VARIABLE]}") - blocks
    for table, columns in file.tables.items():
        for column in columns:
            if single and reference(table, column, ""):
                name, where = quoted(column), f"{quoted(column)} IN ({', '.join(map(str, sorted(single)))})"
                rows = file.select(table, {column: "BIGINT"}, mended=True, where=where)
                single -= _ids(con, f"SELECT DISTINCT {name} FROM ({rows}) WHERE {where}")
    return blocks | single


def _ids(con: "duckdb.DuckDBPyConnection", select: str) -> set[int]:
    return {number for (number,) in con.sql(select).fetchall() if number is not None}
