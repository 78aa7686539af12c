"""A series of steps in words: steps marked by ranges, or repeats of a launch sequence, which may be parts of a step."""

import polars as pl

from nsysql.analysis.steps.texts import COUNTERS, LAYERS, folded
from nsysql.capture.export import Export
from nsysql.pages.idle.ranges import RANGES, SMALL, are_few
from nsysql.pages.phrases import Row, counted
from nsysql.words.quantities import safe

LAUNCHES = "launches"  # found_by of a series that is not marked by ranges
EXACT = 10**9  # for exact_names: names are not merged
FEWEST = 3  # least distinct numbers that count as layers
UNREAD = ""  # for the ranges of layers, if there are too many to look for any
NEARLY = 0.2  # share of the repeats by which the number of layer ranges may differ


def of_launches(series: Row) -> bool:
    """Whether the steps are known by the launch sequence only, so that a repeat may not be a whole step."""
    return bool(series["found_by"] == LAUNCHES)


def described(series: Row, count: int, what: str = "step") -> str:
    """`count` steps of the series in words: '6 steps (step)', '15 steady repeats of one sequence of 157 launches'."""
    if not of_launches(series):
        return f"{counted(count, what)} ({safe(series['name'])})"
    launches = counted(int(series["name"].split()[0]), "launch", "launches")
    return f"{counted(count, what.replace('step', 'repeat'))} of one sequence of {launches}"


def doubt(series: Row, layers: str | None) -> str:
    """The doubt whether repeats of a launch sequence are steps, as text to follow `described`."""
    if not of_launches(series):
        return ""
    if layers:
        return f" (layers and not whole steps: the NVTX ranges {safe(layers)} number them)"
    if series["note"]:
        return f" ({series['note']})"
    unread = f": there are more than {SMALL:,} NVTX ranges, too many to look whether they number them"
    return f" (perhaps layers and not whole steps{unread if layers == UNREAD else ''})"


def layer_ranges(run: Export, series: Row) -> str | None:
    """The NVTX ranges whose numbers count layers, about one for each repeat of the launches; None if there are none.

    Their text has # for the numbers. UNREAD if ranges are too many to read.
    """
    if not of_launches(series) or not run.has(RANGES):
        return None
    if not are_few(run):
        return UNREAD
    names = run.query("nvtx_names", exact_names=EXACT).filter(pl.col("pid") == series["pid"])
    text = pl.col("name").str.replace_all(COUNTERS, "")
    numbered = names.with_columns(text=text, folded=folded(pl.col("name"))).filter(
        pl.col("folded").str.contains(LAYERS.pattern)
    )
    found = numbered.group_by("folded").agg(
        layers=pl.col("text").n_unique(), count=pl.col("instances").sum(), total=pl.col("total_time_ns").sum()
    )
    off = (pl.col("count") - series["step_count"]).abs()
    alike = found.filter(pl.col("layers") >= FEWEST, off <= NEARLY * series["step_count"])
    ranges = alike.sort("total", "folded", descending=[True, False])["folded"]
    return None if ranges.is_empty() else str(ranges[0])
