"""What to say of a GPU that works: its kernels, copies and communication, by name."""

import re
from collections.abc import Sequence

import polars as pl

from nsysql.pages.phrases import Row, counted, joined, percent, percent_range, share, whole_percent
from nsysql.pages.verdict.facts import Facts, Sentence
from nsysql.pages.verdict.lengths import each
from nsysql.pages.verdict.migrations import under_kernels
from nsysql.pages.verdict.names import kernel
from nsysql.pages.verdict.totals import faster, is_bound, of_stretch, per_gpu
from nsysql.words.libraries import library
from nsysql.words.quantities import RATES, scaled, size, time

CALLED = "It is a library's: change how it is called (shapes, data type, how often), or the library's version."
LARGER = "Call the library with more at once (batches)"
NAMED = 3  # kernels that a sentence names
WORTH = 0.03  # of the window: less is not worth a sentence
MOST, SOME = 0.5, 0.1
HIDABLE = 0.2  # of the time of copies: kernels that run for less cannot hide them
ALONE = 1.02  # times the time with nothing but copies: if they take no more, they do not overlap each other
REDUCED = re.compile(r"(?i)reduce|allgather|broadcast")  # communication that is made in buckets
SHORT_NS = 10_000  # a kernel that is not much longer than its launch takes


def gpu_bound(facts: Facts) -> list[Sentence]:
    """The kernels or graphs that have the time, and kernels that are too small or too short."""
    short = _short(facts)
    largest = _largest(facts)
    if short and _mean_ns(facts) < SHORT_NS:
        return [*short, *_small(facts)]
    return [*_graphs(facts), *largest, *_small(facts), *short]


def _mean_ns(facts: Facts) -> float:
    """The mean length of a kernel."""
    return share(int(facts.kernels["total_ns"].sum()), int(facts.kernels["kernel_count"].sum()))


def _graphs(facts: Facts) -> list[Sentence]:
    rows = facts.judged.gpu_time.filter(pl.col("graph_ns") > 0)
    part = facts.judged.of(int(rows["graph_ns"].sum()))
    if part < SOME:
        return []
    found = facts.graphs.to_dicts()
    most = max(found, key=lambda row: row["total_ns"]) if found else None
    runs = ""
    if most:
        count = counted(most["run_count"], "launch", "launches")
        most_of = "" if len(found) == 1 else "most in "
        runs = f" ({most_of}{count} of graph {most['graph_id']}, {time(most['total_ns'] / most['run_count'])} each)"
    text = (
        f"CUDA graphs traced as a whole run for {of_stretch(facts, part)}{runs}; {whole_percent(1 - part)} lies outside"
        " of them. Record with --cuda-graph-trace=node to see the kernels inside."
    )
    return [Sentence("", text, tuple({"query": "gpu_time", "gpu_id": row["gpu_id"]} for row in rows.to_dicts()))]


def _largest(facts: Facts) -> list[Sentence]:
    """The kernels with most time."""
    window = facts.judged.window_ns
    computing = facts.kernels.filter(~pl.col("is_communication")) if facts.kernels.height else facts.kernels
    if computing.is_empty():
        return []
    by_name = (
        computing.group_by("name")
        .agg(
            pl.col("total_ns", "kernel_count", "small_count").sum(),
            *(pl.col("shortest_ns").min(), pl.col("longest_ns").max()),
            median_of("median_ns"),
        )
        .sort("total_ns", "name", descending=[True, False])
    )
    top = by_name.filter(pl.col("total_ns") >= WORTH * window).head(NAMED).to_dicts()
    if not top:
        return []
    first, rest = top[0], top[1:]
    total = share(first["total_ns"], window)
    saves = "; making it faster saves no more than that" if is_bound(facts) and total <= 1 else ""
    text = (
        f"{work(first['name'])} has the most time: {of_stretch(facts, total)}"
        f" ({per_gpu(facts, first['total_ns'])} in {counted(first['kernel_count'], 'kernel')}"
        f"{_length(first)}){saves}."
    )
    own = [row for row in top if library(row["name"]) is None]
    others = joined([work(row["name"], whole_percent(share(row["total_ns"], window))) for row in rest] or [""])
    if library(first["name"]) is None:
        text += f" Of the kernels, begin with it, then {others}." if rest else ""
    else:
        text += f" {CALLED}{f' Then come {others}.' if rest else ''}"
        text += f" Of code that is in no known library, begin with {kernel(own[0]['name'])}." if own else ""
    return [Sentence("", text, tuple({"query": "gpu_kernels", "name": row["name"]} for row in top))]


def median_of(column: str) -> pl.Expr:
    """The median of a name or kind; not known where its rows are several: kernels of one name from several strings."""
    return pl.when(pl.len() == 1).then(pl.col(column).first()).alias(column)


def _length(row: Row) -> str:
    count = row["kernel_count"]
    said = each(count, row["total_ns"] / count, row["median_ns"], row["shortest_ns"], row["longest_ns"], time)
    if row["small_count"] < MOST * count:
        return said
    which = "" if count == 1 else f"{percent(row['small_count'], count)} of them "
    return f"{said}; {which}with fewer blocks than the GPU has SMs"


def work(name: str | None, *more: str) -> str:
    """A kernel's name in a sentence, with its library and more: 'flash_fwd_kernel (FlashAttention, 5%)'."""
    said = [*filter(None, [library(name)]), *more]
    return f"{kernel(name)} ({', '.join(said)})" if said else kernel(name)


def are_libraries(rows: Sequence[Row]) -> bool:
    """Whether all these kernels belong to libraries."""
    return all(library(row["name"]) for row in rows)


def _small(facts: Facts) -> list[Sentence]:
    """Kernels that run alone with fewer blocks than the GPU has SMs."""
    judged = facts.judged
    part = judged.of(judged.ran("one_small_kernel_ns"))
    if part < SOME or facts.kernels.is_empty():
        return []
    small = facts.kernels.filter(pl.col("small_ns") > 0).group_by("name").agg(pl.col("small_ns", "small_count").sum())
    top = small.sort("small_ns", "name", descending=[True, False]).head(NAMED).to_dicts()
    if not top:
        return []
    names = joined([work(row["name"], counted(row["small_count"], "time")) for row in top])
    sms = facts.gpus["sm_count"].drop_nulls() if facts.gpus.height else pl.Series([], dtype=pl.Int64)
    than = f"the GPU's {sms[0]} SMs" if sms.len() and sms.n_unique() == 1 else "the GPU has SMs"
    larger = LARGER if are_libraries(top) else "Give it more blocks"
    text = (
        f"For {of_stretch(facts, part)} a single kernel with fewer blocks than {than} runs alone: {names}."
        f" {larger}, or run independent ones at once on several streams."
    )
    return [Sentence("", text, tuple({"query": "gpu_kernels", "name": row["name"]} for row in top))]


def _short(facts: Facts) -> list[Sentence]:
    """Kernels about as long as what it takes to start one, if the time between them matters."""
    judged = facts.judged
    between_ns = judged.by_cause("launch_latency", "graph_dependency", "launch_call")
    if facts.kernels.is_empty() or judged.of(between_ns) < SOME or facts.drained_ns > MOST * judged.idle_ns:
        return []
    rows = facts.kernels.group_by("name").agg(pl.col("total_ns", "kernel_count").sum())
    short = rows.filter(pl.col("total_ns") < SHORT_NS * pl.col("kernel_count"))
    top = short.sort("kernel_count", "name", descending=[True, False]).head(NAMED).to_dicts()
    if not top or top[0]["kernel_count"] < 2 * NAMED:
        return []
    names = joined(
        [work(r["name"], f"{r['kernel_count']:,} of {time(r['total_ns'] / r['kernel_count'])} on average") for r in top]
    )
    larger = LARGER if are_libraries(top) else "Do more work in each"
    text = (
        f"{of_stretch(facts, judged.of(between_ns))} pass in launching kernels that are hardly longer than a"
        f" launch: {names}. {larger}, or launch them in one CUDA graph."
    )
    return [Sentence("", text, tuple({"query": "gpu_kernels", "name": row["name"]} for row in top))]


def copy_bound(facts: Facts) -> list[Sentence]:
    """The copies that nothing hides, by direction and memory."""
    found = _copies(facts)
    if not found and facts.judged.by_cause("unified_memory"):
        return []
    return found


def _copies(facts: Facts) -> list[Sentence]:
    if facts.copies.is_empty():
        return []
    window = facts.judged.window_ns
    keys = ["direction", "src_kind", "dst_kind"]
    rows = facts.copies.sort("exposed_ns", *keys, descending=[True, False, False, False], nulls_last=True)
    total = int(rows["total_ns"].sum())
    top = rows.filter(pl.col("exposed_ns") >= WORTH * window).head(2).to_dicts()
    if not top:
        return []
    said = [_copy(facts, row) for row in top]
    hidden = share(int(rows["hidden_ns"].sum()), total)
    under = f"; kernels run during {whole_percent(hidden)} of the copy time" if hidden >= 0.005 else ""
    text = f"{'; '.join(said)}{under}. {_mend(facts, top[0])}{_both(facts, top)}"
    if not any(_is_cpus_too(row) for row in top):
        what = "To copy, faster or while kernels run," if _is_hidable(facts, top[0]) else "To copy less, or faster,"
        text += faster(facts, what, sum(row["total_ns"] for row in top))
    return [Sentence("", text[0].upper() + text[1:], tuple({"query": "gpu_copies", **_kind_of(row)} for row in top))]


def _kind_of(row: Row) -> dict[str, object]:
    return {name: row[name] for name in ("direction", "src_kind", "dst_kind")}


def _is_cpus_too(row: Row) -> bool:
    """The CPU stages these copies, or kernels wait for them: their time on the GPU is not all that they take."""
    return "Pageable" in (row["src_kind"], row["dst_kind"]) or str(row["direction"]).startswith("Unified")


def _copy(facts: Facts, row: Row) -> str:
    rate = f", {scaled(row['bytes'] * 1e9 / row['total_ns'], RATES, 3)}" if row["total_ns"] and row["bytes"] else ""
    count, sizes = row["copy_count"], ""
    if row["bytes"]:
        mean = row["bytes"] / count
        sizes = each(count, mean, row["median_bytes"], row["least_bytes"], row["largest_bytes"], size)
    return (
        f"{memory(row)} take {of_stretch(facts, facts.judged.of(row['exposed_ns']))} with no kernel running"
        f" ({per_gpu(facts, row['exposed_ns'])}, {counted(count, 'copy', 'copies')}{sizes}{rate})"
    )


def memory(row: Row) -> str:
    """A kind of copies: 'Host-to-Device copies from pageable memory'."""
    host = row["src_kind"] if str(row["direction"]).startswith("Host") else row["dst_kind"]
    direction = str(row["direction"] or "unknown")
    if direction.startswith("Unified"):
        return f"unified-memory migrations {direction.removeprefix('Unified ')}"
    if "Host" not in direction or not host:
        return f"{direction} copies"
    return f"{direction} copies {'from' if direction.startswith('Host') else 'to'} {str(host).lower()} memory"


def _mend(facts: Facts, row: Row) -> str:
    """What to do about these copies. Where kernels run for much less, to copy beside them saves little."""
    direction, is_hidable = str(row["direction"]), _is_hidable(facts, row)
    if "Pageable" in (row["src_kind"], row["dst_kind"]):
        beside = " and copy with cudaMemcpyAsync on a stream of its own, so that kernels run meanwhile"
        if _is_one_kernel(facts):
            beside += "; the only kernel has to be split for that, so that a part is copied while it works on another"
        pinned = "Allocate that memory pinned (cudaHostAlloc, cudaHostRegister, pin_memory=True)"
        return f"{pinned}{beside}." if is_hidable else f"{pinned}, which is copied faster, or copy less."
    if direction.startswith("Unified"):
        return "Prefetch (cudaMemPrefetchAsync) to where it is used next, or copy explicitly."
    if not is_hidable and "Host" in direction:
        less = "Keep this data on the GPU, or send less" if direction == "Host-to-Device" else "Copy less back"
        part = facts.judged.of(_kernel_ns(facts))
        return f"{less}: kernels run for only {percent(part, 1)}, so to copy while they run saves no more than that."
    if direction == "Host-to-Device":
        return "Keep this data on the GPU, or copy the next part on another stream while kernels work on this one."
    if direction == "Device-to-Host":
        return "Copy less back, or on another stream while the next kernels run."
    return "Avoid the copy (work in place, swap pointers), or run it on another stream, while kernels run."


def _is_hidable(facts: Facts, row: Row) -> bool:
    """Whether kernels run for long enough to hide much of these copies."""
    return _kernel_ns(facts) >= HIDABLE * int(row["exposed_ns"])


def _kernel_ns(facts: Facts) -> int:
    return int(facts.judged.gpu_time["kernel_ns"].sum())


def _is_one_kernel(facts: Facts) -> bool:
    """Whether a single kernel ran: what is copied to it comes before it, and its results after it."""
    return facts.graphs.is_empty() and facts.kernels.height > 0 and int(facts.kernels["kernel_count"].sum()) == 1


def _both(facts: Facts, top: Sequence[Row]) -> str:
    """That two directions could run at once, where no copy overlaps another."""
    exposed = int(facts.copies["exposed_ns"].sum())
    overlaps = exposed > ALONE * facts.judged.ran("only_copies_ns")
    are_both = {row["direction"] for row in top} == {"Host-to-Device", "Device-to-Host"}
    if not are_both or overlaps or _is_one_kernel(facts):
        return ""
    return " The two directions never overlap: on two streams they can run at once."


def communication(facts: Facts) -> list[Sentence]:
    """Communication kernels that nothing hides."""
    judged = facts.judged
    exposed = judged.ran("only_communication_ns")
    if judged.of(exposed) < WORTH or facts.kernels.is_empty():
        return []
    rows = facts.kernels.filter("is_communication").group_by("name").agg(pl.col("total_ns", "kernel_count").sum())
    top = rows.sort("total_ns", "name", descending=[True, False]).head(NAMED).to_dicts()
    if not top:
        return []
    names = joined([f"{kernel(row['name'])} ({counted(row['kernel_count'], 'time')})" for row in top])
    each = percent_range(
        [share(row["only_communication_ns"], row["busy_ns"]) for row in judged.exposed_time.to_dicts()]
    )
    late = "It may be waiting for a late rank: nsysql ranks, with the exports of all ranks, tells."
    if judged.gpu_time.height > 1:
        late = "Part of it may be waiting for a late rank: nsysql ranks tells waiting from transfer."
    buckets = ", in smaller buckets" if any(REDUCED.search(row["name"] or "") for row in top) else ""
    text = (
        f"Communication with no other kernel running takes {of_stretch(facts, judged.of(exposed))} ({each} of busy"
        f" time): {names}. Overlap it with computing: start it earlier{buckets}, or on its own stream."
        f" {late}" + faster(facts, "To communicate, faster or while kernels run,", int(rows["total_ns"].sum()))
    )
    return [Sentence("", text, tuple({"query": "gpu_kernels", "name": row["name"]} for row in top))]


def further(facts: Facts, kinds: Sequence[str]) -> list[Sentence]:
    """What the busy time shows besides: exposed copies and communication that are worth a sentence."""
    found = [] if "copy_bound" in kinds else _copies(facts)
    return found + under_kernels(facts) + communication(facts)
