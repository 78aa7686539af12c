"""The ranks page: the verdict first, then ranks, who comes last, clocks and notes; the same as JSON."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from statistics import median
from typing import Any

import polars as pl

from nsysql.analysis.many_runs import busy
from nsysql.analysis.ranks.chance import MOST_OF_WAIT
from nsysql.analysis.ranks.clocks import Clock
from nsysql.analysis.ranks.collectives import ABSENT, SEND_AND_RECEIVE
from nsysql.analysis.ranks.job import Imbalance, Job
from nsysql.analysis.ranks.straggler import LEAST_SHARE, Straggler
from nsysql.pages.elements import LEGEND, Page, Section, notes_section, shaded
from nsysql.pages.phrases import account_name, percent, whole_percent, without_signature
from nsysql.pages.sections import table
from nsysql.words.quantities import brief_title, counted, safe, time

SCHEMA = "nsysql.ranks/1"  # adding a key does not change the number; removing or changing one does
ALL = " (--top 0 shows all)"
MOST_OFF_NS = 10**9  # difference of offsets by session start and by collectives from which it is noted


def document(job: Job) -> dict[str, Any]:
    """The page as lists and dictionaries, with exact values; docs/ranks.md describes it."""
    imbalance, account = job.imbalance, job.straggler.account
    name = None if account is None else account.name if account.kind == "idle" else account.kind
    more_ns = None if account is None else account.more_ns
    return {
        "schema": SCHEMA,
        "kind": job.kind,
        "sentences": sentences(job),
        "ranks": job.ranks.to_dicts(),
        "clock": [
            {
                **{name: getattr(clock, name) for name in ("run", "offset_ns", "uncertainty_ns", "scatter_ns")},
                "from": clock.said_by,
                "session_offset_ns": clock.session_ns,
                "drift_ppm": clock.drift * 1e6,
                "offset_at_ns": clock.at_ns,
                "problem": clock.problem,
            }
            for clock in job.clocks
        ],
        "straggler": {**asdict(job.straggler), "account": name, "account_ns": more_ns},
        "collectives": {
            "matched": job.matched.count,
            "unmatched": [{"why": why, "count": count} for why, count in job.matched.left_out],
            "by_name": _by_name(job).to_dicts(),
            "longest": _longest(job).to_dicts(),
        },
        "imbalance": None if imbalance is None else {"ratio": imbalance.ratio, **asdict(imbalance)},
        "problems": list(job.problems),
    }


def _by_name(job: Job) -> pl.DataFrame:
    """One row per name of matched collectives: name, source, count, wait_ns and transfer_ns summed over ranks."""
    count = pl.col("match_id").n_unique().alias("count")
    sums = job.sides.group_by("name", "source").agg(count, pl.col("wait_ns", "transfer_ns").sum())
    return sums.sort("wait_ns", "name", "source", descending=[True, False, False])


def _longest(job: Job, rows: int = 5) -> pl.DataFrame:
    """The collectives with most waiting: match_id, name, at_ns (last arrival), last_rank, wait_ns summed over ranks."""
    ranks = pl.Series([member.rank for member in job.members], dtype=pl.Int64)
    last = pl.col("member").filter("is_last").first().alias("last_rank")
    wait = pl.col("wait_ns").sum()
    sums = job.sides.group_by("match_id").agg(pl.col("name").first(), pl.col("at_ns").max(), last, wait)
    known = sums.with_columns(last_rank=ranks.gather(sums["last_rank"]))
    return known.sort("wait_ns", "match_id", descending=[True, False]).head(rows)


def page(job: Job, top: int | None = None) -> Page:
    """The sections; `top` rows of each, all if None."""
    what = f"{len(job.members)} ranks of one job" if job.kind == "ranks" else f"{_runs(job)} of one program"
    title = f"{what}, {counted(len(job.exports), 'export')}"
    ranks = _shown(job, top)
    sections = [
        Section("Verdict", before=tuple(sentences(job))),
        _ranks(job, ranks),
        *_last(job, ranks),
        *_instead(job),
        *_collectives(job),
        *heat_map(job, top),
        *_clocks(job, top),
        notes_section(_notes(job)),
    ]
    return Page(title, tuple(sections))


def _shown(job: Job, top: int | None) -> list[dict[str, Any]]:
    """The ranks that others wait for most, then those that compute longest, in order of their numbers."""
    keys = ["wait_caused_ns", "computing_ns", "rank", "gpu_id"]
    first = job.ranks.sort(keys, descending=[True, True, False, False], nulls_last=True)[:top]
    return first.sort("rank", "gpu_id").to_dicts() if first.height < job.ranks.height else job.ranks.to_dicts()


def _ranks(job: Job, ranks: list[dict[str, Any]]) -> Section:
    has_gpu, titles = bool(job.ranks["gpu_id"].is_not_null().any()), job.titles
    rows = [{**row, "cause": titles.get(row["main_cause"], row["main_cause"])} for row in ranks]
    middle, more = "exposed_communication_ns=in_MPI", "idle_ns=idle cause=main_cause:text"
    if has_gpu:
        middle = f"computing_ns=computing exposed_communication_ns=exposed_communication {more}"
    first = f"rank={'rank' if job.kind == 'ranks' else 'run'}{' gpu_id=GPU' if has_gpu else ''}"
    columns = f"{first} window_ns=window busy_ns/window_ns=busy:share {middle} period_ns=step run=export:text"
    of = "first to last work" if has_gpu else "first to last MPI call, busy outside of them"
    noun, rest = "rank" if job.kind == "ranks" else "run", job.ranks.height - len(ranks)
    after = [f"{counted(rest, f'more {noun}')}{ALL}."] if rest else []
    return table(f"{noun.capitalize()}s", columns, rows, f"window from {of}", after=after, zeros=False)


def _last(job: Job, ranks: list[dict[str, Any]]) -> Iterator[Section]:
    if job.sides.height:
        of = {"judged": max(job.matched.count - 1, 0), "total_ns": int(job.ranks["wait_caused_ns"].sum())}
        columns = (
            "rank=rank last_count=last last_count/judged=:pct wait_caused_ns=others_wait_for_it"
            " wait_caused_ns/total_ns=:share wait_ns=it_waits transfer_ns=transfer"
        )
        meaning = "of the collectives after the first; wait and transfer are all the time in them"
        yield table("Who comes last", columns, [{**row, **of} for row in ranks], meaning)


def _instead(job: Job) -> Iterator[Section]:
    accounts = job.straggler.accounts
    if accounts:
        rows = [{**asdict(one), "what": account_name(one.kind, one.name, job.titles)} for one in accounts]
        where = "its GPU" if accounts[0].clock == "gpu" else "its thread, NVTX ranges"
        meaning = f"before one collective, against the median rank: {where}"
        columns = "more_ns=more:signed kind=account:text what=:text"
        yield table(f"What rank {job.straggler.rank} did instead", columns, rows, meaning)


def _collectives(job: Job) -> Iterator[Section]:
    names = _by_name(job).with_columns(whole_ns=pl.col("wait_ns") + pl.col("transfer_ns"))
    after = [f"{count:,} left out: {why}." for why, count in job.matched.left_out if why]
    if job.matched.count > 1:
        row = _longest(job, 1).row(0, named=True)
        which = f"{row['name']}, number {row['match_id'] + 1}"
        after.insert(0, f"Most waiting in one: {time(row['wait_ns'])} for rank {row['last_rank']} ({which}).")
    if names.height or after:
        columns = "count=matched wait_ns=wait wait_ns/whole_ns=:pct transfer_ns=transfer name=collective:text"
        yield table("Collectives", columns, names.to_dicts(), "all ranks together", after=after)


def heat_map(job: Job, top: int | None) -> Iterator[Section]:
    """One row per rank; nothing if fewer than two ranks have a GPU, or the exports are repeats."""
    members = [member for member in job.members if member.gpu_id is not None]
    if job.kind == "repeats" or len(members) < 2:
        return
    every = ((m, job.exports[m.file].busy.filter(gpu_id=m.gpu_id)) for m in members)
    known = [(m, own) for m, own in every if own.height]
    files = sorted({m.file for m in job.members})
    heat = busy([own for _, own in known], [job.clocks[files.index(m.file)].offset_ns for m, _ in known])
    if heat is not None:
        pairs = zip(known, heat.shares, strict=True)
        rows = [{"rank": str(m.rank), "gpu_id": m.gpu_id, "busy": shaded(shares)} for (m, _), shares in pairs]
        meaning = f"share of time busy in columns of {time(heat.column_ns)}: {LEGEND}"
        yield table("Busy over time", "rank=rank gpu_id=GPU busy=:whole", rows, meaning, top=top, rest="rank", how=ALL)


def _clocks(job: Job, top: int | None) -> Iterator[Section]:
    if job.kind == "repeats" or not job.clocks:
        return
    if len(job.clocks) == 1:
        yield Section("Clocks", before=("One export: all ranks are on one clock.",))
        return
    after = [f"{clock.run}: {clock.problem}." for clock in job.clocks if clock.problem]
    if not after and any(clock.uncertainty_ns is None for clock in job.clocks):
        after.append("Without matched collectives nothing bounds the error of the clocks.")
    columns = "added=added uncertainty=off_by_at_most scatter=estimate drift=drift from=from:text run=export:text"
    meaning = "offset added to an export's times to put them on the clock of the first"
    clocks = [_clock_row(clock) for clock in job.clocks]
    yield table("Clocks", columns, clocks, meaning, after=after, top=top, rest="export", how=ALL)


def _clock_row(clock: Clock) -> dict[str, str]:
    bounds = {"uncertainty": clock.uncertainty_ns, "scatter": clock.scatter_ns}
    return {
        "added": time(clock.offset_ns),
        **{name: "not known" if ns is None else f"± {time(ns)}" for name, ns in bounds.items()},
        "drift": f"{clock.drift * 1e6:+.1f} ppm" if clock.drift else "",
        "from": clock.said_by,
        "run": clock.run,
    }


def _notes(job: Job) -> Iterator[str]:
    if job.kind == "ranks":
        sources = " and ".join(sorted(set(job.ranks["rank_from"])))
        yield f"Ranks are numbered by {sources}; --as repeats treats the exports as runs of one program."
    else:
        yield "Treated as runs of one program; --as ranks treats them as the ranks of one job."
    yield from job.problems
    for clock in job.clocks:
        if clock.session_ns is not None and abs(clock.offset_ns - clock.session_ns) > MOST_OFF_NS:
            error = time(clock.offset_ns - clock.session_ns)
            yield f"{clock.run}: the start of its session is off by {error}, judged by the collectives."


IDLE = 0.1  # of each GPU's window: less is not reported
UNEVEN = 1.1  # ratio of computing times from which it is reported
HEADS = {"rotating": "No single rank keeps the others waiting", "none": "No rank keeps the others waiting regularly"}


def sentences(job: Job) -> list[str]:
    """The verdict first, then the imbalance."""
    if job.kind == "repeats":
        return _of_repeats(job)
    texts = [*_idle(job), verdict(job)] if job.straggler.kind == "cannot_judge" else [verdict(job)]
    if job.size > len(job.members) and job.matched.count:
        texts.append(f"{absent(job)}: whether the others keep these waiting cannot be known.")
    texts += [*_late_start(job), *_point_to_point(job)]
    imbalance = job.imbalance
    if counts := job.counts:
        texts.append(_uneven(counts))
    elif imbalance is not None and imbalance.ratio >= UNEVEN:
        slow = f"Rank {imbalance.slowest_rank} computes {imbalance.ratio:.2f} times as long"
        texts.append(f"{slow} as rank {imbalance.fastest_rank} on its GPU: {_times(job, imbalance)}.")
    return texts


def _uneven(counts: dict[int, int]) -> str:
    """Which rank's capture has another number of collectives: its times are those of another part of the job."""
    usual, _ = Counter(counts.values()).most_common(1)[0]
    others = [rank for rank, count in counts.items() if count != usual]
    which = f"the capture of rank {others[0]} has {counts[others[0]]:,}, the others have {usual:,}"
    if len(others) > 1 or len(counts) < 3:
        which = f"the captures have {min(counts.values()):,} to {max(counts.values()):,}"
    return f"Collectives: {which}. If one was cut short or began late, computing times cannot be compared either."


def _times(job: Job, imbalance: Imbalance) -> str:
    """The computing times of an imbalance, and the windows if these differ as much: one capture may be cut short."""
    times = f"{time(imbalance.slowest_ns)} and {time(imbalance.fastest_ns)}"
    windows = dict(job.ranks.select("rank", "window_ns").iter_rows())
    slow, fast = windows[imbalance.slowest_rank], windows[imbalance.fastest_rank]
    if max(slow, fast) < UNEVEN * min(slow, fast):
        return times
    return f"{times}, in windows of {time(slow)} and {time(fast)}"


def _idle(job: Job) -> list[str]:
    """How long all GPUs are idle, and why, where that is much: it needs no collectives."""
    rows = job.ranks.drop_nulls(["gpu_id", "idle_ns", "window_ns"]).filter(pl.col("window_ns") > 0)
    shares = (rows["idle_ns"] / rows["window_ns"]).to_list()
    if len(shares) < len(job.members) or not shares or min(shares) < IDLE:
        return []
    spent = rows.group_by("main_cause").agg(pl.col("main_cause_ns").sum())
    cause, ns = spent.sort("main_cause_ns", "main_cause", descending=[True, False]).row(0)
    why, idle = brief_title(job.titles.get(cause, cause)), int(rows["idle_ns"].sum())
    most = f", mostly because of {why}" if 2 * ns > idle else f"; the largest cause is {why} ({percent(ns, idle)})"
    return [f"Every GPU is idle for {_between(shares)} of its time{most}."]


def _late_start(job: Job) -> list[str]:
    """Which rank the others wait for in the first collective, which is not judged, if that is long."""
    first, bounds = job.sides.filter(pl.col("match_id") == 0), [clock.scatter_ns for clock in job.clocks]
    if first.is_empty() or first["wait_ns"].sum() < IDLE * _all_time(job):
        return []
    last, waits = (first.filter(pl.col("is_last") == is_last) for is_last in (True, False))
    each = median(map(float, waits["wait_ns"]))
    if any(bound is None or each <= bound for bound in bounds):
        return []
    others = "the others wait" if waits.height > 1 else "the other waits"
    return [f"At the start {others} {time(each)} for rank {job.members[last['member'][0]].rank}'s first collective."]


def _point_to_point(job: Job) -> list[str]:
    """That ranks wait for each other in kernels that send and receive, if it takes long on most or is most waiting."""
    shares, judged = list(job.point_to_point.values()), job.sides.filter(pl.col("match_id") > 0)
    if shares and median(shares) >= IDLE:
        what = f"take {_between(shares)} of each rank's time, waiting for other ranks included."
    elif 2 * judged.filter(name=SEND_AND_RECEIVE)["wait_ns"].sum() > judged["wait_ns"].sum():
        what = "have most of the waiting: they are all-to-all, or messages between the stages of a pipeline."
    else:
        return []
    pace = "In a pipeline the order of its stages decides who comes last, and the stage that computes longest sets the"
    return [f"Kernels that send and receive {what} {pace} pace."]


def _between(shares: list[float]) -> str:
    low, high = whole_percent(min(shares)), whole_percent(max(shares))
    return low if low == high else f"{low} to {high}"


def absent(job: Job) -> str:
    """How many of the job's ranks there are."""
    return f"Only {len(job.members):,} of {job.size:,} ranks are given"


def verdict(job: Job) -> str:
    """A sentence on which rank is late."""
    straggler = job.straggler
    if straggler.kind == "cannot_judge":
        return f"Whether a rank is late cannot be judged: {_why(job)}"
    if straggler.kind == "pinned":
        where = _where(straggler, job.titles)
        others = "the others wait" if len(job.members) > 2 else "the other waits"
        each = f"{time(straggler.each_ns)} each" if len(job.members) > 2 else time(straggler.each_ns)
        times = f"in {straggler.last_count:,} of {counted(straggler.judged, 'collective')}"
        late = f"comes last {times}, perhaps by its place in a pipeline" if _point_to_point(job) else f"is late {times}"
        return f"Rank {straggler.rank} {late}: {others} {each}{_hidden(job)}; {where}."
    spread = f"the last comes {time(straggler.each_ns)} after the first, at the median"
    share = percent(straggler.wait_caused_ns, _all_time(job))
    total = f"all waiting after the first is {share} of the ranks' time{_hidden(job)}"
    often = _most_of_wait(job) if straggler.kind == "none" else None
    return f"{often or f'{HEADS[straggler.kind]}: {straggler.reason[:-1]}'} ({spread}; {total})."


def _hidden(job: Job) -> str:
    """Which share of the waiting other GPU work hides at least, if that is most of it; no rank loses that time."""
    judged = job.sides.filter(pl.col("match_id") > 0)
    waits = dict(judged.group_by("member").agg(pl.col("wait_ns").sum()).iter_rows())
    exposed = enumerate(job.ranks["exposed_communication_ns"])
    lost, total = sum(min(waits.get(place, 0), ns) for place, ns in exposed), sum(waits.values())
    if 2 * lost >= total or not (judged["source"] == "nccl").all():
        return ""
    return f", at least {whole_percent(1 - lost / total)} of it beside other GPU work"


def _most_of_wait(job: Job) -> str | None:
    """A sentence on a rank that causes most waiting, maybe by chance; None without one."""
    known, judged = job.ranks.drop_nulls(["last_count", "wait_caused_ns"]), job.straggler.judged
    of_all = int(known["wait_caused_ns"].sum())
    if known.is_empty() or of_all < LEAST_SHARE * _all_time(job):
        return None
    first = known.sort("wait_caused_ns", "rank", descending=[True, False]).row(0, named=True)
    last, caused = first["last_count"], first["wait_caused_ns"]
    if caused < MOST_OF_WAIT * of_all:
        return None
    often = f"Rank {first['rank']} causes {time(caused)} of the {time(of_all)} of waiting"
    return f"{often}, being last in {last:,} of {counted(judged, 'collective')}: that may be chance"


def _all_time(job: Job) -> int:
    return int(job.ranks["window_ns"].sum())


def _why(job: Job) -> str:
    """The reason, with what to capture if the exports have no collectives."""
    if any(why == ABSENT for why, _ in job.matched.left_out) and not job.matched.count:
        return f"{absent(job)[0].lower()}{absent(job)[1:]}, and the others take part in every collective."
    if job.matched.total == 0 and len(job.members) > 1:
        return "the exports have no kernels of NCCL and no MPI collectives; capture with --trace=cuda,nvtx,mpi."
    if job.matched.count == 0 and job.matched.left_out and not any(clock.problem for clock in job.clocks):
        reasons = "; ".join(f"{count:,}: {why}" for why, count in job.matched.left_out if why)
        return f"no collective is matched across the ranks ({reasons})." if reasons else job.straggler.reason
    return job.straggler.reason


def _where(straggler: Straggler, titles: dict[str, str]) -> str:
    if straggler.range is not None:
        return f"it spends that time in `{safe(straggler.range)}`"
    if straggler.account is None:
        return "what it did instead is no single account"
    if straggler.account.kind == "idle":
        name = straggler.account.name
        return f"its GPU is idle longer before them ({brief_title(titles.get(name, name.replace('_', ' ')))})"
    if straggler.account.kind == "host_code":
        return "it spends that time in its own code, in no single NVTX range"
    kernel = next((account for account in straggler.accounts if account.kind == straggler.account.kind), None)
    name = f", most in {safe(without_signature(kernel.name))}" if kernel is not None else ""
    return f"its GPU is longer at {straggler.account.kind} before them{name}"


def _of_repeats(job: Job) -> list[str]:
    """Sentences on how much runs of one program differ."""
    texts = []
    for name, title in (("period_ns", "a step takes"), ("window_ns", "the window is"), ("busy_ns", "the GPU is busy")):
        values = sorted(map(float, job.ranks[name].drop_nulls()))
        if len(values) > 1 and values[-1] > 0:
            low, high, middle = values[0], values[-1], median(values)
            spread = percent(high - low, middle)
            texts.append(f"{_runs(job)}: {title} {time(low)} to {time(high)}, a spread of {spread}.")
            break
    return texts or [f"{_runs(job)} with nothing to compare."]


def _runs(job: Job) -> str:
    return counted(len({member.file for member in job.members}), "run")
