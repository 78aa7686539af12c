"""An export may lack any table and any column: it opens, and every query answers or says what is missing."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import duckdb
import pyarrow
import pytest
from exports import INSERTED, alter, story_sql

import nsysql
from nsysql.capture.arrow_stream import batches
from nsysql.capture.column_usage import ColumnUsage
from nsysql.capture.raw_tables import BYTES
from nsysql.catalog.packs import find_packs, query_paths
from nsysql.catalog.parameters import bind
from nsysql.catalog.query_file import read_query
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import MissingData

STORY = "training"


@pytest.fixture
def copy(story: Callable[[str], Path], tmp_path: Path) -> Path:
    """A copy of the richest story that may be changed."""
    return Path(shutil.copy(story(STORY), tmp_path / "export.sqlite"))


@cache
def columns_read() -> dict[str, dict[str, set[str]]]:
    """Of every query, the raw columns that it reads."""
    reader = ColumnUsage()
    queries = map(read_query, query_paths(find_packs()).values())
    return {query.name: reader.columns(query, bind(query, {})) for query in queries}


def readers(table: str) -> list[str]:
    """The queries that read the table: the others cannot miss it."""
    return sorted(query for query, columns in columns_read().items() if columns.get(table))


def in_turn(queries: Sequence[str], turn: int, parts: int) -> Sequence[str]:
    """One of so many parts of the queries: the next table is missed by others."""
    return queries[turn % parts :: parts]


def asked(export: Path, queries: Sequence[str]) -> dict[str, str]:
    """Of each query the number of rows of its answer, or why there is none."""
    found = {}
    with nsysql.open(export) as run:
        for query in map(run.find, queries):
            try:
                frame = run.query(query.name)
                found[query.name] = f"{frame.height} rows"
                assert frame.columns == [c.name for c in query.columns], query.name
            except MissingData as error:
                found[query.name] = str(error)
    return found


def columns_of(export: Path, table: str) -> list[str]:
    """The columns of a table of an export."""
    db = sqlite3.connect(export)
    names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    db.close()
    return names


TABLES = sorted({name for name in INSERTED.findall(story_sql(STORY)) if name in read_raw()})


ENUMS = [name for name in TABLES if name.startswith("ENUM_")]  # an export has all of them or none


@pytest.mark.parametrize(
    "tables", [*([name] for name in TABLES if name not in ENUMS), ENUMS], ids=lambda names: names[0]
)
def test_without_a_table_a_query_that_reads_it_answers_or_says_what_is_missing(tables: list[str], copy: Path) -> None:
    for table in tables:
        alter(copy, f"DROP TABLE {table}")
    queries = in_turn(sorted({query for table in tables for query in readers(table)}), TABLES.index(tables[0]), 6)
    reasons = [answer for answer in asked(copy, queries).values() if "cannot be computed" in answer]
    assert all("the export has no" in reason for reason in reasons)


@pytest.mark.parametrize("table", TABLES)
def test_without_half_of_the_columns_the_queries_that_read_the_table_answer(table: str, copy: Path) -> None:
    """A 16th of these queries in turn; python -m tests.fuzz --columns takes each column alone."""
    names = columns_of(copy, table)
    for half in range(2):
        gone = names[half::2]
        for column in gone:
            alter(copy, f'ALTER TABLE {table} RENAME COLUMN "{column}" TO "gone {column}"')
        asked(copy, in_turn(readers(table), TABLES.index(table) + half, 16))
        for column in gone:
            alter(copy, f'ALTER TABLE {table} RENAME COLUMN "gone {column}" TO "{column}"')


def test_without_kernels_the_reason_names_table_and_option(copy: Path) -> None:
    alter(copy, "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL")
    reason = asked(copy, ["cuda_gpu_kern_sum"])["cuda_gpu_kern_sum"]
    assert "has no CUPTI_ACTIVITY_KIND_KERNEL" in reason
    assert "--trace=cuda" in reason


def test_every_raw_column_is_laid_whatever_the_export_has(build: Callable[[str], Path]) -> None:
    with nsysql.open(build("INSERT INTO StringIds (id, value) VALUES (1, 'a');")) as run:
        for table in read_raw().values():
            frame = run.sql(f"SELECT * FROM raw.{table.name}")
            assert frame.columns == [name for name, kind in table.columns.items() if kind != BYTES]
            assert frame.height == (1 if table.name == "StringIds" else 0)


def test_a_view_named_like_a_table_of_nvidia_is_not_read(copy: Path) -> None:
    alter(
        copy,
        "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"
        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS "
        "(SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT * FROM n;",
    )
    assert "has no CUPTI_ACTIVITY_KIND_KERNEL" in asked(copy, ["cuda_gpu_kern_sum"])["cuda_gpu_kern_sum"]


def test_a_column_that_every_nsys_writes_is_missed_aloud(copy: Path) -> None:
    alter(copy, 'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN "end" TO gone')
    with nsysql.open(copy) as run:
        told = "computed without CUPTI_ACTIVITY_KIND_KERNEL (end): the export lacks what every nsys writes"
        assert any(note.startswith(told) for note in run.notes("cuda_gpu_kern_sum"))
        assert any(note.startswith(told) for note in run.notes("idle_gaps"))
        assert not any(note.startswith(told) for note in run.notes("nvtx_sum"))


BESIDE_A_TABLE_OF_OTHER_COLUMNS = """
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 'zero' WHERE rowid = 1;
DROP TABLE PROFILER_OVERHEAD;
CREATE TABLE PROFILER_OVERHEAD (foo INTEGER);
INSERT INTO PROFILER_OVERHEAD VALUES (1);
"""
AMONG_ROWS_THAT_COME_AS_A_STREAM = """
INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, text)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
SELECT i, i + 1, 59, 281479288520704, 'a' FROM n;
UPDATE NVTX_EVENTS SET start = 'soon' WHERE rowid = (SELECT max(rowid) FROM NVTX_EVENTS);
"""


@pytest.mark.parametrize(
    ("change", "query", "table"),
    [
        (BESIDE_A_TABLE_OF_OTHER_COLUMNS, "idle_ledger", "CUPTI_ACTIVITY_KIND_KERNEL"),
        (AMONG_ROWS_THAT_COME_AS_A_STREAM, "nvtx_gpu_proj_sum", "NVTX_EVENTS"),
    ],
)
def test_a_wrong_cell_is_mended(change: str, query: str, table: str, copy: Path) -> None:
    alter(copy, change)
    with nsysql.open(copy) as run:
        assert run.query(query).height
        assert run.facts.wrong_cells == {table: 1}


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("INTERNAL Error: unreachable", duckdb.InternalException),
        ("FATAL Error: gone", duckdb.FatalException),
        ("Out of Memory Error: could not allocate", duckdb.OutOfMemoryException),
        ("Type mismatch in column 2: a text", duckdb.Error),
    ],
)
def test_an_error_keeps_its_kind_as_a_stream(told: str, kind: type[Exception]) -> None:
    def failing() -> Iterator[pyarrow.RecordBatch]:
        raise pyarrow.ArrowInvalid(told)
        yield

    rows = pyarrow.RecordBatchReader.from_batches(pyarrow.schema([]), failing())
    with pytest.raises(duckdb.Error, match=told) as raised:
        list(batches(rows))
    assert raised.type is kind
