"""Read the tables that an export can have from queries/raw.sql."""

import re
from dataclasses import dataclass, field
from functools import cache

from nsysql.catalog.header import own_folder

TABLE = re.compile(r"CREATE TABLE (\w+) (?:\( *-- *(.*?)\n(.*?)\n\);|AS FROM (\w+);(?: *-- *([^\n]*))?)", re.DOTALL)
COLUMN = re.compile(r"^    \"?(\w+)\"? (\w+)", re.MULTILINE)
ALIAS = re.compile(r"^    (\w+) \w+,? *-- Name of (\w+) ", re.MULTILINE)
TIMELESS = re.compile(r"Timeless where (.*?)\.$")
FLAG = re.compile(r"Captured with ((?:--?[\w=-]+)(?: --?[\w=-]+)*)")


@dataclass(frozen=True)
class RawTable:
    """One NVIDIA table that nsysql reads: its columns with DuckDB types, and the capture option that records it.

    `timeless` is the SQL condition for rows that time filters always keep, as they are no events, or come in pairs.
    `aliases` maps column names of other versions.
    """

    name: str
    about: str
    columns: dict[str, str]
    flag: str | None
    timeless: str | None = None
    aliases: dict[str, str] = field(default_factory=dict)

    @property
    def in_place(self) -> bool:
        """Whether its rows are recorded in place of others, so that an empty table means nothing is missing."""
        return "in place of" in self.about


@cache
def read_raw() -> dict[str, RawTable]:
    text = (own_folder() / "raw.sql").read_text(encoding="utf-8")
    tables: dict[str, RawTable] = {}
    for name, about, body, like, own_about in TABLE.findall(text):
        columns, aliases = dict(COLUMN.findall(body)), dict(ALIAS.findall(body))
        if like:  # the columns of another table
            columns, aliases, about = tables[like].columns, tables[like].aliases, own_about or tables[like].about
        flag, timeless = FLAG.search(about), TIMELESS.search(about)
        of_rows = timeless[1] if timeless else None
        tables[name] = RawTable(name, about, columns, flag[1] if flag else None, of_rows, aliases)
    return tables
