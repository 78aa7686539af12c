"""All that an export answers, to be compared with the answers of another form of it.

Forms differ by how tables are read, and queries are asked of tables. So where the tables are the same, in their types
and in every row, not each story need be asked everything in each form. `turn` says which part of the queries is asked.
"""

from functools import cache
from pathlib import Path
from typing import Any

import nsysql
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import MissingData

PARTS = 10  # of the queries, one of which is asked in a turn


def kernels(path: Path | str) -> int:
    """How many kernels an export has, by way of everything that opening does."""
    with nsysql.open(path) as run:
        assert run.path == Path(path)
        return int(run.cuda_gpu_kern_sum()["instances"].sum())


def every_answer(export: Path, turn: int | None = None) -> dict[str, Any]:
    """Of every query, or of those whose turn it is, its rows, or why it has none."""
    answers: dict[str, Any] = {}
    with nsysql.open(export) as run:
        for name in sorted(run.paths) if turn is None else sorted(run.paths)[turn % PARTS :: PARTS]:
            try:
                answers[name] = [_rounded(row) for row in run.query(name).rows()]
            except MissingData as error:
                answers[name] = str(error).replace(str(export), "EXPORT")
    return answers


@cache
def story_answers(export: Path, turn: int | None = None) -> dict[str, Any]:
    """The same of a story, which nobody changes."""
    return every_answer(export, turn)


def every_table(export: Path) -> dict[str, tuple[list[tuple[str, Any]], list[tuple[Any, ...]]]]:
    """The types and the rows of every table that nsysql reads: with their numbers, where it reads these too."""
    found = {}
    with nsysql.open(export) as run:
        for name in sorted(run.tables.keys() & read_raw().keys()):
            rows = run.sql(f'SELECT * FROM raw."{name}" ORDER BY ALL')
            found[name] = list(rows.schema.items()), rows.rows()
    return found


@cache
def story_tables(export: Path) -> dict[str, tuple[list[tuple[str, Any]], list[tuple[Any, ...]]]]:
    """The same of a story."""
    return every_table(export)


def _rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sums of fractions depend in their last digit on the order of the rows."""
    return tuple(float(f"{cell:.12g}") if isinstance(cell, float) else cell for cell in row)
