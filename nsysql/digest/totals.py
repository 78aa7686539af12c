"""Totals other than accounts: calls of the launching threads, launches and bytes; and the launch order."""

from typing import Any

from nsysql.analysis.compare.matching import LONGEST
from nsysql.analysis.digest import Total
from nsysql.capture.export import Export
from nsysql.errors import MissingData

FUNCTIONS = 60  # functions of host code of a digest


def cause_titles(run: Export) -> dict[str, str]:
    """The titles of causes of idle time."""
    rows = run.query("idle_cause")
    return dict(zip(rows["cause"], rows["title"], strict=True))


def calls(run: Export, **interval: Any) -> tuple[Total, ...]:
    """The calls of the launching threads."""
    rows = _or_none(run, "launching_thread_calls", interval)
    return tuple(Total(row["kind"], row["name"], row["total_ns"], row["count"]) for row in rows)


def launches(run: Export, **interval: Any) -> tuple[Total, ...]:
    """The launched pieces of GPU work, and the bytes of copies."""
    rows = _or_none(run, "launched_work", interval)
    return tuple(Total(row["kind"], row["name"], row["bytes"], row["count"]) for row in rows)


def samples(run: Export, **interval: Any) -> tuple[Total, ...]:
    """The functions of host code with most CPU samples, and those of each family that are left."""
    rows = _or_none(run, "sampled_functions", interval)
    rest: dict[str, tuple[int, int]] = {}
    for row in rows[FUNCTIONS:]:
        ns, count = rest.get(row["family"], (0, 0))
        rest[row["family"]] = ns + row["total_ns"], count + row["count"]
    kept = [Total(row["family"], row["name"], row["total_ns"], row["count"]) for row in rows[:FUNCTIONS]]
    return (*kept, *(Total(family, "other functions", *sums) for family, sums in rest.items()))


def sequence(run: Export, **interval: Any) -> tuple[str, ...]:
    """The first kernels in launch order."""
    return tuple(row["name"] for row in _or_none(run, "kernel_order", {"top": LONGEST, **interval}))


def _or_none(run: Export, query: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    try:
        return run.query(query, **parameters).to_dicts()
    except MissingData:
        return []
