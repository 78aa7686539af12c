"""GPU metrics and memory as curves: what holds when, what is merged, and how pictures draw it."""

import base64
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from command_line import Ran
from hypothesis import given
from hypothesis import strategies as st

import nsysql
from nsysql.analysis.timeline import VALUES, columns, fewer_values, merged_values
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline.curves import in_order, with_curves
from nsysql.pages.timeline.gather import collect, together

pytestmark = pytest.mark.usefixtures("kept_open")

SAMPLES = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 9), st.integers(1, 20), st.integers(0, 100)), min_size=1, max_size=40
)


def values(rows: list[tuple[int, int, int, int]]) -> pl.DataFrame:
    """Values of curves one after the other: curve, hole before, length, value."""
    at = {0: 0, 1: 0}
    made = []
    for curve, hole, length, value in rows:
        start = at[curve] + hole
        at[curve] = start + length
        made.append((curve, start, start + length, value, value, float(value), length, 1))
    return pl.DataFrame(made, schema=VALUES, orient="row").sort("curve", "start_ns")


@given(SAMPLES, st.integers(1, 50), st.integers(0, 200), st.integers(0, 60))
def test_merging_keeps_extremes_areas_and_counts(
    rows: list[tuple[int, int, int, int]], part: int, start: int, length: int
) -> None:
    every = values(rows)
    exact = [(start, start + length)]
    merged = merged_values(every, part, exact).sort("curve", "start_ns", "end_ns")
    area = (pl.col("mean") * pl.col("held_ns")).sum().round(6)
    told = [area, pl.col("low").min(), pl.col("high").max(), pl.col("held_ns").sum(), pl.col("count").sum()]
    for by in ("curve", pl.lit(0)):
        assert merged.group_by(by).agg(*told).sort("mean").equals(every.group_by(by).agg(*told).sort("mean"))
    assert merged.filter(pl.col("end_ns").shift().over("curve") > pl.col("start_ns")).is_empty()
    kept = every.filter((pl.col("start_ns") < start + length) & (pl.col("end_ns") > start))
    assert kept.join(merged, on=every.columns, how="anti").is_empty()


def test_of_many_values_few_rows_are_left() -> None:
    every = values([(0, 0, 3, i % 101) for i in range(5000)])
    few, part = fewer_values(every, 300, 10)
    assert few.height <= 300 and part > 10
    assert fewer_values(every, 5000, 10)[1] == 0


def test_columns_are_what_their_time_holds() -> None:
    # 0 ......... 10 10 ........ 40     60 ..... 80   in four columns of 20
    #      value 8        value 2   hole    value 5
    every = values([(0, 0, 10, 8), (0, 0, 30, 2), (0, 20, 20, 5)])
    assert columns(every, 0, 80, 4).rows() == [(0, 0, 2, 8, 5.0), (0, 1, 2, 2, 2.0), (0, 3, 5, 5, 5.0)]


def test_samples_hold_from_the_one_before(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("gpu_metrics")) as run:
        found = with_curves(collect(run, PageScope()), run)
    assert found.curves is not None
    rows = found.curves.rows
    assert rows.select("group", "name", "low", "high", "top").rows() == [
        ("GPU 0 metrics", "SMs Active", 20, 90, 100),
        ("GPU 0 other metrics", "SYS Clock Frequency", 10**9, 2 * 10**9, 2 * 10**9),
    ]
    drawn = found.curves.values.filter(curve=0).select("start_ns", "end_ns", "high").rows()
    assert drawn == [(105, 200, 20), (200, 300, 90), (300, 400, 60), (600, 700, 30), (700, 790, 30)]


def test_memory_holds_until_it_changes(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("memory")) as run:
        found = with_curves(collect(run, PageScope(None, 1350, 1450)), run)
        whole = with_curves(collect(run, PageScope()), run)
        peak = run.query("memory").select("kind", "peak_bytes").rows()
    assert found.curves is not None and whole.curves is not None
    values, rows = found.curves.values, found.curves.rows
    named = values.join(rows, on="curve").select("label", "start_ns", "end_ns", "high").rows()
    assert named == [
        ("Device", 1350, 1400, 300),
        ("Device", 1400, 1450, 500),
        ("Device Static", 1350, 1450, 8192),
        ("Pinned", 1350, 1450, 0),
    ]
    assert sorted(whole.curves.rows.select("name", "high").rows()) == sorted(peak)


def test_curves_are_under_their_gpu(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("gpu_metrics")) as run:
        found = with_curves(collect(run, PageScope()), run)
        other = with_curves(collect(run, PageScope()), run, gpu=1)
    kinds = [track["kind"] for track in in_order(found)]
    assert kinds == ["idle", "stream", "curve", "nvtx", "cuda"]
    assert [track["kind"] for track in in_order(found, with_others=True)].count("curve") == 2
    assert other.curves is None


def test_curves_of_ranks_follow_the_last_track_of_their_rank(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("gpu_metrics")) as run:
        every = together([(name, with_curves(collect(run, PageScope()), run)) for name in ("rank 0", "rank 1")])
    kinds = [track["kind"] for track in in_order(every, with_others=True)]
    assert kinds == ["idle", "stream", "nvtx", "cuda", "curve", "curve"] * 2
    unfolded = replace(every, tracks=every.tracks.filter(~pl.col("is_folded")))
    assert {track["kind"] for track in in_order(unfolded, with_others=True)} == {"idle"}


def test_few_are_read_of_many(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("gpu_metrics")) as run:
        timeline = collect(run, PageScope())
        every, few = with_curves(timeline, run).curves, with_curves(timeline, run, most=6).curves
        exact = with_curves(timeline, run, most=6, exact=[(100, 400)]).curves
    assert every is not None and few is not None and exact is not None
    assert (every.merged_ns, every.values.height, few.values.height) == (0, 10, 2)
    assert few.merged_ns > 0 and few.values["count"].sum() == 10
    assert exact.values.filter(curve=0).select("start_ns", "count").rows()[:3] == [(105, 1), (200, 1), (300, 1)]


def test_the_terminal_draws_blocks(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    text = run("timeline", story("gpu_metrics")).text
    assert re.search(r"^ SMs Active   ▂+▇+▆?▅+ +▂+$", text, re.M), text
    assert "full  █ metrics 100%" in text and "1 more metric: nsysql metrics" in text
    text = run("timeline", story("memory"), "--start", "1000ns", "--end", "1600ns").text
    assert re.search(r"^ Device +▂+▆+▂+▅+█+▅+$", text, re.M), text
    assert "█ Device 500 B" in text


def test_the_picture_draws_areas(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("gpu_metrics")) as run:
        text = run.pages.timeline(start_ns=200, end_ns=400).svg(1130)
    assert "<title>SMs Active: mean 75 %, lowest 60 %, highest 90 %</title>" in text
    # 1,000 pixels: half of them at 90 %, half at 60 % of 24 pixels
    areas = re.findall(r'<path d="([^"]+)" fill-opacity=".9"', text)
    assert re.findall(r"v-([\d.]+)h(\d+)v", areas[0]) == [("21.6", "500"), ("14.4", "500")]


def test_the_report_has_every_value(run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path) -> None:
    run("report", story("gpu_metrics"), "-o", tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "All 10 values of metrics and memory are in it, too." in text
    found = re.search(r'id="events" type="text/plain">([^<]+)<', text)
    assert found is not None
    data = zlib.decompress(base64.b64decode(found[1]))
    header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    curves = [track for track in header["tracks"] if track["kind"] == "curve"]
    assert [(one["name"], one["top"], one["isFolded"]) for one in curves] == [
        ("SMs Active", 100, False),
        ("SYS Clock Frequency", 2 * 10**9, True),
    ]
    assert header["curves"] == [5, 5]


@pytest.mark.parametrize("name", ["gpumetrics-a-2023.4.sqlite", "more/gpumetrics/vecadd-v4.sqlite"])
def test_the_mean_of_a_curve_is_that_of_the_query(name: str, corpus: Path) -> None:
    with nsysql.open(corpus / name) as run:
        found = with_curves(collect(run, PageScope()), run, most=5000)
        assert found.curves is not None
        window = {"start_ns": found.start_ns, "end_ns": found.end_ns}
        means = {row["metric"]: row["mean"] for row in run.query("metrics", **window).to_dicts()}
    for row in found.curves.rows.to_dicts():
        assert row["mean"] == pytest.approx(means[row["name"]], rel=0.01, abs=0.01)


def test_memory_in_use_lasts_until_it_changes(corpus: Path) -> None:
    with nsysql.open(corpus / "synth-mem-a.sqlite") as run:
        found = with_curves(collect(run, PageScope()), run)
    assert found.curves is not None
    (device,) = found.curves.rows.filter(gpu_id=0, family="memory", name="Device").to_dicts()
    assert device["mean"] == pytest.approx(57.67e6, rel=1e-3)
