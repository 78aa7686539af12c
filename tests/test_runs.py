"""Many exports asked as one: on processes of this machine and on a Dask cluster, with bad files, kills and Ctrl-C."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import psutil
import pytest
from command_line import PROGRAM, Ran, process
from exports import corpus_folder

import nsysql
from nsysql.capture.files import find_files, identity
from nsysql.errors import NsysqlError, UsageError
from nsysql.fleet.question import code, of_query
from nsysql.fleet.store import Store
from nsysql.fleet.task import FAILED, Task, answer

ROOT = Path(__file__).parent.parent
distributed = pytest.importorskip("distributed", reason="the extra nsysql[runs] is not installed")
Story = Callable[[str], Path]
QUERY = "cuda_gpu_kern_sum"
MANY = 24  # exports, of which the first are answered before a signal comes


@pytest.fixture
def job(story: Story, tmp_path: Path) -> Path:
    """Three good exports, a damaged one, an empty one and one that is none."""
    folder = tmp_path / "job"
    folder.mkdir()
    for name, of in (("rank_0", "training"), ("rank_2", "two_streams"), ("rank_10", "training")):
        shutil.copy(story(of), folder / f"{name}.sqlite")
    (folder / "damaged.sqlite").write_bytes(story("training").read_bytes()[:20_000])
    (folder / "empty.sqlite").write_bytes(b"")
    (folder / "notes.sqlite").write_text("no export")
    return folder


def alone(path: Path, query: str = QUERY, **parameters: Any) -> pl.DataFrame:
    with nsysql.open(path) as run:
        return run.query(query, **parameters)


# Which files ------------------------------------------------------------------------------------


def test_a_folder_is_searched_in_natural_order(story: Story, tmp_path: Path) -> None:
    for name in ("b/rank_10.sqlite", "b/rank_2.sqlite", "a/x.duckdb", "a/y.nsys-rep", ".hidden/z.sqlite", "a/y.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"")
    (tmp_path / "a" / "y.sqlite").write_bytes(b"")  # of the report beside it
    parquet = tmp_path / "c" / "tables"
    parquet.mkdir(parents=True)
    (parquet / "StringIds.parquet").write_bytes(b"")
    Store(tmp_path / "answers").create()
    (tmp_path / "answers" / "q.sqlite").write_bytes(b"")
    assert [file.name for file in find_files([tmp_path])] == ["x", "y", "rank_2", "rank_10", "tables"]
    assert [file.name for file in find_files([tmp_path / "b" / "*_*.sqlite"])] == ["rank_2", "rank_10"]
    assert [file.name for file in find_files([tmp_path / "b", tmp_path / "b" / "rank_2.sqlite"])] == [
        "rank_2",
        "rank_10",
    ]


def test_names_keep_what_tells_them_apart(tmp_path: Path) -> None:
    for name in ("a.sqlite", "a.duckdb", "b.sqlite"):
        (tmp_path / name).write_bytes(b"x")
    assert [file.name for file in find_files([tmp_path])] == ["a.duckdb", "a.sqlite", "b"]


def test_runs_are_called_by_as_much_of_their_path_as_is_needed(tmp_path: Path) -> None:
    for name in ("node1/rank_0.sqlite", "node2/rank_0.sqlite", "node2/rank_1.sqlite"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    assert [file.name for file in find_files([tmp_path])] == ["node1/rank_0", "node2/rank_0", "node2/rank_1"]
    assert [file.name for file in find_files([tmp_path / "node2"])] == ["rank_0", "rank_1"]


def test_a_file_that_is_named_and_not_there_is_told(tmp_path: Path) -> None:
    (file,) = find_files([tmp_path / "none.sqlite"])
    assert (file.name, file.identity) == ("none", None)


@pytest.mark.parametrize("name", ["", "*.sqlite", "sub/**/x*"])
def test_nothing_found_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"without exports|nothing matches"):
        find_files([tmp_path / name])


def test_an_identity_changes_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    file.write_bytes(b"one")
    first = identity(file)
    os.utime(file, ns=(5, 5))
    second = identity(file)
    file.write_bytes(b"other")
    os.utime(file, ns=(5, 5))
    third = identity(file)
    file.write_bytes(b"again")
    os.utime(file, ns=(5, 5))
    assert len({first, second, third, identity(file), None}) == 5


# What one worker does ---------------------------------------------------------------------------


def a_task(path: Path, store: Store, /, **changed: Any) -> Task:
    question = of_query(QUERY, {})
    given = {
        "run": path.stem, "path": str(path), "identity": identity(path) or "", "questions": (question,),
        "folder": str(store.folder), "token": store.token, "command": "one", "code": code(),
    }  # fmt: skip
    return Task(**{**given, **changed})


def test_a_task_writes_the_answer_of_its_file(story: Story, tmp_path: Path) -> None:
    store = Store(tmp_path / "answers").create()
    told = answer(a_task(story("training"), store))
    assert (told.status, told.reason) == ("answered", None)
    found = pl.read_parquet(store.rows(QUERY, "training"), hive_partitioning=False)
    assert found.equals(alone(story("training")))
    assert told.answers[QUERY]["rows"] == found.height


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"path": "/nowhere/rank_0.sqlite"}, "does not see /nowhere/rank_0.sqlite; put it where all workers see it"),
        ({"identity": "other"}, "is another file on the worker"),
        ({"token": "other"}, "does not see the folder"),
        ({"code": "other"}, "another version of nsysql"),
    ],
)
def test_a_worker_that_cannot_begin_says_so(changed: dict[str, Any], said: str, story: Story, tmp_path: Path) -> None:
    store = Store(tmp_path / "answers").create()
    told = answer(a_task(story("training"), store, **changed))
    assert told.status == FAILED and said in (told.reason or "")
    assert said.startswith("is another") or socket.gethostname() in (told.reason or "")


def test_stored_answers_are_of_the_code_that_runs(tmp_path: Path) -> None:
    """A change of any room, or of a query, asks again."""
    for folder in ("nsysql", "queries"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    changed = (
        "nsysql/findings/engine.py",
        "nsysql/capture/export.py",
        "nsysql/fleet/task.py",
        "queries/idle/idle_gaps.sql",
    )
    found = set()
    for file in ("", *changed):
        if file:
            with (tmp_path / file).open("a") as text:
                text.write("-- changed\n" if file.endswith(".sql") else "# changed\n")
        ask = [sys.executable, "-c", "from nsysql.fleet.question import code; print(code())"]
        found.add(subprocess.run(ask, cwd=tmp_path, capture_output=True, text=True, check=True).stdout)
    assert len(found) == 1 + len(changed)


def test_a_worker_with_too_little_memory_says_so(story: Story, tmp_path: Path) -> None:
    store = Store(tmp_path / "answers").create()
    told = answer(a_task(story("training"), store, memory_limit="1MB", threads=1))
    assert told.status == FAILED and "more memory than a worker has" in (told.reason or "")


def test_an_export_that_is_replaced_meanwhile_has_no_half_answer(story: Story, tmp_path: Path) -> None:
    path = Path(shutil.copy(story("training"), tmp_path / "a.sqlite"))
    store = Store(tmp_path / "answers").create()
    task = a_task(path, store)
    shutil.copy(story("two_streams"), path)
    told = answer(task)
    assert told.status == FAILED and not list(store.folder.rglob("*.parquet"))


def test_a_folder_that_takes_nothing_ends_all(story: Story, tmp_path: Path) -> None:
    store = Store(tmp_path / "answers").create()
    shutil.rmtree(store.folder / ".nsysql-runs" / "parts")
    (store.folder / ".nsysql-runs" / "parts").write_text("")  # nothing can be written
    told = answer(a_task(story("training"), store))
    assert told.stop and "cannot be written" in told.stop


# Asking all -------------------------------------------------------------------------------------


def test_the_rows_of_all_runs_are_one_frame(job: Path) -> None:
    with nsysql.open_runs([job, job / "none.sqlite"]) as runs:
        assert runs.names == ["damaged", "empty", "notes", "rank_0", "rank_2", "rank_10", "none"]
        found = runs.cuda_gpu_kern_sum(name="base")
        good = ("rank_0", "rank_2", "rank_10")
        expected = pl.concat(
            alone(job / f"{name}.sqlite", name="base").select(pl.lit(name).alias("run"), pl.all()) for name in good
        )
        assert found.equals(expected)
        status = {row["run"]: (row["status"], row["reason"]) for row in runs.status.iter_rows(named=True)}
        assert [status[name] for name in good] == [("answered", None)] * 3
        for name, why in (
            ("damaged", "cut short"),
            ("empty", "is empty"),
            ("notes", "not a SQLite"),
            ("none", "no such"),
        ):
            assert status[name][0] == "failed" and why in status[name][1], status[name]
        assert runs.kernel().filter(run="rank_2").height == alone(job / "rank_2.sqlite", "kernel").height


def test_what_some_files_lack_is_told_of_them(story: Story, tmp_path: Path) -> None:
    for name in ("training", "no_cuda"):
        shutil.copy(story(name), tmp_path)
    with nsysql.open_runs(tmp_path) as runs:
        assert set(runs.query("gpu_time")["run"]) == {"training"}
        (row,) = runs.status.filter(run="no_cuda").to_dicts()
        assert row["status"] == "failed" and "--trace=cuda" in row["reason"]
        assert runs.query("osrt_sum")["run"].n_unique() == 2 - (not alone(story("no_cuda"), "osrt_sum").height)
    with nsysql.open_runs(story("no_cuda")) as runs, pytest.raises(NsysqlError, match="no_cuda"):
        runs.query("gpu_time")


def test_a_select_over_all_runs(job: Path) -> None:
    with nsysql.open_runs(job) as runs:
        found = runs.sql(
            f"SELECT count(DISTINCT run) AS runs, sum(instances)::BIGINT AS n FROM {QUERY} WHERE run <> $not",
            {"not": "rank_2"},
        )
        assert found.rows() == [(2, 2 * alone(job / "rank_0.sqlite")["instances"].sum())]
        for text in ("DROP VIEW x", "SELECT 1; SELECT 2", "SELECT * FROM read_csv('/etc/passwd')"):
            with pytest.raises(NsysqlError, match="sql:"):
                runs.sql(text)


def test_a_query_of_ones_own_pack(story: Story, tmp_path: Path) -> None:
    pack = tmp_path / "lab"
    pack.mkdir()
    sql = (
        "-- A kernel.\n--\n-- Needs  kernel\n-- Columns\n--     name  VARCHAR  -- Kernel.\n"
        "SELECT name FROM kernel ORDER BY row_id"
    )
    (pack / "mine.sql").write_text(sql)
    with nsysql.open_runs(story("two_streams"), packs=pack, output=tmp_path / "out") as runs:
        first = runs.mine()
        (pack / "mine.sql").write_text(sql.replace("ORDER BY", "WHERE false ORDER BY"))
        assert first.height and runs.mine().height == 0  # another question now
        (pack / "run.sql").write_text(sql.replace("name", "run"))
        with pytest.raises(UsageError, match="has a column 'run'"):
            runs.query("run")


def test_unknown_questions_start_nothing(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nsysql.fleet.workers.PATIENCE", 1)
    with nsysql.open_runs(job, scheduler="tcp://127.0.0.1:1") as runs:
        with pytest.raises(UsageError, match="cuda_gpu_kern_sum"):
            runs.query("cuda_gpu_kern_summ")
        with pytest.raises(UsageError, match="no parameter"):
            runs.cuda_gpu_kern_sum(nam="base")
        with pytest.raises(AttributeError, match="no query or view"):
            runs.nothing  # noqa: B018
        assert {"ask", "status", "kernel", QUERY} <= set(dir(runs))
        with pytest.raises(NsysqlError, match="no Dask scheduler answers"):
            runs.cuda_gpu_kern_sum()
    with pytest.raises(UsageError, match="closed"):
        runs.cuda_gpu_kern_sum()


# Again ------------------------------------------------------------------------------------------


def done(output: Path) -> dict[str, int]:
    """When each answer was written."""
    return {path.parent.name: path.stat().st_mtime_ns for path in output.glob(f"{QUERY}/*/part.parquet")}


def test_what_is_answered_is_not_asked_again(job: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"

    def ask(**parameters: Any) -> dict[str, int]:
        with nsysql.open_runs(job, output=output) as runs:
            runs.cuda_gpu_kern_sum(**parameters)
        return done(output)

    first = ask()
    assert set(first) == {"run=rank_0", "run=rank_2", "run=rank_10"}
    assert ask() == first
    os.utime(job / "rank_2.sqlite", ns=(7, 7))  # changed: asked again
    second = ask()
    assert {name for name in first if first[name] != second[name]} == {"run=rank_2"}
    (output / QUERY / "run=rank_0" / "part.parquet").unlink()  # lost: asked again
    third = ask()
    assert {name for name in first if third[name] != second[name]} == {"run=rank_0"}
    damaged = output / QUERY / "run=rank_0" / "part.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-9])  # cut short: asked again
    assert done(output)["run=rank_0"] != ask()["run=rank_0"]
    fourth = ask(name="base")  # another question
    assert all(fourth[name] != third[name] for name in first)
    (output / ".nsysql-runs" / "finished" / "rank_10.json").write_text("{")  # damaged
    fifth = ask(name="base")
    assert {name for name in first if fourth[name] != fifth[name]} == {"run=rank_10"}
    assert not list((output / ".nsysql-runs" / "parts").rglob("*"))


def test_two_commands_at_once_do_not_take_each_others_parts(tmp_path: Path) -> None:
    one, two = Store(tmp_path / "out").create(), Store(tmp_path / "out").create()
    with one.part(one.digest("a")) as part:
        part.write_bytes(b"whole")
        two.sweep()
    assert one.digest("a").read_bytes() == b"whole"


def test_memory_and_threads_are_shared_out(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[Task] = []

    def caught(_: Any, given: list[Task]) -> Iterator[Any]:
        tasks.extend(given)
        return iter(())

    monkeypatch.setattr("nsysql.fleet.workers.LocalWorkers.outcomes", caught)
    monkeypatch.setenv("NSYSQL_MEMORY_LIMIT", "8GiB")
    with nsysql.open_runs(job, workers=2) as runs:
        runs.ask([of_query(QUERY, {})])
    assert {task.memory_limit for task in tasks} == {f"{4 * 2**30}B"}
    assert {task.threads for task in tasks} == {1}  # small ones
    assert [task.run for task in tasks][-1] == "empty"  # the largest first
    with pytest.raises(UsageError, match="memory_limit is 'much'"):
        nsysql.open_runs(job, memory_limit="much")


def test_two_queries_lie_beside_each_other(job: Path, tmp_path: Path) -> None:
    with nsysql.open_runs(job, output=tmp_path / "out") as runs:
        runs.cuda_gpu_kern_sum()
        runs.osrt_sum()
        before = done(tmp_path / "out")
        runs.cuda_gpu_kern_sum()
    assert done(tmp_path / "out") == before
    noted = json.loads((tmp_path / "out" / ".nsysql-runs" / "finished" / "rank_0.json").read_text())
    assert set(noted["answers"]) == {QUERY, "osrt_sum"}


@pytest.mark.parametrize("wrong", ["a file", "other files", "another nsysql's"])
def test_a_folder_of_something_else_is_refused(wrong: str, job: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    if wrong == "a file":
        output.write_text("x")
    elif wrong == "other files":
        output.mkdir()
        (output / "thesis.tex").write_text("x")
    else:
        Store(output).create()
        (output / ".nsysql-runs" / "store.json").write_text('{"schema": "nsysql.runs/9"}')
    with nsysql.open_runs(job, output=output) as runs, pytest.raises(UsageError, match=str(output)):
        runs.cuda_gpu_kern_sum()


def test_names_that_are_no_names_of_files(story: Story, tmp_path: Path) -> None:
    for name in ("run=1", "a[b]*", "x%2Fy", "ä ö", "n" * 200, "sub/x%2Fy"):
        path = tmp_path / "in [1]" / f"{name}.sqlite"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(story("two_streams"), path)
    with nsysql.open_runs(tmp_path / "in [1]", output=tmp_path / "out[2]") as runs:
        found = runs.cuda_gpu_kern_sum()
        assert list(dict.fromkeys(found["run"])) == runs.names
        assert len(runs.names) == 6


# The command ------------------------------------------------------------------------------------


def test_the_rows_in_the_usual_forms(run: Callable[..., Ran], job: Path, tmp_path: Path) -> None:
    given = ["runs", job, "--query", "cuda-gpu-kern-sum", "-o", tmp_path / "out"]
    csv = run(*given, "--format", "csv")
    assert csv.code == 0 and csv.text.splitlines()[0].startswith("run,time_pct,")
    rows = json.loads(run(*given, "--format", "json").text)
    assert len(rows) == len(csv.text.splitlines()) - 1
    parquet = tmp_path / "rows.parquet"
    parquet.write_bytes(run(*given, "--format", "parquet").out)
    assert pl.read_parquet(parquet)["run"].to_list() == [row["run"] for row in rows]
    table = run(*given, "--limit", "1")
    assert "rank_0" in table.text and "--limit 0 shows all" in table.err
    for name in ("damaged", "empty", "notes"):
        assert f"nsysql: {name}: " in csv.err
    status = pl.read_csv(tmp_path / "out" / "status.csv")
    assert status.filter(pl.col("status") == "failed")["run"].to_list() == ["damaged", "empty", "notes"]


def test_many_failures_are_counted(run: Callable[..., Ran], tmp_path: Path, story: Story) -> None:
    for i in range(25):
        (tmp_path / f"{i}.sqlite").write_bytes(b"")
    found = run("runs", tmp_path, story("training"), "--query", "gpu_time", "-q")
    assert found.code == 0
    assert found.err.count(" is empty;") == 20 and "nsysql: 5 more files failed;" in found.err


def test_a_task_that_ends_its_workers_is_told() -> None:
    from nsysql.fleet.workers import _why

    error = distributed.scheduler.KilledWorker("a", None, 3)
    assert "died, 4 times" in _why(error, "error")
    assert "no module nsysql" in _why(ModuleNotFoundError("x", name="nsysql"), "error")
    assert _why(ValueError("odd\nlines"), "error") == "ValueError: odd lines"
    assert "gave it up (lost)" in _why(None, "lost")


def test_parameters_of_the_command_line(run: Callable[..., Ran], story: Story) -> None:
    given = ["runs", story("training"), "--format", "csv", "--query", "idle-gaps"]
    found = run(*given, "--param", "min-gap=100us", "--param", "top=3")
    expected = alone(story("training"), "idle_gaps", min_gap_ns=100_000, top=3)["dur_ns"].to_list()
    assert pl.read_csv(found.out)["dur_ns"].to_list() == expected
    for wrong, said in (("min-gapp=3", "no parameter"), ("top", "has no value"), ("top=x", "cannot be 'x'"),
                        ("min-gap=3x", "is not a time")):  # fmt: skip
        failed = run(*given, "--param", wrong)
        assert failed.code == 2 and said in failed.err, failed.err


def test_no_file_that_answers_is_an_error(run: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").write_bytes(b"")
    (tmp_path / "b.sqlite").write_bytes(b"x")
    found = run("runs", tmp_path, "--query", QUERY, "-q")
    assert found.code == 1 and not found.out
    assert found.err.count("\n") == 3 and "None of the 2 files has an answer." in found.err


def test_without_dask_one_line_says_how_to_get_it(story: Story) -> None:
    block = "import sys; sys.modules['distributed'] = None; from nsysql.cli import main; main()"
    command = [
        sys.executable,
        "-c",
        block,
        "runs",
        str(story("training")),
        "--query",
        QUERY,
        "--scheduler",
        "tcp://a:1",
    ]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.strip().split("\n") == [
        "nsysql: a scheduler needs Dask, which is not installed; install it with: pip install 'nsysql[runs]'"
    ]


def test_an_output_that_cannot_be_written_is_one_line(run: Callable[..., Ran], story: Story, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    found = run("runs", story("training"), "--query", QUERY, "--output", tmp_path / "file" / "out", "-q")
    assert found.code == 1 and found.err.count("\n") == 1, found.err


# Processes of this machine ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Copies of a small export."""
    folder = tmp_path_factory.mktemp("many")
    for i in range(MANY):
        shutil.copy(Path(__file__).parent / "fixtures" / "training.sqlite", folder / f"run_{i}.sqlite")
    return folder


def test_ctrl_c_leaves_what_is_done_and_the_same_command_goes_on(many: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    arguments = ["runs", str(many), "--query", QUERY, "-o", str(output), "--format", "csv", "--workers", "2"]
    asked = subprocess.Popen(
        [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    finished = output / ".nsysql-runs" / "finished"
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (not finished.exists() or len(list(finished.iterdir())) < 4):
            time.sleep(0.02)
        os.killpg(asked.pid, signal.SIGINT)  # as a terminal does: to the workers, too
        out, err = asked.communicate(timeout=60)
    finally:
        asked.kill()
    assert (asked.returncode, out) == (130, "")
    lines = [line for line in err.splitlines() if not line.startswith("note:")]
    assert len(lines) == 1 and "interrupted" in lines[0] and "the same command goes on" in lines[0], err
    recorded = {path.stem for path in finished.iterdir()}  # an interrupt may fall between an answer and its record
    before = {name: written for name, written in done(output).items() if name.removeprefix("run=") in recorded}
    assert 4 <= len(before) == len(recorded) < MANY
    assert all(pl.read_parquet(path).height for path in output.glob("*/*/*.parquet"))  # each is whole
    assert not list((output / ".nsysql-runs" / "parts").rglob("*"))
    again = process(*arguments)
    assert again.returncode == 0, again.stderr
    after = done(output)
    assert len(after) == MANY and {name: after[name] for name in before} == before
    each = alone(many / "run_0.sqlite").height
    assert len(again.stdout.splitlines()) == 1 + MANY * each


def test_ctrl_c_while_workers_start_leaves_nothing(many: Path, tmp_path: Path) -> None:
    asked = subprocess.Popen(
        [*PROGRAM, "runs", many, "--query", QUERY, "--workers", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not list(tmp_path.glob("nsysql-workers-*")):
            time.sleep(0.02)
        os.killpg(asked.pid, signal.SIGINT)
        out, err = asked.communicate(timeout=60)
    finally:
        asked.kill()
    assert (asked.returncode, out) == (130, "")
    assert [line for line in err.splitlines() if not line.startswith("note:")] == [
        f"nsysql: interrupted: 0 of {MANY} exports were answered now and are lost; --output FOLDER keeps them."
    ]
    assert not list(tmp_path.glob("nsysql-*"))


def local_workers() -> list[Any]:
    return [one for one in psutil.Process().children() if "nsysql.fleet.workers import main" in " ".join(one.cmdline())]


def listening() -> set[Any]:
    """The ports that this process listens on."""
    return {one.laddr for one in psutil.Process().net_connections("inet") if one.status == psutil.CONN_LISTEN}


@pytest.mark.processes
def test_a_worker_that_is_killed_loses_nothing(many: Path) -> None:
    with nsysql.open_runs(many, workers=2) as runs:
        killed: list[int] = []

        def show(_: str) -> Any:
            from contextlib import nullcontext

            def tell(part: float) -> None:
                if part > 0.1 and not killed:
                    workers = local_workers()
                    workers[0].kill()
                    killed.append(workers[0].pid)

            return nullcontext(tell)

        runs.progress = show
        found = runs.cuda_gpu_kern_sum()
    assert killed
    assert found["run"].n_unique() == MANY and set(runs.status["status"]) == {"answered"}


@pytest.mark.processes
def test_nobody_else_can_reach_the_workers_of_this_machine(story: Story, tmp_path: Path) -> None:
    before = listening()
    shutil.copy(story("training"), tmp_path / "one.sqlite")
    shutil.copy(story("training"), tmp_path / "two.sqlite")
    with nsysql.open_runs(tmp_path, workers=2) as runs:
        assert runs.cuda_gpu_kern_sum()["run"].n_unique() == 2
        workers = local_workers()
        assert workers and not [one for process in workers for one in process.net_connections("all")]
        assert listening() == before
    assert not any(process.is_running() for process in workers)


@pytest.mark.processes
def test_a_task_on_which_workers_die_fails_alone(story: Story, tmp_path: Path) -> None:
    from nsysql.fleet.task import died
    from nsysql.fleet.workers import DEATHS, LocalWorkers

    store = Store(tmp_path / "answers").create()
    good, fatal = a_task(story("training"), store), a_task(story("training"), store, path=Fatal(), run="fatal")
    workers = LocalWorkers(1, 2)
    try:
        found = {one.run: one for one in workers.outcomes([fatal, good])}
    finally:
        workers.close()
    assert (found["fatal"].status, found["fatal"].reason) == (FAILED, died(DEATHS))
    assert found["training"].status == "answered"


class Fatal:
    """A path whose arrival ends a process."""

    def __reduce__(self) -> Any:
        return os._exit, (9,)


def test_a_scheduler_and_workers_that_run_already(many: Path, tmp_path: Path) -> None:
    """As on a cluster: started by themselves, one killed in the midst."""
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    place = tmp_path / "scheduler.json"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    listen = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(place)]
    started = [subprocess.Popen([*dask, *listen], **quiet)]
    try:
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(place), "--no-nanny"]
        worker += ["--nthreads", "1", "--no-dashboard"]
        started += [subprocess.Popen(worker, **quiet) for _ in range(2)]
        deadline = time.monotonic() + 30
        while not place.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        output = tmp_path / "out"
        asked = subprocess.Popen(
            [*PROGRAM, "runs", many, "--query", QUERY, "-o", output, "--format", "csv", "--scheduler", place],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        finished = output / ".nsysql-runs" / "finished"
        while time.monotonic() < deadline and (not finished.exists() or len(list(finished.iterdir())) < 4):
            time.sleep(0.02)
        started[-1].kill()
        out, err = asked.communicate(timeout=60)
    finally:
        for one in started:
            one.kill()
            one.wait()
    assert asked.returncode == 0, err
    assert len({line.partition(",")[0] for line in out.splitlines()[1:]}) == MANY
    assert all(line.startswith("note:") for line in err.splitlines()), err


# Real jobs --------------------------------------------------------------------------------------


def test_sums_over_a_job_are_those_of_nsys_recipe() -> None:
    folder = corpus_folder() / "more" / "ranks" / "gem8"
    if not folder.is_dir():
        pytest.skip("the corpus has no gem8")
    with nsysql.open_runs(folder) as runs:
        found = runs.sql(
            f"SELECT name, sum(total_time_ns)::BIGINT AS total, sum(instances)::BIGINT AS n, "
            f"arg_min(run, min_ns) AS fastest FROM {QUERY} GROUP BY name ORDER BY total DESC"
        )
    assert found.select("total", "n").rows()[:3] == [(312_666_070, 80), (307_843_611, 80), (232_718_009, 160)]


def test_each_rank_of_a_job_worked_on_its_own_gpu() -> None:
    folder = corpus_folder() / "more" / "ranks" / "gem8"
    if not folder.is_dir():
        pytest.skip("the corpus has no gem8")
    with nsysql.open_runs(folder) as runs:
        found = runs.gpu_time().sort("gpu_id")
    assert found["run"].str.slice(-2).to_list() == ["01", "06", "08", "04", "07", "05", "02", "03"]
    assert found.select(pl.col("busy_ns").min()).item() == pytest.approx(397e6, abs=0.6e6)
    assert found.select(pl.col("busy_ns").max()).item() == pytest.approx(491e6, abs=0.6e6)


def test_an_output_with_an_extension_is_a_file(run: Callable[..., Ran], job: Path, tmp_path: Path) -> None:
    assert run("runs", job, "-o", tmp_path / "few.json").code == 0
    assert json.loads((tmp_path / "few.json").read_text())["schema"] == "nsysql.runs/1"
    asked = ("runs", job, "--query", "gpu_time")
    assert run(*asked, "-o", tmp_path / "few.csv").code == 0
    assert (tmp_path / "few.csv").read_text().startswith("run,")


def test_runs_that_are_refused_leave_no_folder(job: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert process("runs", job, "-o", kept, "--scheduler", "tcp://127.0.0.1:1").returncode
    assert not kept.exists()
    assert process("runs", job / "missing.sqlite", "-o", kept).returncode == 1
    assert not kept.exists()


def test_strict_runs_exit_with_1_if_a_file_cannot_be_read(run: Callable[..., Ran], job: Path) -> None:
    (job / "none.sqlite").write_text("none")
    asked = ("runs", job, "--query", "gpu_time")
    assert run(*asked).code == 0
    ran = run(*asked, "--strict")
    assert ran.code == 1 and ran.out and "none" in ran.err
