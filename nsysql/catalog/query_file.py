"""Parse a .sql file into a Query: its header is the contract, the rest one SELECT."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from nsysql.catalog.engine_line import EngineLine, read_engine_line, reads
from nsysql.catalog.header import Mistakes, is_own, of_query, of_sections, section_of
from nsysql.catalog.query import OF_A_RULE, Column, Parameter, Query
from nsysql.catalog.sql_names import strip_comments
from nsysql.errors import PackError

PUSHDOWN = "pushdown"  # the schema with the rows that SQLite filtered for views
SOURCE = re.compile(r"\b(?:FROM|JOIN)\s+(?:raw\.|unfiltered\.|at_moments\.)?(\w+)", re.IGNORECASE)
FIELD = re.compile(
    r"""(?P<name>\w+) \s+
        (?P<type>ENUM\s*\([^)]*\) | [A-Z]+)
        (?: \s* = \s* (?P<default>'(?:[^']|'')*' | [^\s]+) )?
        \s+ -- \s+
        (?: \[ (?P<label>[^\]]*) \] \s* )?
        (?P<doc>\S.*)""",
    re.VERBOSE,
)

SPREAD = {  # the columns of the function spread_ns, by the line that stands for them
    "spread_ns: avg_ns, med_ns, min_ns, max_ns, stddev_ns": (
        "avg_ns     DOUBLE  -- [Avg (ns)] Mean duration.",
        "med_ns     DOUBLE  -- [Med (ns)] Median duration.",
        "min_ns     BIGINT  -- [Min (ns)] Shortest.",
        "max_ns     BIGINT  -- [Max (ns)] Longest.",
        "stddev_ns  DOUBLE  -- [StdDev (ns)] Sample standard deviation; 0 of a single one.",
    )
}


def read_query(path: Path) -> Query:
    """The query in a .sql file. Raises PackError, naming file and line, if its header has a mistake."""
    try:
        if is_own(path):
            return _read(path)
        refuse_special(path)
        state = path.stat()
        return _read(path, state.st_mtime_ns, state.st_size)
    except (OSError, UnicodeDecodeError) as error:
        raise PackError(f"{path} cannot be read: {error}.") from None


def refuse_special(path: Path) -> None:
    """Raise PackError for a path that exists and is not a regular file: reading a pipe can block forever."""
    if path.exists() and not path.is_file():
        raise PackError(f"{path} cannot be read: it is not a regular file.")


@cache
def _read(path: Path, *_state: int) -> Query:
    """Read a file, cached by its state: users edit their queries while Python runs."""
    text = path.read_text(encoding="utf-8-sig")
    lines = text.splitlines()
    head = [line[3:] if line.startswith("-- ") else line[2:] for line in _header(lines)]
    if not head or not head[0].strip():
        raise PackError(f"{path}:1 has no header: its first line is a comment that says what a row is.")
    _refuse(path, of_sections(head, path))
    prose, sections = _split(head)
    sql = "\n".join(lines[len(head) :]).strip().rstrip(";").rstrip()
    engine = _engine_line(path, sections.get("Engine", []))
    parameters = tuple(_parameter(path, n, text) for n, text in sections.get("Parameters", []))
    if entries := sections.get("Columns"):
        sections["Columns"] = [(n, one) for n, text in entries for one in SPREAD.get(text, (text,))]
    columns = tuple(_column(path, n, text) for n, text in sections.get("Columns", []))
    columns = (OF_A_RULE if "Finding" in sections else ()) + columns
    if engine.rewrite:
        same = (folder / f"{engine.rewrite.view}.sql" for folder in (path.parent, path.parent.parent))
        other = read_query(next(file for file in same if file.exists()))
        sql = engine.rewrite.of(other.sql)
        parameters = parameters or other.parameters
        columns = columns if "Columns" in sections else other.columns
    if not sql and not engine.computed_by:
        raise PackError(f"{path}:{len(head)} has a header but no SELECT.")
    first_line = len(head) + 1 + next((i for i, line in enumerate(lines[len(head) :]) if line.strip()), 0)
    needs = [need for _, line in sections.get("Needs", []) for need in line.split(", ")]
    query = Query(
        name=path.stem,
        pack=path.parent.name,
        path=path,
        summary=prose[0].strip(),
        about="\n".join(line.rstrip() for line in prose[1:]).strip("\n"),
        parameters=parameters,
        columns=columns,
        needs=tuple(tuple(need.split(" or ")) for need in needs if " if " not in need),
        same_as=_line(sections, "Same as"),
        sql=sql,
        first_line=first_line,
        sources=_sources(sql, engine),
        engine=engine,
        finding=tuple(_rule_line(path, n, text) for n, text in sections.get("Finding", [])),
        needs_if=tuple((n, p) for n, met, p in (need.partition(" if ") for need in needs) if met),
        first=tuple(name for _, line in sections.get("First", []) for name in line.split(", ")),
    )
    _refuse(path, of_query(query, sections, len(head)))
    return query


def _refuse(path: Path, mistakes: Mistakes) -> None:
    """Raise PackError for the first mistake, if there is one."""
    for number, text in mistakes:
        raise PackError(f"{path}:{number} {text}")


def _rule_line(path: Path, number: int, text: str) -> tuple[str, str]:
    """A line of the section Finding: what it is (says or do, or either if COLUMN) and its text."""
    found = re.fullmatch(r"((?:says|do)(?: if \w+)?)  +(\S.*)", text)
    if not found:
        forms = "'says  TEXT', 'do  TEXT', 'says if COLUMN  TEXT' or 'do if COLUMN  TEXT'"
        raise PackError(f"{path}:{number} cannot be read as {forms}: {text!r}")
    return found[1], found[2]


def _line(sections: dict[str, list[tuple[int, str]]], name: str) -> str | None:
    found = sections.get(name)
    return found[0][1] if found else None


def _engine_line(path: Path, entries: list[tuple[int, str]]) -> EngineLine:
    """Parse the section Engine. Raises PackError, naming the clause, if it cannot be read."""
    if not entries:
        return EngineLine()
    try:
        return read_engine_line("; ".join(text for _, text in entries))
    except ValueError as error:
        clause = f"has the clause {str(error)!r} under 'Engine', which cannot be read or occurs twice"
        raise PackError(f"{path}:{entries[0][0]} {clause}; see nsysql/catalog/engine_line.py.") from None


def _sources(sql: str, engine: EngineLine) -> frozenset[str]:
    """The views and tables that a query or view reads directly, in SQL or in Python."""
    table, condition = engine.pushdown or ("", "")
    read = reads(engine.computed_by) if engine.computed_by else ()
    in_sql = SOURCE.findall(f"{strip_comments(sql)} {engine.table_if or ''} {condition}")
    return frozenset((*in_sql, *read, table)) - {"", PUSHDOWN}


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
        section = section_of(line)
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
