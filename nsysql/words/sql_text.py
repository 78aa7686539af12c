"""Shared by the export formats: quoting in SQL, and parts of error messages."""

import re
from collections.abc import Iterable

REPORTS = (".nsys-rep", ".qdrep")  # extensions of files that nsys must export first
HOW_TO_EXPORT = "make an export with: nsys export --type sqlite REPORT.nsys-rep"

OPTIONS = dict[str, str | bool | int | float | list[str]]
NOTHING_FETCHED: OPTIONS = {  # for every DuckDB connection that reads an export: extensions are never downloaded
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
KIND = re.compile(r"^(?:\w+ )+(?:Error|Exception): ")  # prefix of DuckDB's messages


def literal(text: str) -> str:
    """The text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """The name of a table or column as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def decoded(cell: str) -> str:
    r"""SQL that decodes bytes to text: as UTF-8 if valid, else with \xFF for each invalid byte."""
    return f"coalesce(TRY(decode({cell})), {cell}::VARCHAR)"


def first_line(error: Exception) -> str:
    """The first line of a DuckDB message, without the error type."""
    return KIND.sub("", (str(error).strip() or type(error).__name__).splitlines()[0]).rstrip(".")


def of_nsys(tables: Iterable[str]) -> bool:
    """Whether tables of these names are those of an nsys export."""
    metadata = ("StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA")
    kinds = ("CUPTI_ACTIVITY_KIND_", "NVTX_EVENTS", "OSRT_API")
    return any(name in metadata or name.startswith(kinds) for name in tables)
