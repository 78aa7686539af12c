"""A timeline as Chrome's JSON for traces: lanes that never overlap, times in µs from the first event, to the ns."""

import json
from collections.abc import Iterator
from typing import IO

import polars as pl

from nsysql.pages.timeline.model import CAUSE, OWN, Timeline
from nsysql.pages.timeline.tracks import nested
from nsysql.render.timeline.palette import LABELS

CHUNK = 2**16  # events converted to text at a time
LANES = 10_000  # most lanes of a row


def write(timeline: Timeline, file: IO[bytes]) -> int:
    """Write the trace as one JSON object; returns its number of events. GPUs are processes, rows and lanes threads."""
    own = nested(timeline)
    first = int(own.events["start_ns"].min())  # type: ignore[arg-type]
    counted = pl.DataFrame() if own.counters is None else own.counters.filter(pl.col("at_ns") >= first)
    file.write(f'{{"displayTimeUnit": "ns", "otherData": {{"first_event_ns": "{first}"}}, "traceEvents": [\n'.encode())
    file.write(",\n".join(json.dumps(event) for event in _names(own)).encode())
    for chunk in _with_json_columns(own, first).iter_slices(CHUNK):
        for lines in (_slices(chunk), _arrows(chunk)):
            if lines.len():
                file.write((",\n" + lines.str.join(",\n").item()).encode("utf-8", "backslashreplace"))
    for chunk in counted.iter_slices(CHUNK):
        if chunk.height:
            lines = _counters(chunk, first, own.tracks["group"].n_unique() + 1)
            file.write((",\n" + lines.str.join(",\n").item()).encode("utf-8", "backslashreplace"))
    file.write(b"\n]}\n")
    return timeline.events.height


def _names(timeline: Timeline) -> Iterator[dict[str, object]]:
    """Events that name processes and threads, and put them in order."""
    for place, (group,) in enumerate(timeline.tracks.select("group").unique(maintain_order=True).rows(), 1):
        yield {"ph": "M", "pid": place, "name": "process_name", "args": {"name": group}}
        yield {"ph": "M", "pid": place, "name": "process_sort_index", "args": {"sort_index": place}}
    for row in _rows(timeline).to_dicts():
        for lane in range(row["own_lanes"]):
            tid = row["track"] * LANES + lane + 1
            more = f" ({lane + 1})" if lane else ""
            own = {"ph": "M", "pid": row["place"], "tid": tid}
            yield {**own, "name": "thread_name", "args": {"name": row["label"] + more}}
            yield {**own, "name": "thread_sort_index", "args": {"sort_index": tid}}


def _rows(timeline: Timeline) -> pl.DataFrame:
    """The tracks with the number of their group, from 1."""
    groups = timeline.tracks.select("group").unique(maintain_order=True).with_row_index("place", 1)
    return timeline.tracks.join(groups, on="group", how="left", maintain_order="left")


def _with_json_columns(timeline: Timeline, first: int) -> pl.DataFrame:
    """The events with the columns of their line of JSON."""
    cause = pl.col("style").str.strip_prefix(CAUSE).replace(timeline.titles)
    is_idle = pl.col("style").str.starts_with(CAUSE)
    links = timeline.events.filter(pl.col("link") != 0)["link"].unique().sort()
    numbers = pl.int_range(1, links.len() + 1, dtype=pl.Int64, eager=True)
    rows = _rows(timeline).select("track", "place", "kind")
    return timeline.events.join(rows, on="track", how="left", maintain_order="left").select(
        pl.when(is_idle).then(cause).otherwise("name").pipe(_quoted).alias("name"),
        pl.when(is_idle).then(pl.lit("idle time")).otherwise(_kind().replace(LABELS)).alias("what"),
        _quoted(pl.col("detail")).alias("detail"),
        "place", "kind",
        tid=pl.col("track").cast(pl.Int64) * LANES + pl.col("own_lane") + 1,
        ts=_micro(pl.col("start_ns") - first),
        dur=_micro(pl.col("end_ns") - pl.col("start_ns")),
        link=pl.col("link").replace_strict(links, numbers, default=None, return_dtype=pl.Int64),
    )  # fmt: skip


def _kind() -> pl.Expr:
    """The style without a range's own color."""
    return pl.when(pl.col("style").str.starts_with(OWN)).then(pl.lit("nvtx")).otherwise("style")


def _quoted(text: pl.Expr) -> pl.Expr:
    """The text as a JSON string, computed once for each distinct text."""
    return text.map_batches(_json, return_dtype=pl.String)


def _json(texts: pl.Series) -> pl.Series:
    known = texts.drop_nulls().unique()
    if known.is_empty():
        return texts
    return texts.replace_strict(known, [json.dumps(text) for text in known], default=None, return_dtype=pl.String)


def _micro(ns: pl.Expr) -> pl.Expr:
    """A time in µs, as text, with all its digits; not negative."""
    rest = (ns % 1000).cast(pl.String).str.zfill(3)
    return pl.format("{}.{}", ns // 1000, rest)


def _slices(events: pl.DataFrame) -> pl.Series:
    detail = pl.when(pl.col("detail").is_not_null()).then(pl.format('"detail": {}', "detail")).otherwise(pl.lit(""))
    return _lines(
        events.with_columns(args=detail),
        *('{"ph": "X", "name": ', "name", ', "cat": "', "what", '", "pid": ', "place", ', "tid": ', "tid"),
        *(', "ts": ', "ts", ', "dur": ', "dur", ', "args": {', "args", "}}"),
    )


def _arrows(events: pl.DataFrame) -> pl.Series:
    """Flow events: a begin for each launch call, an end for the work it launched."""
    linked = events.filter(pl.col("link").is_not_null() & pl.col("kind").is_in(["cuda", "stream"]))
    phase = pl.when(pl.col("kind") == "cuda").then(pl.lit('"s"')).otherwise(pl.lit('"f", "bp": "e"'))
    return _lines(
        linked.with_columns(phase=phase),
        *('{"ph": ', "phase", ', "name": "launch", "cat": "launch", "id": ', "link"),
        *(', "pid": ', "place", ', "tid": ', "tid", ', "ts": ', "ts", "}"),
    )


def _counters(values: pl.DataFrame, first: int, place: int) -> pl.Series:
    """A value of a counter, from its time on; all counters are of one process that has no other events."""
    name = _quoted(pl.concat_str("group", pl.lit(": "), "name"))
    return _lines(
        values.with_columns(name=name, ts=_micro(pl.col("at_ns") - first)),
        *('{"ph": "C", "name": ', "name", f', "pid": {place}, "ts": ', "ts", ', "args": {"value": ', "value", "}}"),
    )


def _lines(events: pl.DataFrame, *pieces: str) -> pl.Series:
    """Join fixed text and columns, which alternate, to lines."""
    columns = [pl.col(piece).cast(pl.String) if i % 2 else pl.lit(piece) for i, piece in enumerate(pieces)]
    return events.select(line=pl.concat_str(columns))["line"]
