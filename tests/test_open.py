"""Opening: every wrong path is told in one sentence, and the right one is left as it was, to the byte."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pyarrow
import pytest
from answers import kernels
from exports import alter

import nsysql
from nsysql.capture import connection
from nsysql.capture.export import Export
from nsysql.capture.forms import sqlite, sqlite_rows
from nsysql.errors import NotAnExport, NsysqlError

Story = Callable[[str], Path]


@pytest.fixture
def export(story: Story, tmp_path: Path) -> Path:
    """A small export alone in a folder."""
    (tmp_path / "here").mkdir()
    return Path(shutil.copy(story("two_streams"), tmp_path / "here" / "run.sqlite"))


def refusal(path: Path | str) -> str:
    """What is said about a file that is no export."""
    with pytest.raises(NotAnExport) as refused:
        nsysql.open(path)
    text = str(refused.value)
    assert "\n" not in text
    assert str(path) in text
    return text


def state(folder: Path) -> dict[str, str]:
    """What lies in a folder, by content."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


# Paths that are no export ---------------------------------------------------------------------------


def test_a_missing_file(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "nowhere.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_folder(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path)


def test_a_digest(tmp_path: Path) -> None:
    (tmp_path / "run.digest").write_bytes(b"\x1f\x8b")
    assert "is a digest, for `nsysql compare`" in refusal(tmp_path / "run.digest")


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.sqlite").touch()
    assert "is empty" in refusal(tmp_path / "empty.sqlite")


def test_a_text(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("SQLite, they say\n" * 50)
    assert "is not a SQLite file" in refusal(tmp_path / "notes.txt")


@pytest.mark.parametrize("suffix", [".nsys-rep", ".qdrep"])
def test_a_report(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"run{suffix}"
    path.write_bytes(bytes(1000))
    assert f"nsys export --type sqlite {path}" in refusal(path)


def test_a_database_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "recipes.sqlite"
    alter(path, "CREATE TABLE cake (flour INTEGER); INSERT INTO cake VALUES (500)")
    assert "no Nsight Systems export" in refusal(path)


def test_a_database_without_tables(tmp_path: Path) -> None:
    path = tmp_path / "bare.sqlite"
    alter(path, "VACUUM")
    refusal(path)


@pytest.mark.parametrize("part", [0.001, 0.01, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file(part: float, export: Path) -> None:
    whole = export.read_bytes()
    export.write_bytes(whole[: max(1, int(len(whole) * part))])
    assert any(words in refusal(export) for words in ("cut short", "not a SQLite file"))


def test_a_file_overwritten_in_the_middle(export: Path) -> None:
    whole = bytearray(export.read_bytes())
    whole[4096:] = b"\xa5" * (len(whole) - 4096)
    export.write_bytes(whole)
    with pytest.raises(nsysql.NsysqlError) as failed:
        kernels(export)
    assert "database disk image is malformed" in str(failed.value)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root and Windows may read everything")
def test_a_file_that_may_not_be_read(export: Path) -> None:
    export.chmod(0)
    assert "may not be read" in refusal(export)


# Paths that are one ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "a run.sqlite",
        "it's.sqlite",
        'say "run".sqlite',
        "Läufe 走.sqlite",
        "run#1?mode=rwc&x=%41.sqlite",
        "run",
        "a;b.sqlite",
    ],
)
def test_any_name(name: str, export: Path) -> None:
    if os.name == "nt" and set(name) & set('"?'):
        pytest.skip("no such name on Windows")
    assert kernels(export.rename(export.with_name(name))) == 3


def test_relative_and_linked_paths(export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert kernels("here/run.sqlite") == 3
    assert kernels(Path("here") / ".." / "here" / "run.sqlite") == 3
    (tmp_path / "link.sqlite").symlink_to(export)
    assert kernels(tmp_path / "link.sqlite") == 3


def test_nothing_is_written(export: Path) -> None:
    before = state(export.parent)
    with nsysql.open(export) as run:
        for name in run.paths:
            try:
                run.query(name)
            except nsysql.NsysqlError:
                continue
        assert state(export.parent) == before
    assert state(export.parent) == before


def test_what_does_not_fit_the_memory_goes_to_the_folder_for_temporary_files(export: Path) -> None:
    with nsysql.open(export) as run:
        spill = Path(run._engine.con.execute("SELECT current_setting('temp_directory')").fetchall()[0][0])
    assert spill.parent == Path(tempfile.gettempdir())
    assert not spill.exists()


def test_a_read_only_folder(export: Path) -> None:
    export.chmod(0o444)
    export.parent.chmod(0o555)
    try:
        assert kernels(export) == 3
    finally:
        export.parent.chmod(0o755)


def test_a_file_in_wal_mode(export: Path) -> None:
    alter(export, "PRAGMA journal_mode = WAL")
    before = state(export.parent)
    assert kernels(export) == 3
    assert state(export.parent) == before


def test_rows_that_are_still_in_the_wal_count(export: Path) -> None:
    db = sqlite3.connect(export)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL")
    db.commit()
    before = state(export.parent)
    assert "run.sqlite-wal" in before
    assert kernels(export) == 6
    assert state(export.parent) == before
    db.close()


def test_two_processes_may_read_at_once(export: Path) -> None:
    ask = "import nsysql, sys; print(nsysql.open(sys.argv[1]).cuda_gpu_kern_sum()['instances'].sum())"
    with nsysql.open(export) as run:
        run.launches()
        done = subprocess.run([sys.executable, "-c", ask, export], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3"]


# Cells that should not be ---------------------------------------------------------------------------


@pytest.fixture(params=["copied", "streamed"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are copied at once, as those of small exports, or streamed to each query, as those of large ones."""
    monkeypatch.setattr(sqlite_rows, "BATCH_ROWS", "1024")
    if request.param == "streamed":
        monkeypatch.setattr(sqlite, "LARGE", 0)
        monkeypatch.setattr(sqlite, "FEW_ROWS_COPIED", 0)
        monkeypatch.setattr(sqlite, "PART", 2)


@pytest.mark.usefixtures("way")
def test_text_that_is_no_utf8_is_escaped(export: Path) -> None:
    alter(
        export,
        "UPDATE StringIds SET value = CAST(x'6bff' AS TEXT) WHERE id = 1",
        "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)",
        "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', CAST(x'3120cc' AS TEXT))",
    )
    with nsysql.open(export) as run:
        assert set(run.cuda_gpu_kern_sum()["name"]) == {r"k\xFF", "b", "c"}
        assert run.info.product_version == "1 \ufffd"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("cell", ["'late'", "1.5", "x'00'", "''"])
def test_a_cell_of_a_wrong_type_is_null_and_counted(cell: str, export: Path) -> None:
    alter(export, f'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "end" = {cell} WHERE streamId = 8')
    with nsysql.open(export) as run:
        frame = run.cuda_gpu_kern_sum()
        assert dict(frame.select("name", "total_time_ns").iter_rows()) == {"a": 100, "b": None, "c": 100}
        assert any("CUPTI_ACTIVITY_KIND_KERNEL" in note and "NULL" in note for note in run.notes("cuda_gpu_kern_sum"))
        assert run.sql("SELECT count(*) FROM kernel WHERE end_ns IS NULL").item() == 1


# Long tables ----------------------------------------------------------------------------------------

LONG = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME")


@pytest.fixture
def selects(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The SELECTs by which rows of long tables are read; every table is long."""
    found: list[str] = []

    def read(file: Path, columns: Mapping[str, str], select: str) -> Iterator[pyarrow.RecordBatch]:
        found.append(select)
        return batches(file, columns, select)

    batches = sqlite.batches
    monkeypatch.setattr(sqlite, "batches", read)
    monkeypatch.setattr(sqlite, "LARGE", 0)
    monkeypatch.setattr(sqlite, "FEW_ROWS_COPIED", 0)
    return found


@pytest.mark.parametrize("free", [2**40, 0])
def test_a_long_table_that_is_often_read_is_copied_if_the_disk_has_space(
    free: int, selects: list[str], story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as short, nsysql.open(story("training")) as run:
        short.setattr(sqlite, "FEW_ROWS_COPIED", 2**40)
        expected = run.part_gaps().to_dicts()
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=free))
    with nsysql.open(story("training")) as run:
        assert run.part_gaps().to_dicts() == expected
        counts = Counter(select.partition(" FROM ")[2].strip('"') for select in selects)
        assert all((counts[table] > 1) == (free == 0) for table in LONG)


def test_rows_that_are_wanted_are_looked_up_if_they_are_few(
    selects: list[str], story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "LOOKED_UP", 2)
    with Export(story("training")) as run:
        rows = run.query("api_call")["row_id"].sort().to_list()

        def read(wanted: list[int]) -> list[int]:
            selects.clear()
            given = {"CUPTI_ACTIVITY_KIND_RUNTIME": wanted}
            return run.select("api_call", "row_id, name", "", None, given)["row_id"].sort().to_list()

        few = rows[1 :: len(rows) // 5]
        assert read(few) == few and len(selects) == -(-len(few) // 2)
        assert read([]) == []
        assert read(rows[:-1]) == rows and len(selects) == 1
        assert run.query("api_call")["row_id"].sort().to_list() == rows


def test_steps_share_the_launches_of_the_ledger(selects: list[str], story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        run.step_accounts()
    of_calls, of_events = 1, 2  # of all calls; of those that record events, and of those that wait
    assert sum("RUNTIME" in select for select in selects) == of_calls + of_events


def test_a_long_table_that_is_read_once_is_not_copied(selects: list[str], story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        run.cuda_api_sum()
    (read,) = [select for select in selects if "RUNTIME" in select]
    assert "correlationId" not in read


def test_parts_of_a_table_have_each_row_once(
    selects: list[str], build: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are numbered from below 0 on, with holes; a condition of the view's own counts as well."""
    numbers = (-7, 0, 1, 2, 3, 4, 5, 6, 7, 40, 41)
    rows = ", ".join(f"({row}, {row + 10}, {row + 12}, 59, 500 << 24 | 1, 'layer {row}')" for row in numbers)
    sql = f'INSERT INTO NVTX_EVENTS (rowid, start, "end", eventType, globalTid, text) VALUES {rows}'
    monkeypatch.setattr(sqlite, "PART", 3)
    with nsysql.open(build(sql)) as run:
        assert run.sql("SELECT row_id FROM nvtx_range ORDER BY row_id")["row_id"].to_list() == [*numbers]
        assert len([select for select in selects if "rowid >" in select]) > 10
        assert run.sql("SELECT count(*) FROM _step_mark_candidate").item() == len(numbers)


def test_wrong_cells_of_a_copied_table_are_null(selects: list[str], export: Path) -> None:
    alter(export, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 'wide' WHERE streamId = 8")
    with nsysql.open(export) as run:
        run.part_gaps()
        assert run.sql("SELECT count(*) FROM kernel WHERE grid_x IS NULL").item() >= 1
    assert sum("typeof" in select and "KERNEL" in select for select in selects) == 1


@pytest.mark.usefixtures("way")
def test_columns_without_a_type_are_read(build: Callable[[str], Path]) -> None:
    sql = """
        CREATE TABLE StringIds AS SELECT 1 AS id, 'a' AS value UNION ALL SELECT 2, 'cudaFree_v3020';
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, "end" NUM, globalTid, correlationId, nameId BLOB);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
            (9007199254740993, 9007199254740995, 500 << 24 | 500, 1, 2);
    """
    with nsysql.open(build(sql)) as run:
        assert run.cuda_api_trace().select("start_ns", "duration_ns", "name", "tid").row(0) == (
            9007199254740993,
            2,
            "cudaFree",
            500,
        )


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no list of the files that are open")
@pytest.mark.usefixtures("way")
def test_no_file_stays_open(export: Path) -> None:
    def files() -> int:
        return len([path for path in Path("/proc/self/fd").iterdir() if path.resolve() == export.resolve()])

    for _ in range(3):
        with nsysql.open(export) as run:
            assert run.cuda_gpu_kern_sum().height == 3
            assert files() <= 1  # that of the standard library
    assert files() == 0


@pytest.mark.usefixtures("way")
def test_cells_change_their_type_after_many_rows(build: Callable[[str], Path]) -> None:
    sql = """
        CREATE TABLE StringIds (id INTEGER, value TEXT);
        CREATE TABLE NVTX_EVENTS (start INTEGER, "end" INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER);
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO NVTX_EVENTS SELECT 10 * i, 10 * i + 5, 59, NULL, 7 FROM n;
        INSERT INTO NVTX_EVENTS VALUES (200000, 200009, 59, 'late', 7), (300000, 'never', 59, 'text', 7);
    """
    with nsysql.open(build(sql)) as run:
        texts = run.sql('SELECT text, "end" FROM raw.NVTX_EVENTS WHERE text IS NOT NULL ORDER BY start')
        assert texts.rows() == [("late", 200009), ("text", None)]
        assert run.sql("SELECT count(*) AS rows, count(text) AS texts FROM raw.NVTX_EVENTS").row(0) == (10003, 2)


# DuckDB ----------------------------------------------------------------------------


def test_duckdb_needs_no_network(export: Path, tmp_path: Path) -> None:
    ask = (
        "import duckdb, nsysql, sys; connect = duckdb.connect;"
        "duckdb.connect = lambda config: connect(config={**config, 'extension_directory': sys.argv[2],"
        " 'custom_extension_repository': 'http://127.0.0.1:9'});"
        "print(nsysql.open(sys.argv[1]).cuda_gpu_kern_sum()['instances'].sum())"
    )
    (tmp_path / "none").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", ask, export, tmp_path / "none"],
        capture_output=True, text=True, check=True,
        env={**os.environ, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.split() == ["3"]
    assert list((tmp_path / "none").iterdir()) == []


def test_temporary_files_are_bounded(story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SPILLED", (2**20, 0))
    monkeypatch.setattr(connection, "DEFAULT_MEMORY", 40_000_000)
    with nsysql.open(story("training")) as run, pytest.raises(NsysqlError, match="TMPDIR"):
        run.sql("SELECT unnest(range(4000000)) AS number, hash(number) AS other ORDER BY other")
