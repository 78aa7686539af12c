"""What `--help-reports`, `--help-rules` and `--help-formats` show: lists, and a page per report, rule or format."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import fill

from nsysql.catalog.header import own_folder
from nsysql.catalog.parameters import with_filters
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion
from nsysql.nsys.analyze import ADVICE
from nsysql.nsys.analyze import ALIASES as RULE_ALIASES
from nsysql.nsys.analyze import ROWS as RULE_ROWS
from nsysql.nsys.formats import CHOICES, KINDS, META
from nsysql.nsys.reports import ALIASES, DEFAULT_SET, FLAGS, OPTIONS, ROWS, TITLES, title_of

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
EXPLAINED = {  # options that say more, or other, than their parameter
    "base": "Name kernels without their signature.",
    "mangled": "Name kernels by their mangled names, if the export has them.",
    "nvtx-name": "Name kernels RANGE/KERNEL, with the innermost NVTX range around their launch.",
    "gap=MS": "Shortest gap to show, in ms; 500 without it.",
    "rows=N": "Rows to show, {} without it; -1 shows all.",
}
VALUES = {"gap": "MS", "start": "TIME", "end": "TIME", "nvtx": "NAME"}  # of options that are no plain numbers
UNSPELLED = ("as_nsys", "steps", "step_range")  # parameters without an option


def reports_page(name: str, paths: Mapping[str, Path]) -> str:
    """The list of reports of nsys, then of the user's packs, or what one of them is; ALL is all of them."""
    own = {report: paths[report] for report in sorted(TITLES) if report in paths}
    listed = own | {report: path for report, path in paths.items() if not path.is_relative_to(own_folder())}
    titles = {report: title_of(read_query(path)) for report, path in listed.items()}
    if name:
        return _pages("report", name, titles, ALIASES, paths, ROWS)
    return "\n".join([*_list("Reports", titles), "", "Without --report:", *(f"  {report}" for report in DEFAULT_SET)])


def rules_page(name: str, paths: Mapping[str, Path]) -> str:
    """The list of rules, or what one of them is; ALL is all of them. Raises UsageError for an unknown one."""
    titles = {rule: advice.title for rule, advice in ADVICE.items()}
    if name:
        of_rules = {rule: paths[rule] for rule in ADVICE}
        return _pages("rule", name, titles, RULE_ALIASES, of_rules, dict.fromkeys(ADVICE, RULE_ROWS))
    return "\n".join(_list("Rules, in the order without --rule", titles))


def _list(heading: str, titles: Mapping[str, str]) -> list[str]:
    width = max(map(len, titles))
    return [heading, *(f"  {name:{width}}  {title}" for name, title in titles.items())]


def _pages(
    kind: str, name: str, titles: Mapping[str, str], aliases: Mapping[str, str], paths: Mapping[str, Path],
    rows: Mapping[str, int],
) -> str:  # fmt: skip
    """What a report or rule is, or all of them: options, then the header. Raises UsageError for an unknown one.

    `rows` is how many are shown without the option.
    """
    name = aliases.get(name, name)
    if name != "ALL" and name not in paths:
        raise UsageError(f"There is no {kind} {name!r}; --help-{kind}s lists them.{suggestion(name, titles)}")
    pages = []
    for query in (read_query(paths[one]) for one in (titles if name == "ALL" else [name])):
        old = ", ".join(sorted(alias for alias, now in aliases.items() if now == query.name))
        title = titles.get(query.name, title_of(query)) + (f" (formerly {old})" if old else "")
        options = dict(_options(query, rows.get(query.name)))
        usage = query.name + "".join(f"[:{option}]" for option in options).replace("[:base][:", "[:base|:")
        lines = [f"{query.name}: {title}", "", fill(usage.replace("[", " ["), 100).replace(" [", "["), "", "Options"]
        lines += [f"    {option:12}  {text}" for option, text in options.items()]
        pages.append("\n".join([*lines, "", replace(query, parameters=()).doc]))
    return "\n\n".join(pages)


def _options(query: Query, rows: int | None) -> Iterator[tuple[str, str]]:
    """The options of a report or rule as nsys spells them, and what they do."""
    spelled = {parameter: option for option, parameter in OPTIONS.items()}
    for p in (p for p in with_filters(query) if p.name not in UNSPELLED):
        option = spelled.get(p.name, p.name)
        text = f"{p.doc.rstrip('.')}; {p.default:g} without it." if isinstance(p.default, int | float) else p.doc
        flags = [flag for flag, (name, _) in FLAGS.items() if name == p.name]
        for one in flags or [f"{option}={VALUES.get(option, 'N' if p.type != 'VARCHAR' else 'NAME')}"]:
            yield one, EXPLAINED[one].format(rows) if one in EXPLAINED and (rows or one != "rows=N") else text


def formats_page(name: str) -> str:
    """The list of formats, or what one of them is; ALL is all of them. Raises UsageError for an unknown one."""
    if not name:
        return "\n".join(["Formats", *(f"  {n:8}{kind.about} (.{kind.extension})" for n, kind in KINDS.items())])
    if name != "ALL" and name not in KINDS:
        raise UsageError(f"There is no format {name!r}; it can be {', '.join(KINDS)}.{suggestion(name, KINDS)}")
    units = [f"    {category:8}{' '.join(units)}" for category, units in CHOICES.items()]
    units += [f"    {meta:8}both {' and '.join(parts)}" for meta, parts in META.items()]
    return "\n\n".join([*map(_format, KINDS if name == "ALL" else [name]), "\n".join([UNITS, *units])])


def _format(name: str) -> str:
    kind = KINDS[name]
    lines = [f"{name}: {kind.about} (.{kind.extension})"]
    if kind.options:
        lines += ["", "Options, each after a colon", *(f"    {o:16}{ABOUT[o]}" for o in kind.options)]
    return "\n".join(lines)
