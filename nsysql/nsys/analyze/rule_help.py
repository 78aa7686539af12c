"""What `--help-rules` shows: the list of rules, or what one of them is."""

from collections.abc import Mapping
from pathlib import Path

from nsysql.catalog.parameters import with_filters
from nsysql.catalog.query import Parameter, Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion
from nsysql.nsys.analyze.rule_advice import ADVICE
from nsysql.nsys.analyze.rules import ALIASES, OPTIONS, ROWS

DOCS = {  # options that say more, or other, than their parameter
    "rows": f"Rows to show, {ROWS} without it; -1 shows all.",
    "gap": "Shortest gap to show, in ms; 500 without it.",
}


def rules_page(name: str, paths: Mapping[str, Path]) -> str:
    """The list of rules, or what one of them is; ALL is all of them. Raises UsageError for an unknown one."""
    if name == "ALL":
        return "\n\n".join(_rule(read_query(paths[rule])) for rule in ADVICE)
    if name:
        found = ALIASES.get(name, name)
        if found not in ADVICE:
            raise UsageError(f"There is no rule {name!r}; --help-rules lists them.{suggestion(name, ADVICE)}")
        return _rule(read_query(paths[found]))
    width = max(map(len, ADVICE))
    rules = (f"  {rule:{width}}  {advice.title}" for rule, advice in ADVICE.items())
    return "\n".join(["Rules, in the order without --rule", *rules])


def _rule(query: Query) -> str:
    old = next(alias for alias, name in ALIASES.items() if name == query.name)
    known = {p.name: p for p in with_filters(query)}
    options = [(key, DOCS.get(key) or _doc(known[name])) for key, name in OPTIONS.items() if name in known]
    width = max(len(c.label or "") for c in query.columns)
    return "\n".join(
        [
            f"{query.name}: {ADVICE[query.name].title} (formerly {old})",
            "",
            query.summary,
            "",
            query.about,
            "",
            "Options, after the name and a colon",
            *(f"    {f'{key}=...':14}{doc}" for key, doc in options),
            "",
            "Columns",
            *(f"    {c.label or '':{width}}  {c.doc}" for c in query.columns),
        ]
    )


def _doc(p: Parameter) -> str:
    return p.doc if p.default is None else f"{p.doc.rstrip('.')}; {p.default:g} without it."
