"""Reading every cell that nsysql can ask for, table by table, to find those that are damaged."""

from typing import TYPE_CHECKING

from nsysql.catalog.raw_schema import read_raw
from nsysql.words.sql_text import first_line

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.forms.source import Source
    from nsysql.capture.layout import Layout


def read_all(
    con: "duckdb.DuckDBPyConnection", layout: "Layout", file: "Source"
) -> tuple[dict[str, int], dict[str, str]]:
    """Tables with their rows, and those that cannot be read with the reason."""
    import duckdb

    rows: dict[str, int] = {}
    damaged: dict[str, str] = {}
    for name in read_raw():
        if name not in file.tables:
            continue
        try:
            layout.create(frozenset({name}))
            rows[name] = _rows(con, name)
        except duckdb.Error as error:
            if "Mismatch Type Error" in str(error) and name not in layout.raw.bad_cells:
                raise  # cells of a wrong type can be read as NULL: the engine does that, and asks again
            damaged[name] = str(file.damage(error) or first_line(error))
    return rows, damaged


def _rows(con: "duckdb.DuckDBPyConnection", name: str) -> int:
    """The rows of a raw table, all its cells read."""
    cells = ", ".join(f'count("{column}")' for column in read_raw()[name].columns)
    count: int = con.execute(f'SELECT count(*), {cells} FROM unfiltered."{name}"').fetchall()[0][0]
    return count
