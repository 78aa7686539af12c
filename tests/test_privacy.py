"""No command prints or copies what an export keeps of the environment, command lines and output of a program."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran
from planted import PRINTED, plant

import nsysql
from nsysql.cli.app import OWN
from nsysql.errors import MissingData
from nsysql.lay import raw_tables
from nsysql.pack import find_packs, query_paths, read_views
from nsysql.private import ENTIRE, LEFT_OUT, PLACES
from nsysql.sqlfile import read_query

NEVER = (b"rendezvous", PRINTED.encode())  # in the environment, the command line and the output alone

# The arguments of commands that take others than an export; {e} is the export, {o} a file to write.
ARGUMENTS = {
    "list": [],
    "show": ["process"],
    "check": ["queries/cuda"],
    "sql": ["{e}", "SELECT * FROM process"],
    "verify": ["{e}", "--against", "cuda_api_sum.csv"],
    "redact": ["{e}", "-o", "{o}"],
    "convert": ["{e}", "-o", "{o}.duckdb"],
}


@pytest.fixture
def private(story: Callable[[str], Path], tmp_path: Path) -> Path:
    """An export with private things in every known place."""
    export = plant(Path(shutil.copy(story("training"), tmp_path / "private.sqlite")))
    assert all(word in export.read_bytes() for word in NEVER)
    return export


@pytest.mark.parametrize("command", OWN)
def test_no_command_prints_or_copies_it(command: str, private: Path, tmp_path: Path, run: Callable[..., Ran]) -> None:
    given = [a.format(e=private, o=tmp_path / "new.sqlite") for a in ARGUMENTS.get(command, ["{e}"])]
    ran = run(command, *given)
    for word in NEVER:
        assert word not in ran.out
        assert word not in ran.err.encode()
        if command == "convert" and word == PRINTED.encode():
            continue  # what the program printed is part of the export
        assert all(word not in path.read_bytes() for path in tmp_path.iterdir() if path != private)


def test_no_query_answers_with_it(private: Path) -> None:
    with nsysql.open(private) as run:
        for name in run.paths:
            try:
                answer = run.query(name).write_ndjson()
            except MissingData as error:
                answer = str(error)
            assert not any(word.decode() in answer for word in NEVER), name
        assert not any(word.decode() in str(run.info) for word in NEVER)


@pytest.mark.parametrize("target", ["new.parquet", "new.arrow", "new.duckdb"])
def test_a_converted_export_is_without_the_environment(
    target: str, private: Path, tmp_path: Path, run: Callable[..., Ran]
) -> None:
    assert run("convert", private, "-o", tmp_path / target, "--to", target.partition(".")[2]).code == 0
    with nsysql.open(tmp_path / target) as converted:
        for table in ("StringIds", "META_DATA_CAPTURE"):
            assert NEVER[0].decode() not in converted.sql(f"SELECT value FROM raw.{table}").write_ndjson()
        assert "load /home" in converted.sql("SELECT value FROM raw.StringIds").write_ndjson()


def test_no_query_or_view_reads_the_tables_that_hold_it() -> None:
    tables = {place.table for place in PLACES if place.kind in ENTIRE and place.table != "NVTX_EVENTS"}
    for query in [*read_views().values(), *map(read_query, query_paths(find_packs()).values())]:
        assert not raw_tables(query) & tables, query.name


def test_no_select_answers_with_it(private: Path, run: Callable[..., Ran]) -> None:
    for schema in ("raw", "whole"):
        ran = run(
            "sql", private, f"SELECT * FROM {schema}.META_DATA_CAPTURE WHERE name LIKE '%ENVIRONMENT%'", "-f", "csv"
        )
        assert LEFT_OUT.encode() in ran.out
        assert not any(word in ran.out for word in NEVER)
