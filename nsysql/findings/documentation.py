"""The rules and their thresholds as Markdown, from their headers: docs/findings.md is written with it."""

import re
from collections.abc import Iterator

from nsysql.catalog.packs import own_queries, read_views, thresholds_path
from nsysql.catalog.query import Query
from nsysql.findings.engine import code_of

NEEDS = {"_kernel_ids": "kernel", "_idle_gap": "gpu_activity", "_api_call_ids": "api_call", "_gpu_work_ids": "gpu_work"}


def rules() -> str:
    """A chapter per rule of nsysql's own: sign, sentences, advice, what it needs."""
    known = sorted((rule for rule in own_queries() if rule.finding), key=code_of)
    return "".join(f"{line}\n" for rule in known for line in _chapter(rule))


def _chapter(rule: Query) -> Iterator[str]:
    yield f"### {code_of(rule)}"
    yield ""
    yield f"{rule.summary} {' '.join(rule.about.split())}"
    yield ""
    for key, text in rule.finding:
        kind, _, column = key.partition(" if ")
        yield f"- *{kind}*{f' (if `{column}`)' if column else ''}: {text}"
    needs = ", ".join(" or ".join(f"`{NEEDS.get(name, name)}`" for name in need) for need in rule.needs)
    yield f"- *needs*: {needs}"
    yield ""


def thresholds() -> str:
    """The thresholds as a table: name, value, reason."""
    query = read_views()[thresholds_path().stem]
    value_of = {name: value for value, name in re.findall(r"(\S+)::\w+ AS (\w+)", query.sql)}
    rows = (f"| `{column.name}` | {value_of[column.name]} | {column.doc} |" for column in query.columns)
    return "\n".join(["| name | value | why |", "|---|---|---|", *rows, ""])
