"""Find steps by NVTX: ranges of one thread and name that do not overlap and contain most of the process's launches."""

from collections.abc import Callable
from typing import Any

import polars as pl

from nsysql.analysis.global_ids import tid_of
from nsysql.analysis.intervals import LENGTH
from nsysql.analysis.nvtx.folded_ranges import folded_name, numbers_layers
from nsysql.analysis.steps.mark_ranges import Starts
from nsysql.analysis.steps.step_series import WHOLE, StepSeries, spans, union_ns
from nsysql.errors import UnknownName, suggestion

LEAST = 3  # least number of ranges in a series, or of each phase
COVERED = 0.5  # share of the process's launches that the ranges of all series must contain
OF_SERIES = 0.1  # share of the process's launches that the ranges of one series must contain
MOST = 8  # series of a process
NEARLY = 0.9  # share of the best score from which longer ranges are preferred
TRIED = 12  # most names whose ranges are read
NO_LAUNCHES = pl.Series([], dtype=pl.Int64)
Row = dict[str, Any]
Marks = Callable[[pl.DataFrame], pl.DataFrame]  # returns the ranges of chosen candidates


def by_nvtx(ranges: pl.DataFrame, marks: Marks, starts: pl.Series) -> list[StepSeries]:
    """Find the series of one process whose ranges together contain at least half of its launches, in order of time.

    `ranges` are its candidates, `starts` the times of its launches. Those of other threads than run the loop, such as a
    data loader's, contain launches by chance: they count only if no others mark steps.
    """
    least = max(1, OF_SERIES * starts.len())
    every = ranges.filter(pl.col("ranges") >= LEAST, pl.col("inside") >= least, pl.col("dur_ns") <= LENGTH)
    series = _one_after_another(every.filter("in_loop"), ranges, marks, starts)
    if every["in_loop"].all() or (series and not series[0].is_layers):
        return series
    return _one_after_another(every, ranges, marks, starts)


def _one_after_another(rest: pl.DataFrame, ranges: pl.DataFrame, marks: Marks, starts: pl.Series) -> list[StepSeries]:
    """Find the best series among these candidates, then those before and after it.

    Ranges that number layers are not steps; they are returned only if there are no others.
    """
    series: list[StepSeries] = []
    while len(series) < MOST:
        tried = rest.sort("inside", "start_ns", descending=[True, False], maintain_order=True).head(TRIED)
        read = marks(tried) if tried.height else tried
        separate = [row | {"marks": own} for row, own in _with_marks(tried, read) if not _overlap(own)]
        best = _best([row for row in separate if not numbers_layers(row["text"])])
        if best is None:
            break
        series.append(_series("nvtx", _from_first_phase(best, ranges, marks), starts, _loops_beside(rest, best)))
        rest = rest.filter((pl.col("end_ns") <= best["start_ns"]) | (pl.col("start_ns") >= best["end_ns"]))
    if not series:
        layers = _best(separate)
        series = [_series("nvtx", layers, starts, "repetition of layers, not steps", is_layers=True)] if layers else []
    if sum(one.covered for one in series) < COVERED:
        return []
    return sorted(series, key=lambda one: int(one.marks["cpu_start_ns"][0]))


def _from_first_phase(best: Row, ranges: pl.DataFrame, marks: Marks) -> Row:
    """Begin the steps with the earliest ranges that take turns with the best ones, such as `forward` with `optimizer`.

    Both launch work, one after the other, on one thread.
    """
    before = ranges.filter(
        pl.col("thread_id") == best["thread_id"],
        pl.col("ranges").is_between(best["ranges"], best["ranges"] + 1),
        pl.col("inside") >= pl.col("ranges"),
        pl.col("start_ns") < best["start_ns"],
        pl.col("end_ns") > best["start_ns"],
    )
    tried, own = before.sort("start_ns", "text").head(TRIED), best["marks"]
    for row, all_phases in _with_marks(tried, marks(tried)) if tried.height else []:
        phase = all_phases.head(own.height)
        follows = (phase["end_ns"] <= own["start_ns"]) & (phase["start_ns"].shift(-1) >= own["end_ns"]).fill_null(True)
        if follows.all():
            steps = pl.DataFrame({"start_ns": phase["start_ns"], "end_ns": own["end_ns"]})
            text = f"{row['text']} … {best['text']}"
            return best | {"marks": steps, "text": text, "first": row["text"], "domain": row["domain"]}
    return best


def _loops_beside(candidates: pl.DataFrame, best: Row) -> str | None:
    """Return a note if another thread has another number of ranges of the same name: a loop of its own."""
    same = pl.col("text") == best["text"], pl.col("domain_id").eq_missing(pl.lit(best["domain_id"], pl.Int64))
    differ = (pl.col("ranges") - best["ranges"]).abs() > OF_SERIES * best["ranges"]
    other = candidates.filter(*same, differ, pl.col("thread_id") != best["thread_id"]).head(1).to_dicts()
    if not other:
        return None
    tid, count = tid_of(other[0]["thread_id"]), other[0]["ranges"]
    return f"thread {tid} has {count:,} such ranges, a loop of its own: what it launches counts in these steps too"


def _with_marks(chosen: pl.DataFrame, marks: pl.DataFrame) -> list[tuple[Row, pl.DataFrame]]:
    """Return each candidate with its ranges."""
    return [
        (row, marks.filter(pl.col("number") == number).drop("number"))
        for number, row in enumerate(chosen.iter_rows(named=True))
    ]


def _overlap(marks: pl.DataFrame) -> bool:
    """Tell whether any of the sorted ranges begins before an earlier one ends."""
    return bool((marks["start_ns"] < marks["end_ns"].cum_max().shift()).any())


def _best(rows: list[Row]) -> Row | None:
    """Return, among those with at least 0.9 of the best score, that of longest mean range, fewest ranges, earliest.

    Numbers that never repeat count the steps: at most a third as many ranges, without a number, are phases around them.
    """
    if not rows:
        return None
    most = max(row["inside"] for row in rows)
    close = [row for row in rows if row["inside"] >= NEARLY * most]
    counted = max((row["ranges"] for row in close if row["texts"] == row["ranges"]), default=0)
    close = [row for row in close if row["texts"] > 1 or LEAST * row["ranges"] > counted]
    return min(close, key=lambda row: (-row["dur_ns"] / row["ranges"], row["ranges"], row["start_ns"]))


def _series(found_by: str, row: Row, starts: pl.Series, note: str | None = None, is_layers: bool = False) -> StepSeries:
    marks = row["marks"]
    begins = marks["start_ns"]
    last = int(marks["end_ns"][-1])
    usual = begins.diff().median()
    length = last - int(begins[-1])
    is_whole = length >= WHOLE * usual if isinstance(usual, int | float) else True
    covered = _inside(marks, starts) / starts.len() if starts.len() else union_ns(marks) / max(1, last - begins[0])
    text, domain = row.get("first", row["text"]), row["domain"]
    step_range = text if domain is None else f"{text}@{domain}"
    own = found_by, row["text"], row["process_id"], row["thread_id"], spans(begins, last, is_whole)
    return StepSeries(*own, covered, note, is_layers, step_range)


def _inside(marks: pl.DataFrame, starts: pl.Series) -> int:
    """Count the launches in ranges that do not overlap."""
    first, end = (starts.search_sorted(marks[name], side="left").cast(pl.Int64) for name in ("start_ns", "end_ns"))
    return int((end - first).sum())


def by_name(ranges: pl.DataFrame, name: str, marks: Marks, starts: Starts) -> list[StepSeries]:
    """Find the series of each process marked by ranges NAME[@DOMAIN], on the thread that runs the loop.

    Of several such threads it is the one whose ranges contain most launches. `ranges` are all candidates, with their
    `domain`. Ranges nested in others of the same name are left out. Raises UnknownName, suggesting similar names, if no
    range has the name.
    """
    text, _, domain = name.rpartition("@")
    in_domain = (pl.col("text") == folded_name(text)) & (pl.col("domain") == domain)
    matching = ranges.filter(in_domain | (pl.col("text") == folded_name(name)))
    if matching.is_empty():
        known = ranges.select(pl.concat_str("text", pl.lit("@") + pl.col("domain"), ignore_nulls=True)).to_series()
        offer = suggestion(folded_name(name), known.drop_nulls().unique()) or " `nsysql nvtx-names` lists them."
        raise UnknownName(f"No closed NVTX range is named {name!r}, so it marks no steps.{offer}")
    order = {"in_loop": True, "inside": True, "ranges": True, "start_ns": False}
    best = matching.sort(*order, descending=list(order.values()), maintain_order=True)
    best = best.unique("process_id", keep="first", maintain_order=True).sort("process_id")
    series = []
    for row, own in _with_marks(best, marks(best)):
        separate = own.filter((pl.col("start_ns") >= pl.col("end_ns").cum_max().shift()).fill_null(True))
        series.append(_series("named", row | {"marks": separate}, starts.get(row["process_id"], NO_LAUNCHES)))
    return series


def by_cpu_time(ranges: pl.DataFrame, marks: Marks) -> StepSeries | None:
    """Find the series of one process without GPU work: ranges that cover most of their own span."""
    eligible = ranges.filter(pl.col("ranges") >= LEAST, pl.col("dur_ns").is_between(WHOLE * LENGTH, LENGTH))
    eligible = eligible.with_columns(inside="dur_ns")
    eligible = eligible.sort("inside", "start_ns", descending=[True, False], maintain_order=True).head(TRIED)
    if eligible.is_empty():
        return None
    best = _best([row | {"marks": own} for row, own in _with_marks(eligible, marks(eligible)) if not _overlap(own)])
    return _series("nvtx", best, NO_LAUNCHES) if best else None
