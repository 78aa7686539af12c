"""What threads did, and idle time, as packets: each event is one that begins a slice, and one that ends it."""

import numpy as np
import polars as pl

from nsysql.render.perfetto.descriptions import EVIDENCE, FLAGS, NEEDED, ON_SEQUENCE, PACKET, TIMESTAMP, TRACK_EVENT
from nsysql.render.perfetto.wire import Bytes, constants, interleaved, messages, number, numbers

BEGIN, END = 1, 2  # types of track events
LAUNCHES = 3000  # field with the GPU work that a call launched
MOST = 64  # most pieces of work listed for one call


def in_order(events: pl.DataFrame) -> pl.DataFrame:
    """Two rows for each event, its begin and its end, as slices of a track nest: columns at_ns and is_end added.

    At one time first what had begun before ends, the innermost first; then others begin, the outermost first; then
    what has no length ends.
    """
    is_short = pl.col("end_ns") == pl.col("start_ns")
    lane = pl.col("lane").cast(pl.Int64)
    begins = events.with_columns(at_ns="start_ns", is_end=pl.lit(False), order=lane)
    ends = events.with_columns(
        at_ns="end_ns", is_end=pl.lit(True), order=pl.when(is_short).then(2**33 - lane).otherwise(-1 - lane)
    )
    return pl.concat([begins, ends]).sort("uuid", "at_ns", "order")


def packets(rows: pl.DataFrame) -> bytes:
    """The packets of rows that have uuid, at_ns, is_end, name_number, detail_number and event_ids (a list)."""
    counts = rows["event_ids"].list.len().fill_null(0).clip(0, MOST)
    is_end, has_detail = rows["is_end"], rows["detail_number"] > 0
    parts = [_kind(rows, is_end, END, 0, False)]
    for count in counts.filter(~is_end).unique().to_list():
        for detail in (False, True):
            chosen = ~is_end & (counts == count) & (has_detail if detail else ~has_detail)
            parts.append(_kind(rows, chosen, BEGIN, count, detail))
    return interleaved([part for part in parts if part[0].size], rows.height)


def _kind(rows: pl.DataFrame, chosen: pl.Series, kind: int, ids: int, detail: bool) -> "tuple[np.ndarray, Bytes]":
    """The indexes of the chosen rows, and their packets."""
    some = rows.filter(chosen)
    places = chosen.arg_true().to_numpy().astype(np.int64)
    if some.is_empty():
        return places, np.empty((0, 0), np.uint8)
    event = [constants(number(9, kind), some.height), numbers(11, some["uuid"].to_numpy())]
    if kind == BEGIN:
        event.append(numbers(10, some["name_number"].to_numpy()))
        if detail:
            value = numbers(17, some["detail_number"].to_numpy())
            event.append(messages(4, [constants(number(1, EVIDENCE), some.height), value]))
        if ids:
            launched = [numbers(1, some["event_ids"].list.get(i).to_numpy()) for i in range(ids)]
            event.append(messages(LAUNCHES, launched))
    return places, messages(PACKET, [
        numbers(TIMESTAMP, some["at_ns"].to_numpy()), messages(TRACK_EVENT, event),
        constants(number(FLAGS, NEEDED) + ON_SEQUENCE, some.height),
    ])  # fmt: skip
