"""Timelines that are merged while they are read: how few rows, which names, in which order."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsysql.analysis.intervals import with_ties_in_order
from nsysql.analysis.timeline import in_lanes, with_levels
from nsysql.capture.export import Export
from nsysql.capture.frame_views import collect_batches
from nsysql.pages.timeline.model import Timeline
from nsysql.render.timeline.terminal import lines
from nsysql.words.sql_text import without_order


def events(count: int, length: int, busy: int, track: int = 0) -> pl.DataFrame:
    """So many events one after the other."""
    start = [i * length for i in range(count)]
    made = pl.DataFrame({"start_ns": start, "end_ns": [at + busy for at in start]})
    return made.with_columns(
        track=pl.lit(track, pl.UInt32), lane=pl.lit(0, pl.UInt32), style=pl.lit("nvtx"),
        name=pl.format("n{}", "start_ns"),
        detail=pl.lit(None, pl.String), link=pl.lit(0, pl.Int64),
    )  # fmt: skip


def test_what_is_counted_first_is_what_is_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    every = pl.concat([events(4000, 1000, 700), events(3000, 1300, 1300, 1)])
    found = {rows: with_levels(every, rows) for rows in (50, 300, 2000)}
    # merged again and again, as long as there are too many
    monkeypatch.setattr("nsysql.analysis.timeline._parts", lambda *_: 0)
    for rows, (few, part) in found.items():
        slowly, slow_part = with_levels(every, rows)
        assert part == slow_part and few.height <= rows
        order = ["track", "lane", "start_ns"]
        assert few.drop("name").sort(order).equals(slowly.drop("name").sort(order))  # names of equally long ones


def test_merged_ranges_have_no_name_in_the_terminal() -> None:
    tracks = pl.DataFrame(
        {
            "track": [0],
            "group": ["g"],
            "label": ["NVTX"],
            "kind": ["nvtx"],
            "lanes": [1],
            "thread_id": [5],
            "gpu_id": [None],
        },
        schema_overrides={"track": pl.UInt32, "gpu_id": pl.Int64},
    )
    few = with_levels(
        pl.concat([events(4000, 1000, 900), events(1, 1, 4_000_000).with_columns(lane=pl.lit(1, pl.UInt32))]), 40
    )[0]
    drawn = Timeline("t", 0, 4_000_000, tracks.with_columns(lanes=2), few, {})
    text = ["".join(part for part, _ in line) for line in lines(drawn, 100, None)]
    above, below = text[3], text[4]
    assert "[" not in above and "█" in above
    assert "[n0" in below


def test_what_is_equal_is_in_order_of_its_row() -> None:
    crossed = pl.DataFrame({"start_ns": [5, 5, 5], "end_ns": [9, 9, 9], "at": [3, 1, 2], "track": [0, 0, 0]})
    placed = in_lanes(crossed)
    assert placed.select("lane", "at").rows() == [(0, 1), (1, 2), (2, 3)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 3)), max_size=30))
def test_order_by_the_first_column_and_ties_by_all_is_the_order_by_all(rows: list[tuple[int, int, int]]) -> None:
    events = pl.DataFrame(rows, schema=["start_ns", "end_ns", "at"], orient="row")
    placed = with_ties_in_order(events.sort("start_ns"), ["start_ns"], ["end_ns", "at"], down=["end_ns"])
    assert placed.equals(events.sort("start_ns", "end_ns", "at", descending=[False, True, False]))


def test_of_a_report_each_question_is_asked_once(story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with Export(story("training")) as run:
        asked: list[tuple[str, object]] = []
        ask = run.ask
        monkeypatch.setattr(run, "ask", lambda name, given, *rest, **more: (
            asked.append((str(name), sorted(given.items()))), ask(name, given, *rest, **more))[1])  # fmt: skip
        with run.remembering():
            first, second = run.query("idle_gaps"), run.query("idle_gaps", min_gap_ns=0, gpu=None)
            assert len(asked) == 1 and first.equals(second)
            run.query("idle_gaps", min_gap_ns=10)
            assert len(asked) == 2
        run.query("idle_gaps")
        assert len(asked) == 3


@pytest.mark.parametrize(
    ("sql", "plain"),
    [
        ("SELECT a\nFROM t\nORDER BY a ASC, t.b DESC\n", "SELECT a\nFROM t"),
        ("SELECT a\nFROM t\nORDER BY a ASC\nLIMIT $top", None),
        ("SELECT first(a\nORDER BY a) FROM t", None),
        ("WITH x AS (\nSELECT a\nORDER BY a\nLIMIT 3)\nSELECT a FROM x", None),
        ("SELECT '\nORDER BY a' AS a", None),
        ("SELECT a\nORDER BY a\nUNION ALL SELECT b", None),
    ],
)
def test_only_a_last_order_is_left_out(sql: str, plain: str | None) -> None:
    assert without_order(sql) == (sql if plain is None else plain)


def test_rows_that_are_kept_do_not_keep_the_texts_of_the_others() -> None:
    """A text column of polars is a view of buffers, which live as long as one of its rows."""
    names = [f"{row} " + "x" * 1000 for row in range(2000)]
    table = pyarrow.table({"at": range(2000), "name": names})
    found = collect_batches(table, lambda rows: rows.filter(pl.col("at") % 100 == 0))
    assert found["name"].to_list() == names[::100]
    chunks = [found["name"].to_arrow(compat_level=pl.CompatLevel.newest())]
    assert sum(buffer.size for chunk in chunks for buffer in chunk.buffers() if buffer) < 2 * 20 * 1000 + 1000
