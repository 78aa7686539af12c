"""What `--help-reports`, `--help-rules` and `--help-formats` show: lists, and a page per report, rule or format."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from nsysql.catalog.header import own_folder
from nsysql.catalog.parameters import FILTERS, with_filters
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion
from nsysql.nsys.analyze import ADVICE, ROWS
from nsysql.nsys.analyze import ALIASES as RULE_ALIASES
from nsysql.nsys.analyze import OPTIONS as RULE_OPTIONS
from nsysql.nsys.formats import CHOICES, KINDS, META
from nsysql.nsys.reports import ALIASES, DEFAULT_SET, FLAGS, TITLES, VALUES, title_of

UNITS = """\
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
RULE_DOCS = {  # options that say more, or other, than their parameter
    "rows": f"Rows to show, {ROWS} without it; -1 shows all.",
    "gap": "Shortest gap to show, in ms; 500 without it.",
}


def reports_page(name: str, paths: Mapping[str, Path]) -> str:
    """The list of reports of nsys, then of the user's packs, or what one of them is; ALL is all of them."""
    own = {report: paths[report] for report in sorted(TITLES) if report in paths}
    known = own | {report: path for report, path in paths.items() if not path.is_relative_to(own_folder())}
    if name:
        return _pages("report", ALIASES.get(name, name), known, paths, _report)
    width = max(map(len, known))
    lines = [f"  {report:{width}}  {title_of(read_query(path))}" for report, path in known.items()]
    return "\n".join(["Reports", *lines, "", "Without --report:", *(f"  {report}" for report in DEFAULT_SET)])


def rules_page(name: str, paths: Mapping[str, Path]) -> str:
    """The list of rules, or what one of them is; ALL is all of them. Raises UsageError for an unknown one."""
    known = {rule: paths[rule] for rule in ADVICE}
    if name:
        return _pages("rule", RULE_ALIASES.get(name, name), known, known, _rule)
    width = max(map(len, ADVICE))
    rules = (f"  {rule:{width}}  {advice.title}" for rule, advice in ADVICE.items())
    return "\n".join(["Rules, in the order without --rule", *rules])


def _pages(
    kind: str, name: str, every: Mapping[str, Path], known: Mapping[str, Path], page: Callable[[Query], str]
) -> str:
    """The page of a report or rule, or those of all. Raises UsageError for an unknown one."""
    if name != "ALL" and name not in known:
        raise UsageError(f"There is no {kind} {name!r}; --help-{kind}s lists them.{suggestion(name, every)}")
    return "\n\n".join(page(read_query(path)) for path in (every.values() if name == "ALL" else [known[name]]))


def formats_page(name: str) -> str:
    """The list of formats, or what one of them is; ALL is all of them. Raises UsageError for an unknown one."""
    if not name:
        return "\n".join(["Formats", *(f"  {n:8}{kind.about} (.{kind.extension})" for n, kind in KINDS.items())])
    if name != "ALL" and name not in KINDS:
        raise UsageError(f"There is no format {name!r}; it can be {', '.join(KINDS)}.{suggestion(name, KINDS)}")
    units = [f"    {category:8}{' '.join(units)}" for category, units in CHOICES.items()]
    units += [f"    {meta:8}both {' and '.join(parts)}" for meta, parts in META.items()]
    return "\n\n".join([*map(_format, KINDS if name == "ALL" else [name]), "\n".join([UNITS, *units])])


def _report(query: Query) -> str:
    own = (p for p in query.parameters if p.name != "as_nsys")
    options = [(f"{option:16}", doc) for p in own for option, doc in _options(p.name, p.doc)]
    options += [(f"{f'{OF_STATS[p.name]}=...':16}", p.doc) for p in FILTERS if p.name in OF_STATS]
    return _page(query, title_of(query), ALIASES, options)


def _page(query: Query, title: str, aliases: Mapping[str, str], options: Iterable[tuple[str, str]]) -> str:
    """What a report or rule is: its title and former names, its header's text, its options, its printed columns."""
    old = ", ".join(sorted(alias for alias, name in aliases.items() if name == query.name))
    lines = [f"{query.name}: {title}{f' (formerly {old})' if old else ''}", "", query.summary]
    lines += ["", query.about] if query.about else []
    lines += ["", "Options, after the name and a colon", *(f"    {option}{doc}" for option, doc in options)]
    columns = [(c.label or c.name, c.doc) for c in query.columns if c.label or not any(c.label for c in query.columns)]
    width = max(len(label) for label, _ in columns)
    return "\n".join([*lines, "", "Columns", *(f"    {label:{width}}  {doc}" for label, doc in columns)])


def _rule(query: Query) -> str:
    known, options = {p.name: p for p in with_filters(query)}, []
    for key, p in ((key, known[name]) for key, name in RULE_OPTIONS.items() if name in known):
        doc = p.doc if p.default is None else f"{p.doc.rstrip('.')}; {p.default:g} without it."
        options.append((f"{f'{key}=...':14}", RULE_DOCS.get(key) or doc))
    return _page(query, ADVICE[query.name].title, RULE_ALIASES, options)


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
