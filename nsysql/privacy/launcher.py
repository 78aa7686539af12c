"""The rank that a launcher gave the profiled program: the only thing read from the environment in an export.

Only the variables in LAUNCHER are read, and only a number is kept of them.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nsysql.privacy.environment import environment_texts
from nsysql.words.sql_text import literal

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.forms.source import Source

LAUNCHER = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")  # the first with a single value is used
VARIABLE = rf"(?:^|[\n\x00\s;'\"])({'|'.join(LAUNCHER)})=(\d{{1,7}})(?:$|[\n\x00\s;'\"])"
PLACES = (("META_DATA_CAPTURE", "ENVIRONMENT"), ("TARGET_INFO_SYSTEM_ENV", "DeviceEnvironment"))


def launcher_rank(con: "duckdb.DuckDBPyConnection", file: "Source") -> tuple[int, str] | None:
    """The rank and the variable it comes from; None if no variable has exactly one value."""
    found: dict[str, set[int]] = {}
    for text in _texts(con, file):
        for name, value in re.findall(VARIABLE.replace("(?:$", "(?=$"), text):
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
        named = f"SELECT id, value FROM ({texts}) WHERE regexp_matches(value, {literal(VARIABLE)})"
        rows = con.execute(named).fetchall()
        private = environment_texts(con, file) if rows else set[int]()
        yield from (value for number, value in rows if number in private)
