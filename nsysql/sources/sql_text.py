"""What the rooms of the inputs write alike: names and texts in SQL, and words of their messages."""

import re
from collections.abc import Iterable

REPORTS = (".nsys-rep", ".qdrep")  # the endings of files that nsys must export first
HOW_TO_EXPORT = "make an export with: nsys export --type sqlite REPORT.nsys-rep"

OPTIONS = dict[str, str | bool | int | float | list[str]]
NOTHING_FETCHED: OPTIONS = {  # of every database that reads an export: no extension is ever downloaded
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
KIND = re.compile(r"^(?:\w+ )+(?:Error|Exception): ")  # with which DuckDB begins a message
UNSIGNED = "allow_unsigned_extensions"  # DuckDB's option; true only until an export is attached


def literal(text: str) -> str:
    """The text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """The name of a table or column as SQL spells it."""
    return '"' + name.replace('"', '""') + '"'


def shown(cell: str) -> str:
    r"""The SQL of a text for a cell of bytes: as it is where it is UTF-8, else with \xFF for each odd byte."""
    return f"coalesce(TRY(decode({cell})), {cell}::VARCHAR)"


def first_line(error: Exception) -> str:
    """The first sentence of an engine's message, without its kind of error."""
    return KIND.sub("", (str(error).strip() or type(error).__name__).splitlines()[0]).rstrip(".")


def of_nsys(tables: Iterable[str]) -> bool:
    """Whether tables of these names are those of an export."""
    marks = ("StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA")
    kinds = ("CUPTI_ACTIVITY_KIND_", "NVTX_EVENTS", "OSRT_API")
    return any(name in marks or name.startswith(kinds) for name in tables)
