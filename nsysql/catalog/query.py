"""Define what a .sql file declares: a query or view with its parameters and columns, and how it is run."""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import nsysql


@dataclass(frozen=True)
class Parameter:
    """One parameter of a query: `min_gap_ns BIGINT = 0`."""

    name: str
    type: str
    default: object
    doc: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Column:
    """One column of a result; `label` is NVIDIA's title if the query corresponds to a report of `nsys stats`."""

    name: str
    type: str
    doc: str
    label: str | None = None


READS = re.compile(r"^@reads\(([^()]*)\).*\ndef (\w+)\(", re.MULTILINE)


@cache
def reads(function: str) -> tuple[str, ...]:
    """Return the views that a function of nsysql.analysis reads, by its text: importing it would load polars."""
    module, _, name = function.rpartition(".")
    path = Path(nsysql.__file__).parent.joinpath(*module.split(".")[1:]).with_suffix(".py")
    names = {function: names for names, function in READS.findall(path.read_text(encoding="utf-8"))}
    return tuple(re.findall(r"\w+", names[name]))


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
    """The line `Engine` in a header of nsysql's own: how a view or query is run, if not just by its SQL.

    docs/architecture.md explains its clauses, which are separated by semicolons.
    """

    computed_by: str | None = None
    is_table: bool = False
    table_if: str | None = None
    is_whole: bool = False
    is_clipped: bool = False
    pushdown: tuple[str, str] | None = None  # a raw table, and a condition
    skip: tuple[tuple[str, str], ...] = ()  # (view, condition under which its rows are needed)
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


OF_A_RULE = (
    Column("part_id", "BIGINT", "The part that it is about (view part)."),
    Column("gpu_id", "BIGINT", "Physical GPU; NULL without GPU work."),
    Column("subject", "VARCHAR", "What it is about: a kernel, a call, an NVTX path."),
    Column("total_ns", "BIGINT", "The time concerned."),
    Column("saves_ns", "BIGINT", "What could be saved of it; NULL if not known."),
    Column("bound", "VARCHAR", "at most, about or unknown."),
    Column("certainty", "VARCHAR", "certain, likely or possible."),
    Column("once", "BOOLEAN", "It happens once per process."),
    Column("claims", "VARCHAR", "Which time or kernels it explains; NULL if none."),
)  # columns that every rule has, before its own


@dataclass(frozen=True)
class Query:
    """One .sql file: a view (no parameters) or a query of a pack."""

    name: str
    pack: str
    path: Path
    summary: str
    about: str
    parameters: tuple[Parameter, ...]
    columns: tuple[Column, ...]
    needs: tuple[tuple[str, ...], ...]
    same_as: str | None
    sql: str
    first_line: int
    sources: frozenset[str] = field(repr=False, default=frozenset())
    engine: EngineLine = EngineLine()
    finding: tuple[tuple[str, str], ...] = ()  # of a rule: (says, do, do if COLUMN; its text)
    needs_if: tuple[tuple[str, str], ...] = ()  # (view or table, PARAMETER or PARAMETER=VALUE under which it is needed)
    first: tuple[str, ...] = ()  # columns that a narrow table leaves out last, the most important first

    @property
    def said(self) -> str:
        """The name in messages to users, who do not know the names of internal views."""
        return "this" if self.name.startswith("_") else self.name

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def doc(self) -> str:
        """The header as a docstring: summary, definition, parameters, columns."""
        parts = [self.summary, self.about]
        if self.parameters:
            parts.append("Parameters")
            for p in self.parameters:
                default = "" if p.default is None else f" = {p.default}"
                parts[-1] += f"\n    {p.name}  {' | '.join(p.choices) or p.type}{default}  {p.doc}"
        if self.columns:
            width = max(len(c.name) for c in self.columns)
            lines = (f"    {c.name:{width}}  {c.type:9} {c.doc}".rstrip() for c in self.columns)
            parts.append("Columns\n" + "\n".join(lines))
        if self.same_as:
            parts.append(f"Same as  {self.same_as}")
        return "\n\n".join(p for p in parts if p)
