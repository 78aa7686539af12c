"""What every test can ask for: `story("two_streams")` and `build("INSERT ...")` give paths of exports."""

import hashlib
import os
import sys
from collections.abc import Callable, Collection, Generator, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command_line import Ran
from exports import DEEP, capture_path, corpus_folder, create_export, story_names, story_sql
from fuzz import columns
from hypothesis import HealthCheck, settings

from nsysql.api import facade
from nsysql.api.facade import Run
from nsysql.capture.export import Export
from nsysql.cli import main
from nsysql.digest import gather
from nsysql.findings import engine
from nsysql.findings.finding import Findings
from nsysql.fleet.task import answer
from nsysql.fleet.workers import LocalWorkers

# pytest rewrites the asserts of all tests in each of its processes if it may not keep them: 4.7 of 9.1 s. Hundreds of
# tests start a process, which is to find nsysql compiled, as users do.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile("untimed", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("deep", settings.get_profile("untimed"), max_examples=100)
settings.load_profile("deep" if DEEP else "untimed")  # a machine that is busy with other work is no fault

AT_ONCE = 6  # exports that stay open
patched = False  # whether the running test asks for monkeypatch

# Tests of `pytest -m quick` by the beginnings of their names: each folder of nsysql and each kind of question once.
QUICK = (
    "test_accounts.py::test_the_accounts_of_a_story_sum_to_its_windows[training",
    "test_analyze.py::test_a_rule",
    "test_architecture.py",
    "test_catalog.py",
    "test_cli.py::test_the_ending_of_the_file_chooses_the_form",
    "test_compare.py",
    "test_contract.py",
    "test_convert.py::test_the_result_has_the_tables_of_the_export[parquet",
    "test_doctor.py::test_the_page_fits",
    "test_header.py",
    "test_idle.py::test_a_story_has",
    "test_idle_page.py::test_the_page_of_a_drawn_run",
    "test_inputs.py::test_a_folder_has_the_tables_of_the_sqlite[parquet",
    "test_library.py::test_views",
    "test_lines.py::test_the_lines_are_the_whole[training",
    "test_names.py::test_a_name",
    "test_queries.py::test_a_story_gives_its_answer[training",
    "test_queries.py::test_a_story_gives_its_answer[two_streams",
    "test_ranks.py::test_a_rank_that",
    "test_docs.py::test_a_command_prints_what_is_shown[README: nsysql summary",
    "test_docs.py::test_every",
    "test_docs.py::test_the_table",
    "test_redact.py::test_a_text",
    "test_ranks.py::test_a_rank",
    "test_render.py",
    "test_runs.py::test_a_task",
    "test_runs_page.py::test_the_spread",
    "test_report.py::test_threads_and_memory",
    "test_stats.py::test_the",
    "test_steps.py::test_the_training_story",
    "test_summary.py::test_the_first_screen_of_a_training_run",
    "test_threads.py::test_threads",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, object, object]:
    """Mark tests before pytest selects by -m, and sort those selected after everything else has sorted them."""
    for item in items:
        if item.nodeid.rpartition("tests/")[2].startswith(QUICK):
            item.add_marker(pytest.mark.quick)
    result = yield
    items.sort(key=export_asked)
    return result


def export_asked(item: pytest.Item) -> str:
    """What `opened` is for a test: tests of one export follow each other, so that it is opened once for all."""
    return str(item.callspec.params.get("opened", "")) if hasattr(item, "callspec") else ""


def pytest_runtest_setup(item: pytest.Item) -> None:
    global patched
    patched = "monkeypatch" in item._fixtureinfo.argnames


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the expected results, to be read before commit"
    )


@pytest.fixture(scope="session", autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing of this user decides a test, and no test writes into this user's caches."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("NSYSQL_NSYS", "NSYSQL_THREADS", "NSYSQL_MEMORY_LIMIT"):
            environment.delenv(name, raising=False)
        environment.setenv("NSYSQL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def workers_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of `runs` are threads of this process but in tests of processes, which take 2 s each to start."""
    if "processes" not in request.keywords:
        monkeypatch.setattr(LocalWorkers, "_answer", lambda _, task: answer(task))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the exports that a module makes."""
    return tmp_path_factory.mktemp("folder")


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
def every_table_filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The richest story with a row in every other table of NVIDIA's. Read it only; copy it first to change it."""
    return columns.base(tmp_path_factory.mktemp("filled") / "run.sqlite")


class Kept(Run):
    """An open export that stays open when a test is done with it, with what was found in it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.found: dict[tuple[frozenset[str], bool], Findings] = {}

    def close(self) -> None:
        """For the next test."""


@pytest.fixture(scope="session")
def keep() -> Iterator[Callable[[Path], Run]]:
    """Open a file for all that ask it one after the other, until it changes, and find its findings once.

    A test that changes nsysql by monkeypatch has them found anew.
    """
    really = engine._find

    def find_once(run: Export, ignore: Collection[str], quoted: bool) -> Findings:
        if patched or not isinstance(run, Kept):
            return really(run, ignore, quoted)
        asked = frozenset(ignore), quoted
        if asked not in run.found:
            run.found[asked] = really(run, ignore, quoted)
        return run.found[asked]

    kept: dict[tuple[Path, int, int, int], Run] = {}

    def keep(path: Path) -> Run:
        now = path.stat()
        key = path, now.st_ino, now.st_size, now.st_mtime_ns
        kept[key] = kept.pop(key, None) or Kept(path)
        while len(kept) > AT_ONCE:
            Run.close(kept.pop(next(iter(kept))))
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_find", find_once)
        yield keep
    for run in kept.values():
        Run.close(run)


@pytest.fixture
def opened(request: pytest.FixtureRequest, story: Callable[[str], Path], keep: Callable[[Path], Run]) -> Run:
    """A story or a public export by its name (see exports.py), open for all of its tests to ask."""
    name = request.param
    path = story(name) if name in story_names() else capture_path(name)
    if not path.exists():
        pytest.skip(f"no public exports at {corpus_folder()}; name their folder in NSYSQL_CORPUS")
    return keep(path)


@pytest.fixture
def found_open(opened: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """The same, where every command of the test finds it open; afterwards its file is as it was."""
    path = opened.path
    before, siblings = hashlib.sha256(path.read_bytes()).digest(), sorted(path.parent.glob(f"{path.stem}*"))
    monkeypatch.setattr("nsysql.api.facade.open", lambda *_, **__: opened)
    yield opened
    assert hashlib.sha256(path.read_bytes()).digest() == before
    assert sorted(path.parent.glob(f"{path.stem}*")) == siblings


@pytest.fixture(scope="module")
def kept_open(keep: Callable[[Path], Run]) -> Iterator[None]:
    """Exports that tests or their commands open are still open from the last time, unless their files changed.

    A test that changes nsysql by monkeypatch opens its exports anew.
    """
    really = facade.open

    def open(path: str | Path, **options: Any) -> Run:
        asked = {name for name, value in options.items() if value} - {"waiting", "name_letters"}
        is_kept = not asked and not patched and Path(path).suffix == ".sqlite" and Path(path).is_file()
        return keep(Path(path)) if is_kept else really(path, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(facade, "open", open)
        yield


@pytest.fixture
def without_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests are made without findings: they take half of the time, and no verdict depends on them."""
    monkeypatch.setattr(gather, "find", lambda _: SimpleNamespace(findings=()))


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


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run the command line in this process: `run("launches", path)` gives its exit code, stdout and stderr."""
    monkeypatch.delenv("NSYSQL_PACKS", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)

    def ran(*arguments: object) -> Ran:
        with Path(os.devnull).open() as nothing, pytest.raises(SystemExit) as left:
            monkeypatch.setattr(sys, "stdin", nothing)
            main([str(a) for a in arguments])
        out, err = capfdbinary.readouterr()
        return Ran(int(str(left.value.code)), out, err.decode())

    return ran
