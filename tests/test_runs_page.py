"""The page about many runs: a row for each, what stands out, how much they differ, when each was busy."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command_line import Ran

import nsysql
from nsysql.analysis.digest import FRAMES
from nsysql.analysis.many_runs import ACCOUNTS, MEASURES, OVERVIEW, ManyRuns, outliers, spread
from nsysql.analysis.many_runs import accounts as accounts_of
from nsysql.analysis.many_runs import busy as busy_map
from nsysql.analysis.many_runs import overview as overview_of
from nsysql.digest.gather import digest
from nsysql.pages.elements import shaded
from nsysql.pages.runs import _outliers, _runs, _spread, page

Story = Callable[[str], Path]


def overview(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(
        [{**dict.fromkeys(OVERVIEW), "run": f"r{i}", "gpu_id": 0, **row} for i, row in enumerate(rows)],
        schema={"run": pl.String, **OVERVIEW},
    )


# What is taken of one export --------------------------------------------------------------------


@pytest.mark.usefixtures("without_findings")
@pytest.mark.parametrize("name", ["training", "idle_two_gpus", "two_processes_two_gpus", "idle_mpi", "no_cuda"])
def test_a_row_for_each_gpu_is_what_the_queries_say(name: str, story: Story) -> None:
    with nsysql.open(story(name)) as run:
        kept = digest(run)
        found = overview_of(kept)
        if not run.has("_gpu_work_ids"):
            assert found.select("gpu_id", "window_ns").rows() == [(None, None)]
            assert kept.busy.is_empty()
            return
        columns = ["gpu_id", "window_start_ns", "window_ns", "busy_ns", "idle_ns"]
        times = run.query("gpu_time")
        assert found.select(columns).equals(times.select(columns))
        exposed = run.query("exposed_time")["only_communication_ns"]
        assert found["exposed_communication_ns"].to_list() == exposed.to_list()
        for row in found.to_dicts():
            ledger = run.query("idle_ledger", gpu=row["gpu_id"]).filter(pl.col("cause") != "profiler")
            assert (row["main_cause_ns"] or 0) == (ledger["idle_ns"].max() or 0)
        sums = kept.busy.group_by("gpu_id").agg(pl.col("busy_ns").sum()).sort("gpu_id")
        assert sums.equals(times.filter(pl.col("window_ns") > 0).select("gpu_id", "busy_ns").sort("gpu_id"))
        window = accounts_of(kept).filter(unit="window")["unit_ns"].sum()
        edges = run.query("edge_accounts")["total_ns"].sum()
        assert window == pytest.approx((times["window_ns"].sum() + edges) / times.height)


@pytest.mark.usefixtures("without_findings")
def test_the_period_of_a_row_is_that_of_its_gpu(story: Story) -> None:
    with nsysql.open(story("training")) as run:
        (row,) = overview_of(digest(run)).to_dicts()
        steady = run.query("step_times").filter("is_steady")["period_ns"]
    assert row["steady_steps"] == steady.len()
    assert row["period_ns"] == round(steady.median())  # type: ignore[arg-type]


# What stands out, and how much runs differ ------------------------------------------------------


def test_what_is_far_from_the_median_stands_out() -> None:
    rows = overview(*({"window_ns": n} for n in (1000, 1010, 990, 1020, 980, 2000)))
    (found,) = outliers(rows).to_dicts()  # median 1005, deviations 5 5 15 15 25 995: 15
    assert found == {
        "program": None, "run": "r5", "gpu_id": 0, "measure": "window_ns", "value_ns": 2000, "median_ns": 1005.0,
        "deviations": pytest.approx(995 / 15),
    }  # fmt: skip


def test_few_runs_have_no_outliers() -> None:
    assert outliers(overview(*({"window_ns": n} for n in (1000, 1000, 9000)))).is_empty()
    assert outliers(overview(*({"window_ns": n} for n in (1000, 1000, 1000, 9000)))).height == 1


def test_where_the_others_are_equal_a_hair_does_not_stand_out() -> None:
    assert outliers(overview(*({"busy_ns": n} for n in (1000, 1000, 1000, 1009)))).is_empty()
    (found,) = outliers(overview(*({"busy_ns": n} for n in (1000, 1000, 1000, 1011)))).to_dicts()
    assert found["deviations"] is None


def test_programs_are_not_mixed() -> None:
    rows = [{"window_ns": n, "program": "a"} for n in (1000, 1000, 1000, 1000)]
    rows += [{"window_ns": n, "program": "b"} for n in (9_000_000, 9_000_000, 9_000_090)]
    none = pl.DataFrame(schema={"run": pl.String, **ACCOUNTS})
    found = ManyRuns("job", pl.DataFrame(), overview(*rows), none, slices("r0", 0, 1))
    assert found.outliers.is_empty()
    assert [(row["program"], row["runs"], row["max_ns"]) for row in found.spread.to_dicts()] == [
        ("a", 4, 1000.0), ("b", 3, 9_000_090.0),
    ]  # fmt: skip
    titles = [section.title for section in _spread(found)]
    assert titles == ["Run-to-run spread of a", "Run-to-run spread of b"]


def drawn_page(*rows: dict[str, Any]) -> str:
    """The sections about these runs as they are printed, without the map."""
    usual = {"program": "train", "window_ns": 10**7, "busy_ns": 10**7, "idle_ns": 0}
    status = pl.DataFrame(schema=dict.fromkeys(("run", "path", "status", "reason"), pl.String))
    none = pl.DataFrame(schema={"run": pl.String, **ACCOUNTS})
    runs = ManyRuns("job", status, overview(*({**usual, **row} for row in rows)), none, pl.DataFrame())
    return "\n".join(map(str, (_runs(runs, None), *_outliers(runs, None), *_spread(runs))))


def test_other_gpus_are_no_noise_and_no_outliers() -> None:
    """Four runs on one GPU model and one on another, which takes longer."""
    rows = [{"gpu_name": "H100" if i < 4 else "A100", "period_ns": 1000 + i + 300 * (i > 3)} for i in range(5)]
    text = drawn_page(*rows)
    assert "on different GPUs: A100, H100" in text and "If they are repeats" not in text
    assert "'model'" in text and "None." in text
    assert "'model'" not in drawn_page(*({**row, "gpu_name": "H100"} for row in rows))


def test_runs_of_other_lengths_show_their_steps() -> None:
    rows = [{"gpu_name": "H100", "period_ns": 1000 + i, "steady_steps": 24 - 10 * (i == 2)} for i in range(3)]
    assert "heading='steps'" in drawn_page(*rows)
    assert "heading='steps'" not in drawn_page(*({**row, "steady_steps": 24} for row in rows))


def test_the_spread_by_hand() -> None:
    rows = overview(
        {"window_ns": 100, "run": "a"}, {"window_ns": 300, "run": "a", "gpu_id": 1}, {"window_ns": 150, "run": "b"}
    )
    accounts = pl.DataFrame(
        [
            ("a", "window", "idle", "x", "X", 10.0),
            ("a", "window", "copy", "y", None, 5.0),
            ("b", "window", "idle", "x", "X", 30.0),
        ],
        schema={"run": pl.String, **ACCOUNTS},
        orient="row",
    )
    found = spread(rows, accounts).drop("program", "title").rows()
    assert found == [
        ("run", "", "window_ns", 2, 175.0, 150.0, 200.0, pytest.approx(100 * 25 / 175), pytest.approx(100 / 3)),
        ("window", "idle", "x", 2, 20.0, 10.0, 30.0, 50.0, 200.0),
        ("window", "copy", "y", 2, 2.5, 0.0, 5.0, 100.0, None),
    ]
    assert spread(rows.filter(run="a"), accounts.filter(run="a")).is_empty()
    assert set(MEASURES) <= set(OVERVIEW)


# The heat map -----------------------------------------------------------------------------------


def slices(run: str, first: int, width: int, *busy: int) -> pl.DataFrame:
    rows = [(run, 0, i, first + i * width, first + (i + 1) * width, ns) for i, ns in enumerate(busy)]
    return pl.DataFrame(rows, schema={"run": pl.String, **FRAMES["busy"]}, orient="row")


def many(rows: pl.DataFrame, *parts: pl.DataFrame) -> ManyRuns:
    return ManyRuns("job", pl.DataFrame(), rows, pl.DataFrame(), pl.concat(parts))


def test_runs_of_one_job_lie_on_one_clock() -> None:
    rows = overview({"window_ns": 144, "session_start_utc_ns": 5}, {"window_ns": 144, "session_start_utc_ns": 77})
    found = many(rows, slices("r0", 0, 72, 72, 36), slices("r1", 0, 72, 0, 18)).heat_map
    assert found is not None and (found.busy.column_ns, found.aligned_by) == (5, "session start")
    first, second = found.busy.shares
    assert first[:15] == (1.0,) * 14 + (pytest.approx((2 + 1.5) / 5),)
    assert first[15:29] == pytest.approx([0.5] * 14) and first[29:] == (None,) * 15
    assert second[:14] == (None,) * 14 and second[14:28] == (0.0,) * 14
    assert second[29:] == pytest.approx([0.25] * 15)
    assert found.gpus == [("r0", 0), ("r1", 0)]


@pytest.mark.parametrize("why", ["far apart", "no session start"])
def test_repeated_runs_are_laid_over_each_other(why: str) -> None:
    second = 10_000 if why == "far apart" else None
    starts = [
        {"window_ns": 96, "window_start_ns": at, "session_start_utc_ns": start} for at, start in ((7, 5), (0, second))
    ]
    found = many(overview(*starts), slices("r0", 7, 48, 48, 24), slices("r1", 0, 48, 12, 36)).heat_map
    assert found is not None and (found.busy.column_ns, found.aligned_by) == (2, "window")
    assert found.busy.shares == ((1.0,) * 24 + (0.5,) * 24, (0.25,) * 24 + (0.75,) * 24)


def test_no_work_has_no_map() -> None:
    assert many(overview({}), slices("r0", 0, 1)).heat_map is None
    (one,) = busy_map([slices("r0", 9, 1, 1)], [10**18]).shares  # type: ignore[union-attr]
    assert one == (1.0,)


def test_runs_without_work_and_steps_say_so() -> None:
    status = pl.DataFrame(
        {"run": ["r0"], "path": ["r0.sqlite"], "status": ["read"], "seconds": [0.1], "reason": [None]}
    )
    none = pl.DataFrame(schema={"run": pl.String, **ACCOUNTS})
    found = page(ManyRuns("job", status, overview({}), none, slices("r0", 0, 1)), None)
    assert any("No GPU work and no steps" in text for text in found.sections[0].after)
    found = page(
        ManyRuns("job", status, overview({"window_ns": 5, "window_start_ns": 0}), none, slices("r0", 0, 5, 5)), None
    )
    assert not any("No GPU work" in text for text in found.sections[0].after)


def test_shades() -> None:
    assert shaded((None, 0.0, 0.049, 0.05, 0.5, 0.89, 0.9, 1.0)).text == " ··░▒▓██"


# The whole page ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answers(story: Story, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A job with bad files, and the folder of its answers."""
    pytest.importorskip("distributed", reason="the extra nsysql[runs] is not installed")
    folder = tmp_path_factory.mktemp("page")
    job = folder / "job"
    job.mkdir()
    for i in range(4):
        shutil.copy(story("training"), job / f"rank_{i}.sqlite")
    shutil.copy(story("idle_two_gpus"), job / "two.sqlite")
    shutil.copy(story("no_cuda"), job / "cpu.sqlite")
    (job / "empty.sqlite").write_bytes(b"")
    with nsysql.open_runs(job, output=folder / "out", workers=2) as runs:
        runs.overview()
    yield job, folder / "out"


def test_the_page_has_a_row_for_each_run_and_gpu(answers: tuple[Path, Path], run: Callable[..., Ran]) -> None:
    job, out = answers
    found = run("runs", job, "-o", out)
    assert found.code == 0 and "nsysql: empty: " in found.err
    page = found.text
    for heading in ("Runs", "Not read", "Outliers", "Run-to-run spread", "When each GPU was busy"):
        assert f"\n{heading}" in page, page
    assert "job: 7 exports" in page and "is empty" in page
    assert page.count("Waiting for a lock") >= 4
    assert run("runs", job, "-o", out, "--format", "markdown").text.startswith("# job: 7 exports")


def test_the_page_for_programs(answers: tuple[Path, Path], run: Callable[..., Ran], story: Story) -> None:
    job, out = answers
    found = json.loads(run("runs", job, "-o", out, "--format", "json").text)
    assert found["schema"] == "nsysql.runs/1"
    assert [(file["run"], file["status"]) for file in found["files"]][:3] == [
        ("cpu", "answered"), ("empty", "failed"), ("rank_0", "answered"),
    ]  # fmt: skip
    keys = [(row["run"], row["gpu_id"]) for row in found["rows"]]
    with nsysql.open(story("idle_two_gpus")) as one:
        ids = one.query("gpu_time")["gpu_id"].to_list()
    assert keys == [("cpu", None), *((f"rank_{i}", 0) for i in range(4)), *(("two", gpu) for gpu in ids)]
    assert all(len(row["shares"]) == len(found["heat_map"]["rows"][0]["shares"]) for row in found["heat_map"]["rows"])
    assert {row["unit"] for row in found["spread"]} <= {"run", "window", "step"}
    rows = pl.read_csv(run("runs", job, "-o", out, "--format", "csv").out)
    assert rows.filter(run="empty")["status"].to_list() == ["failed"]
    assert rows["run"].unique(maintain_order=True).to_list() == [file["run"] for file in found["files"]]


def test_the_digests_are_those_of_nsysql_digest(answers: tuple[Path, Path], run: Callable[..., Ran]) -> None:
    job, out = answers
    assert (out / "digests" / "rank_0.digest").read_bytes() == run("digest", job / "rank_0.sqlite").out
    compared = run("compare", out / "digests" / "rank_0.digest", "--with", out / "digests" / "rank_1.digest")
    assert compared.code == 0


def test_the_page_of_the_library(answers: tuple[Path, Path]) -> None:
    job, out = answers
    with nsysql.open_runs(job, output=out) as runs:
        assert "When each GPU was busy" in str(runs.overview(top=2))
        assert "more row" in str(runs.overview(top=2))
        assert runs.overview().document()["schema"] == "nsysql.runs/1"
        window = runs.spread().filter(unit="run", name="window_ns")
    assert window["runs"].to_list() == [4]  # the one run of another program is not its repeat
