"""No command prints or copies what an export keeps of the environment, command lines and output of a program."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran
from exports import alter
from planted import PRINTED, plant

import nsysql
from nsysql.catalog.packs import find_packs, query_paths, read_views
from nsysql.catalog.query_file import read_query
from nsysql.catalog.requirements import raw_tables
from nsysql.cli.app import OWN
from nsysql.errors import MissingData
from nsysql.privacy.rules import ENTIRE, LEFT_OUT, PLACES

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


@pytest.fixture(scope="module")
def unchanging(story: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, for all commands that change nothing."""
    return plant(Path(shutil.copy(story("training"), tmp_path_factory.mktemp("private") / "private.sqlite")))


@pytest.mark.parametrize("command", OWN)
def test_no_command_prints_or_copies_it(
    command: str,
    unchanging: Path,
    tmp_path: Path,
    run: Callable[..., Ran],
    keep: Callable[[Path], nsysql.Run],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = [a.format(e=unchanging, o=tmp_path / "new.sqlite") for a in ARGUMENTS.get(command, ["{e}"])]
    if command not in ARGUMENTS:  # these ask SQL of nobody else, before which the environment is left out for good
        monkeypatch.setattr("nsysql.api.facade.open", lambda *_, **__: keep(unchanging))
    ran = run(command, *given)
    for word in NEVER:
        assert word not in ran.out
        assert word not in ran.err.encode()
        if command == "convert" and word == PRINTED.encode():
            continue  # what the program printed is part of the export
        assert all(word not in path.read_bytes() for path in tmp_path.iterdir())


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
    for schema in ("raw", "unfiltered"):
        ran = run(
            "sql", private, f"SELECT * FROM {schema}.META_DATA_CAPTURE WHERE name LIKE '%ENVIRONMENT%'", "-f", "csv"
        )
        assert LEFT_OUT.encode() in ran.out
        assert not any(word in ran.out for word in NEVER)


@pytest.mark.parametrize("table", ["raw.StringIds", "unfiltered.stringids", "string"])
def test_no_select_answers_with_the_environment_among_the_texts(
    table: str, private: Path, run: Callable[..., Ran]
) -> None:
    alter(
        private,
        "INSERT INTO StringIds (id, value) VALUES (900101, 'LR=0.1');"
        "INSERT INTO NVTX_EVENTS (start, eventType, textId, globalTid) VALUES (3, 34, 900101, 1)",
    )
    for text in (f"SELECT * FROM {table}", f"WITH t AS (FROM {table}) SELECT * FROM t JOIN nvtx_mark ON true"):
        ran = run("sql", private, text, "-f", "csv")
        assert ran.code == 0
        assert NEVER[0] not in ran.out
        assert all(word in ran.out for word in (LEFT_OUT.encode(), b"load /home", b"LR=0.1"))


def test_texts_that_were_laid_before_are_without_the_environment_too(private: Path, tmp_path: Path) -> None:
    with nsysql.open(private) as run:
        run.nvtx_sum()
        assert NEVER[0].decode() not in run.sql("SELECT text FROM string").write_ndjson()
        assert LEFT_OUT in run.sql("SELECT text FROM string").write_ndjson()
        assert "load" in run.nvtx_sum().write_ndjson()


def test_a_query_of_a_pack_does_not_answer_with_it(private: Path, tmp_path: Path) -> None:
    query = "-- Texts.\n--\n-- Columns\n--     text  VARCHAR  -- The text.\nSELECT text FROM string\n"
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "texts.sql").write_text(query)
    with nsysql.open(private, packs=tmp_path / "pack") as run:
        answer = run.query("texts").write_ndjson()
    assert LEFT_OUT in answer
    assert NEVER[0].decode() not in answer


def test_a_converted_file_that_has_it_does_not_show_it(private: Path, tmp_path: Path, run: Callable[..., Ran]) -> None:
    target = tmp_path / "new.duckdb"
    assert run("convert", "-q", "--with-environment", private, "-o", target).code == 0
    for table in ("raw.StringIds", "string"):
        ran = run("sql", target, f"SELECT * FROM {table}", "-f", "csv")
        assert LEFT_OUT.encode() in ran.out
        assert NEVER[0] not in ran.out
