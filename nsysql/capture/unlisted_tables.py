"""Tables of an export that raw.sql does not list: readable as raw.TABLE, without what is private."""

from collections.abc import Mapping

from nsysql.capture.forms import column_types
from nsysql.catalog.raw_schema import RawTable
from nsysql.privacy.environment import BLOCK
from nsysql.privacy.rules import ENTIRE, ENVIRONMENT, conditions, kind_of
from nsysql.words.sql_text import literal, quoted

ROW_NUMBER = "rowid"  # of converted exports, which keep NVIDIA's order by it


def unlisted_table(name: str, declared: Mapping[str, str]) -> RawTable:
    """The table with the columns of the file, each as DuckDB's type for what the file declares."""
    columns = {c: column_types.kind_of(kind) for c, kind in declared.items() if c != ROW_NUMBER}
    return RawTable(name, "", columns, None)


def hidden_cells(table: str, columns: Mapping[str, str]) -> dict[str, str]:
    """The columns of texts that can be private as a whole, with the SQL that leaves these texts out."""
    return {column: _hidden(table, column, columns) for column, kind in columns.items() if kind == "VARCHAR"}


def _hidden(table: str, column: str, columns: Mapping[str, str]) -> str:
    """A text, unless its place says that it is private, or it holds variables of an environment."""
    kind, cell = kind_of(table, column), quoted(column)
    private, label = f"regexp_matches({cell}, {literal(BLOCK)})", ENVIRONMENT
    if kind in ENTIRE:
        rows = conditions(table, kind) if "name" in columns else []
        private, label = " OR ".join([*rows, private]) if rows else "true", kind
    return f"CASE WHEN {private} THEN {literal(f'<{label} left out>')} ELSE {cell} END"
