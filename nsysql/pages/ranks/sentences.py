"""The sentences of the ranks page."""

from statistics import median

import polars as pl

from nsysql.analysis.ranks.job import Job
from nsysql.analysis.ranks.straggler import LEAST_SHARE, MOST_OF_WAIT, Straggler
from nsysql.pages.phrases import counted, percent, whole_percent, without_signature
from nsysql.words.quantities import brief_title, safe, time

IDLE = 0.1  # of each GPU's window: less is not reported
UNEVEN = 1.1  # ratio of computing times from which it is reported
HEADS = {"rotating": "No single rank keeps the others waiting", "none": "No rank keeps the others waiting regularly"}


def sentences(job: Job) -> list[str]:
    """The verdict first, then the imbalance."""
    if job.kind == "repeats":
        return _of_repeats(job)
    texts = [*_idle(job), verdict(job)] if job.straggler.kind == "cannot_judge" else [verdict(job)]
    if job.size > len(job.members) and job.straggler.kind != "cannot_judge":
        texts.append(f"{absent(job)}: judged are collectives of these alone.")
    found = job.imbalance
    if found is not None and found.ratio >= UNEVEN:
        times = f"{time(found.slowest_ns)} and {time(found.fastest_ns)}"
        slow, fast = f"Rank {found.slowest_rank} computes {found.ratio:.2f} times as long", f"rank {found.fastest_rank}"
        texts.append(f"{slow} as {fast} on its GPU: {times}.")
    return texts


def _idle(job: Job) -> list[str]:
    """How long all GPUs are idle, and why, where that is much: it needs no collectives."""
    rows = job.ranks.drop_nulls(["gpu_id", "idle_ns", "window_ns"]).filter(pl.col("window_ns") > 0)
    shares = (rows["idle_ns"] / rows["window_ns"]).to_list()
    if len(shares) < len(job.members) or not shares or min(shares) < IDLE:
        return []
    low, high = whole_percent(min(shares)), whole_percent(max(shares))
    spent = rows.group_by("main_cause").agg(pl.col("idle_ns").sum())
    cause = spent.sort("idle_ns", "main_cause", descending=[True, False])["main_cause"][0]
    length = low if low == high else f"{low} to {high}"
    return [
        f"Every GPU is idle for {length} of its time, mostly because of {brief_title(job.titles.get(cause, cause))}."
    ]


def absent(job: Job) -> str:
    """How many of the job's ranks there are."""
    return f"Only {len(job.members):,} of {job.size:,} ranks are given"


def verdict(job: Job) -> str:
    """A sentence on which rank is late."""
    found = job.straggler
    if found.kind == "cannot_judge":
        return f"Whether a rank is late cannot be judged: {_why(job)}"
    if found.kind == "pinned":
        where = _where(found)
        others = "the others wait" if len(job.members) > 2 else "the other waits"
        each = f"{time(found.each_ns)} each" if len(job.members) > 2 else time(found.each_ns)
        late = (
            f"Rank {found.rank} is late in {found.last_count} of {counted(found.judged, 'collective')}: {others} {each}"
        )
        return f"{late}; {where}."
    spread = f"the last comes {time(found.each_ns)} after the first, at the median"
    total = f"all waiting is {percent(int(job.sides['wait_ns'].sum()), _all_time(job))} of the ranks' time"
    often = _most_often(job) if found.kind == "none" else None
    return f"{often or f'{HEADS[found.kind]}: {found.reason[:-1]}'} ({spread}; {total})."


def _most_often(job: Job) -> str | None:
    """A sentence on a rank that is last most often and causes most waiting, maybe by chance; None without one."""
    known, judged = job.ranks.drop_nulls(["last_count", "wait_caused_ns"]), job.straggler.judged
    of_all = int(known["wait_caused_ns"].sum())
    if known.is_empty() or of_all < LEAST_SHARE * _all_time(job):
        return None
    first = known.sort("wait_caused_ns", "rank", descending=[True, False]).row(0, named=True)
    last, caused = first["last_count"], first["wait_caused_ns"]
    if 2 * last <= judged or caused < MOST_OF_WAIT * of_all:
        return None
    often = f"Rank {first['rank']} is last most often ({last:,} of {judged:,}), too few to be sure"
    return f"{often}; {time(caused)} of the {time(of_all)} of waiting is for it"


def _all_time(job: Job) -> int:
    return int(job.ranks["window_ns"].sum())


def _why(job: Job) -> str:
    """The reason, with what to capture if the exports have no collectives."""
    if job.matched.count == 0 and job.size > len(job.members):
        return f"{absent(job)[0].lower()}{absent(job)[1:]}, and the others take part in every collective."
    if job.matched.total == 0 and len(job.members) > 1:
        return "the exports have no kernels of NCCL and no MPI collectives; capture with --trace=cuda,nvtx,mpi."
    if job.matched.count == 0 and job.matched.left_out and not any(clock.problem for clock in job.clocks):
        reasons = "; ".join(f"{count:,}: {why}" for why, count in job.matched.left_out if why)
        return f"no collective is matched across the ranks ({reasons})." if reasons else job.straggler.reason
    return job.straggler.reason


def _where(found: Straggler) -> str:
    if found.range is not None:
        return f"it spends that time in `{safe(found.range)}`"
    if found.account is None:
        return "what it did instead is no single account"
    if found.account.kind == "idle":
        return f"its GPU is idle longer before them ({safe(found.account.name)})"
    if found.account.kind == "host_code":
        return "it spends that time in its own code, outside of NVTX ranges"
    kernel = next((account for account in found.accounts if account.kind == found.account.kind), None)
    name = f", most in {safe(without_signature(kernel.name))}" if kernel is not None else ""
    return f"its GPU is longer at {found.account.kind} before them{name}"


def _of_repeats(job: Job) -> list[str]:
    """Sentences on how much runs of one program differ."""
    texts = []
    for name, title in (("period_ns", "a step takes"), ("window_ns", "the window is"), ("busy_ns", "the GPU is busy")):
        values = sorted(map(float, job.ranks[name].drop_nulls()))
        if len(values) > 1 and values[-1] > 0:
            low, high, middle = values[0], values[-1], median(values)
            spread = percent(high - low, middle)
            texts.append(f"{counted(len(values), 'run')}: {title} {time(low)} to {time(high)}, a spread of {spread}.")
            break
    return texts or [f"{counted(len(job.members), 'run')} with nothing to compare."]
