"""Find the profiled program's environment in StringIds, where nsys stores it among names."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nsysql.privacy.rules import LINE, reference
from nsysql.words.sql_text import literal, quoted

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.forms.source import Source


LAUNCHER = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")  # the first with a single value is used
RANK = rf"(?:^|[\n\x00\s;'\"])({'|'.join(LAUNCHER)})=(\d{{1,7}})(?:$|[\n\x00\s;'\"])"
PLACES = (("META_DATA_CAPTURE", "ENVIRONMENT"), ("TARGET_INFO_SYSTEM_ENV", "DeviceEnvironment"))


def launcher_rank(con: "duckdb.DuckDBPyConnection", file: "Source") -> tuple[int, str] | None:
    """The rank and the variable it comes from; None if no variable has exactly one value."""
    found: dict[str, set[int]] = {}
    for text in _texts(con, file):
        for name, value in re.findall(RANK.replace("(?:$", "(?=$"), text):
            found.setdefault(name, set()).add(int(value))
    return next(((min(found[name]), name) for name in LAUNCHER if len(found.get(name, ())) == 1), None)


def _texts(con: "duckdb.DuckDBPyConnection", file: "Source") -> Iterator[str]:
    """The cells with the environment of the profiled program that may contain a rank."""
    for table, kept in PLACES:
        if {"name", "value"} <= file.tables.get(table, {}).keys():
            for name, value in file.values(table, "name", "value"):
                if kept in str(name):
                    yield str(value)
    if {"id", "value"} <= file.tables.get("StringIds", {}).keys():
        texts = file.select("StringIds", {"id": "BIGINT", "value": "VARCHAR"}, wrong_as_null=True)
        named = f"SELECT id, value FROM ({texts}) WHERE regexp_matches(value, {literal(RANK)})"
        rows = con.execute(named).fetchall()
        private = environment_texts(con, file) if rows else set[int]()
        yield from (value for number, value in rows if number in private)


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
