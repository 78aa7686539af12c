"""The ways in which nsysql says that it could not: one base, a few kinds, a sentence that mends."""

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

# What a terminal would act on: control characters but for line ends and tabs, and marks that turn the
# direction of writing.
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    """The text with its control characters as escapes: what an export holds must not steer a terminal."""
    return UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


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


class MissingData(NsysqlError):
    """The export lacks what the query needs; the text names the capture option that records it."""


class QueryError(NsysqlError):
    """A query failed in DuckDB; the text names its file and line."""


class PackError(NsysqlError):
    """A query file does not keep the form of a query file; the text names the file and line."""

    exit_code = 2


def near(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that offers the known words nearest to `word`, or nothing."""
    found = difflib.get_close_matches(word, sorted(known), n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(found)}?" if found else ""


def query_failed(path: Path, first_line: int, error: Exception) -> QueryError:
    """What DuckDB says of a query file, led by file and line (DuckDB counts the lines of the SQL alone)."""
    text = str(error).strip()
    found = re.search(r"^LINE (\d+):", text, re.MULTILINE)
    return QueryError(f"{path}:{first_line + int(found[1]) - 1 if found else first_line}: {text}")
