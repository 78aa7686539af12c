"""The ways in which nsysql says that it could not: one base, a few kinds, a sentence that mends."""

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

# What a terminal would act on or not show: control characters but for line ends and tabs, and all that Unicode
# calls a format character (category Cf), a line separator, a surrogate, or ignorable where it is displayed.
UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def escaped(text: str) -> str:
    """The text with control and invisible characters as escapes: what an export or a pack holds must not steer a
    terminal, nor look like something else. Line ends and tabs stay.
    """
    return UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class NsysqlError(Exception):
    """What happened, where, and what to do about it, in one sentence for a person.

    It may quote what an export holds: control characters are shown as escapes.
    """

    exit_code = 1

    def __init__(self, text: str) -> None:
        super().__init__(escaped(text))


class UsageError(NsysqlError):
    """The question itself is wrong: an unknown query, parameter, value or option."""

    exit_code = 2


class NotAnExport(NsysqlError):
    """The file cannot be opened as an Nsight Systems export."""


class ExportChanged(NsysqlError):
    """A file of the export is no longer the one that was opened; opened again, the export can be asked."""


class MissingData(NsysqlError):
    """The export lacks what the query needs; the text names the capture option that records it."""


class UnknownName(MissingData):
    """The export has no NVTX range of the name that was given."""

    exit_code = 2


class QueryError(NsysqlError):
    """A query failed in DuckDB; the text names its file and line."""


class WrongSql(QueryError):
    """SQL of the user's own that is not valid: its syntax, a table, a column, a type."""

    exit_code = 2


BEYOND = "its numbers go beyond the 64 bits of an integer when they are computed with; no capture has such numbers"


class TooLarge(NsysqlError):
    """An answer would be far larger than the export; the text is the end of a sentence about it, without a point."""


class PackError(NsysqlError):
    """A query file does not keep the form of a query file; the text names the file and line."""

    exit_code = 2


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that offers the known words nearest to `word`, or nothing."""
    near = difflib.get_close_matches(word, sorted(known), n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(near)}?" if near else ""


def query_failed(path: Path, first_line: int, error: Exception) -> QueryError:
    """What DuckDB says of a query file, led by file and line (DuckDB counts the lines of the SQL alone)."""
    text = str(error).strip()
    match = re.search(r"^LINE (\d+):", text, re.MULTILINE)
    return QueryError(f"{path}:{first_line + int(match[1]) - 1 if match else first_line}: {text}")


# What engines write, and what it means. Anything else is a fault of a query, and is shown as they write it.
MEANINGS = (
    (r"(?i)\boverflow|out of range|can't be cast because the value|exceeds the limits|too large to fit", BEYOND),
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
    message = str(error).strip().partition("\n")[0].removeprefix("Out of Range Error: ")
    for pattern, words in MEANINGS:
        if match := re.search(pattern, message):
            return words.format(match[0])
    return None


def engine_of(error: Exception) -> str | None:
    """The engine that raised an error, duckdb or polars; None where it was another."""
    name = type(error).__module__.partition(".")[0].lstrip("_")
    return name if name in ("duckdb", "polars") else None
