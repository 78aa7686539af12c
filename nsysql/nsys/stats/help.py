"""What `--help-reports` and `--help-formats` show: lists, and a page per report or format."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from nsysql.catalog.header import own_folder
from nsysql.catalog.parameters import FILTERS
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion
from nsysql.nsys.stats.cells import CHOICES, META
from nsysql.nsys.stats.formats import KINDS
from nsysql.nsys.stats.reports import ALIASES, DEFAULT_SET, FLAGS, TITLES, VALUES

OPTIONS = """\
Options of every format
    CATEGORY=UNIT  Show values of that category in that unit, such as dur=ms or mem=KiB.
    noconv         Show times in ns and sizes in bytes, unrounded, and addresses as numbers.
    nohdrunit      Leave the units out of the titles.

Categories and units, the usual one first"""
ABOUT = {
    "nohdr": "No titles.",
    "nofmt": "Numbers as they are: without thousands separators, not below each other by the point.",
    "autolines=LINES": "Lines that are read for the widths, 0 for all; 100 without it.",
    "colmax=CHARS": "Widest that a column gets by itself, 0 for any; 100 without it.",
    "WIDTH": "Width of the first, second, ... column; 0 hides it, . is by itself.",
    "esc": "Tabs of names as \\t instead of blanks.",
    "title=TEXT": "Title of the page.",
    "css=URL": "Style sheet of the page.",
}
OF_STATS = {"start_ns": "start", "end_ns": "end", "nvtx": "nvtx"}  # the filters that a report takes as options
FLAG_DOCS = {
    "base": "Kernels by their names without signature.",
    "mangled": "Kernels by their mangled names, where the export has them.",
    "nvtx-name": "Kernel names behind the innermost NVTX range of their launch, RANGE/KERNEL.",
}


def reports_page(name: str, paths: Mapping[str, Path]) -> str:
    """The list of reports, or what one of them is; ALL is all of them. Raises UsageError for an unknown one."""
    known = _reports(paths)
    if name == "ALL":
        return "\n\n".join(_report(read_query(path)) for path in known.values())
    if name:
        spelled = ALIASES.get(name, name)
        if spelled not in paths:
            raise UsageError(f"There is no report {name!r}; --help-reports lists them.{suggestion(name, known)}")
        return _report(read_query(paths[spelled]))
    width = max(map(len, known))
    lines = [f"  {n:{width}}  {_title(read_query(p))}" for n, p in known.items()]
    return "\n".join(["Reports", *lines, "", "Without --report:", *(f"  {n}" for n in DEFAULT_SET)])


def formats_page(name: str) -> str:
    """The list of formats, or what one of them is; ALL is all of them. Raises UsageError for an unknown one."""
    if name == "ALL":
        return "\n\n".join([*map(_format, KINDS), _units()])
    if name:
        if name not in KINDS:
            raise UsageError(f"There is no format {name!r}; it can be {', '.join(KINDS)}.{suggestion(name, KINDS)}")
        return f"{_format(name)}\n\n{_units()}"
    return "\n".join(["Formats", *(f"  {n:8}{kind.about} (.{kind.extension})" for n, kind in KINDS.items())])


def _reports(paths: Mapping[str, Path]) -> dict[str, Path]:
    """The reports of nsys, then the queries of the user's packs."""
    own = {name: paths[name] for name in sorted(TITLES) if name in paths}
    return own | {name: path for name, path in paths.items() if not path.is_relative_to(own_folder())}


def _title(query: Query) -> str:
    return TITLES.get(query.name, query.summary.rstrip("."))


def _report(query: Query) -> str:
    own = (p for p in query.parameters if p.name != "as_nsys")
    options = [(f"{option:16}", doc) for p in own for option, doc in _options(p.name, p.doc)]
    options += [(f"{f'{OF_STATS[p.name]}=...':16}", p.doc) for p in FILTERS if p.name in OF_STATS]
    return page_of(query, _title(query), ALIASES, options)


def page_of(query: Query, title: str, aliases: Mapping[str, str], options: Iterable[tuple[str, str]]) -> str:
    """What a report or rule is: its title and former names, its header's text, its options, its printed columns."""
    old = ", ".join(sorted(alias for alias, name in aliases.items() if name == query.name))
    lines = [f"{query.name}: {title}{f' (formerly {old})' if old else ''}", "", query.summary]
    lines += ["", query.about] if query.about else []
    lines += ["", "Options, after the name and a colon", *(f"    {option}{doc}" for option, doc in options)]
    columns = [(c.label or c.name, c.doc) for c in query.columns if c.label or not any(c.label for c in query.columns)]
    width = max(len(label) for label, _ in columns)
    return "\n".join([*lines, "", "Columns", *(f"    {label:{width}}  {doc}" for label, doc in columns)])


def _options(parameter: str, doc: str) -> list[tuple[str, str]]:
    """How a report's options spell a parameter."""
    flags = [(flag, FLAG_DOCS[flag]) for flag, (name, _) in FLAGS.items() if name == parameter]
    spelled = next((key for key, name in VALUES.items() if name == parameter), parameter)
    return flags or [(f"{spelled}=...", doc)]


def _format(name: str) -> str:
    kind = KINDS[name]
    lines = [f"{name}: {kind.about} (.{kind.extension})"]
    if kind.options:
        lines += ["", "Options, each after a colon", *(f"    {o:16}{ABOUT[o]}" for o in kind.options)]
    return "\n".join(lines)


def _units() -> str:
    lines = [f"    {category:8}{' '.join(units)}" for category, units in CHOICES.items()]
    lines += [f"    {meta:8}both {' and '.join(parts)}" for meta, parts in META.items()]
    return "\n".join([OPTIONS, *lines])
