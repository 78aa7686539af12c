"""In which NVTX ranges a thread is at many moments, against a plain reference that asks each range."""

from collections.abc import Callable
from typing import NamedTuple

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nsysql.idle import paths
from nsysql.idle.paths import BETWEEN, NO_TEXT

TEXTS = {1: "step", 2: "forward"}


class Range(NamedTuple):
    """A row of nvtx_own_range, but for its place."""

    thread_id: int
    start_ns: int
    end_ns: int
    text_id: int | None
    plain_text: str | None


class Given:
    """What the module is given of views: frames, of which a large export's lie on disk."""

    def __init__(self, room: float, **frames: pl.DataFrame) -> None:
        self.room = room
        self._frames = frames

    def __call__(
        self, view: str, narrow: Callable[[pl.DataFrame], pl.DataFrame] = pl.DataFrame, **_: object
    ) -> pl.DataFrame:
        return narrow(self._frames[view])

    def rows(self, view: str) -> int:
        return 1

    def set_aside(self, view: str, *order: str) -> None:
        self._frames[view] = self._frames[view].sort(order)

    def part(self, view: str, first: int, end: int, *columns: str) -> pl.DataFrame:
        return self._frames[view][first:end]


def found(ranges: list[Range], moments: list[tuple[int, int]], room: float) -> list[tuple[int, int, str]]:
    """What nsysql says of these ranges and moments, each a thread and a time."""
    kinds = [pl.Int64, pl.Int64, pl.Int64, pl.Int64, pl.String]
    rows = pl.DataFrame(ranges, dict(zip(Range._fields, kinds, strict=True)), orient="row").with_row_index("row_id")
    asked = [(number, thread, time) for number, (thread, time) in enumerate(moments)]
    pieces = pl.DataFrame(asked, dict.fromkeys(("gap_id", "thread_id", "start_ns"), pl.Int64), orient="row")
    texts = pl.DataFrame({"id": list(TEXTS), "text": list(TEXTS.values())})
    given = Given(room, idle_piece_record=pieces, nvtx_own_range=rows, string=texts)
    *records, names = list(paths.parts(given))
    numbered = pl.concat([frames["idle_path_record"] for frames in records])
    told = numbered.join(names["idle_path_name"], on="path_number").cast({"nvtx_path": pl.String})
    assert told.height == numbered.height
    return sorted(told.select("gap_id", "start_ns", "nvtx_path").rows())


def path(ranges: list[Range], thread: int, time: int) -> str:
    """The same of one moment; no text in no range."""
    held = [(r.start_ns, -r.end_ns, place, r) for place, r in enumerate(ranges)
            if r.thread_id == thread and r.start_ns <= time < r.end_ns]  # fmt: skip
    named = [r.plain_text if r.text_id is None else TEXTS[r.text_id] for *_, r in sorted(held)]
    return BETWEEN.join(NO_TEXT if text is None else text for text in named)


RANGES = st.lists(
    st.builds(
        lambda thread, start, length, text: Range(thread, start, start + length, *text),
        st.integers(1, 2),
        st.integers(0, 12),
        st.sampled_from([0, 1, 2, 3, 5, 9, 2**62]),
        st.sampled_from([(1, None), (2, None), (None, "a"), (None, "b"), (None, None)]),
    ),
    max_size=9,
)
MOMENTS = st.lists(st.tuples(st.integers(1, 3), st.integers(-1, 25)), max_size=9)


@pytest.mark.parametrize("room", [float("inf"), 0])
@given(ranges=RANGES, moments=MOMENTS, chunk=st.integers(1, 4))
@example(  # a closes first, then b does; then b closes first
    [Range(1, *row) for row in (
        (0, 2, None, "x"), (1, 4, None, "a"), (2, 5, None, "b"), (6, 8, None, "x"), (7, 10, None, "b"),
        (8, 11, None, "a"), (20, 21, None, "x"),
    )],
    [(1, 1), (1, 3), (1, 7), (1, 9), (1, 20)],
    9,
)  # fmt: skip
@example([Range(1, 5, 8, None, "a"), Range(1, 5, 7, None, "b")], [(1, 5)], 1)  # one comes after the other
def test_paths_against_a_plain_reference(
    room: float, ranges: list[Range], moments: list[tuple[int, int]], chunk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "STRETCH", chunk)
        patch.setattr("nsysql.nvtx.blocks.CHUNK", chunk)
        told = found(ranges, moments, room)
    said = [(number, time, path(ranges, thread, time)) for number, (thread, time) in enumerate(moments)]
    assert told == sorted(row for row in said if row[2])
