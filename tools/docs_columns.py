"""A hook of mkdocs: the page of the queries gets the columns of each, from the headers."""

from collections.abc import Iterator
from typing import Any

from nsysql.catalog.packs import own_queries


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
