"""Text of a .sql file in, Query out: its header is the contract, the rest one SELECT."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from nsysql.errors import PackError

SECTIONS = (
    "Needs", "Parameters", "Columns", "Same as", "Computed by", "Computed from", "Computed if",
    "Given by", "Kept", "Kept if", "Like", "Picked from", "Sliced by", "Stored",
)  # fmt: skip
PICKED = "picked"  # the schema with the rows that views pick
SOURCE = re.compile(r"\b(?:FROM|JOIN)\s+(?:raw\.|whole\.|near\.)?(\w+)", re.IGNORECASE)
FIELD = re.compile(
    r"""(?P<name>\w+) \s+
        (?P<type>ENUM\s*\([^)]*\) | [A-Z]+)
        (?: \s* = \s* (?P<default>'(?:[^']|'')*' | [^\s]+) )?
        \s+ -- \s+
        (?: \[ (?P<label>[^\]]*) \] \s* )?
        (?P<doc>\S.*)""",
    re.VERBOSE,
)


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
    """One column of a result; `label` is NVIDIA's title where the query has a twin in `nsys stats`."""

    name: str
    type: str
    doc: str
    label: str | None = None


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
    computed_by: str | None = None
    given_by: str | None = None  # the module that has read its rows for others, and gives them along
    kept: bool = False
    kept_if: str | None = None  # the condition without which a kept view has no rows
    picked_from: tuple[str, str] | None = None  # a raw table, and the condition of those of its rows that are read
    sliced_by: tuple[str, ...] = ()  # computed views: the answer is those to their slices, one after the other
    stored: bool = False  # a table in the DuckDB file of nsysql convert, as what is computed or kept is
    computed_if: tuple[tuple[str, str], ...] = ()
    needs_if: tuple[tuple[str, str], ...] = ()  # (view or table, the parameter that turns the need on)

    @property
    def doc(self) -> str:
        """The header as a docstring: summary, definition, parameters, columns."""
        parts = [self.summary, self.about]
        if self.parameters:
            parts.append("Parameters\n" + "\n".join(f"    {_parameter_line(p)}" for p in self.parameters))
        if self.columns:
            width = max(len(c.name) for c in self.columns)
            lines = (f"    {c.name:{width}}  {c.type:9} {c.doc}".rstrip() for c in self.columns)
            parts.append("Columns\n" + "\n".join(lines))
        if self.same_as:
            parts.append(f"Same as  {self.same_as}")
        return "\n\n".join(p for p in parts if p)


def _parameter_line(p: Parameter) -> str:
    kind = " | ".join(p.choices) if p.choices else p.type
    default = "" if p.default is None else f" = {p.default}"
    return f"{p.name}  {kind}{default}  {p.doc}"


def read_query(path: Path) -> Query:
    """The query in a .sql file. Raises PackError, naming file and line, where its header is amiss."""
    try:
        state = path.stat()
        return _read(path, state.st_mtime_ns, state.st_size)
    except (OSError, UnicodeDecodeError) as error:
        raise PackError(f"{path} cannot be read: {error}.") from None


@cache
def _read(path: Path, *_state: int) -> Query:
    """The same, kept as long as the file is in that state: who writes a query changes it while Python runs."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    head = [line[3:] if line.startswith("-- ") else line[2:] for line in _header(lines)]
    if not head or not head[0].strip():
        raise PackError(f"{path}:1 has no header: its first line is a comment that says what a row is.")
    prose, sections = _split(head)
    sql = "\n".join(lines[len(head) :]).strip().rstrip(";").rstrip()
    computed_by = _line(sections, "Computed by")
    if like := _line(sections, "Like"):
        sql = _like(path, like)
    if not sql and not computed_by:
        raise PackError(f"{path}:{len(head)} has a header but no SELECT.")
    first_line = len(head) + 1 + next((i for i, line in enumerate(lines[len(head) :]) if line.strip()), 0)
    read = (_line(sections, "Computed from") or "").split(", ")
    kept_if = _line(sections, "Kept if")
    picked = next((_condition(text, " where ") for _, text in sections.get("Picked from", [])), None)
    seek = picked or ("", "")
    sources = [*SOURCE.findall(f"{strip_comments(sql)} {kept_if} {seek[1]}"), *read, seek[0]]
    needs = [need for _, line in sections.get("Needs", []) for need in line.split(", ")]
    return Query(
        name=path.stem,
        pack=path.parent.name,
        path=path,
        summary=prose[0].strip(),
        about="\n".join(line.rstrip() for line in prose[1:]).strip("\n"),
        parameters=tuple(_parameter(path, n, text) for n, text in sections.get("Parameters", [])),
        columns=tuple(_column(path, n, text) for n, text in sections.get("Columns", [])),
        needs=tuple(tuple(need.split(" or ")) for need in needs if " if " not in need),
        same_as=_line(sections, "Same as"),
        sql=sql,
        first_line=first_line,
        sources=frozenset(sources) - {"", PICKED},
        computed_by=computed_by,
        given_by=_line(sections, "Given by"),
        kept="Kept" in sections,
        kept_if=kept_if,
        picked_from=picked,
        sliced_by=tuple(filter(None, (_line(sections, "Sliced by") or "").split(", "))),
        stored="Stored" in sections,
        computed_if=tuple(_condition(text, " needed where ") for _, text in sections.get("Computed if", [])),
        needs_if=tuple((n, p) for n, met, p in (need.partition(" if ") for need in needs) if met),
    )


def _line(sections: dict[str, list[tuple[int, str]]], name: str) -> str | None:
    found = sections.get(name)
    return found[0][1] if found else None


def _condition(text: str, word: str) -> tuple[str, str]:
    """A view or table and a condition, with the word between them."""
    name, _, condition = text.partition(word)
    return name, condition


def _like(path: Path, text: str) -> str:
    """The SQL of a view beside `path`, over other sources: `VIEW, THIS for THAT, ...`."""
    name, *swaps = text.split(", ")
    sql = read_query(path.with_name(f"{name}.sql")).sql
    for swap in swaps:
        this, _, that = swap.partition(" for ")
        sql = re.sub(rf"\b{that}\b", this, sql)
    return sql


def strip_comments(sql: str) -> str:
    """The SQL without its comments and string literals, so that only names and keywords are left."""
    return re.sub(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", " ", sql, flags=re.DOTALL)


def _header(lines: list[str]) -> Iterable[str]:
    for line in lines:
        if not line.startswith("--"):
            return
        yield line


def _split(head: list[str]) -> tuple[list[str], dict[str, list[tuple[int, str]]]]:
    """The header's prose, and per section its (line number, text) entries."""
    prose: list[str] = []
    sections: dict[str, list[tuple[int, str]]] = {}
    current: list[tuple[int, str]] | None = None
    for number, line in enumerate(head, start=1):
        section = next((s for s in SECTIONS if line == s or line.startswith(s + "  ")), None)
        if section:
            current = sections.setdefault(section, [])
            rest = line[len(section) :].strip()
            if rest:
                current.append((number, rest))
        elif current is None:
            prose.append(line)
        elif line.strip():
            if line.startswith("        ") and current:  # a continued line
                current[-1] = (current[-1][0], f"{current[-1][1]} {line.strip()}")
            else:
                current.append((number, line.strip()))
    return prose, sections


def _field(path: Path, number: int, text: str) -> re.Match[str]:
    found = FIELD.fullmatch(text)
    if not found:
        raise PackError(f"{path}:{number} cannot be read as 'name TYPE = default -- What it is.': {text.strip()!r}")
    return found


def _parameter(path: Path, number: int, text: str) -> Parameter:
    found = _field(path, number, text)
    choices = tuple(re.findall(r"'([^']*)'", found["type"])) if found["type"].startswith("ENUM") else ()
    if found["default"] is None:
        raise PackError(f"{path}:{number} parameter {found['name']} needs a default (NULL if there is none).")
    return Parameter(
        name=found["name"],
        type="VARCHAR" if choices else found["type"],
        default=_literal(path, number, found["default"]),
        doc=found["doc"],
        choices=choices,
    )


def _column(path: Path, number: int, text: str) -> Column:
    found = _field(path, number, text)
    return Column(name=found["name"], type=found["type"], doc=found["doc"], label=found["label"])


def _literal(path: Path, number: int, text: str) -> object:
    if text.upper() in ("NULL", "TRUE", "FALSE"):
        return {"NULL": None, "TRUE": True, "FALSE": False}[text.upper()]
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise PackError(f"{path}:{number} has a default that is no literal: {text}") from None
