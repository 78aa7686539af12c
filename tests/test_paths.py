"""Paths that DuckDB would read as more than a path: `column=value`, and the signs of a glob."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran
from exports import one_in
from folders import create_folder

import nsysql
from nsysql.errors import NotAnExport

Story = Callable[[str], Path]
Run = Callable[..., Ran]
FORMS = ("parquet", "arrow")
TABLES = {
    "string": "FROM string ORDER BY ALL",
    "kernel": "SELECT start_ns, end_ns, correlation_id FROM kernel ORDER BY ALL",
    "StringIds": 'FROM raw."StringIds" ORDER BY ALL',
    "NVTX_EVENTS": 'FROM raw."NVTX_EVENTS" ORDER BY ALL',
}
NAMES = ["start=5", "id=7", "value=x", "name=x", "globalPid=1", "text=a", "correlationId=4"]
GLOBS = ["run[1]", "run*", "run?", "[!a]", "[", "**", "x[]", "run[1]*?", "[[]"]
POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")


def rows(export: Path) -> dict[str, list[tuple[object, ...]]]:
    """The rows of some tables, all their columns."""
    with nsysql.open(export) as run:
        return {name: run.sql(text).rows() for name, text in TABLES.items()}


@pytest.fixture(scope="module", params=FORMS)
def folder(request: pytest.FixtureRequest, story: Story, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The story training as a folder, in either form."""
    return create_folder(story("training"), tmp_path_factory.mktemp("made") / "nv", request.param)


@pytest.fixture(scope="module")
def other(folder: Path, story: Story) -> Path:
    """Another capture in the same form."""
    form = next(folder.iterdir()).suffix[1:]
    return create_folder(story("two_streams"), folder.with_name("other"), form)


def test_folders_named_as_columns_give_no_values(folder: Path, story: Story, tmp_path: Path) -> None:
    export = Path(shutil.copytree(folder, tmp_path.joinpath(*NAMES) / "nv"))
    assert rows(export) == rows(story("training"))
    with nsysql.open(export) as run, nsysql.open(story("training")) as original:
        assert run.info.product_version == original.info.product_version


@POSIX
@pytest.mark.parametrize("name", one_in(3, GLOBS))
def test_the_signs_of_a_glob_are_letters_in_a_path(
    name: str, folder: Path, other: Path, story: Story, tmp_path: Path
) -> None:
    export = Path(shutil.copytree(folder, tmp_path / name / "nv"))
    for decoy in ("run1", "runs", "b", "x", "run11s"):
        shutil.copytree(other, tmp_path / decoy / "nv")
    assert rows(export) == rows(story("training"))
    with nsysql.open(export, allow_files=True) as run, nsysql.open(story("training")) as original:
        assert run.query("cuda_gpu_kern_sum").equals(original.query("cuda_gpu_kern_sum"))
        assert run.info.product_version == original.info.product_version


@POSIX
@pytest.mark.parametrize(("name", "form"), [("start=5", "parquet"), ("run[1]", "arrow"), ("[!a]", "parquet")])
def test_convert_reads_and_writes_such_paths(
    name: str, form: str, folder: Path, other: Path, story: Story, tmp_path: Path, run: Run
) -> None:
    export = Path(shutil.copytree(folder, tmp_path / name / "nv"))
    for decoy in ("run1", "b"):
        shutil.copytree(other, tmp_path / decoy / "nv")
    target = tmp_path / name / "again"
    assert run("convert", export, "-o", target, "--to", form).code == 0
    assert rows(target) == rows(story("training"))
    assert sorted(path.name for path in (tmp_path / name).iterdir()) == ["again", "nv"]


@POSIX
def test_files_of_such_paths(story: Story, tmp_path: Path, run: Run) -> None:
    for name, export in (("run[1]", "training"), ("run1", "two_streams")):
        (tmp_path / name).mkdir()
        shutil.copy(story(export), tmp_path / name / "run*.sqlite")
    database = tmp_path / "run[1]" / "run*.duckdb"
    assert run("convert", tmp_path / "run[1]" / "run*.sqlite", "-o", database).code == 0
    (tmp_path / "run1" / "run1.duckdb").touch()
    assert rows(tmp_path / "run[1]" / "run*.sqlite") == rows(database) == rows(story("training"))


def test_a_file_that_is_named_as_a_pattern_is_no_table(folder: Path, other: Path, story: Story, tmp_path: Path) -> None:
    export = Path(shutil.copytree(folder, tmp_path / "nv"))
    ending = next(folder.iterdir()).suffix
    shutil.copy(other / f"StringIds{ending}", export / f"[S]tringIds{ending}")
    assert rows(export) == rows(story("training"))


@POSIX
def test_a_folder_that_can_have_no_plain_name_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = Path(shutil.copytree(folder, tmp_path / "run[1]"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "run[1]"))
    if next(folder.iterdir()).suffix == ".parquet":
        with pytest.raises(NotAnExport, match="rename the folder"):
            nsysql.open(export)
    else:
        rows(export)
    assert all(path.is_file() for path in export.iterdir())
