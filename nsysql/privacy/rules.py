"""Where an export keeps what is private: the one list by which exports are redacted and converted.

Texts lie in columns of TEXT, and in StringIds, to which other columns refer by number. What a text of StringIds
is follows from who refers to it; nsys leaves the profiled environment there as texts that nobody refers to.
"""

import re
from dataclasses import dataclass

from nsysql.sources.sql_text import literal

ENVIRONMENT, COMMAND, OUTPUT, PAYLOAD = "environment", "command line", "process output", "binary payload"
PATH, FOLDER, USER, HOST = "path", "folder", "user name", "host name"
LEFT_OUT = "<environment left out>"
LINE = r"[A-Z_][A-Z0-9_]*=[^\n\x00]*"  # of an environment that is kept as one text
UNUSED = "text that nothing refers to"
ENTIRE = (ENVIRONMENT, COMMAND, OUTPUT, PAYLOAD, UNUSED)  # kinds that are private from the first letter to the last


@dataclass(frozen=True)
class PrivateColumn:
    """A column of texts of one private kind; in a table of names and values only the rows whose name matches."""

    table: str
    column: str
    kind: str
    name: str | None = None  # a regular expression for the whole name


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

# Texts of columns that reports show. All other texts, of tables that nobody knows too, are messages.
FUNCTIONS = "name of a function"  # kernels, calls, symbols; and the names that NVIDIA gives to hardware
LABELS = "label"  # what the program's author called something
MESSAGES = "message"
SHOWN = {
    ("NVTX_EVENTS", "text"): LABELS,
    ("NVTX_EVENTS", "jsonText"): LABELS,
    ("TARGET_INFO_NVTX_CUDA_DEVICE", "name"): LABELS,
    ("TARGET_INFO_NVTX_CUDA_CONTEXT", "name"): LABELS,
    ("TARGET_INFO_NVTX_CUDA_STREAM", "name"): LABELS,
    ("CUDA_GPU_MEMORY_USAGE_EVENTS", "name"): FUNCTIONS,
}

# What a text of StringIds is to the columns that refer to it. Where several do, the first of these holds.
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
    """The private kind of a cell, None if it has none; `name` is its row's in a table of names and values.

    A row without a name there may be of any kind: it is of the first, which is private as a whole.

    >>> kind_of("META_DATA_CAPTURE", "value", "PROCESS_0:ENVIRONMENT_VARIABLE")
    'environment'
    """
    for place in PLACES:
        if (place.table, place.column) == (table, column) and (
            place.name is None or name is None or re.fullmatch(place.name, name)
        ):
            return place.kind
    return None


def conditions(table: str, kind: str) -> list[str]:
    """The SQL by which a row of names and values is private of that kind; a row without a name may be."""
    return [
        f"coalesce(regexp_full_match(name, {literal(place.name)}), true)"
        for place in PLACES
        if (place.table, place.kind) == (table, kind) and place.name
    ]


def shown_as(table: str, column: str) -> str:
    """What texts of a column are that is no private place: function names, labels or messages."""
    if (table, column) in SHOWN:
        return SHOWN[table, column]
    nvidias = table.startswith(("ENUM_", "TARGET_INFO_")) and table != "TARGET_INFO_SYSTEM_ENV"
    return FUNCTIONS if nvidias else MESSAGES


def reference(table: str, column: str, ddl: str) -> str | None:
    """What a text of StringIds is to that column; None where the column does not refer to one.

    `ddl` is the table's CREATE TABLE, in which nsys comments what a column refers to.
    """
    if (table, column) == ("ThreadNames", "nameId"):
        return LABELS
    commented = re.search(rf'^\s*"?{re.escape(column)}"?\s[^\n]*REFERENCES StringIds', ddl, re.MULTILINE)
    return REFERENCES.get(column) or (LABELS if commented else None)
