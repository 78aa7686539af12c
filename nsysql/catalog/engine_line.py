"""Parse the `Engine` line in the headers of nsysql's own files: how a view or query is run, if not just by its SQL.

Clauses, separated by semicolons:

    computed by FUNCTION                 Python computes the rows: a function of nsysql.analysis, which names the views
                                         that it reads in its decorator
    table                                the rows become a table of the connection, as they are read more than once
    table if CONDITION                   the same; if the condition is false, there are no rows and the SQL is not run
    whole                                the rows of the whole capture, also where a question is narrowed to a window
    clipped                              the same, less what is outside the window; times are clipped to it
    pushdown TABLE where CONDITION       SQLite filters these rows, and the SQL reads them as pushdown.VIEW
    skip VIEW, VIEW unless CONDITION     these computed views are left empty unless the parameters fulfil it; can occur
                                         several times
    as NAME with THIS for THAT, ...      the SQL of that view or query, changed so; also its definition, parameters and
                                         columns, if the header has none
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import nsysql

READS = r"^@reads\(([^()]*)\).*\ndef {}\("


@cache
def reads(function: str) -> tuple[str, ...]:
    """Return the views that a function of nsysql.analysis reads, by its text: importing it would load polars."""
    module, _, name = function.rpartition(".")
    path = Path(nsysql.__file__).parent.joinpath(*module.split(".")[1:]).with_suffix(".py")
    (names,) = re.findall(READS.format(name), path.read_text(encoding="utf-8"), re.MULTILINE)
    return tuple(re.findall(r"\w+", names))


NAMES = r"\w+(?:, \w+)*"
SWAP = r"[\w.-]+ for [\w.-]+"
CLAUSES = {  # names of groups are those of EngineLine, or what is made of them
    "computed": re.compile(r"computed by (?P<computed_by>nsysql\.analysis(?:\.\w+)+)"),
    "table": re.compile(r"table(?: if (?P<table_if>.+))?"),
    "whole": re.compile(r"whole"),
    "clipped": re.compile(r"clipped"),
    "pushdown": re.compile(r"pushdown (?P<table>\w+) where (?P<condition>.+)"),
    "skip": re.compile(rf"skip ({NAMES}) unless (.+)"),
    "as": re.compile(rf"as (?P<other>\w+) with (?P<swaps>{SWAP}(?:, {SWAP})*)"),
}


@dataclass(frozen=True)
class EngineLine:
    """The clauses of one line; the module's docstring explains each."""

    computed_by: str | None = None
    is_table: bool = False
    table_if: str | None = None
    is_whole: bool = False
    is_clipped: bool = False
    pushdown: tuple[str, str] | None = None  # a raw table, and a condition
    skip: tuple[tuple[str, str], ...] = ()  # (computed view, condition under which its rows are needed)
    other: str = ""  # the view or query whose SQL it has
    swaps: tuple[tuple[str, str], ...] = ()  # (new word, word of that SQL which it replaces)

    def rewritten(self, sql: str) -> str:
        for this, that in self.swaps:
            sql = re.sub(rf"\b{re.escape(that)}\b", this, sql)
        return sql


def read_engine_line(text: str) -> EngineLine:
    """Parse the line of a header. Raises ValueError, with the clause, if one cannot be read or occurs twice.

    >>> read_engine_line("table if EXISTS (FROM mpi_event); whole").table_if
    'EXISTS (FROM mpi_event)'
    """
    kinds, skip = set[str](), []
    given: dict[str, Any] = {}
    for clause in re.split(r"\s*;\s*", text.strip()):
        kind = clause.partition(" ")[0]
        read = CLAUSES[kind].fullmatch(clause) if kind in CLAUSES and kind not in kinds else None
        if read is None:
            raise ValueError(clause)
        if kind == "skip":
            skip += [(view, read[2]) for view in read[1].split(", ")]
        else:
            kinds.add(kind)
            given |= read.groupdict()
    if "table" in given:
        given["pushdown"] = given.pop("table"), given.pop("condition")
    if "swaps" in given:
        given["swaps"] = tuple(tuple(swap.split(" for ")) for swap in given["swaps"].split(", "))
    given |= {f"is_{kind}": True for kind in kinds & {"table", "whole", "clipped"}}
    return EngineLine(**given, skip=tuple(skip))
