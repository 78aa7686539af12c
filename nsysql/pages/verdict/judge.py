"""The verdict: what limits a run, weighed by time."""

import polars as pl

from nsysql.pages.phrases import Row
from nsysql.pages.verdict import busy, cold, drained, idle
from nsysql.pages.verdict.before import before
from nsysql.pages.verdict.facts import HOST_WORK, IO, ON_GPU, ONCE, SET_UP, Facts, Part, Sentence, Verdict
from nsysql.pages.verdict.headline import headline

GPU, CPU, SYNC, INPUT = "gpu_bound", "cpu_bound", "sync_bound", "input_bound"
COPY, COMMUNICATION, COLD = "copy_bound", "communication_bound", "cold_start"
BUSY = 0.1  # of the time idle: with less the GPU's work is what limits
IDLE = 0.15  # with more it is what keeps the GPU idle; in between both hold
MOST = 0.5
SECOND = 0.25  # of the window: a second kind that explains as much holds, too
MAX_ADVICE, OF_KIND = 5, 3  # sentences in all, and of a kind
FEW = 5  # gaps that are looked at one by one


def judge(facts: Facts) -> Verdict:
    """The verdict on these facts; without kinds where nothing of any length was recorded."""
    if not facts.whole.window_ns:
        return Verdict((), {}, ())
    shares = _shares(facts)
    kinds = tuple(_kinds(facts, shares))
    sentences = headline(facts, kinds, shares), *_sentences(facts, kinds), *before(facts)
    start_up: Row | None = None
    ending: Row | None = None
    if facts.is_split:
        start_up = {"end_ns": facts.judged.start_ns, "idle_ns": facts.start_up_ns}
    if facts.is_split and facts.ending.height:
        ending = {"start_ns": facts.judged.end_ns, "idle_ns": facts.ending_ns}
    return Verdict(kinds, {name: 100 * part for name, part in shares.items()}, sentences, start_up, ending)


def _shares(facts: Facts) -> dict[str, float]:
    """Parts of the judged stretch by what ran, and of its idle time by what it waited for; start-up of the whole."""
    judged = facts.judged
    return {
        "kernels": judged.of(judged.ran("computing_ns", "one_small_kernel_ns")),
        "small_kernels": judged.of(judged.ran("one_small_kernel_ns")),
        "exposed_communication": judged.of(judged.ran("only_communication_ns")),
        "exposed_copies": judged.of(judged.ran("only_copies_ns")),
        "idle": judged.of(judged.idle_ns),
        "idle_after_synchronisation": judged.of(facts.drained_ns),
        "idle_in_set_up": judged.of(judged.by_cause(*ONCE)),
        "idle_on_the_gpu": judged.of(judged.by_cause(*ON_GPU)),
        "idle_in_io": judged.of(judged.by_cause(IO)),
        "idle_in_mpi": judged.of(idle.mpi_ns(facts)),
        "idle_in_start_up": facts.whole.of(facts.start_up_ns),
    }


def _kinds(facts: Facts, shares: dict[str, float]) -> list[Part]:
    """The kinds that hold, the first the most."""
    busy_kinds = sorted(
        ((shares["kernels"], GPU), (shares["exposed_copies"], COPY), (shares["exposed_communication"], COMMUNICATION)),
        reverse=True,
    )
    working = [kind for part, kind in busy_kinds[:1]] + [kind for part, kind in busy_kinds[1:] if part >= SECOND]
    of_kind = {kind: part for part, kind in busy_kinds}
    waiting = _waits_for(facts, shares)
    if waiting:
        of_kind[waiting] = max(of_kind.get(waiting, 0.0), shares["idle"])
    if not waiting:
        order = working
    elif shares["idle"] < (MOST if waiting == COLD else IDLE):
        order = [*working[:1], waiting, *working[1:]]
    else:
        order = [waiting, *(kind for kind in working if of_kind[kind] >= SECOND)]
    if facts.is_split and _is_mostly_start_up(facts):
        order, of_kind[COLD] = [COLD, *order], shares["idle_in_start_up"]
    return [Part(kind, 100 * of_kind[kind]) for kind in dict.fromkeys(order)]


def _is_mostly_start_up(facts: Facts) -> bool:
    """The steady part is the smaller part of what was captured, and start-up has most of the idle time."""
    rest = facts.judged.window_ns
    return rest < MOST * facts.whole.window_ns and facts.start_up_ns >= MOST * facts.whole.idle_ns


def _waits_for(facts: Facts, shares: dict[str, float]) -> str | None:
    """Why the GPU is idle in the judged stretch, if it is idle for much of it."""
    total = facts.judged.idle_ns
    if shares["idle"] < BUSY or not total:
        return None
    if idle.mpi_ns(facts) >= MOST * total:
        return COMMUNICATION
    if idle.input_ns(facts) >= MOST * total:
        return INPUT
    if _is_once(facts):
        return COLD
    if facts.judged.by_cause("unified_memory") >= MOST * total:
        return COPY
    if facts.judged.by_cause(*ON_GPU) >= MOST * total:
        return GPU
    if facts.drained_ns < MOST * total or drained.is_code(facts):
        return CPU
    return SYNC if _would_stay_ahead(facts) and not _is_in_few_gaps(facts) else CPU


def _is_once(facts: Facts) -> bool:
    """Most of the idle time of the judged stretch is set-up, or happens once in a run that repeats nothing."""
    total = facts.judged.idle_ns
    if facts.judged.by_cause(*ONCE) >= MOST * total:
        return True
    if facts.repetition is not None or facts.is_narrowed:
        return False
    return max(_recurring_ns(facts), idle.own_code_ns(facts)) < MOST * total


def _recurring_ns(facts: Facts) -> int:
    """Idle time in gaps between the same work that occur more than once and are the program's."""
    if facts.patterns.is_empty():
        return 0
    theirs = ~pl.col("main_cause").is_in([*SET_UP, "unified_memory", "profiler"])
    migrates = pl.col("next_name").fill_null("").str.contains("memcpy Unified", literal=True)
    return int(facts.patterns.filter((pl.col("gap_count") > 1) & theirs & ~migrates)["idle_ns"].sum())


def _would_stay_ahead(facts: Facts) -> bool:
    """Without the synchronizations the CPU would keep up: its work in the gaps is no more than the GPU's."""
    judged = facts.judged
    work = judged.by_cause(*HOST_WORK, "launch_call", "other_cuda_api", "memory_management", "gil_wait")
    return work <= 1.5 * int(judged.gpu_time["busy_ns"].sum())


def _is_in_few_gaps(facts: Facts) -> bool:
    """A few gaps have most of the idle time, so it is what the host does in them."""
    start, end = facts.judged.start_ns, facts.judged.end_ns
    gaps = facts.gaps.sort("gap_ns", descending=True)
    if start is not None:
        gaps = gaps.filter(pl.col("start_ns") >= start, pl.col("end_ns") <= (end or start))
    few = gaps.head(FEW)
    count = int(facts.judged.gpu_time["gap_count"].sum())
    return count > 2 * FEW and int(few["gap_ns"].sum()) >= MOST * facts.judged.idle_ns


def _sentences(facts: Facts, kinds: tuple[Part, ...]) -> list[Sentence]:
    """What to do: first what belongs to the first kind; last what is apart from the steady part."""
    says = {
        GPU: busy.gpu_bound, COPY: busy.copy_bound, COMMUNICATION: idle.communication_bound, SYNC: idle.sync_bound,
        CPU: idle.cpu_bound, INPUT: idle.input_bound, COLD: cold.cold_start,
    }  # fmt: skip
    advice = [text for part in kinds for text in says[part.kind](facts)[:OF_KIND]]
    advice += busy.further(facts, [part.kind for part in kinds])
    if not any(part.kind not in (GPU, COPY) for part in kinds):
        advice += idle.beside(facts)
    if not any(part.kind == COLD for part in kinds):
        first = cold.start_up(facts)
        larger = facts.start_up_ns > facts.judged.idle_ns and facts.judged.of(facts.judged.idle_ns) >= BUSY
        advice = [*first, *advice] if larger else [*advice[: MAX_ADVICE - len(first)], *first]
    last = cold.ending(facts)
    unique = {sentence.text: sentence for sentence in [*advice[: MAX_ADVICE - len(last)], *last]}
    return [
        Sentence("first" if i == 0 else "then", sentence.text, sentence.rows)
        for i, sentence in enumerate(unique.values())
    ]
