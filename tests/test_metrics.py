"""GPU metrics: means over the GPU, over kernels and over NVTX ranges, and what is too short to be sampled."""

import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import nsysql
from nsysql.errors import MissingData
from nsysql.pages.summary import metrics

pytestmark = pytest.mark.usefixtures("kept_open")

Story = Callable[[str], Path]
TYPE = 281479271677952


def means(run: nsysql.Export, by: str, metric: str = "SMs Active") -> list[tuple[object, ...]]:
    columns = ("name", "mean", "sample_count", "count", "sampled_count", "total_ns")
    return run.query("metrics", by=by, metric=metric).select(*columns).rows()


def test_means_of_kernels_and_ranges(story: Story) -> None:
    with nsysql.open(story("gpu_metrics")) as run:
        assert means(run, "kernel") == [("a", 75, 2, 1, 1, 200), ("b", 30, 1, 1, 1, 190), ("c", None, 0, 1, 0, 30)]
        assert means(run, "nvtx") == [("step", 75, 2, 1, 1, 280)]
        assert means(run, "kernel", "SYS Clock Frequency")[1] == ("b", 1e9, 1, 1, 1, 190)
        assert run.metrics(start_ns=200, end_ns=400)["mean"].to_list() == [55, 1.5e9]
        assert set(run.gpu_metric()["nsys_name"]) == {"SM Active", "SYS Clock Frequency"}


def test_means_of_steps(build: Callable[[str], Path]) -> None:
    # steps [0, 100), [100, 200), [200, 290) of one kernel each; samples of 50 ns: 10 20 30 40 50, the sixth cut off
    kernels = ", ".join(f"({at}, {at + 90}, 0, 1, 7, {n}, 500 << 24, 1, 1)" for n, at in enumerate((0, 100, 200), 1))
    calls = ", ".join(f"({at}, {at + 5}, 500 << 24 | 500, {n}, 2)" for n, at in enumerate((-9, 95, 195), 1))
    samples = ", ".join(
        f"({at}, {TYPE}, 3, {value})" for at, value in zip(range(50, 301, 50), range(10, 61, 10), strict=True)
    )
    export = build(f"""
INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000');
INSERT INTO TARGET_INFO_GPU_METRICS (typeId, metricId, metricName) VALUES ({TYPE}, 3, 'SMs Active');
INSERT INTO GPU_METRICS (timestamp, typeId, metricId, value) VALUES {samples};
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    (start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES {kernels};
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId) VALUES {calls};
INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text, domainId) VALUES
    (-10, 0, 59, 500 << 24 | 500, 'step 0', 0), (90, 100, 59, 500 << 24 | 500, 'step 1', 0),
    (190, 200, 59, 500 << 24 | 500, 'step 2', 0);
""")
    with nsysql.open(export) as run:
        found = means(run, "step")
        assert run.nvtx_projection().height == 3  # which was not needed for the steps
    assert found == [
        ("step 0", 15, 2, 1, 1, 100), ("step 1", 35, 2, 1, 1, 100), ("step 2", 50, 1, 1, 1, 90),
    ]  # fmt: skip


def test_without_steps_there_are_none_by_step(story: Story) -> None:
    with nsysql.open(story("gpu_metrics")) as run:
        assert run.answer("metrics", by="step").why_none().startswith("no rows: no step was found")
        assert (
            run.answer("metrics", metric="none").why_none() == "no rows: nothing in this export passes metric='none'."
        )


def test_a_lack_of_ranges_is_no_lack_of_kernels(corpus: Path) -> None:
    """All that a view needs is needed, and what is there is not named."""
    with nsysql.open(corpus / "gpumetrics-a-2023.4.sqlite") as run, pytest.raises(MissingData) as caught:
        run.metrics(by="nvtx")
    assert str(caught.value).endswith("the export has no NVTX_EVENTS; capture with --trace=nvtx.")


def test_without_samples_the_option_is_named(story: Story) -> None:
    with nsysql.open(story("two_streams")) as run, pytest.raises(MissingData, match="--gpu-metrics-devices=all"):
        run.metrics()


@pytest.mark.parametrize("name", ["gpumetrics-a-2023.4", "more/gpumetrics/vecadd-v4"])
def test_means_are_those_of_plain_sql(name: str, corpus: Path) -> None:
    path = corpus / f"{name}.sqlite"
    if not path.exists():
        pytest.skip(f"{name} is not in the corpus")
    weighted = """
        WITH moment AS (SELECT timestamp, timestamp - lag(timestamp) OVER (ORDER BY timestamp) AS dur
            FROM (SELECT DISTINCT timestamp FROM GPU_METRICS))
        SELECT metricName, avg(value), sum(1.0 * value * dur) / sum(dur), count(*)
        FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING (typeId, metricId) JOIN moment USING (timestamp)
        WHERE value >= 0  -- no metric is less: such a sample is a counter that wrapped
        GROUP BY metricName"""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as plain, nsysql.open(path) as run:
        newer = dict(run.gpu_metric().select("nsys_name", "metric").unique().rows())
        found = {row["metric"]: row for row in run.metrics().rows(named=True)}
        for nsys_name, mean, weighted_mean, samples in plain.execute(weighted):
            row = found.pop(newer[nsys_name])
            assert row["sample_mean"] == pytest.approx(mean, rel=1e-12)
            assert row["mean"] == pytest.approx(weighted_mean, rel=0.01, abs=0.001)  # which leaves out the first sample
            assert row["sample_count"] == samples
    assert not found


def test_means_of_kernels_are_those_of_counting(build: Callable[[str], Path]) -> None:
    """Random samples and kernels against a loop over both."""
    drawn = random.Random(5)
    times = sorted(drawn.sample(range(3000), 60))
    values = [drawn.randint(0, 100) for _ in times]
    kernels = [(start, start + drawn.randint(0, 300), drawn.randint(1, 4)) for start in range(0, 3000, 17)]
    samples = ", ".join(f"({t}, {TYPE}, 3, {v})" for t, v in zip(times, values, strict=True))
    work = ", ".join(f"({s}, {e}, 0, {i}, 500 << 24, {n}, {n})" for i, (s, e, n) in enumerate(kernels))
    export = build(
        "INSERT INTO StringIds (id, value) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');\n"
        f"INSERT INTO TARGET_INFO_GPU_METRICS VALUES ({TYPE}, 3, 'SMs Active [Throughput %]');\n"
        f"INSERT INTO GPU_METRICS (timestamp, typeId, metricId, value) VALUES {samples};\n"
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, correlationId, globalPid, demangledName, '
        f"shortName) VALUES {work};"
    )
    gaps = [b - a for a, b in pairwise(times)]
    usual = sorted(gaps)[(len(gaps) - 1) // 2]
    periods = [usual, *(gap if gap <= 2 * usual else usual for gap in gaps)]
    with nsysql.open(export) as run:
        found = {row[0]: row[1:3] for row in means(run, "kernel")}
    for number, name in enumerate("abcd", start=1):
        inside = [
            (value, period)
            for start, end, kernel in kernels
            for time, value, period in zip(times, values, periods, strict=True)
            if kernel == number and start <= time - period and time <= end
        ]
        mean = sum(v * p for v, p in inside) / sum(p for _, p in inside)
        assert found[name] == (pytest.approx(mean), len(inside))


def test_the_summary_says_what_metrics_are_in_kernels(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("gpu_metrics")) as run:
        found = metrics.collect(run, {})
    row = found.row(0, named=True)
    assert (row["metric"], row["mean"], row["kernel_mean"]) == ("SMs Active", 40.0, 60.0)  # (2 * 75 + 30) / 3
    assert (row["kernel_sampled_ns"], row["kernel_ns"]) == (300, 30 + 200 + 190)
    assert list(metrics.sentences(found)) == []


@pytest.mark.parametrize(
    ("active", "read", "sampled", "said"),
    [
        (12.0, 5.0, 900, ["kernels do not fill it: while they ran, its SMs were active 12% of the time"]),
        (95.0, 60.0, 900, ["memory-bound: in kernels DRAM was read and written at 85% of its peak"]),
        (95.0, 5.0, 900, []),
        (12.0, 60.0, 100, ["only 10.0% of the time of its kernels has samples"]),
        (None, None, 0, ["none of the time of its kernels has samples"]),
    ],
)
def test_a_sentence_where_metrics_show_it(
    active: float | None, read: float | None, sampled: int, said: list[str]
) -> None:
    rows = [("SMs Active", active), ("DRAM Read Bandwidth", read), ("DRAM Write Bandwidth", read and 25.0)]
    frame = pl.DataFrame(
        [(0, metric, "%", 50.0, mean, sampled, 1000, 9, None) for metric, mean in rows],
        schema=metrics.FRAME,
        orient="row",
    )
    found = list(metrics.sentences(frame))
    assert len(found) == len(said) and all(words in text for words, text in zip(said, found, strict=True))


def test_active_sms_without_traced_work_are_told(corpus: Path) -> None:
    with nsysql.open(corpus / "gpumetrics-a-2023.4.sqlite") as run:
        window = run.gpu_time()
        start, end = window["window_start_ns"][0], window["window_end_ns"][0]
        inside = run.metrics(metric="SMs Active", start_ns=start, end_ns=end)["mean"][0]
        found = metrics.collect(run, {}, window)
        assert found["window_mean"][0] == inside > 3 * found["mean"][0] > 0
        assert metrics.collect(run, {"start_ns": start}, window)["window_mean"].is_null().all()
        pages = [" ".join(str(run.pages.summary(all=whole)).split()) for whole in (False, True)]
    told = f"SMs were active {inside:.0f}% of the time, but traced work ran for 0.9%: other work is on this GPU"
    assert all(told in text and "idle means no traced work" in text for text in pages)
    assert list(metrics.hidden_work(found, window.with_columns(busy_ns=pl.col("window_ns") // 2))) != []
    assert list(metrics.hidden_work(found, window.with_columns(busy_ns=pl.col("window_ns")))) == []


def test_metrics_by_range_take_linear_time(build: Callable[[str], Path]) -> None:
    """12,000 samples of 14 metrics and 1,000 ranges; every pair of samples of a metric would be 2 billion."""
    names = ", ".join(f"({TYPE}, {metric}, 'Metric {metric} [Throughput %]')" for metric in range(14))
    samples = ", ".join(f"({100 * at}, {TYPE}, {metric}, {at % 100})" for at in range(12000) for metric in range(14))
    starts = range(1000, 1_001_000, 1000)
    ranges = ", ".join(f"({at}, {at + 900}, 59, 'r{at // 1000 % 10}', 500 << 24 | 500)" for at in starts)
    calls = ", ".join(f"({at + 1}, {at + 2}, 500 << 24 | 500, {at}, 2)" for at in starts)
    kernels = ", ".join(f"({at + 100}, {at + 800}, 0, 1, 7, {at}, 500 << 24, 1, 1)" for at in starts)
    export = build(
        "INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'cudaLaunchKernel');\n"
        f"INSERT INTO TARGET_INFO_GPU_METRICS (typeId, metricId, metricName) VALUES {names};\n"
        f"INSERT INTO GPU_METRICS (timestamp, typeId, metricId, value) VALUES {samples};\n"
        f"INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES {ranges};\n"
        f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES {calls};\n"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,"
        f" demangledName, shortName) VALUES {kernels};"
    )
    with nsysql.open(export) as run:
        before = time.process_time()
        rows = run.metrics(by="nvtx")
        assert time.process_time() - before < 10
        assert rows.height == 10 * 14
        assert rows["sample_count"].unique().to_list() == [700]


def test_wrapped_samples_are_left_out_and_counted(build: Callable[[str], Path]) -> None:
    values = ((100, 10), (200, -5), (300, 30), (400, 30))
    samples = ", ".join(f"({at}, {TYPE}, 3, {value})" for at, value in values)
    export = build(f"""
INSERT INTO StringIds (id, value) VALUES (1, 'k');
INSERT INTO TARGET_INFO_GPU_METRICS (typeId, metricId, metricName) VALUES ({TYPE}, 3, 'SM Active [Throughput %]');
INSERT INTO GPU_METRICS (timestamp, typeId, metricId, value) VALUES {samples};
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid, demangledName)
    VALUES (0, 400, 0, 7, 1, 500 << 24, 1);
""")
    with nsysql.open(export) as run:
        assert run.metrics().select("min", "sample_count").rows() == [(10, 3)]
        assert run.metrics(by="kernel").select("sample_count", "sampled_ns").rows() == [(3, 300)]
        assert any("1 of 4 samples of GPU metrics are below 0" in note for note in run.notes("metrics"))
