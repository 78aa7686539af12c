"""Validate the header of a query file: mistakes by line, with remedies."""

import difflib
import keyword
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from nsysql.catalog.query import Parameter, Query
from nsysql.errors import suggestion
from nsysql.words.sql_text import shadowing, words_among

Entries = Sequence[tuple[int, str]]  # lines of a section, numbered
Mistakes = Iterator[tuple[int, str]]  # a line's number, and the end of a sentence that begins with file and line

OF_A_PACK = ("Needs", "Finding", "Parameters", "Columns", "First", "Same as")
SECTIONS = (*OF_A_PACK, "Engine")  # Engine is for nsysql's own files only
TYPES = (
    "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "BLOB", "DATE", "DECIMAL", "FLOAT", "HUGEINT", "INTEGER",
    "JSON", "SMALLINT", "TIME", "TIMESTAMP", "TINYINT", "UBIGINT", "UHUGEINT", "UINTEGER", "USMALLINT", "UTINYINT",
    "UUID",
)  # fmt: skip
USUAL = "BIGINT, DOUBLE, VARCHAR or BOOLEAN"
FITS: dict[str, tuple[tuple[type, ...], str]] = {  # Python types and description of a default, by the parameter's type
    "BIGINT": ((int,), "a whole number of 64 bits"),
    "INTEGER": ((int,), "a whole number of 32 bits"),
    "DOUBLE": ((int, float), "a number"),
    "BOOLEAN": ((bool,), "true or false"),
    "VARCHAR": ((str,), "a text in single quotes"),
}
RESERVED = {"per_process": "BOOLEAN", **dict.fromkeys(("start_ns", "end_ns", "top"), "BIGINT")}
RESERVED |= dict.fromkeys(("nvtx", "steps", "step_range"), "VARCHAR")
NEED = re.compile(r"\w+(?: or \w+)*|\w+ if \w+(?:=\w+)?")
FIELD = re.compile(r" {4}\w+\s+[A-Z]+\b.*\s--\s+\S.*")


@cache
def own_folder() -> Path:
    """Return the folder of nsysql's own queries: inside the installed package, or next to it in a checkout."""
    package = Path(__file__).parent.parent
    inside = package / "_sql"
    return inside if inside.is_dir() else package.parent / "queries"


@cache
def is_own(path: Path) -> bool:
    if ".." not in path.parts and path.is_relative_to(own_folder()):  # without following links
        return True
    return path.resolve().is_relative_to(own_folder().resolve())


def section_of(line: str) -> str | None:
    if not line.startswith(SECTIONS):  # nearly every line
        return None
    return next((s for s in SECTIONS if line == s or line.startswith(s + "  ")), None)


def of_sections(head: Sequence[str], path: Path) -> Mistakes:
    """Yield mistakes in the sections themselves, before their lines are parsed."""
    inside = False
    for number, line in enumerate(head, start=1):
        section, following = section_of(line), head[number] if number < len(head) else ""
        if section and not is_own(path) and section not in OF_A_PACK:
            yield number, f"has {section!r}, which only nsysql's own files have; remove it."
        elif section and line == section and not following.startswith(" "):
            yield number, f"has nothing under {section!r}; remove it, or say what belongs there."
        elif not section and line[:1].strip() and (inside or FIELD.fullmatch(following) or _is_misspelled(line)):
            word = line.partition("  ")[0]
            message = f"{word.strip()!r} is not a section of a header; sections are {', '.join(OF_A_PACK)}."
            yield number, message + suggestion(word, OF_A_PACK)
        inside = inside or section is not None
    if not head[0].strip() or section_of(head[0]):
        yield 1, "does not begin with a sentence; say what a row is first."


def _is_misspelled(line: str) -> bool:
    """Tell whether a line of prose looks like a misspelled section: Colums, Need kernel."""
    word, two_spaces, _ = line.partition("  ")
    is_short = len(word.split()) < 3 and (two_spaces or line == word.strip())
    return bool(is_short and difflib.get_close_matches(word, OF_A_PACK, n=1, cutoff=0.8))


def of_query(query: Query, sections: Mapping[str, Entries], last_line: int) -> Mistakes:
    """Yield mistakes in the query that a header declares."""
    parameters, columns = (sections.get(name, ()) for name in ("Parameters", "Columns"))
    own_parameters = query.parameters if parameters else ()  # otherwise they are another query's
    for entries, names in (
        (parameters, [p.name for p in own_parameters]),
        (columns, [c.name for c in query.columns[len(query.columns) - len(columns) :]]),
    ):
        twice = [(number, name) for (number, _), name in zip(entries, names, strict=True) if names.count(name) > 1]
        yield from ((number, f"{name} is declared twice; rename or remove one.") for number, name in twice)
    for (number, _), p in zip(parameters, own_parameters, strict=True):
        yield from ((number, f"parameter {p.name} {text}") for text in _of_parameter(p))
        if text := _of_default(p):
            yield number, f"the default does not fit: {text}"
    for (number, _), c in zip(columns, query.columns[len(query.columns) - len(columns) :], strict=True):
        if c.type not in TYPES and not c.type.startswith("ENUM"):
            text = f"is {c.type}, which is no type; it can be {USUAL}.{suggestion(c.type, TYPES)}"
            yield number, f"column {c.name} {text}"
    if not query.columns and own_folder() / "views" not in query.path.parents:
        what = "add 'Columns', and under it 'name TYPE -- What it is.' for each."
        yield last_line, f"ends a header without columns; {what}"
    for number, line in sections.get("First", ()):
        for name in set(line.split(", ")) - {c.name for c in query.columns}:
            yield number, f"has {name} under 'First', which is no column; write columns: NAME, NAME."
    yield from _of_needs(sections.get("Needs", ()), {p.name for p in query.parameters}, is_own(query.path))
    yield from _of_names(query)


def _of_names(query: Query) -> Mistakes:
    """Yield CTEs that shadow a view, and views that only nsysql's own queries may read."""
    for line, name in shadowing(query.sql, view_names()):
        yield query.first_line + line, f"has the CTE {name}, which shadows the view {name.lower()}; rename the CTE."
    if not is_own(query.path):
        public = f"the public views are {', '.join(sorted(public_names()))}."
        for line, name in words_among(query.sql, view_names() - public_names()):
            message = f"reads {name}, a view that only nsysql's own queries read and that can change; {public}"
            yield query.first_line + line, message


def _of_parameter(p: Parameter) -> Iterator[str]:
    if not re.fullmatch(r"[A-Za-z]\w*", p.name) or keyword.iskeyword(p.name):
        yield "cannot be called so in Python; rename it."
    if p.type not in TYPES:
        yield f"is {p.type}, which is no type; it can be {USUAL}, or ENUM('one', 'another').{suggestion(p.type, TYPES)}"
    elif p.type != RESERVED.get(p.name, p.type):
        yield f"is {p.type}, but one of that name is {RESERVED[p.name]}; change the type or the name."
    for choice in sorted({c for c in p.choices if p.choices.count(c) > 1}):
        yield f"has the choice {choice!r} twice; remove one."


def _of_default(p: Parameter) -> str | None:
    """Say why a parameter cannot have its default; None if it can."""
    if p.default is None:
        return None
    if p.choices:
        return None if p.default in p.choices else f"{p.name} is {p.default!r}; it can be {', '.join(p.choices)}."
    kinds, wanted = FITS.get(p.type, ((type(p.default),), ""))
    is_large = isinstance(p.default, int) and abs(p.default) >= 2**63
    return f"{p.name} is {p.default!r}; it must be {wanted}." if is_large or type(p.default) not in kinds else None


def _of_needs(entries: Entries, parameters: Collection[str], is_ours: bool) -> Mistakes:
    known = known_names() if is_ours else known_names() - (view_names() - public_names())
    for number, line in entries:
        for need in re.split(r", *", line.strip()):
            names, _, condition = need.partition(" if ")
            parameter = condition.partition("=")[0]
            if not NEED.fullmatch(need):
                forms = "VIEW, or VIEW or VIEW, or VIEW if PARAMETER"
                yield number, f"needs {need!r}, which cannot be read; write {forms}."
            elif parameter and parameter not in parameters:
                offer = suggestion(parameter, parameters)
                yield number, f"needs {names} if {parameter}, which is no parameter here.{offer}"
            elif unknown := [name for name in names.split(" or ") if name not in known]:
                message = f"needs {unknown[0]}, which is no view of `nsysql list` and no table of an export."
                yield number, message + suggestion(unknown[0], known)


@cache
def known_names() -> frozenset[str]:
    """Return the views, and the tables of an export that nsysql reads."""
    tables = re.findall(r"^CREATE TABLE (\w+)", (own_folder() / "raw.sql").read_text(encoding="utf-8"), re.MULTILINE)
    return view_names().union(tables)


@cache
def view_names() -> frozenset[str]:
    """Return all views, including those that only nsysql's own queries may read."""
    return frozenset(path.stem for path in (own_folder() / "views").rglob("*.sql"))


@cache
def public_names() -> frozenset[str]:
    """Return the views that users' queries may read."""
    return frozenset(name for name in view_names() if not name.startswith("_"))
