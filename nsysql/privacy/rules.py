"""Where an export has private data: the one list used for redacting and converting.

Texts are in TEXT columns and in StringIds, to which other columns refer by id. The kind of a text in StringIds follows
from the columns that refer to it; nsys leaves the profiled program's environment there as texts without references.
"""

import re
from dataclasses import dataclass

from nsysql.words.sql_text import literal

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
    """The private kind of a cell, None if it is not private; `name` is the row's name in a name/value table.

    A row without a name could be of any kind: it gets the table's first kind, which is private as a whole.

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
    """SQL conditions for rows of a name/value table that are private of this kind; rows without a name count."""
    return [
        f"coalesce(regexp_full_match(name, {literal(place.name)}), true)"
        for place in PLACES
        if (place.table, place.kind) == (table, kind) and place.name
    ]


def shown_as(table: str, column: str) -> str:
    """The kind of the texts in a column without private data: function names, labels or messages."""
    if (table, column) in SHOWN:
        return SHOWN[table, column]
    nvidias = table.startswith(("ENUM_", "TARGET_INFO_")) and table != "TARGET_INFO_SYSTEM_ENV"
    return FUNCTIONS if nvidias else MESSAGES


def reference(table: str, column: str, ddl: str) -> str | None:
    """The kind of a text in StringIds by a column that refers to it; None if the column does not.

    `ddl` is the table's CREATE TABLE, in which nsys notes references in comments.
    """
    if (table, column) == ("ThreadNames", "nameId"):
        return LABELS
    commented = re.search(rf'^\s*"?{re.escape(column)}"?\s[^\n]*REFERENCES StringIds', ddl, re.MULTILINE)
    return REFERENCES.get(column) or (LABELS if commented else None)
