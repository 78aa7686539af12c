"""Find steps by NVTX: ranges of one thread and name that do not overlap and contain most of the process's launches.

The ranges that could mark steps are aggregated by name with their launches; then those of the best names are read. They
are read batch by batch. If they are few, as in most captures, the rows are kept in memory for the second request; else
they are read again.
"""

from collections.abc import Callable
from typing import Any

import polars as pl

from nsysql.analysis.global_ids import process_of, tid_of
from nsysql.analysis.nvtx.folded_ranges import COUNTERS, LAYERS, OPERATOR, folded, folded_name, numbers_layers
from nsysql.analysis.steps.step_series import StepSeries, marked, spans, union_ns
from nsysql.analysis.view_reader import ViewReader
from nsysql.errors import UnknownName, suggestion

VIEW = "_step_mark_candidate"
MOST_KEPT = 500_000  # ranges to keep in memory, 40 bytes and a text each
KEY = ["thread_id", "domain_id", "text"]
NO_OPERATOR = ~pl.col("plain_text").str.contains(OPERATOR).fill_null(False)
Starts = dict[int, pl.Series]  # by process: the start times of its launch calls, sorted


class MarkRanges:
    """The ranges of one export that could mark steps."""

    def __init__(self, views: ViewReader, most: int = MOST_KEPT) -> None:
        self._views, self._most = views, most
        self._names = views("string").select("id", "text")
        self._rows: list[pl.DataFrame] | None = []  # None if there are too many
        self._layers: list[pl.DataFrame] = []

    def candidates(self, starts: Starts) -> pl.DataFrame:
        """Return one row per thread, domain and folded text of closed ranges, with sums.

        Columns thread_id, domain_id, text, process_id, ranges, inside (launches of the process called in them), dur_ns
        (summed), start_ns (of the first) and end_ns (of the last).
        """
        counted = self._views(VIEW, narrow=lambda some: self._counted(some, starts), stream=True)
        by_id = counted.filter(pl.col("text_id").is_not_null()).drop("text")
        named = by_id.join(self._names.rename({"id": "text_id"}), on="text_id")
        named = named.filter(~pl.col("text").str.contains(OPERATOR))
        rest = counted.filter(pl.col("text_id").is_null())
        both = [named.with_columns(folded(pl.col("text"))).select(rest.columns), rest]
        return (
            pl.concat(both, how="vertical_relaxed")
            .group_by(KEY)
            .agg(pl.col("ranges", "inside", "dur_ns").sum(), pl.col("start_ns").min(), pl.col("end_ns").max())
            .with_columns(process_id=process_of(pl.col("thread_id")))
            .sort("thread_id", "start_ns", "text", "domain_id")
        )

    def layers(self) -> pl.DataFrame:
        """Return the ranges of candidates(), and operators, that number layers: one row per process and folded text.

        Columns process_id, text, ranges (their count), layers (different texts), dur_ns (summed).
        """
        rows = pl.concat(self._layers).join(self._names.select("text", text_id="id"), on="text_id", how="left")
        named = rows.with_columns(text=pl.coalesce("text", "plain_text").str.replace_all(COUNTERS, ""))
        numbered = named.with_columns(folded=folded(pl.col("text"))).filter(
            pl.col("folded").str.contains(LAYERS.pattern)
        )
        return numbered.group_by("process_id", text="folded").agg(
            pl.col("ranges", "dur_ns").sum(), layers=pl.col("text").n_unique()
        )

    def of(self, chosen: pl.DataFrame) -> pl.DataFrame:
        """Return the ranges of chosen candidates, in order of start: number (the candidate's row), start_ns, end_ns."""
        keys = chosen.select(*KEY).with_row_index("number")
        ids = self._names.select(text_id="id", text=folded(pl.col("text"))).join(keys, on="text").drop("text")
        on = ["thread_id", "domain_id"]

        def narrow(some: pl.DataFrame) -> pl.DataFrame:
            own = some.filter(NO_OPERATOR, pl.col("thread_id").is_in(keys["thread_id"].implode()))
            by_id = own.join(ids, on=[*on, "text_id"], nulls_equal=True)
            plain = own.filter(pl.col("text_id").is_null()).with_columns(text=folded(pl.col("plain_text")))
            by_text = plain.join(keys, on=[*on, "text"], nulls_equal=True)
            return pl.concat([rows.select("number", "start_ns", "end_ns") for rows in (by_id, by_text)])

        if self._rows:
            ranges = narrow(pl.concat(self._rows, how="vertical_relaxed"))
        else:
            ranges = self._views(VIEW, narrow=narrow, stream=True)
        return ranges.sort("start_ns", "end_ns", "number")

    def _counted(self, some: pl.DataFrame, starts: Starts) -> pl.DataFrame:
        """Aggregate a batch of ranges by thread, domain and text."""
        some = some.with_columns(process_id=process_of(pl.col("thread_id")))
        could_be = some.filter(pl.col("text_id").is_not_null() | pl.col("plain_text").str.contains("(?i)block|layer"))
        length = pl.col("end_ns") - pl.col("start_ns")
        of_text = could_be.group_by("process_id", "text_id", "plain_text")
        self._layers.append(of_text.agg(ranges=pl.len().cast(pl.Int64), dur_ns=length.sum()))
        some = some.filter(NO_OPERATOR)
        self._keep(some)
        rows = some.with_columns(text=folded(pl.col("plain_text")), inside=pl.lit(0, pl.Int64))
        for process_id, times in starts.items():
            bounds = (times.search_sorted(rows[name], side="left").cast(pl.Int64) for name in ("start_ns", "end_ns"))
            first, end = bounds
            own = pl.col("process_id") == process_id
            rows = rows.with_columns(inside=pl.when(own).then(end - first).otherwise("inside"))
        return rows.group_by("thread_id", "domain_id", "text_id", "text").agg(
            pl.len().cast(pl.Int64).alias("ranges"),
            pl.col("inside").sum(),
            length.sum().alias("dur_ns"),
            pl.col("start_ns").min(),
            pl.col("end_ns").max(),
        )

    def _keep(self, some: pl.DataFrame) -> None:
        """Keep the rows in memory; drop all if they become too many."""
        if self._rows is None:
            return
        if some.height + sum(rows.height for rows in self._rows) > self._most:
            self._rows = None
        else:
            self._rows.append(some)


LEAST = 3  # least number of ranges in a series, or of each phase
COVERED = 0.5  # share of the process's launches that the ranges of all series must contain
OF_SERIES = 0.1  # share of the process's launches that the ranges of one series must contain
MOST = 8  # series of a process
NEARLY = 0.9  # share of the best score from which longer ranges are preferred
WHOLE = 0.9  # share of the median period that the last mark must have to be a complete step
TRIED = 12  # most names whose ranges are read
NO_LAUNCHES = pl.Series([], dtype=pl.Int64)
Row = dict[str, Any]
Marks = Callable[[pl.DataFrame], pl.DataFrame]  # returns the ranges of chosen candidates


def by_nvtx(ranges: pl.DataFrame, marks: Marks, starts: pl.Series) -> list[StepSeries]:
    """Find the series of one process whose ranges together contain at least half of its launches, in order of time.

    `ranges` are its candidates, `starts` the times of its launches. Those of other threads than run the loop, such as a
    data loader's, contain launches by chance: they count only if no others mark steps.
    """
    every = _eligible(ranges, starts.len())
    series = _one_after_another(every.filter("in_loop"), marks, starts)
    if every["in_loop"].all() or (series and not series[0].is_layers):
        return series
    return _one_after_another(every, marks, starts)


def _one_after_another(rest: pl.DataFrame, marks: Marks, starts: pl.Series) -> list[StepSeries]:
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
        series.append(_series("nvtx", best, starts, _loops_beside(rest, best)))
        rest = rest.filter((pl.col("end_ns") <= best["start_ns"]) | (pl.col("start_ns") >= best["end_ns"]))
    if not series:
        layers = _best(separate)
        series = [_series("nvtx", layers, starts, "repetition of layers, not steps", is_layers=True)] if layers else []
    if sum(one.covered for one in series) < COVERED:
        return []
    return sorted(series, key=lambda one: int(one.marks["cpu_start_ns"][0]))


def _loops_beside(candidates: pl.DataFrame, best: Row) -> str | None:
    """Return a note if another thread has another number of ranges of the same name: a loop of its own."""
    same = pl.col("text") == best["text"], pl.col("domain_id").eq_missing(pl.lit(best["domain_id"], pl.Int64))
    differ = (pl.col("ranges") - best["ranges"]).abs() > OF_SERIES * best["ranges"]
    other = candidates.filter(*same, differ, pl.col("thread_id") != best["thread_id"]).head(1).to_dicts()
    if not other:
        return None
    tid, count = tid_of(other[0]["thread_id"]), other[0]["ranges"]
    return f"thread {tid} has {count:,} such ranges, a loop of its own: what it launches counts in these steps too"


def _eligible(ranges: pl.DataFrame, launches: int) -> pl.DataFrame:
    """Return the candidates that could be a series, if they do not overlap each other."""
    return ranges.filter(
        (pl.col("ranges") >= LEAST)
        & (pl.col("inside") >= max(1, OF_SERIES * launches))
        & (pl.col("dur_ns") <= pl.col("end_ns") - pl.col("start_ns"))
    )


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
    """Return, among those with at least 0.9 of the best score, that of longest mean range, fewest ranges, earliest."""
    if not rows:
        return None
    most = max(row["inside"] for row in rows)
    close = [row for row in rows if row["inside"] >= NEARLY * most]
    return min(close, key=lambda row: (-row["dur_ns"] / row["ranges"], row["ranges"], row["start_ns"]))


def _series(found_by: str, row: Row, starts: pl.Series, note: str | None = None, is_layers: bool = False) -> StepSeries:
    marks = row["marks"]
    begins = marks["start_ns"]
    last = int(marks["end_ns"][-1])
    usual = begins.diff().median()
    length = last - int(begins[-1])
    is_whole = length >= WHOLE * usual if isinstance(usual, int | float) else True
    covered = _inside(marks, starts) / starts.len() if starts.len() else union_ns(marks) / max(1, last - begins[0])
    text, domain = row["text"], row["domain"]
    return StepSeries(
        found_by,
        text,
        row["process_id"],
        row["thread_id"],
        spans(begins, last, is_whole),
        covered,
        note,
        is_layers,
        text if domain is None else f"{text}@{domain}",
    )


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
    eligible = ranges.filter(
        (pl.col("ranges") >= LEAST)
        & (pl.col("dur_ns") <= pl.col("end_ns") - pl.col("start_ns"))
        & (pl.col("dur_ns") >= WHOLE * (pl.col("end_ns") - pl.col("start_ns")))
    ).with_columns(inside="dur_ns")
    eligible = eligible.sort("inside", "start_ns", descending=[True, False], maintain_order=True).head(TRIED)
    if eligible.is_empty():
        return None
    best = _best([row | {"marks": own} for row, own in _with_marks(eligible, marks(eligible)) if not _overlap(own)])
    return _series("nvtx", best, NO_LAUNCHES) if best else None


# Steps of a program without GPU work or ranges for steps: phases in a fixed order, one after the other.
REGULAR = 0.9  # share of the ranges that must follow the usual order


def by_phases(ranges: pl.DataFrame, marks: Marks) -> StepSeries | None:
    """Find the series of one process from ranges of a thread with equal counts (within 1) in a fixed cyclic order.

    A step begins with the phase after the longest mean pause. `ranges` are the process's candidates.
    """
    best: tuple[int, pl.DataFrame] | None = None
    for _, own in ranges.filter(pl.col("ranges") >= LEAST).group_by("thread_id", maintain_order=True):
        for count in own["ranges"].unique().sort():
            alike = own.filter(pl.col("ranges").is_between(count, count + 1))
            total = int(alike["dur_ns"].sum())
            if alike.height > 1 and (best is None or total > best[0]):
                best = total, alike
    return None if best is None else _cycle(best[1], marks(best[1]))


def _cycle(phases: pl.DataFrame, marks: pl.DataFrame) -> StepSeries | None:
    """Return the steps made of these phases; None if their order does not repeat."""
    follows = pl.DataFrame({"number": marks["number"], "next": marks["number"].shift(-1)}).drop_nulls()
    pairs = follows.group_by("number", "next").len().sort("len", "number", "next", descending=[True, False, False])
    usual = pairs.unique("number", keep="first", maintain_order=True)
    is_cycle = usual["next"].n_unique() == phases.height == usual.height
    if not is_cycle or int(usual["len"].sum()) < REGULAR * follows.height:
        return None
    pauses = marks.with_columns(pause=pl.col("start_ns") - pl.col("end_ns").cum_max().shift())
    means = pauses.drop_nulls("pause").group_by("number").agg(pl.col("pause").mean())
    first = means.sort("pause", "number", descending=[True, False])["number"][0]
    order = [int(first)]
    following = dict(usual.select("number", "next").rows())
    while len(order) < phases.height and following[order[-1]] not in order:
        order.append(following[order[-1]])
    if len(order) < phases.height:
        return None
    names = [str(phases["text"][number]) for number in order]
    row = phases.row(0, named=True)
    steps = _phase_spans(marks, int(first), phases.height)
    covered = int(marks["end_ns"].max() or 0) - int(marks["start_ns"][0])  # type: ignore[arg-type]
    share = union_ns(marks) / max(1, covered)
    note = f"each step is the phases {', '.join(names)}"
    return StepSeries("phases", names[0], row["process_id"], row["thread_id"], steps, share, note)


def _phase_spans(marks: pl.DataFrame, first: int, phases: int) -> pl.DataFrame:
    """Return the steps from one range of the first phase to the next; the last is complete if it has all phases."""
    step = (marks["number"] == first).cum_sum()
    cut = marks.with_columns(step=step).filter(pl.col("step") > 0)
    steps = cut.group_by("step", maintain_order=True).agg(
        pl.col("start_ns").first(), pl.col("end_ns").max(), pl.col("number").n_unique().alias("phases")
    )
    times = steps.select(
        cpu_start_ns="start_ns",
        cpu_end_ns=pl.col("start_ns").shift(-1).fill_null(pl.col("end_ns")),
        is_complete=pl.col("start_ns").shift(-1).is_not_null() | (pl.col("phases") == phases),
    )
    return marked(times)
