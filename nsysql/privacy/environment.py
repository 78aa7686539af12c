"""Find the profiled program's environment in StringIds, where nsys stores it among names."""

from typing import TYPE_CHECKING

from nsysql.privacy.rules import LINE, reference
from nsysql.words.sql_text import literal, quoted

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.forms.source import Source

BLOCK = rf"(?m)^{LINE}[\n\x00]+{LINE}"  # two or more lines of an environment in a text
VARIABLE = r"^[A-Za-z_][\w.()%]*="  # part of an environment if no table refers to the text


def environment_texts(con: "duckdb.DuckDBPyConnection", file: "Source") -> set[int]:
    """The ids of texts that are environment variables: several in one text, or one that no table refers to."""
    if not {"id", "value"} <= file.tables.get("StringIds", {}).keys():
        return set()
    texts = file.select("StringIds", {"id": "BIGINT", "value": "VARCHAR"}, wrong_as_null=True)
    matches = {pattern: f"regexp_matches(value, {literal(pattern)})" for pattern in (BLOCK, VARIABLE)}
    blocks = _ids(con, f"SELECT id FROM ({texts}) WHERE {matches[BLOCK]}")
    single = _ids(con, f"SELECT id FROM ({texts}) WHERE {matches[VARIABLE]}") - blocks
    for table, columns in file.tables.items():
        for column in columns:
            if single and reference(table, column, ""):
                name, where = quoted(column), f"{quoted(column)} IN ({', '.join(map(str, sorted(single)))})"
                rows = file.select(table, {column: "BIGINT"}, wrong_as_null=True, where=where)
                single -= _ids(con, f"SELECT DISTINCT {name} FROM ({rows}) WHERE {where}")
    return blocks | single


def _ids(con: "duckdb.DuckDBPyConnection", select: str) -> set[int]:
    return {number for (number,) in con.sql(select).fetchall() if number is not None}
