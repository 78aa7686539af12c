"""Parts of the docs made from headers: the columns of queries, as a hook of mkdocs; rules and thresholds, for cog."""

from collections.abc import Iterator
from typing import Any

from nsysql.catalog.packs import own_queries, read_views
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import thresholds
from nsysql.findings.engine import code_of


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page as it is shown."""
    return markdown + "\n".join(columns()) if page.file.src_uri == "queries.md" else markdown


def columns() -> Iterator[str]:
    """Lines of Markdown: each query with its definition, parameters and columns."""
    yield "\n## Columns\n"
    for query in own_queries():
        yield f"\n### {query.name}\n\n{_text(query.summary)}\n"
        yield from _table("parameter", [(p.name, f"{p.type}, default {p.default}", p.doc) for p in query.parameters])
        yield from _table("column", [(c.name, c.type, c.doc) for c in query.columns])


def _table(title: str, rows: list[tuple[str, str, str]]) -> Iterator[str]:
    if rows:
        yield f"\n| {title} | type | meaning |\n|---|---|---|"
        yield from (f"| `{name}` | {kind} | {_text(text)} |" for name, kind, text in rows)


def _text(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


NEEDS = {"_kernel_ids": "kernel", "_idle_gap": "gpu_activity", "_api_call_ids": "api_call", "_gpu_work_ids": "gpu_work"}


def rules_as_text() -> str:
    """Write a chapter per rule of nsysql's own: sign, sentences, advice, what it needs."""
    known = sorted((rule for rule in own_queries() if rule.finding), key=code_of)
    return "".join(f"{line}\n" for rule in known for line in _chapter(rule))


def _chapter(rule: Query) -> Iterator[str]:
    yield f"### {code_of(rule)}\n\n{rule.summary} {' '.join(rule.about.split())}\n"
    for key, text in rule.finding:
        kind, _, column = key.partition(" if ")
        yield f"- *{kind}*{f' (if `{column}`)' if column else ''}: {text}"
    needs = ", ".join(" or ".join(f"`{NEEDS.get(name, name)}`" for name in need) for need in rule.needs)
    yield f"- *needs*: {needs}\n"


def thresholds_as_text() -> str:
    """Write the thresholds as a table: name, value, reason."""
    columns = read_views()["thresholds"].columns
    rows = (f"| `{column.name}` | {thresholds()[column.name][1]} | {column.doc} |" for column in columns)
    return "\n".join(["| name | value | why |", "|---|---|---|", *rows, ""])
