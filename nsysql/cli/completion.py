"""What the Tab key completes: columns, NVTX names of the export, reports of `nsysql stats`. Names come from headers."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

SHOWN_NAMES = 200  # NVTX names; a shell shows no more


def columns(ctx: Any, incomplete: str) -> list[str]:
    """The columns of the query, after those that are there: `name,du` becomes `name,dur_ns`."""
    query = getattr(ctx.command, "query", None)
    return _listed([column.name for column in query.columns] if query else [], incomplete)


def reports(incomplete: str) -> list[str]:
    """The reports of `nsysql stats`."""
    from nsysql.nsys.stats.titles import TITLES

    return _listed(TITLES, incomplete)


def nvtx_names(ctx: Any, incomplete: str) -> list[str]:
    """The texts of the export's NVTX ranges; nothing if the export is not yet on the line, or cannot be read."""
    import nsysql
    from nsysql.errors import NsysqlError

    given = [ctx.params.get("export"), *ctx.args]  # the option without its value stops the parser
    export = next((path for path in given if path and Path(path).exists()), None)
    if export is None:
        return []
    try:
        with nsysql.open(export) as run:
            names = run.relation("nvtx_range").project("name").distinct().order("name").fetchall()
    except NsysqlError:
        return []
    return [name for (name,) in names if name and name.startswith(incomplete)][:SHOWN_NAMES]


def _listed(names: Iterable[str], incomplete: str) -> list[str]:
    """The names that continue the last element of a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(last.replace("-", "_"))]
