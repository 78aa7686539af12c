"""What every test can ask for: `story("two_streams")` and `build("INSERT ...")` give paths of exports."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from exports import corpus_folder, create_export, story_sql


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the expected results, to be read before commit"
    )


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Make a new export from SQL text (see exports.py) and give its path."""
    folder, numbers = tmp_path_factory.mktemp("built"), count()
    return lambda sql: create_export(sql, folder / f"{next(numbers)}.sqlite")


@pytest.fixture(scope="session")
def story(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The export of a story in fixtures/, built once. Read it only; copy it first to change it."""
    folder = tmp_path_factory.mktemp("stories")

    def path(name: str) -> Path:
        made = folder / f"{name}.sqlite"
        return made if made.exists() else create_export(story_sql(name), made)

    return path


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of public exports with NVIDIA's answers; the test is skipped where it is absent."""
    if not corpus_folder().is_dir():
        pytest.skip(f"no public exports at {corpus_folder()}; name their folder in NSYSQL_CORPUS")
    return corpus_folder()


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected results are to be rewritten."""
    return bool(request.config.getoption("--update-golden"))
