"""List where an export has private data, environment variables included; redacting and converting both use it.

Texts are in TEXT columns and in StringIds, to which other columns refer by id. The kind of a text in StringIds follows
from the columns that refer to it; nsys leaves the profiled program's environment there as texts without references.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nsysql.words.sql_text import literal, quoted

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.forms.source import Source

ENVIRONMENT, COMMAND, OUTPUT, PAYLOAD = "environment", "command line", "process output", "binary payload"
PATH, FOLDER, USER, HOST = "path", "folder", "user name", "host name"
LEFT_OUT = "<environment left out>"
LINE = r"[A-Z_][A-Z0-9_]*=[^\n\x00]*"  # in an environment stored as one text
UNUSED = "text that nothing refers to"
ENTIRE = (ENVIRONMENT, COMMAND, OUTPUT, PAYLOAD, UNUSED)  # kinds that are private as a whole


@dataclass(frozen=True)
class PrivateColumn:
    """A column of private texts of one kind; in a name/value table only the rows whose name matches."""

    table: str
    column: str
    kind: str
    name: str | None = None  # regular expression that the full name must match


PLACES = (
    PrivateColumn("META_DATA_CAPTURE", "value", ENVIRONMENT, r".*ENVIRONMENT.*"),
    PrivateColumn("META_DATA_CAPTURE", "value", COMMAND, r"(.*:)?(COMMAND(_LINE)?|ARGUMENTS?(_\d+)?|CMD(_?LINE)?)"),
    PrivateColumn("META_DATA_CAPTURE", "value", FOLDER, r"(.*[:_])?(DIR|DIRECTORY)(_.*)?"),
    PrivateColumn("META_DATA_CAPTURE", "value", PATH, r"(.*[:_])?(PATH|FILE|EXECUTABLE|INJECTION)(_.*)?"),
    PrivateColumn("META_DATA_CAPTURE", "value", USER, r"(.*[:_])?USER(_NAME)?"),
    PrivateColumn("META_DATA_CAPTURE", "value", HOST, r"DEVICE_DISPLAY_NAME|(.*[:_])?HOST(_?NAME)?"),
    *(
        place
        for table in ("META_DATA_EXPORT", "EXPORT_META_DATA")  # the keys of old versions are misspelled
        for place in (
            PrivateColumn(table, "value", COMMAND, r".*(COMMAND|ARGUMENT|CMD).*"),
            PrivateColumn(table, "value", FOLDER, r".*DIR(_.*)?"),
            PrivateColumn(table, "value", PATH, r".*(PATH|FILE).*"),
            PrivateColumn(table, "value", USER, r".*USER.*"),
            PrivateColumn(table, "value", HOST, r".*HOST.*"),
        )
    ),
    PrivateColumn("TARGET_INFO_SYSTEM_ENV", "value", ENVIRONMENT, r"DeviceEnvironment"),
    PrivateColumn("TARGET_INFO_SYSTEM_ENV", "value", HOST, r"Host_?[Nn]ame"),
    PrivateColumn("TARGET_INFO_SYSTEM_ENV", "value", USER, r"User_?[Nn]ame"),
    PrivateColumn("TARGET_INFO_SYSTEM_ENV", "value", FOLDER, r".*(Path|Dir|Directory)"),
    PrivateColumn("PROCESSES", "name", PATH),
    PrivateColumn("OSRT_FILE_ACCESS_DESCRIPTORS", "filePath", PATH),
    PrivateColumn("ANALYSIS_FILE", "filename", PATH),
    PrivateColumn("ANALYSIS_FILE", "content", OUTPUT),
    PrivateColumn("ProcessOutput", "content", OUTPUT),
    PrivateColumn("NVTX_EVENTS", "binaryData", PAYLOAD),
)

# Kinds of texts in columns that reports show. All other texts, also of unknown tables, are messages.
FUNCTIONS = "name of a function"  # kernels, API calls, symbols; also NVIDIA's names of hardware
LABELS = "label"  # a name given by the program's author
MESSAGES = "message"
SHOWN = {
    ("NVTX_EVENTS", "text"): LABELS,
    ("NVTX_EVENTS", "jsonText"): LABELS,
    ("TARGET_INFO_NVTX_CUDA_DEVICE", "name"): LABELS,
    ("TARGET_INFO_NVTX_CUDA_CONTEXT", "name"): LABELS,
    ("TARGET_INFO_NVTX_CUDA_STREAM", "name"): LABELS,
    ("CUDA_GPU_MEMORY_USAGE_EVENTS", "name"): FUNCTIONS,
}

# The kind of a text in StringIds, by the column that refers to it. If several do, the first kind here counts.
REFERENCES = {
    **dict.fromkeys(("demangledName", "shortName", "mangledName", "kernelName", "symbol", "nameId"), FUNCTIONS),
    **dict.fromkeys(("endNameId", "funcName", "varName", "CpuInstruction", "taskNameId"), FUNCTIONS),
    **dict.fromkeys(("textId", "jsonTextId", "objectNameId", "providerNameId"), LABELS),
    **dict.fromkeys(("providerName", "taskName", "stringId"), LABELS),
    **dict.fromkeys(("description", "argumentsId"), MESSAGES),
    **dict.fromkeys(("module", "filenameId", "srcFile", "sourceFile", "pathId"), PATH),
    "contentId": OUTPUT,
}


def kind_of(table: str, column: str, name: str | None = None) -> str | None:
    """Return the private kind of a cell, None if it is not private; `name` is the row's name in a name/value table.

    A row without a name could be of any kind: it gets the table's first kind, which is private as a whole.

    >>> kind_of("META_DATA_CAPTURE", "value", "PROCESS_0:ENVIRONMENT_VARIABLE")
    'environment'
    """
    for place in (place for place in PLACES if (place.table, place.column) == (table, column)):
        if place.name is None or name is None or re.fullmatch(place.name, name):
            return place.kind
    return None


def conditions(table: str, kind: str) -> list[str]:
    """Return SQL conditions for rows of a name/value table that are private of this kind; rows without a name count."""
    return [
        f"coalesce(regexp_full_match(name, {literal(place.name)}), true)"
        for place in PLACES
        if (place.table, place.kind) == (table, kind) and place.name
    ]


def shown_as(table: str, column: str) -> str:
    """Return the kind of the texts in a column without private data: function names, labels or messages."""
    if (table, column) in SHOWN:
        return SHOWN[table, column]
    nvidias = table.startswith(("ENUM_", "TARGET_INFO_")) and table != "TARGET_INFO_SYSTEM_ENV"
    return FUNCTIONS if nvidias else MESSAGES


def reference(table: str, column: str, ddl: str) -> str | None:
    """Return the kind of a text in StringIds by a column that refers to it; None if the column does not.

    `ddl` is the table's CREATE TABLE, in which nsys notes references in comments.
    """
    if (table, column) == ("ThreadNames", "nameId"):
        return LABELS
    commented = re.search(rf'^\s*"?{re.escape(column)}"?\s[^\n]*REFERENCES StringIds', ddl, re.MULTILINE)
    return REFERENCES.get(column) or (LABELS if commented else None)


LAUNCHER = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")  # the first with a single value is used
RANK = rf"(?:^|[\n\x00\s;'\"])({'|'.join(LAUNCHER)})=(\d{{1,7}})(?:$|[\n\x00\s;'\"])"
LAUNCHERS = (("META_DATA_CAPTURE", "ENVIRONMENT"), ("TARGET_INFO_SYSTEM_ENV", "DeviceEnvironment"))


def launcher_rank(con: "duckdb.DuckDBPyConnection", file: "Source") -> tuple[int, str] | None:
    """Return the rank and the variable it comes from; None if no variable has exactly one value."""
    ranks: dict[str, set[int]] = {}
    for text in _texts(con, file):
        for name, value in re.findall(RANK.replace("(?:$", "(?=$"), text):
            ranks.setdefault(name, set()).add(int(value))
    return next(((min(ranks[name]), name) for name in LAUNCHER if len(ranks.get(name, ())) == 1), None)


def _texts(con: "duckdb.DuckDBPyConnection", file: "Source") -> Iterator[str]:
    """Yield the cells with the environment of the profiled program that may contain a rank."""
    for table, kept in LAUNCHERS:
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
    """Return the ids of texts that are environment variables: several in one text, or one that no table refers to."""
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
