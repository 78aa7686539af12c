"""Snippets that a user of polars would write at the first try, and the notebook of the docs in a real kernel."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nsysql
from nsysql.queries import idle_gaps

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "tests" / "fixtures" / "training.sqlite"
SNIPPETS = {
    "time by kernel": (
        lambda run: run.kernel().group_by("name").agg(pl.col("dur_ns").sum()).sort("dur_ns")["dur_ns"][-1],
        17_245_500,
    ),
    "idle share": (lambda run: round(run.gpu_time()["idle_pct"].item(), 1), 32.8),
    "gaps over a millisecond": (lambda run: run.idle_gaps(min_gap_ns="1ms").height, 7),
    "largest cause of steady steps": (
        lambda run: run.idle_ledger(steps="steady").sort("idle_ns", descending=True)["cause"][0],
        "os_wait_lock",
    ),
    "one step": (lambda run: run.kernel(steps=2).height, 11),
    "steps as a slice": (lambda run: run.kernel(steps=slice(0, 2)).height, 22),
    "a time": (lambda run: run.kernel(start_ns=timedelta(milliseconds=125), end_ns="130ms").height, 7),
    "kernels joined to their launches": (
        lambda run: run.launches().filter(pl.col("kind") == "kernel")["queue_dur_ns"].median() > 0,
        True,
    ),
    "a sum in SQL": (
        lambda run: run.sql("SELECT sum(dur_ns) AS ns FROM kernel").select(pl.col("ns") + 1).item(),
        48_211_501,
    ),
    "idle time as a duration": (
        lambda run: run.idle_gaps().select(pl.duration(nanoseconds="dur_ns").sum()).item(),
        timedelta(microseconds=29_760),
    ),
    "kernels in windows of time": (
        lambda run: run.kernel().sort("start_ns").group_by_dynamic("start_ns", every="10000000i").agg(pl.len()).height,
        9,
    ),
    "the range before each gap": (
        lambda run: run.idle_gaps().sort("start_ns")
        .join_asof(run.nvtx_range().sort("start_ns"), on="start_ns")["name"].n_unique(),
        5,
    ),
    "kernels joined to their ranges": (
        lambda run: run.kernel().join(run.kernel_nvtx_range(), on="row_id").height, 49,
    ),
    "a lazy filter": (lambda run: run.kernel().lazy().filter(pl.col("dur_ns") > 1_000_000).collect().height, 24),
    "a parameter in SQL": (
        lambda run: run.sql("SELECT count(*) FROM kernel WHERE dur_ns > $least", {"least": 1_000_000}).item(), 24,
    ),
    "a query in SQL": (
        lambda run: run.sql("SELECT sum(dur_ns) FROM idle_gaps(min_gap_ns := 1000000)").item(), 27_923_968,
    ),
    "steps as a list": (lambda run: run.kernel(steps=[1, 3]).height, 33),
    "the mean period of steady steps": (
        lambda run: round(run.step_times().filter("is_steady")["period_ns"].mean()), 11_138_951,
    ),
    "Arrow": (lambda run: pl.from_arrow(run.arrow("kernel")).equals(run.kernel()), True),
    "findings": (lambda run: run.pages.summary().document()["findings"][0]["code"], "input-wait"),
}  # fmt: skip


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_works_at_the_first_try(name: str) -> None:
    ask, expected = SNIPPETS[name]
    with nsysql.open(SAMPLE) as run:
        assert ask(run) == expected


def test_steps_have_one_meaning_in_every_form() -> None:
    with nsysql.open(SAMPLE) as run:
        found = [run.gpu_time(steps=steps)["busy_ns"].item() for steps in ("1:3", (1, 3), range(1, 4), slice(1, 4))]
        assert len(set(found)) == 1
        for wrong in (slice(0, 4, 2), slice(1, None)):
            with pytest.raises(nsysql.NsysqlError, match="must name steps that follow each other"):
                run.gpu_time(steps=wrong)


def test_a_page_says_where_it_is() -> None:
    with nsysql.open(SAMPLE) as run, pytest.raises(AttributeError, match=r"summary is a page: run\.pages\.summary"):
        run.summary()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda run: idle_gaps(SAMPLE), r"idle_gaps takes an open export: idle_gaps\(nsysql\.open\("),
        (lambda run: run.sql("FROM kernel WHERE dur_ns > ?", [1000]), r"parameters are a dictionary: .*\$least"),
        (lambda run: run.pages.operators(), r"operators is a query: run\.operators\(\)"),
        (lambda run: run.pages.ranks(), r"several captures: nsysql\.ranks\("),
        (lambda run: run.pages.idle_gap(), r"There is no page 'idle_gap'; .* Did you mean idle_gaps"),
    ],
)
def test_a_wrong_first_try_says_what_works(ask: Any, told: str) -> None:
    with nsysql.open(SAMPLE) as run, pytest.raises((AttributeError, nsysql.NsysqlError), match=told):
        ask(run)


def test_sums_are_whole_numbers() -> None:
    with nsysql.open(SAMPLE) as run:
        found = run.sql(
            "SELECT sum(dur_ns) AS small, sum(2::HUGEINT ** 70) AS large, sum(NULL::BIGINT) AS none FROM kernel"
        )
    assert dict(found.schema) == {"small": pl.Int64, "large": pl.Float64, "none": pl.Int64}
    assert found["small"].item() == 48_211_500


def test_the_notebook_of_the_docs_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a kernel of its own, as people run it."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    shown = [output["data"] for cell in notebook.cells if cell.cell_type == "code" for output in cell.get("outputs", ())
             if "data" in output]  # fmt: skip
    assert sum("<svg" in str(data.get("text/html")) for data in shown) == 1
    assert "What to do" in json.dumps(shown)
