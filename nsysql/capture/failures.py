"""What an engine's error says about an export, in words for the person who has it."""

import re

from nsysql.errors import BEYOND, TooLarge

# What engines write, and what it means. Anything else is a fault of a query, and is shown as they write it.
MEANINGS = (
    (
        r"(?i)\boverflow|out of range|can't be cast because the value|exceeds the limits|too large to fit",
        BEYOND,
    ),
    (
        r"database disk image is malformed|file is not a database|disk I/O error|malformed database schema",
        "it is a damaged SQLite file ({}); copy it again, or export the report again",
    ),
    (
        r"ArrowBuffer: failed to allocate|Allocation failure|std::bad_alloc",
        "it takes more address space than this process may have; raise the limit (ulimit -v)",
    ),
    (r"no such column: (?i:rowid)", "it has a table without row numbers, which is none that nsys wrote"),
    (r"Type mismatch|can't decode byte", "it has cells of a wrong type, or texts that are no UTF-8"),
    (r"its answer would have [\d,]+ rows[^\n]*", "{}"),  # as a query itself refuses it
    (r"its NVTX ranges name no modules[^\n]*", "{}"),
)


OF_THE_QUERY = ("ParserException", "BinderException", "CatalogException")  # of DuckDB; they quote its text


def explain_failure(error: Exception) -> str | None:
    """Why an export cannot be asked, as the end of a sentence about it; None where the error is not about it."""
    if type(error).__name__ in OF_THE_QUERY:
        return None
    if isinstance(error, TooLarge):
        return str(error)
    said = str(error).strip().partition("\n")[0].removeprefix("Out of Range Error: ")
    for pattern, words in MEANINGS:
        if found := re.search(pattern, said):
            return words.format(found[0])
    return None


def engine_of(error: Exception) -> str | None:
    """The engine that raised an error, duckdb or polars; None where it was another."""
    name = type(error).__module__.partition(".")[0].lstrip("_")
    return name if name in ("duckdb", "polars") else None
