"""`nsysql convert`: the result answers as the export does, holds nothing private, and appears whole or not at all."""

import contextlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from answers import every_answer, every_table, story_answers, story_tables
from command_line import Ran
from exports import RICHEST, alter
from planted import hidden_under_nulls

import nsysql
import nsysql.capture.conversion
from nsysql.capture.conversion import TOO_LARGE
from nsysql.capture.frame_views import fingerprint
from nsysql.catalog.packs import read_views
from nsysql.cli import main
from nsysql.privacy.rules import COMMAND, ENVIRONMENT, PLACES

Story = Callable[[str], Path]
Run = Callable[..., Ran]
NAMES = {"parquet": "run_pqtdir", "arrow": "run_arwdir", "duckdb": "run.duckdb"}
CORPUS = {"dlprof-nvtx-2022.1": "parquet", "v100-nometa": "arrow", "wsl2-vecadd-2026.1": "duckdb"}
PRIVATE = """
INSERT INTO META_DATA_CAPTURE VALUES
    ('PROCESS_0:ENVIRONMENT_VARIABLE', 'TOKEN=sesame'), ('PROCESS_0:COMMAND', 'open sesame'),
    ('PROCESS_0:ARGUMENT_0', '--key=sesame'), ('CUDA_GRAPH_TRACE_OPTIONS:MODE', 'Graph');
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, name TEXT, value TEXT);
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1, 'DeviceEnvironment', 'PATH=/bin' || char(10) || 'KEY=sesame');
INSERT INTO StringIds VALUES (1, 'HOME=/root' || char(10) || 'KEY=sesame' || char(10));
INSERT INTO StringIds VALUES (2, 'size=3' || char(10) || 'n=4');
INSERT INTO OSRT_API (start, "end", globalTid, nameId) VALUES (1, 5, 16777217, 2);
"""


@pytest.fixture(scope="session")
def converted(story: Story, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The story training as a DuckDB file. Read it only; copy it first to change it."""
    result = tmp_path_factory.mktemp("converted") / NAMES["duckdb"]
    with pytest.raises(SystemExit, match="0"):
        main(["convert", str(story("training")), "-o", str(result), "-q"])
    return result


@pytest.fixture
def tables_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB files hold no views, which take most of the time."""
    monkeypatch.setattr("nsysql.capture.conversion._in_order", list)


@pytest.mark.parametrize("form", NAMES)
def test_the_result_has_the_tables_of_the_export(form: str, every_table_filled: Path, tmp_path: Path, run: Run) -> None:
    result = tmp_path / NAMES[form]
    assert run("convert", every_table_filled, "-o", result).code == 0
    assert every_table(result) == story_tables(every_table_filled)


def test_a_duckdb_file_answers_as_the_export_does(converted: Path, story: Story) -> None:
    """Some answers lie in it; folders, in which none do, are asked in test_inputs.py."""
    assert every_answer(converted) == story_answers(story(RICHEST))


@pytest.mark.parametrize(("name", "form"), CORPUS.items())
def test_public_exports(name: str, form: str, corpus: Path, tmp_path: Path, run: Run) -> None:
    export, result = corpus / f"{name}.sqlite", tmp_path / NAMES[form]
    assert run("convert", export, "-o", result, "--with-environment", "--with-command-lines").code == 0
    assert every_table(result) == every_table(export)


def test_folders_and_results_convert_too(story: Story, tmp_path: Path, run: Run) -> None:
    path = story("training")
    for number, form in enumerate(("parquet", "arrow", "duckdb", "parquet")):
        result = tmp_path / str(number)
        assert run("convert", path, "-o", result, "--to", form).code == 0
        path = result
    assert every_table(path) == story_tables(story("training"))


def test_every_table_and_column_is_there_and_rows_lie_in_time(story: Story, tmp_path: Path, run: Run) -> None:
    export = Path(shutil.copy(story("two_streams"), tmp_path / "run.sqlite"))
    alter(
        export,
        "CREATE TABLE NEWER_EVENTS (start INTEGER, what TEXT, share REAL)",
        "INSERT INTO NEWER_EVENTS VALUES (9, 'nine', 0.9), (-3, 'minus three', NULL), (4, NULL, 4)",
    )
    run("convert", export, "-o", tmp_path / "folder", "--to", "parquet")
    tables = {name for (name,) in sqlite3.connect(export).execute("SELECT name FROM sqlite_master")}
    assert {file.stem for file in (tmp_path / "folder").iterdir()} == tables
    rows = duckdb.sql(f"FROM '{tmp_path}/folder/NEWER_EVENTS.parquet'").fetchall()
    assert rows == [(-3, "minus three", None, 2), (4, None, 4.0, 3), (9, "nine", 0.9, 1)]


def test_a_duckdb_file_has_the_views_for_its_own_shell(story: Story, converted: Path, tmp_path: Path) -> None:
    shutil.copy(converted, tmp_path / "renamed.duckdb")
    with (
        duckdb.connect(str(tmp_path / "renamed.duckdb"), read_only=True) as con,
        nsysql.open(story("training")) as export,
    ):
        listed = con.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'").fetchall()
        names = {name for (name,) in listed}
        assert names == read_views().keys() - TOO_LARGE
        for name in names:
            mine = con.execute(f"SELECT count(*) FROM {name}").fetchall()
            assert mine == export.sql(f"SELECT count(*) FROM {name}").rows(), name
        assert con.execute("SELECT count(*) FROM nsys.CUPTI_ACTIVITY_KIND_KERNEL").fetchall() == [(67,)]


# What is asked of the rows in the file, and what is of others and so computed anew: queries with their parameters.
IDLE = ["idle_ledger", ("idle_pieces", {"start_ns": 0})], ("idle_ledger", {"per_process": True})
NVTX = ["nvtx_names"], ("nvtx_names", {"start_ns": 0})
SUMS = ["nvtx_sum", ("nvtx_pushpop_sum", {})], ("nvtx_sum", {"start_ns": 0})
CALLS = ["processes"], ("processes", {"start_ns": 0})


@pytest.mark.parametrize(
    ("view", "cell", "column", "value", "asked"),
    [
        ("_idle_piece", "cause = 'profiler'", "cause", "profiler", IDLE),  # Python computes it
        ("_nvtx_text_sum", "instances = 1000", "instances", 1000, NVTX),  # convert alone stores it
        ("_nvtx_range_sum", "med_ns = 1000", "med_ns", 1000, SUMS),  # which several reports read
        ("_process_api_span", "calls = 1000", "api_calls", 1000, CALLS),  # each connection keeps it
    ],
)
def test_rows_that_convert_stored_are_read_from_a_duckdb_file_that_this_nsysql_made(
    view: str, cell: str, column: str, value: object, asked: Any,
    story: Story, converted: Path, tmp_path: Path, run: Run,
) -> None:  # fmt: skip
    result = Path(shutil.copy(converted, tmp_path))
    with duckdb.connect(str(result)) as con:  # so that it shows
        con.execute(f"UPDATE {view} SET {cell}")
    (first, *more), (other, narrowing) = asked
    command = first.replace("_", "-")
    ours = run(command, story("training"), "--format", "csv").out
    with nsysql.open(result) as export, nsysql.open(story("training")) as original:
        assert set(export.query(first)[column]) == {value}
        assert set(export.query(other, **narrowing)[column]) != {value}
        assert export.query(other, **narrowing).equals(original.query(other, **narrowing))
        assert all(set(export.query(name, **given)[column]) == {value} for name, given in more)
    with duckdb.connect(str(result)) as con:
        con.execute(f"COMMENT ON TABLE {view} IS '{fingerprint()[1:]}'")
    assert run(command, result, "--format", "csv").out == ours


def test_a_sum_that_cannot_be_computed_is_not_stored(build: Callable[[str], Path], tmp_path: Path, run: Run) -> None:
    years = 2**62
    export = build(f"""
        INSERT INTO StringIds (id, value) VALUES (1, 'step');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, textId, globalTid, domainId) VALUES
            (0, {years}, 59, 1, 16777217, 0),
            (1, {years}, 59, 1, 16777217, 0),
            (2, {years}, 59, 1, 16777217, 0);
    """)
    result = tmp_path / "run.duckdb"
    assert run("convert", export, "-o", result).code == 0
    for path in (export, result):
        assert "nvtx_sum cannot be computed" in run("nvtx-sum", path).err


@pytest.mark.usefixtures("tables_only")
def test_cells_of_a_wrong_type_and_bytes_that_are_no_text(story: Story, tmp_path: Path, run: Run) -> None:
    export = Path(shutil.copy(story("two_streams"), tmp_path / "run.sqlite"))
    alter(
        export,
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 'zero' WHERE rowid = 1",
        "UPDATE StringIds SET value = CAST(x'41FF42' AS TEXT) WHERE rowid = 1",
    )
    tables = every_table(export)
    for form, name in NAMES.items():
        answer = run("convert", export, "-o", tmp_path / name, "--to", form)
        assert "1 of the cells of CUPTI_ACTIVITY_KIND_KERNEL are not of their column's type" in answer.err
        assert every_table(tmp_path / name) == tables


# Private --------------------------------------------------------------------------------------------


def content(path: Path) -> bytes:
    """All texts of a result, whatever its form."""
    if path.is_file():
        with duckdb.connect(str(path), read_only=True) as con:
            tables = [
                name
                for (name,) in con.execute(
                    "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'nsys'"
                ).fetchall()
            ]
            texts = [con.execute(f'FROM nsys."{name}"').fetchall() for name in tables]
            return repr(texts).encode() + path.read_bytes()
    texts = []
    for file in path.iterdir():
        if file.suffix == ".parquet":
            texts.append(duckdb.sql(f"FROM '{file}'").fetchall())
        else:
            texts.append(pa.ipc.open_file(file).read_all().to_pylist())
    return repr(texts).encode()


class Remembering:
    """In place of a connection: every answer is rows that hide something under their NULLs."""

    def sql(self, select: str, params: object) -> "Remembering":
        return self

    def to_arrow_reader(self, _rows: int) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(hidden_under_nulls().schema, [hidden_under_nulls()])


def test_nothing_of_the_memory_before_lies_under_a_null(tmp_path: Path) -> None:
    nsysql.capture.conversion._write_arrow(Remembering(), "", tmp_path, "rows")  # type: ignore[arg-type]
    assert pa.ipc.open_file(tmp_path / "rows.arrow").read_all().to_batches()[0].equals(hidden_under_nulls())
    assert b"sesame" in hidden_under_nulls().serialize().to_pybytes()
    assert b"sesame" not in (tmp_path / "rows.arrow").read_bytes()


@pytest.mark.parametrize("form", NAMES)
def test_what_is_private_is_left_out_unless_asked_for(
    form: str, build: Callable[[str], Path], tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = build(PRIVATE)
    answer = run("convert", export, "-o", tmp_path / NAMES[form])
    assert b"sesame" not in content(tmp_path / NAMES[form])
    assert "3 entries of the environment" in answer.err
    assert "2 entries of the command line" in answer.err
    assert "sesame" not in answer.err
    assert b"Graph" in content(tmp_path / NAMES[form])
    monkeypatch.setattr("nsysql.capture.conversion._in_order", list)  # they take most of the time
    for option, words in {"--with-environment": b"TOKEN=sesame", "--with-command-lines": b"--key=sesame"}.items():
        run("convert", export, "-o", tmp_path / NAMES[form], "--force", option)
        assert words in content(tmp_path / NAMES[form])


def test_all_that_is_left_out_has_a_name() -> None:
    assert all(place.name for place in PLACES if place.kind in (ENVIRONMENT, COMMAND))


# Whole or not at all --------------------------------------------------------------------------------


@pytest.fixture
def spilled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own."""
    folder = tmp_path / "spilled"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def leftovers(folder: Path) -> set[Path]:
    """What lies in a folder, and in the temporary one in it."""
    return {*folder.iterdir(), *(folder / "spilled").iterdir()}


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.usefixtures("spilled", "tables_only")
def test_nothing_is_replaced_without_force(form: str, story: Story, tmp_path: Path, run: Run) -> None:
    target = tmp_path / NAMES[form]
    run("convert", story("two_streams"), "-o", target)
    answer = run("convert", story("training"), "-o", target)
    assert (answer.code, "exists; replace it with --force" in answer.err) == (2, True)
    assert every_table(target) == story_tables(story("two_streams"))
    before = leftovers(tmp_path)
    assert run("convert", story("training"), "-o", target, "--force").code == 0
    assert every_table(target) == story_tables(story("training"))
    assert leftovers(tmp_path) == before


def test_a_folder_with_other_things_is_never_replaced(story: Story, tmp_path: Path, run: Run) -> None:
    (tmp_path / "thesis.tex").touch()
    answer = run("convert", story("two_streams"), "-o", tmp_path, "--to", "parquet", "--force")
    assert (answer.code, "has other files" in answer.err) == (2, True)
    assert (tmp_path / "thesis.tex").exists()


def test_the_export_is_never_replaced(story: Story, tmp_path: Path, run: Run) -> None:
    export = Path(shutil.copy(story("two_streams"), tmp_path / "run.sqlite"))
    assert "is being read" in run("convert", export, "-o", export, "--to", "duckdb", "--force").err
    run("convert", export, "-o", tmp_path / "a_pqtdir")
    assert "is being read" in run("convert", tmp_path / "a_pqtdir", "-o", tmp_path / "a_pqtdir", "--force").err


@pytest.mark.parametrize(("name", "words"), [("x.zip", "--to parquet"), ("no/such/run.duckdb", "is no folder")])
def test_a_wrong_name(name: str, words: str, story: Story, tmp_path: Path, run: Run) -> None:
    answer = run("convert", story("two_streams"), "-o", tmp_path / name)
    assert (answer.code, words in answer.err) == (2, True)


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.usefixtures("spilled", "tables_only")
def test_an_interrupted_conversion_leaves_what_was_there(
    form: str, story: Story, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / NAMES[form]
    run("convert", story("two_streams"), "-o", target)
    before = leftovers(tmp_path)
    real = nsysql.capture.conversion._convert_table

    def interrupted(engine: object, file: object, table: str, *rest: object) -> None:
        if table == "StringIds":
            raise KeyboardInterrupt
        real(engine, file, table, *rest)

    monkeypatch.setattr("nsysql.capture.conversion._convert_table", interrupted)
    assert run("convert", story("training"), "-o", target, "--force").code == 130
    assert leftovers(tmp_path) == before
    assert every_table(target) == story_tables(story("two_streams"))


def test_what_an_interrupted_thread_writes_late_is_not_left(
    story: Story, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[Path] = []

    def write(_file: object, _engine: object, target: Path, *_: object) -> None:
        places.append(target)
        raise KeyboardInterrupt

    monkeypatch.setattr("nsysql.capture.conversion.write", write)
    assert run("convert", story("training"), "-o", tmp_path / "run.duckdb").code == 130
    with pytest.raises(FileNotFoundError):
        places[0].with_name(f"{places[0].name}.wal").touch()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.usefixtures("tables_only")
def test_of_several_that_write_one_result_without_force_one_does(
    form: str, story: Story, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / NAMES[form]
    real = nsysql.capture.conversion.write

    def write(*arguments: Any) -> Any:
        """As the slower one of two that began when nothing was there."""
        monkeypatch.setattr("nsysql.capture.conversion.write", real)
        assert run("convert", story("two_streams"), "-o", target).code == 0
        return real(*arguments)

    monkeypatch.setattr("nsysql.capture.conversion.write", write)
    answer = run("convert", story("training"), "-o", target)
    assert (answer.code, answer.err) == (2, f"nsysql: {target} exists; replace it with --force.\n")
    assert list(tmp_path.iterdir()) == [target]
    with nsysql.open(target) as made:
        assert made.cuda_gpu_kern_sum()["instances"].sum() == 3


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.usefixtures("tables_only")
def test_what_another_program_creates_at_the_last_moment_stays(
    form: str, story: Story, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, real, created = tmp_path / NAMES[form], Path.replace, []

    def replace(self: Path, to: Path) -> Path:
        with contextlib.suppress(FileExistsError):
            to.touch(exist_ok=False) if self.is_file() else to.mkdir()
            (to if self.is_file() else to / "a.txt").write_text("of another program")
            created.append(to)
        return real(self, to)

    monkeypatch.setattr(Path, "replace", replace)
    answer = run("convert", story("training"), "-o", target)
    assert answer.code == (2 if created else 0)
    assert not created or (target / "a.txt").read_text() == "of another program"
    assert bool(created) == (form != "duckdb")  # nobody could create the file any more


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize("form", NAMES)
def test_a_full_disk_leaves_nothing(form: str, story: Story, tmp_path: Path) -> None:
    import resource

    made = subprocess.run(  # -B, or compiled modules would be cut off, too
        [sys.executable, "-B", "-m", "nsysql", "convert", str(story("training")), "-o", str(tmp_path / NAMES[form])],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 1
    assert made.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_view_in_a_duckdb_file_is_no_table_of_an_export(converted: Path, tmp_path: Path, run: Run) -> None:
    result, secret = Path(shutil.copy(converted, tmp_path)), tmp_path / "secret.txt"
    secret.write_text("sesame")
    with duckdb.connect(str(result)) as con:
        con.execute("DROP TABLE nsys.META_DATA_EXPORT")
        read = f"SELECT 'EXPORT_PRODUCT_VERSION' AS name, content AS value, 1 AS rowid FROM read_text('{secret}')"
        con.execute(f"CREATE VIEW nsys.META_DATA_EXPORT AS {read}")
    text = run("summary", result, "--all").text
    assert "sesame" not in text
    assert "nsys version not recorded" in text


def test_duckdb_cannot_write_where_a_question_mark_is(story: Story, tmp_path: Path, run: Run) -> None:
    answer = run("convert", story("training"), "-o", tmp_path / "q?.duckdb")
    assert (answer.code, "question mark" in answer.err) == (2, True)
    assert list(tmp_path.iterdir()) == []
