"""Find steps by phases in a fixed order, one after the other, if no ranges mark steps and the GPU does nothing."""

import polars as pl

from nsysql.analysis.steps.nvtx_marks import LEAST, Marks
from nsysql.analysis.steps.step_series import StepSeries, marked, union_ns

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
