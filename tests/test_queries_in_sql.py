"""Queries within SQL: each has the rows that it has by itself, with its parameters, in packs too."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from command_line import Ran
from polars.testing import assert_frame_equal

import nsysql
from nsysql.catalog.packs import own_queries
from nsysql.catalog.parameters import MOMENTS
from nsysql.errors import MissingData, UsageError, WrongSql

TEXT = {"BIGINT": pl.Int64}


@pytest.fixture(scope="module")
def training(story: Callable[[str], Path]):
    with nsysql.open(story("training")) as run:
        yield run


def test_every_query_has_the_same_rows_in_sql(story: Callable[[str], Path], training: nsysql.Run) -> None:
    """No column is hidden by a parameter of its name, as start_ns would be in a macro."""
    asked = 0
    for query in own_queries():
        if any(p.name == MOMENTS for p in query.parameters):
            continue
        try:
            expected = training.query(query.name)
        except MissingData:
            with pytest.raises(MissingData):
                training.sql(f"FROM {query.name}")
            continue
        asked += 1
        assert_frame_equal(training.sql(f"FROM {query.name}"), expected, check_row_order=False)
    assert asked > 50


@pytest.mark.parametrize(
    ("name", "arguments", "values"),
    [
        ("idle_gaps", "min_gap_ns := 1000000, top := 2", {"min_gap_ns": 1_000_000, "top": 2}),
        ("gpu_time", "start_ns := '60ms', end_ns := 70000000 + 10000000", {"start_ns": "60ms", "end_ns": "80ms"}),
        ("idle_groups", "by := 'api', top := $top", {"by": "api", "top": 3}),
        ("idle_gaps", "paths => false", {"paths": False}),
        ("IDLE_GAPS", "", {}),
    ],
)  # fmt: skip
def test_a_query_takes_its_parameters(training: nsysql.Run, name: str, arguments: str, values: dict) -> None:
    given = {"top": 3} if "$top" in arguments else {}
    found = training.sql(f"FROM {name} ( {arguments} ) -- gpu_time(top := 9)", given)
    assert_frame_equal(found, training.query(name.lower(), **values))


def test_a_query_can_be_read_twice(training: nsysql.Run) -> None:
    joined = "FROM idle_gaps(top := 2) AS a JOIN idle_gaps(top := 5) AS b USING (gap_id)"
    assert training.sql(f"SELECT count(*) AS n {joined}")["n"].to_list() == [2]
    both = "SELECT (SELECT count(*) FROM idle_gaps) - (SELECT count(*) FROM idle_gaps(top := 5)) AS n"
    assert training.sql(both)["n"].to_list() == [training.idle_gaps().height - 5]
    assert training.sql("SELECT max(idle_gaps.dur_ns) AS n FROM idle_gaps(top := 2)")["n"][0] > 0
    assert training.sql("WITH memory AS (SELECT 1 AS a) FROM memory")["a"].to_list() == [1]


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("FROM idle_gaps(mingap := 3)", "no parameter 'mingap'"),
        ("FROM idle_gaps(3)", "write parameters as NAME := VALUE"),
        ("FROM idle_groups(by := 'nosuch')", "it can be api"),
        ("FROM gpu_time(nvtx := 'step')", "cannot be read with nvtx"),
        ("FROM gpu_time(per_process := true)", "cannot be read with per_process"),
        ("FROM kernel, idle_gaps(top := kernel.dur_ns)", "must be a constant"),
        ("FROM idle_gapz(top := 3)", "the table function idle_gapz"),
    ],
)
def test_what_cannot_be_read_is_said(training: nsysql.Run, sql: str, told: str) -> None:
    with pytest.raises((UsageError, WrongSql), match=told):
        training.sql(sql)


def test_a_pack_can_read_queries(
    training: nsysql.Run, run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "long_gaps.sql").write_text(
        """-- A gap that is long.
--
-- Parameters
--     least_ns  BIGINT = 1000000  -- Shortest gap.
-- Columns
--     gap_id  BIGINT  -- Number.
--     dur_ns  BIGINT  -- Length.
SELECT
    gap_id,
    dur_ns
FROM idle_gaps(min_gap_ns := $least_ns)
ORDER BY gap_id
"""
    )
    assert "not allowed" not in run("check", tmp_path).text and run("check", tmp_path).code in (0, 1)
    with nsysql.open(story("training"), packs=tmp_path) as opened:
        expected = training.idle_gaps(min_gap_ns=5_000_000)["gap_id"].sort()
        assert opened.long_gaps(least_ns=5_000_000)["gap_id"].equals(expected)
        assert opened.sql("FROM long_gaps(least_ns := 5000000)")["gap_id"].equals(expected)
