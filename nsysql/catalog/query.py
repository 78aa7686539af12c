"""Define what a .sql file declares: a query or view with its parameters and columns."""

from dataclasses import dataclass, field
from pathlib import Path

from nsysql.catalog.engine_line import EngineLine


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
    engine: EngineLine = EngineLine()  # noqa: RUF009 -- frozen
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
