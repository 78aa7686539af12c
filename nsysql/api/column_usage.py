"""stored_columns.json, for the doctor: `python -m nsysql.api.column_usage` writes it from the queries."""

from collections.abc import Iterator, Mapping
from typing import Any

from nsysql.capture.column_usage import ColumnUsage
from nsysql.capture.stored_columns import PATH, as_text, key
from nsysql.catalog.packs import own_packs, own_queries, query_paths
from nsysql.catalog.parameters import bind
from nsysql.catalog.query import Query
from nsysql.nsys.analyze.rule_advice import ADVICE
from nsysql.nsys.analyze.rules import read_rule
from nsysql.nsys.stats.reports import read_report


def text() -> str:
    """The text of stored_columns.json: what DuckDB's plans say of each question of nsysql's own."""
    usage = ColumnUsage()
    return as_text({key(query, values): usage.planned(query, values) for query, values in _questions()})


def _questions() -> Iterator[tuple[Query, Mapping[str, Any]]]:
    """Every query, report and rule of nsysql's own, as the doctor asks for it."""
    paths = query_paths(own_packs())
    for query in own_queries():
        yield query, bind(query, {})
        if query.name in ADVICE:
            rule = read_rule(query.name, {}, paths)
            yield rule.query, bind(rule.query, rule.parameters)
        elif query.same_as:
            report = read_report(query.name, {}, paths)
            yield report.query, bind(report.query, report.parameters)


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
