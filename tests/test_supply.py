"""What is handed out: wheel and sdist hold the queries, and run away from the checkout."""

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from nsysql import __version__

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of the checkout, and the wheel made from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, "sdist", folder)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as sdist:
        sdist.extractall(folder / "source", filter="data")
    build(next((folder / "source").iterdir()), "wheel", folder)
    return folder


def build(source: Path, target: str, folder: Path) -> None:
    """Build one of the two with the build backend itself: nothing is fetched."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)


def test_the_wheel_holds_what_it_needs(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    queries = {path.relative_to(ROOT / "queries").as_posix() for path in (ROOT / "queries").rglob("*.sql")}
    assert {f"nsysql/_sql/{name}" for name in queries} <= names
    assert {
        f"nsysql/{path.relative_to(ROOT / 'nsysql').as_posix()}" for path in (ROOT / "nsysql").rglob("*.py")
    } <= names
    assert {"nsysql/py.typed", "nsysql/queries.pyi", "nsysql/capture/methods.pyi"} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any("fixtures" in name or name.endswith(".sqlite") for name in names)


def test_the_wheel_runs_away_from_the_checkout(built: Path, tmp_path: Path, story: object) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "site")
    ask = (
        "import nsysql, sys; run = nsysql.open(sys.argv[1]); print(nsysql.__file__);"
        "print(run.cuda_gpu_kern_sum()['instances'].sum(), nsysql.__version__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask, str(story("two_streams"))],  # type: ignore[operator]
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    where, answer = done.stdout.splitlines()
    assert Path(where).is_relative_to(tmp_path / "site")
    assert answer.split() == ["3", __version__]


def test_the_sdist_holds_the_tests_and_no_litter(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"README.md", "CHANGELOG.md", "LICENSE", "queries/raw.sql", "tests/conftest.py"} <= names
    assert {"tests/fixtures/training.sqlite", "tests/fixtures/training/export.sql"} <= names
    assert not any("__pycache__" in name or ".venv" in name for name in names)


def test_everything_is_a_range() -> None:
    extras = [need for needs in PROJECT["optional-dependencies"].values() for need in needs]
    for need in [*PROJECT["dependencies"], *extras]:
        assert ">=" in need or need.startswith("nsysql["), need


def test_a_range_begins_where_it_is_tested() -> None:
    """.ci/lowest installs the lowest versions, which it takes from pyproject.toml line by line."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = text.split("\ndependencies = [\n")[1].split("\n]")[0].splitlines()
    assert [line.split('"')[1] for line in listed] == PROJECT["dependencies"]
    assert all(len(need.replace("==", ">=").split(">=")) == 2 for need in PROJECT["dependencies"])


def test_the_changelog_knows_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## Unreleased" in text or f"## {__version__}" in text
