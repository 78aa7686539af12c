"""In which NVTX ranges a thread is during pieces of gaps, against a plain reference that asks each range."""

from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nsysql.analysis.idle import nvtx_paths
from nsysql.analysis.idle.nvtx_paths import OF_MAIN
from nsysql.analysis.nvtx import paths
from nsysql.analysis.nvtx.paths import BETWEEN, NO_TEXT, path_intervals

TEXTS = {1: "step", 2: "forward"}
MAIN = 0  # the number of the main thread of the process of threads 1 to 3


class Range(NamedTuple):
    """A row of _nvtx_own_range, but for its place."""

    thread_id: int
    start_ns: int
    end_ns: int
    text_id: int | None
    plain_text: str | None


class Given:
    """What the module is given of views; in a large export ranges come thread by thread."""

    def __init__(self, room: float, **frames: pl.DataFrame) -> None:
        self.memory_budget = room
        self._frames = frames

    def __call__(
        self, view: str, *columns: str, narrow: Callable[[pl.DataFrame], pl.DataFrame] = pl.DataFrame, **_: object
    ) -> pl.DataFrame:
        return narrow(self._frames[view].select(columns or pl.all()))

    def rows(self, view: str) -> int:
        return 1


Piece = tuple[int, int, int]  # thread, start, end


def found(ranges: list[Range], pieces: list[Piece], room: float) -> list[tuple[int, int, int, str]]:
    """What nsysql says of these ranges and pieces: the piece's number, and a stretch with its path."""
    kinds = [pl.Int64, pl.Int64, pl.Int64, pl.Int64, pl.String]
    rows = pl.DataFrame(ranges, dict(zip(Range._fields, kinds, strict=True)), orient="row").with_row_index("row_id")
    asked = [(number, *piece) for number, piece in enumerate(pieces)]
    columns = dict.fromkeys(("gap_id", "thread_id", "start_ns", "end_ns"), pl.Int64)
    texts = pl.DataFrame({"id": list(TEXTS), "text": list(TEXTS.values())})
    given = Given(
        room,
        _idle_piece=pl.DataFrame(asked, columns, orient="row"),
        _drain_call=pl.DataFrame(schema=dict.fromkeys(("row_id", "thread_id", "start_ns"), pl.Int64)),
        _nvtx_own_range=rows,
        string=texts,
    )
    *records, names = list(nvtx_paths.piece_paths(given))
    numbered = pl.concat([frames["_idle_piece_path"] for frames in records])
    told = numbered.join(names["_nvtx_path"], on="path_number", how="left").cast({"nvtx_path": pl.String})
    assert told.height == numbered.height
    return sorted(told.select("gap_id", "start_ns", "end_ns", pl.col("nvtx_path").fill_null("")).rows())


def told(ranges: list[Range], pieces: list[Piece]) -> list[tuple[int, int, int, str]]:
    """The same, moment by moment; pieces in which no range is open are left out."""
    threads = {row.thread_id for row in ranges}
    stretches = []
    for number, (thread, start, end) in enumerate(pieces):
        own = thread if thread in threads else MAIN
        mark = "" if own == thread else OF_MAIN
        at = [(path(ranges, own, time), time) for time in range(start, end)]
        named = [(text + mark if text else "", time) for text, time in at]
        if any(text for text, _ in named):
            for text, same in groupby(named, key=lambda pair: pair[0]):
                times = [time for _, time in same]
                stretches.append((number, times[0], times[-1] + 1, text))
    return sorted(stretches)


def path(ranges: list[Range], thread: int, time: int) -> str:
    """The ranges of a thread at one moment; no text in no range."""
    held = [(r.start_ns, -r.end_ns, place, r) for place, r in enumerate(ranges)
            if r.thread_id == thread and r.start_ns <= time < r.end_ns]  # fmt: skip
    named = [r.plain_text if r.text_id is None else TEXTS[r.text_id] for *_, r in sorted(held)]
    return BETWEEN.join(NO_TEXT if text is None else text for text in named)


RANGES = st.lists(
    st.builds(
        lambda thread, start, length, text: Range(thread, start, start + length, *text),
        st.sampled_from([MAIN, 1, 1, 2]),
        st.integers(0, 12),
        st.sampled_from([0, 1, 2, 3, 5, 9, 2**62]),
        st.sampled_from([(1, None), (2, None), (None, "a"), (None, "b"), (None, None)]),
    ),
    max_size=9,
)
PIECES = st.lists(
    st.builds(
        lambda thread, start, length: (thread, start, start + length),
        st.sampled_from([MAIN, 1, 1, 2, 3]),
        st.integers(-1, 20),
        st.integers(1, 9),
    ),
    max_size=9,
)


@pytest.mark.parametrize("room", [float("inf"), 0])
@settings(deadline=None)
@given(ranges=RANGES, pieces=PIECES, chunk=st.integers(1, 4))
@example(  # a closes first, then b does; then b closes first
    [Range(1, *row) for row in (
        (0, 2, None, "x"), (1, 4, None, "a"), (2, 5, None, "b"), (6, 8, None, "x"), (7, 10, None, "b"),
        (8, 11, None, "a"), (20, 21, None, "x"),
    )],
    [(1, 1, 4), (1, 3, 9), (1, 9, 10), (1, 20, 30)],
    9,
)  # fmt: skip
@example([Range(1, 5, 8, None, "a"), Range(1, 5, 7, None, "b")], [(1, 5, 6)], 1)  # one comes after the other
@example(
    [Range(1, 0, 30, 1, None), Range(1, 2, 3, 2, None)], [(1, 1, 9), (1, 1, 2)], 1
)  # a long piece, then a short one
@example([Range(MAIN, 0, 9, 1, None)], [(3, 1, 12)], 1)  # a thread without ranges, and its main thread
def test_paths_against_a_plain_reference(room: float, ranges: list[Range], pieces: list[Piece], chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "BLOCK", chunk)
        assert found(ranges, pieces, room) == told(ranges, pieces)


def test_cutting_pieces_leaves_an_interval_as_it_was() -> None:
    ranges = pl.DataFrame({"start_ns": [10, 20], "end_ns": [50, 30], "row_id": [0, 1], "text_id": [1, 2]})
    (interval,) = path_intervals(ranges)
    borders = interval.borders.to_list()
    pieces = pl.DataFrame({"start_ns": [0, 25], "end_ns": [60, 40]})
    assert interval.cut(pieces).equals(interval.cut(pieces))
    assert interval.borders.to_list() == borders
