"""The timeline: its rows and lanes, what is merged, and the pictures in the terminal and as SVG."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from command_line import Ran
from drawn import drawn as story_of
from hypothesis import given, settings
from hypothesis import strategies as st

import nsysql
from nsysql.analysis.timeline import MOST, in_lanes, merged_below, with_levels
from nsysql.errors import MissingData, UsageError
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline import event_rows
from nsysql.pages.timeline.gather import collect
from nsysql.pages.timeline.tracks import CATEGORIES
from nsysql.render.perfetto.wire import varints, zigzag
from nsysql.render.timeline.palette import CAUSES, FAMILIES, marks
from nsysql.render.timeline.terminal import columns
from nsysql.words.quantities import columns_of

pytestmark = pytest.mark.usefixtures("kept_open")

TIME = st.integers(0, 60)
EVENTS = st.lists(st.tuples(st.integers(0, 2), TIME, st.integers(0, 20)), min_size=1, max_size=40)
GPU = 4711 << 24
HOSTILE = "[bold]</title><script>x</script>\x1b[31m\n]"


def frame(rows: list[tuple[int, int, int]]) -> pl.DataFrame:
    """Events of tracks with start and length, in the order that lanes need."""
    events = pl.DataFrame(
        {
            "track": [track for track, _, _ in rows],
            "start_ns": [start for _, start, _ in rows],
            "end_ns": [start + length for _, start, length in rows],
        },
        schema={"track": pl.UInt32, "start_ns": pl.Int64, "end_ns": pl.Int64},
    )
    return events.sort("track", "start_ns", "end_ns", descending=[False, False, True])


def placed(rows: list[tuple[int, int, int]]) -> pl.DataFrame:
    """The same in lanes."""
    return pl.concat(map(in_lanes, frame(rows).partition_by("track")))


def drawn(rows: list[tuple[int, int, int]]) -> pl.DataFrame:
    """The same with all that a timeline's events have."""
    named = placed(rows).with_columns(
        style=pl.lit("kernel"), name=pl.format("n{}", "start_ns"), detail=pl.lit(None, pl.String),
        link=pl.lit(0, pl.Int64),
    )  # fmt: skip
    return named.sort("track", "lane", "start_ns", "end_ns")


def overlapping(events: pl.DataFrame, least: int = 1) -> pl.DataFrame:
    """Events that begin before the one before them in their lane ended."""
    ordered = events.sort("track", "lane", "start_ns").with_columns(
        end=pl.max_horizontal("end_ns", pl.col("start_ns") + least)
    )
    return ordered.filter(pl.col("end").shift().over("track", "lane") > pl.col("start_ns"))


@given(EVENTS)
def test_no_lane_overlaps_itself(rows: list[tuple[int, int, int]]) -> None:
    events = placed(rows)
    assert overlapping(events).is_empty()
    deepest = max(
        sum(t == track and s <= at < max(e, s + 1) for t, s, e, _ in events.rows()) for track, at, *_ in events.rows()
    )
    assert events["lane"].max() == deepest - 1  # no more lanes than lie over each other


def test_what_lies_in_something_is_one_lane_below_it() -> None:
    events = placed([(0, 0, 100), (0, 10, 50), (0, 20, 10), (0, 70, 20), (0, 200, 5)]).sort("start_ns")
    assert events["lane"].to_list() == [0, 1, 2, 1, 0]


def test_times_at_the_ends_of_the_clock_are_placed() -> None:
    rows = [(0, -(2**62), 2**62), (1, 0, 2**61), (1, 5, 10), (2, 2**62, 100)]
    assert placed(rows)["lane"].to_list() == [0, 0, 1, 0]


def test_many_that_cross_share_the_last_lane() -> None:
    crossing = [(0, i, 2 * MOST) for i in range(5 * MOST)]
    assert placed(crossing)["lane"].max() == MOST - 1


@given(EVENTS, st.integers(1, 30))
def test_merging_keeps_counts_and_times(rows: list[tuple[int, int, int]], part: int) -> None:
    events = drawn(rows)
    merged = merged_below(events, part)
    assert merged["count"].sum() == events.height
    assert merged["busy_ns"].sum() == (events["end_ns"] - events["start_ns"]).sum()
    long = events.filter(pl.col("end_ns") - pl.col("start_ns") >= part)
    assert (
        merged.filter(pl.col("count") == 1).join(long, on=["track", "lane", "start_ns", "end_ns"]).height >= long.height
    )
    assert overlapping(merged, least=0).is_empty()


@settings(max_examples=30)
@given(st.integers(10, 400))
def test_few_rows_and_all_events_where_they_matter(count: int) -> None:
    events = drawn([(0, i * 10, 6) for i in range(2000)])
    exact = [(5000, 5200)]
    merged, part = with_levels(events, count, exact)
    assert merged["count"].sum() == 2000
    inside = merged.filter((pl.col("start_ns") < 5200) & (pl.col("end_ns") > 5000))
    if count >= 2 * 20:
        assert inside["count"].to_list() == [1] * 20
        assert merged.height <= count + 1
    assert part > 0
    assert overlapping(merged, least=0).is_empty()


def test_little_is_not_merged() -> None:
    events = drawn([(0, i * 10, 6) for i in range(50)])
    merged, part = with_levels(events, 50)
    assert part == 0 and merged["count"].to_list() == [1] * 50


def test_columns_of_merged_events_are_covered_by_what_took_time() -> None:
    events = drawn([(0, 0, 10), (0, 40, 10), (0, 80, 20)])
    merged = merged_below(events, 50)
    assert merged.height == 2
    assert columns(merged, 0, 100, 1)["share"].to_list() == pytest.approx([0.4])
    assert columns(events, 0, 100, 1)["share"].to_list() == pytest.approx([0.4])


def test_columns_say_how_much_is_covered_and_by_what() -> None:
    events = drawn([(0, 0, 25), (0, 30, 10), (0, 75, 25)])
    cells = columns(events, 0, 100, 4).select("column", "share", "name").rows()
    assert [(c, round(s, 6), n) for c, s, n in cells] == [(0, 1.0, "n0"), (1, 0.4, "n30"), (3, 1.0, "n75")]


@given(st.integers(-(2**60), 2**60), st.integers(1, 2**60), st.integers(1, 20))
def test_rulers_have_few_marks_within_the_stretch(start: int, span: int, most: int) -> None:
    found = marks(start, start + span, most)
    assert 1 <= len(found) <= most + 2
    assert all(start <= at <= start + span for at, _ in found)
    assert len({text for _, text in found}) == len(found)


@given(st.lists(st.integers(0, 2**63), max_size=50))
def test_varints_are_those_of_protobuf(numbers: list[int]) -> None:
    made = bytearray()
    for number in numbers:
        while number > 127:
            made.append(number & 127 | 128)
            number >>= 7
        made.append(number)
    assert varints(numbers) == bytes(made)


def test_numbers_of_either_sign_as_ones_of_none() -> None:
    assert zigzag([0, -1, 1, -2, 2]).tolist() == [0, 1, 2, 3, 4]


def test_every_cause_has_a_color(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        assert {f"cause:{cause}" for cause in run.query("idle_causes")["cause"]} == set(CAUSES)
    assert len({cause for _, causes in FAMILIES.values() for cause in causes}) == len(CAUSES)
    assert len(set(CAUSES.values())) == len(CAUSES), "no two causes look alike"


# In the terminal -------------------------------------------------------------------------------


def test_a_drawn_story(run: Callable[..., Ran], story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("timeline", story("idle_launch"))
    assert ran.code == 0 and "\x1b" not in ran.text
    assert all(columns_of(line) <= 80 for line in ran.text.splitlines())
    assert re.search(r"^ idle because .*A", ran.text, re.MULTILINE)
    assert re.search(r"^ str.*[▁█]", ran.text, re.MULTILINE)
    assert re.search(r"^idle  A .+\d%", ran.text, re.MULTILINE)


def test_letters_stand_where_the_gap_is(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    kernels = ", ".join(f"({s}, {e}, 0, 1, 7, {i}, {GPU}, 1, 1)" for i, (s, e) in enumerate([(0, 100), (300, 400)], 1))
    export = build(
        "INSERT INTO StringIds (id, value) VALUES (1, 'k');\n"
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,'
        f" demangledName, shortName) VALUES {kernels};"
    )
    lines = run("timeline", export).text.splitlines()
    idle = next(line for line in lines if "idle because" in line)[14:].ljust(86)
    stream = next(line for line in lines if "stream" in line)[14:].ljust(86)
    assert [i for i, c in enumerate(idle) if c == "A"] == list(range(21, 65)) or set(idle[22:64]) == {"A"}
    assert set(stream[:21]) == {"█"} and set(stream[22:64]) == {" "} and set(stream[65:]) == {"█"}


def test_names_of_rows_are_whole_where_there_is_room(
    run: Callable[..., Ran], build: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two processes on a GPU each stream is told; a row is named in a quarter of the width at most."""
    kernels = ", ".join(f"({i}0, {i}9, 0, 1, 7, {i}, {pid} << 24, 1, 1)" for i, pid in ((1, 411), (2, 412)))
    export = build(
        "INSERT INTO StringIds (id, value) VALUES (1, 'k');\n"
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,'
        f" demangledName, shortName) VALUES {kernels};\n"
        "INSERT INTO NVTX_EVENTS (start, \"end\", eventType, globalTid, text) VALUES (0, 100, 60, 1, 'load');"
    )
    shown = run("timeline", export).text
    for name in ("stream 7 of 411", "stream 7 of 412", "NVTX start/end"):
        assert re.search(rf"^ {name} ", shown, re.MULTILINE)
    monkeypatch.setenv("COLUMNS", "60")
    narrow = run("timeline", export).text.splitlines()
    assert all(columns_of(line) <= 60 for line in narrow)
    assert narrow[1].index("╵") == 15


def test_a_bracket_is_one_range_and_lanes_without_room_are_counted(run: Callable[..., Ran], tmp_path: Path) -> None:
    """Five steps that touch are five brackets; of ten nested ranges the terminal has room for four, SVG for eight."""
    nested = "".join(f'  range "inner{i}" {i}-{99 - i}\n' for i in range(1, 10))
    text = f'every 100 x 5\n  range "step" 0-100\n{nested}  kernel "k(int)" 10-15 20-60\n'
    export = story_of("adjoining", text).write(tmp_path / "adjoining.sqlite")
    shown = run("timeline", export).text
    assert shown.count("[step") == 5
    assert "inner3" in shown and "inner4" not in shown and " +6 lanes " in shown
    svg = run("timeline", export, "-f", "svg").text
    assert "inner7" in svg and "inner8" not in svg and ">+2 lanes</text>" in svg


def test_names_are_cut_to_what_they_mean(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    ranges = "(0, 100, 59, 1, 'aten::to, op_id = 990347'), (100, 900, 59, 1, 'long enough')"
    export = build(f'INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES {ranges};')
    text = run("timeline", export).text
    assert "[aten::…" in text.replace("[aten::to", "[aten::…") and "990347" not in text and "47]" not in text


def test_a_gap_and_a_stretch(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    export = story("idle_launch")
    with nsysql.open(export) as opened:
        gap = opened.query("idle_gaps", top=1).to_dicts()[0]
    assert run("timeline", export, "--gap", gap["gap_id"]).code == 0
    assert run("timeline", export, "--start", f"{gap['start_ns']}ns", "--end", f"{gap['end_ns']}ns").code == 0
    assert run("timeline", export, "--gap", 999).err.startswith("nsysql: there is no gap 999")
    assert run("timeline", export, "--gap", 1, "--start", "5ns").code == 2
    assert "nothing was under way there" in run("timeline", export, "--start", "900s").err
    assert "no GPU work was recorded on GPU 9; there is" in run("timeline", export, "--gpu", 9).err


def test_without_anything_to_show(run: Callable[..., Ran], corpus: Path) -> None:
    ran = run("timeline", corpus / "empty-2023.4.sqlite")
    assert ran.code == 1 and ran.err.count("\n") == 1 and "--trace=cuda,nvtx,osrt" in ran.err


# As data and as SVG ----------------------------------------------------------------------------


@pytest.fixture
def hostile(build: Callable[[str], Path]) -> Path:
    text = HOSTILE.replace("'", "''")
    return build(
        f"INSERT INTO StringIds (id, value) VALUES (1, '{text}'), (2, 'cudaLaunchKernel');\n"
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,'
        f" demangledName, shortName) VALUES (1000, 2000, 0, 1, 7, 1, {GPU}, 1, 1);\n"
        'INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId)'
        f" VALUES (500, 600, {GPU + 1}, 1, 2);\n"
        f'INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, textId) VALUES (0, 3000, 59, {GPU + 1}, 1);'
    )


def test_hostile_names_stay_text(run: Callable[..., Ran], hostile: Path, tmp_path: Path) -> None:
    text = run("timeline", hostile).text
    assert "\x1b" not in text and "[[bold]" in text
    run("timeline", hostile, "-o", tmp_path / "t.svg")
    picture = (tmp_path / "t.svg").read_text(encoding="utf-8")
    assert "<script" not in picture
    assert ET.fromstring(picture).tag.endswith("svg")


def test_one_kernel_alone(story: Callable[[str], Path], build: Callable[[str], Path]) -> None:
    export = build(
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, streamId, correlationId, globalPid)'
        f" VALUES (1000, 2000, 0, 7, 1, {GPU});"
    )
    with nsysql.open(export) as run:
        view = run.pages.timeline()
        assert "stream 7" in str(view) and "<svg" in view._repr_html_()
        assert "(no name)" in view.svg()


def test_negative_times(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("negative_times")) as run:
        found = collect(run, PageScope())
        assert found.start_ns < 0
        assert "-0." in str(run.pages.timeline()).splitlines()[0]


def test_launch_and_work_share_a_link(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        found = collect(run, PageScope())
        launches = run.query("launches").drop_nulls("api_name").height
    events = found.events.join(found.tracks.select("track", "kind"), on="track").filter(pl.col("link") != 0)
    calls, work = events.filter(kind="cuda"), events.filter(kind="stream")
    assert work.join(calls, on="link", how="semi").height == launches


def test_rows_are_those_of_the_queries(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        found = collect(run, PageScope())
        kinds = dict(found.tracks.group_by("kind").agg(pl.col("events").sum()).rows())
        assert kinds.pop("idle") == run.query("idle_pieces", paths=False).height
        assert kinds.pop("stream") == run.query("gpu_events").height
        assert kinds == dict(run.query("thread_events").group_by("category").len().rows())
        assert set(kinds) <= set(CATEGORIES)


def test_what_the_library_refuses(story: Callable[[str], Path], corpus: Path) -> None:
    with nsysql.open(story("training")) as run, pytest.raises(UsageError, match="is not before"):
        run.pages.timeline(start_ns=5, end_ns=5)
    with nsysql.open(corpus / "empty-2023.4.sqlite") as run, pytest.raises(MissingData):
        run.pages.timeline()


@pytest.mark.parametrize(
    ("name", "rare"),  # looked up, and all read
    [("mfu-before-2gpu-2026.2", 0), ("synth-mpi-a", 10**9), ("gol-osrt-2022.1", 10**9), ("gpumetrics-a-2023.4", 0)],
)
def test_what_is_read_in_few_rows_sums_to_what_is_read_in_full(
    name: str, rare: int, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_rows, "RARE", rare)
    with nsysql.open(corpus / f"{name}.sqlite") as run:
        full = collect(run, PageScope())
        fewer = collect(run, PageScope(), full.event_count // 2)
    assert fewer.event_count == full.event_count == fewer.events["count"].sum()
    assert fewer.events.height < full.events.height and fewer.merged_ns > 0
    took = (pl.col("end_ns") - pl.col("start_ns")).sum()
    assert fewer.events["busy_ns"].sum() == full.events.select(took).item()


COLORED = f"""
INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text, color) VALUES
    (0, 100, 59, {GPU + 1}, 'plain', NULL), (100, 200, 59, {GPU + 1}, 'orange', {0xFFFF8800}),
    (200, 300, 59, {GPU + 1}, 'signed', {0xFFFF8800 - 2**32}), (300, 400, 59, {GPU + 1}, 'no alpha', {0x0000FF}),
    (400, 500, 59, {GPU + 1}, 'black', {0xFF000000}), (500, 600, 60, {GPU + 1}, 'none', 0);
"""


def test_ranges_have_their_own_colors(build: Callable[[str], Path]) -> None:
    expected = [
        ("plain", "nvtx"), ("orange", "nvtx:#ff8800"), ("signed", "nvtx:#ff8800"), ("no alpha", "nvtx:#0000ff"),
        ("black", "nvtx:#000000"), ("none", "nvtx"),
    ]  # fmt: skip
    with nsysql.open(build(COLORED)) as run:
        found = collect(run, PageScope())
        picture = run.pages.timeline().svg()
    assert found.events.sort("start_ns").select("name", "style").rows() == expected
    assert picture.count('fill="#ff8800"') == 2 and 'fill="#0000ff"' in picture
    assert "NVTX ranges in their own colors" in picture and picture.count(">NVTX range<") == 1
