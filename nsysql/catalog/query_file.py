"""Parse a .sql file into a Query: its header is the contract, the rest one SELECT."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TypeVar

from nsysql.catalog.header import Mistakes, is_own, of_query, of_sections, own_folder, public_names, section_of
from nsysql.catalog.query import OF_A_RULE, Column, EngineLine, Parameter, Query, read_engine_line, reads
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import PackError, suggestion
from nsysql.words.sql_text import strip_comments

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

Field = TypeVar("Field", Parameter, Column)
INHERITED = re.compile(r"(?P<source>\w+): (?P<names>\w+(?:, \w+)*)")
TABLES = re.compile(r"\b([A-Z_]+)_TABLE\b")  # TIMED_TABLE, or tables with this prefix
CAUSE = re.compile(r"^ +\(\d+, '(\w+)', '((?:[^']|'')*)', '((?:[^']|'')*)'", re.MULTILINE)  # a row of view idle_cause
THRESHOLD = re.compile(r"^ +((\S+)::\w+) AS (\w+)", re.MULTILINE)  # a column of view thresholds
CONSTANT = re.compile(r"\b[A-Z0-9]+(?:_[A-Z0-9]+)+\b")  # its name in our SQL
OWN_FOLDERS = ("views", "views/internal", ".")  # where a name before a colon is searched, after the file's own folder


def read_query(path: Path) -> Query:
    """Read the query in a .sql file. Raises PackError, naming file and line, if its header has a mistake."""
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
    if is_own(path) and ("CAUSE" in text or "_TABLE" in text):
        lines = [one for line in lines for text in _with_causes(line) for one in _with_tables(text)]
    header = takewhile(lambda line: line.startswith("--"), lines)
    head = [line[3:] if line.startswith("-- ") else line[2:] for line in header]
    if not head or not head[0].strip():
        raise PackError(f"{path}:1 has no header: its first line is a comment that says what a row is.")
    _refuse(path, of_sections(head, path))
    prose, sections = _split(head)
    sql = "\n".join(lines[len(head) :]).strip().rstrip(";").rstrip()
    if is_own(path):
        sql = CONSTANT.sub(lambda word: thresholds().get(word[0].lower(), (word[0],))[0], sql)
    engine = _engine_line(path, sections["Engine"]) if "Engine" in sections else EngineLine()
    about = "\n".join(line.rstrip() for line in prose[1:]).strip("\n")
    parameters = _fields(path, sections.get("Parameters", []), "parameters", _parameter)
    columns = _fields(path, sections.get("Columns", []), "columns", _column)
    if "Finding" in sections:
        columns = OF_A_RULE + columns
    if engine.other:
        other = read_query(next(own_folder().rglob(f"{engine.other}.sql")))
        sql, about = engine.rewritten(other.sql), about or other.about
        parameters = parameters or other.parameters
        columns = columns if "Columns" in sections else other.columns
    if not sql and not engine.computed_by and path.parent != own_folder():  # usual.sql is a header
        raise PackError(f"{path}:{len(head)} has a header but no SELECT.")
    first_line = len(head) + 1 + next((i for i, line in enumerate(lines[len(head) :]) if line.strip()), 0)
    needs = [need for _, line in sections.get("Needs", []) for need in line.split(", ")]
    query = Query(
        name=path.stem,
        pack=path.parent.name,
        path=path,
        summary=prose[0].strip(),
        about=about,
        parameters=parameters,
        columns=columns,
        needs=tuple(tuple(need.split(" or ")) for need in needs if " if " not in need),
        same_as=next((text for _, text in sections.get("Same as", [])), None),
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


def _with_causes(line: str) -> Iterable[str]:
    """Repeat a line with CAUSE, of a file of nsysql's own, for each cause of idle time (view idle_cause)."""
    if "CAUSE" not in line:
        return [line]
    return [line.replace("CAUSE", c).replace("TITLE", title).replace("MEANING", text) for c, title, text in causes()]


@cache
def causes() -> list[tuple[str, str, str]]:
    """Return the causes of idle time in the order of view idle_cause: name, title, meaning."""
    rows = CAUSE.findall((own_folder() / "views" / "idle_cause.sql").read_text(encoding="utf-8"))
    return [(cause, title.replace("''", "'"), meaning.replace("''", "'")) for cause, title, meaning in rows]


@cache
def thresholds() -> dict[str, tuple[str, str]]:
    """Return the thresholds of the rules by name, each in SQL with its type, and without."""
    text = (own_folder() / "views" / "thresholds.sql").read_text(encoding="utf-8")
    return {name: (typed, value) for typed, value, name in THRESHOLD.findall(text)}


def _with_tables(line: str) -> Iterable[str]:
    """Repeat a line with TIMED_TABLE, of a file of nsysql's own, for each NVIDIA table with start and end, united;
    PREFIX_TABLE stands for those whose names begin so. Under Needs they are alternatives.
    """
    match = TABLES.search(line)
    if match is None:
        return [line]
    timed = [name for name, table in read_raw().items() if {"start", "end"} <= table.columns.keys()]
    names = timed if match[1] == "TIMED" else [name for name in read_raw() if name.startswith(f"{match[1]}_")]
    if line.startswith("-- "):
        return [line.replace(match[0], " or ".join(names))]
    selects = [line.replace(match[0], name) for name in names]
    return [selects[0], *(part for select in selects[1:] for part in ("UNION ALL BY NAME", select))]


def _refuse(path: Path, mistakes: Mistakes) -> None:
    for number, text in mistakes:
        raise PackError(f"{path}:{number} {text}")


def _rule_line(path: Path, number: int, text: str) -> tuple[str, str]:
    """Parse a line of the section Finding: what it is (says or do, or either if COLUMN) and its text."""
    match = re.fullmatch(r"((?:says|do)(?: if \w+)?)  +(\S.*)", text)
    if not match:
        forms = "'says  TEXT', 'do  TEXT', 'says if COLUMN  TEXT' or 'do if COLUMN  TEXT'"
        raise PackError(f"{path}:{number} cannot be read as {forms}: {text!r}")
    return match[1], match[2]


def _engine_line(path: Path, entries: list[tuple[int, str]]) -> EngineLine:
    """Parse the section Engine. Raises PackError, naming the clause, if it cannot be read."""
    try:
        return read_engine_line("; ".join(text for _, text in entries))
    except ValueError as error:
        clause = f"has the clause {str(error)!r} under 'Engine', which cannot be read or occurs twice"
        raise PackError(f"{path}:{entries[0][0]} {clause}; see docs/architecture.md.") from None


def _sources(sql: str, engine: EngineLine) -> frozenset[str]:
    """Return the views and tables that a query or view reads directly, in SQL or in Python."""
    table, condition = engine.pushdown or ("", "")
    read = reads(engine.computed_by) if engine.computed_by else ()
    in_sql = SOURCE.findall(f"{strip_comments(sql)} {engine.table_if or ''} {condition}")
    return frozenset((*in_sql, *read, table)) - {"", PUSHDOWN}


def _split(head: list[str]) -> tuple[list[str], dict[str, list[tuple[int, str]]]]:
    """Split a header into prose, and per section its (line number, text) entries."""
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


def _fields(
    path: Path, entries: list[tuple[int, str]], of: str, one: Callable[[Path, int, str], Field]
) -> tuple[Field, ...]:
    """Parse the parameters or columns of a section. A line `NAME: a, b` stands for those of the view, or query of the
    same folder, NAME, or for the usual ones of queries/usual.sql; `entries` gets a line for each.
    """
    fields = []
    for number, text in entries:
        match = INHERITED.fullmatch(text)
        if match is None:
            fields.append((number, one(path, number, text)))
            continue
        other = _source(path, number, of, match["source"])
        known: dict[str, Field] = {field.name: field for field in getattr(other, of)}
        for name in match["names"].split(", "):
            if name not in known:
                message = f"takes {name} of {other.name}, which has the {of} {', '.join(known)}."
                raise PackError(f"{path}:{number} {message}")
            fields.append((number, known[name]))
    entries[:] = [(number, field.name) for number, field in fields]
    return tuple(field for _, field in fields)


def _source(path: Path, number: int, of: str, name: str) -> Query:
    """Return the file of nsysql's own from which a line of a section takes its parameters or columns."""
    own = path.parent if is_own(path) else None
    file = _own_file(name, own) if own or not name.startswith("_") else None
    if file is None:
        raise PackError(f"{path}:{number} takes {of} of {name}, which is no view.{suggestion(name, public_names())}")
    return read_query(file)


@cache
def _own_file(name: str, first: Path | None) -> Path | None:
    """Find a file of nsysql's own, in this folder first."""
    files = (folder / f"{name}.sql" for folder in (first or own_folder(), *map(own_folder().joinpath, OWN_FOLDERS)))
    return next(filter(Path.is_file, files), None)


def _field(path: Path, number: int, text: str) -> re.Match[str]:
    match = FIELD.fullmatch(text)
    if not match:
        raise PackError(f"{path}:{number} cannot be read as 'name TYPE = default -- What it is.': {text.strip()!r}")
    return match


def _parameter(path: Path, number: int, text: str) -> Parameter:
    match = _field(path, number, text)
    choices = tuple(re.findall(r"'([^']*)'", match["type"])) if match["type"].startswith("ENUM") else ()
    if match["default"] is None:
        raise PackError(f"{path}:{number} parameter {match['name']} needs a default (NULL if there is none).")
    return Parameter(
        name=match["name"],
        type="VARCHAR" if choices else match["type"],
        default=_literal(path, number, match["default"]),
        doc=match["doc"],
        choices=choices,
    )


def _column(path: Path, number: int, text: str) -> Column:
    match = _field(path, number, text)
    return Column(name=match["name"], type=match["type"], doc=match["doc"], label=match["label"])


def _literal(path: Path, number: int, text: str) -> object:
    words = {"NULL": None, "TRUE": True, "FALSE": False}
    if text.upper() in words:
        return words[text.upper()]
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise PackError(f"{path}:{number} has a default that is no literal: {text}") from None
