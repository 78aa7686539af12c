"""Names of a megabyte: pages read their beginning, queries all of it, and different names stay different."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran

import nsysql
from nsysql.cli.rows import NAME_LETTERS

LONG = 100_000
SQL = f"""
INSERT INTO StringIds (id, value) VALUES (1, 'a'), (2, 'cudaLaunchKernel_v7000'),
    (3, substr(replace(hex(zeroblob({LONG})), '0', 'k'), 1, {LONG}) || ', first'),
    (4, substr(replace(hex(zeroblob({LONG})), '0', 'k'), 1, {LONG}) || ', second'),
    (5, substr(replace(hex(zeroblob({LONG})), '0', 'k'), 1, {LONG}) || ', second');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId) VALUES
    (10, 20, 16777217, 1, 2), (20, 30, 16777217, 2, 2), (30, 40, 16777217, 3, 2), (40, 50, 16777217, 4, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    (start, "end", deviceId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
    (100, 200, 0, 7, 1, 16777216, 3, 1), (300, 400, 0, 7, 2, 16777216, 4, 1), (500, 600, 0, 7, 3, 16777216, 5, 1),
    (700, 800, 0, 7, 4, 16777216, 1, 1);
"""


@pytest.fixture(scope="module")
def export(build: Callable[[str], Path]) -> Path:
    """Kernels of long names, two of which differ in their last letters alone."""
    return build(SQL)


def test_pages_show_the_beginning_of_long_names(export: Path, run: Callable[..., Ran]) -> None:
    summary = json.loads(run("summary", export, "--all", "-f", "json").out)["tables"]
    gaps = json.loads(run("idle-gaps", export, "-f", "json").out)["gaps"]
    explained = json.loads(run("idle-gaps", export, "--explain", "1", "-f", "json").out)["gap"]
    assert sorted(row["instances"] for row in summary["cuda_gpu_kern_sum"]) == [1, 1, 2]
    shown = [row["previous_name"] for row in [*summary["longest_gaps"], *gaps, explained]]
    cut = re.compile(rf"k{{{NAME_LETTERS}}}… \(10000[78] letters, \w{{32}}\)")
    for name in [*shown, *(row["name"] for row in summary["cuda_gpu_kern_sum"])]:
        assert name == "a" or cut.fullmatch(name)
    assert max(map(len, run("summary", export, "--all").text.splitlines())) <= 160


def test_queries_and_tables_have_long_names_in_full(export: Path, run: Callable[..., Ran]) -> None:
    assert f"{'k' * 50}, second" in run("idle-gaps", export, "-f", "csv").text
    with nsysql.open(export) as opened:
        names = opened.cuda_gpu_kern_sum()
    assert dict(zip(names["name"].str.tail(8), names["instances"], strict=True)) == {
        "a": 1,
        "k, first": 1,
        ", second": 2,
    }
    assert sorted(names["name"].str.len_chars()) == [1, LONG + 7, LONG + 8]
