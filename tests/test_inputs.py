"""Exports that are folders of Parquet or Arrow: the answers are those of the .sqlite, and faults are one line."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from answers import every_answer, every_table, story_answers, story_tables
from command_line import Ran
from exports import RICHEST
from folders import create_folder

import nsysql
from nsysql.capture.forms import arrow
from nsysql.errors import MissingData, NotAnExport

pytestmark = pytest.mark.usefixtures("kept_open")

Story = Callable[[str], Path]
FORMS = ("parquet", "arrow")
META = "META_DATA_EXPORT"


@pytest.fixture(params=FORMS)
def folder(request: pytest.FixtureRequest, story: Story, tmp_path: Path) -> Path:
    """The story two_streams as a folder, in either form."""
    return create_folder(story("two_streams"), tmp_path / "run", request.param)


@pytest.mark.parametrize("form", FORMS)
def test_a_folder_has_the_tables_of_the_sqlite(form: str, every_table_filled: Path, tmp_path: Path) -> None:
    folder = create_folder(every_table_filled, tmp_path / "run", form)
    assert every_table(folder) == story_tables(every_table_filled)


@pytest.mark.parametrize("form", FORMS)
def test_a_folder_answers_as_the_sqlite_does(form: str, story: Story, tmp_path: Path) -> None:
    folder = create_folder(story(RICHEST), tmp_path / "run", form)
    assert every_answer(folder) == story_answers(story(RICHEST))


def test_mapped_tables_answer_as_copied_ones(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "FEW_ROWS_COPIED", 1)
    monkeypatch.setenv("NSYSQL_THREADS", "4")
    folder = create_folder(story("training"), tmp_path / "run", "arrow")
    assert every_table(folder) == story_tables(story("training"))
    assert every_answer(folder, 1) == story_answers(story("training"), 1)


def test_the_folders_that_nsys_wrote(corpus: Path) -> None:
    for export in (corpus / "dirs").glob("*.sqlite"):
        tables = every_table(export)
        for form in ("pqtdir", "arwdir"):
            found = every_table(export.with_name(f"{export.stem}_{form}"))
            assert found == {name: tables[name] for name in found} | {META: found[META]}  # which says how it was made


@pytest.mark.parametrize("form", FORMS)
def test_unsigned_ids_are_the_same_64_bits(form: str, build: Callable[[str], Path], tmp_path: Path) -> None:
    export = build("""
INSERT INTO OSRT_API (start, "end", globalTid, nameId) VALUES (1, 5, -81064793292668928, 7);
INSERT INTO StringIds VALUES (7, 'read')
""")
    folder = create_folder(export, tmp_path / "run", form)
    with nsysql.open(folder) as run:
        assert run.sql("SELECT globalTid FROM raw.OSRT_API").rows() == [(-81064793292668928,)]
    assert every_table(folder) == every_table(export)


def test_a_folder_in_the_command_line(folder: Path, run: Callable[..., Ran], story: Story) -> None:
    for command in (["stats", "-q", "-r", "cuda_gpu_trace", "-f", "csv"], ["launches", "-f", "csv"], ["idle-gaps"]):
        expected = run(command[0], story("two_streams"), *command[1:])
        answer = run(command[0], folder, *command[1:])
        assert (answer.code, answer.out.split(b"\n")[1:]) == (expected.code, expected.out.split(b"\n")[1:])
    assert run("summary", folder).code == 0


def test_a_folder_is_left_as_it_was_and_its_files_alone_are_read(folder: Path) -> None:
    (folder / "notes.txt").write_text("no table")
    (folder / "deeper").mkdir()
    before = written(folder)
    with nsysql.open(folder) as run:
        assert run.info.size_bytes > 0
        assert "CUPTI_ACTIVITY_KIND_KERNEL" in run.info.tables
        assert run.sql("SELECT count(*) FROM kernel").rows() == [(3,)]
        for text in ("FROM read_text('{0}/notes.txt')", "SELECT * FROM '{0}/StringIds.parquet'"):
            with pytest.raises(nsysql.NsysqlError):
                run.sql(text.format(folder))
    assert written(folder) == before


def written(folder: Path) -> dict[Path, tuple[int, ...]]:
    """What writing would change; the time of the last reading may be another."""
    found = {path: path.stat() for path in folder.iterdir()}
    return {path: (s.st_ino, s.st_mode, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for path, s in found.items()}


# Folders that are none, or damaged ------------------------------------------------------------------


def refusal(path: Path) -> str:
    """What is said about a folder that is no export."""
    with pytest.raises(NotAnExport) as refused:
        every_table(path)
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)
    return str(refused.value)


def test_an_empty_folder(tmp_path: Path) -> None:
    assert "without .parquet or .arrow files" in refusal(tmp_path)


def test_a_folder_of_something_else(folder: Path) -> None:
    for file in folder.iterdir():
        file.rename(file.with_stem(f"my_{file.stem}"))
    assert "none that nsys writes" in refusal(folder)


def test_a_folder_of_both_forms(folder: Path) -> None:
    for ending in (".parquet", ".arrow"):
        (folder / f"X{ending}").touch()
    assert "Parquet and of Arrow" in refusal(folder)


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short(part: float, folder: Path) -> None:
    file = next(folder.glob("CUPTI_ACTIVITY_KIND_KERNEL.*"))
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * part)])
    assert "damaged" in refusal(folder)


def test_a_file_overwritten(folder: Path) -> None:
    file = next(folder.glob("CUPTI_ACTIVITY_KIND_KERNEL.*"))
    whole = file.read_bytes()
    file.write_bytes(whole[:200] + b"\xa5" * (len(whole) - 208) + whole[-8:])
    assert "damaged" in refusal(folder)


@pytest.mark.parametrize("text", [b"\xffmain", b"main\xff"])
def test_texts_of_parquet_that_are_not_utf8_are_named(text: bytes, story: Story, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    folder = create_folder(story("two_streams"), tmp_path / "run", "parquet")
    texts = pa.array([b"main", text, b"other"], pa.binary()).view(pa.string())
    pyarrow.parquet.write_table(pa.table({"id": [1, 2, 3], "value": texts}), folder / "StringIds.parquet")
    assert "StringIds.parquet has texts that are not UTF-8" in refusal(folder)


def test_a_missing_file_is_a_missing_table(folder: Path) -> None:
    next(folder.glob("CUPTI_ACTIVITY_KIND_KERNEL.*")).unlink()
    with nsysql.open(folder) as run, pytest.raises(MissingData, match="CUPTI_ACTIVITY_KIND_KERNEL"):
        run.cuda_gpu_kern_sum()


def test_a_column_of_another_type(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    table = pa.table({"start": ["now"], "end": ["then"]})
    if any(folder.glob("*.parquet")):
        pyarrow.parquet.write_table(table, folder / "CUPTI_ACTIVITY_KIND_KERNEL.parquet")
    else:
        with pa.ipc.new_file(folder / "CUPTI_ACTIVITY_KIND_KERNEL.arrow", table.schema) as file:
            file.write_table(table)
    assert "start of CUPTI_ACTIVITY_KIND_KERNEL is VARCHAR" in refusal(folder)


@pytest.mark.parametrize("name", ["it's here", 'say "run"', "Läufe 走", "a*b[c]?d", "x;y.sqlite"])
def test_any_name_of_a_folder(name: str, folder: Path, tmp_path: Path) -> None:
    moved = Path(shutil.move(folder, tmp_path / name))
    with nsysql.open(moved) as run:
        assert run.cuda_gpu_kern_sum()["instances"].sum() == 3
