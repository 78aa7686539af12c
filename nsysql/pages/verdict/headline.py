"""The first sentence of a verdict: what limits the run, and how the time of the GPUs divides."""

from collections.abc import Sequence

from nsysql.pages.phrases import Row, gpu_number, gpus, joined, percent, percent_range, share, whole_percent
from nsysql.pages.verdict.cold import last_kernel
from nsysql.pages.verdict.facts import NOT_THEIRS, ON_GPU, Facts, Part, Sentence
from nsysql.pages.verdict.totals import steady_part, together
from nsysql.words.quantities import time

COLD = "cold_start"
TITLES = {
    "gpu_bound": "GPU-bound",
    "copy_bound": "copy-bound",
    "communication_bound": "communication-bound",
    "sync_bound": "synchronization-bound",
    "cpu_bound": "CPU-bound",
    "input_bound": "input-bound",
    COLD: "cold start",
}
RUNS = {  # columns of gpu_time by what a kind is about, and its word
    "gpu_bound": ("kernels", "while kernels run"),
    "copy_bound": ("exposed_copies", "in copies with no kernel running"),
    "communication_bound": ("exposed_communication", "in communication with no kernel running"),
}
APART = 0.2  # of the window: where the idle shares of GPUs differ by more, each is named
FEW = 8  # GPUs that can be named one by one
LONG, MOST = 0.1, 0.5  # of the window idle, and of the idle time
UNKNOWN = ("unified_memory", "no_launch_recorded")  # whether the work was queued
LITTLE = 0.005  # of the window: what runs for less is not named


def headline(facts: Facts, kinds: Sequence[Part], shares: Row) -> Sentence:
    """The kinds, what of the time each is about, and how the time of the GPUs divides."""
    rows = facts.judged.gpu_time.to_dicts()
    parts = []
    for column, word in (("kernel_ns", "kernels"), ("graph_ns", "CUDA graphs"), ("memcpy_ns", "copies")):
        of_gpus = [share(row[column], row["window_ns"]) for row in rows]
        if max(of_gpus) >= LITTLE:
            parts.append(f"{word} run for {percent_range(of_gpus)}")
    ran = f"; {joined(parts)}{_at_once(rows)}" if parts else ""
    said = _said(facts, kinds, shares)
    where = "the time" if facts.is_split else "the window"
    text = f"{said[0].upper()}{said[1:]}: {_apart(facts)}{_idle(facts)} of {where}{ran}."
    text += _queued(facts, kinds) + _profiler(facts)
    return Sentence("limit", text, tuple({"query": "gpu_time", "gpu_id": row["gpu_id"]} for row in rows))


def _at_once(rows: Sequence[Row]) -> str:
    """That kinds of work run at the same time, where their shares with the idle time exceed the window."""
    overlap = max(row["kernel_ns"] + row["graph_ns"] + row["memcpy_ns"] - row["busy_ns"] for row in rows)
    return ", partly at the same time" if overlap >= LITTLE * min(row["window_ns"] for row in rows) else ""


def _said(facts: Facts, kinds: Sequence[Part], shares: Row) -> str:
    """The kinds, in the order of their advice; of several each with what of the time it is about."""
    if not kinds:
        return "not judged"
    if len(kinds) == 1:
        return _title(facts, kinds[0])
    where = " of the steady part" if facts.is_split and any(part.kind == COLD for part in kinds) else ""
    return joined([f"{_title(facts, part)} ({_about(facts, part, shares, where)})" for part in kinds])


def _title(facts: Facts, part: Part) -> str:
    """A kind in a word. What happens once is no cold start where it follows the last kernel."""
    if part.kind == COLD and facts.after_kernels.height:
        return f"idle after {last_kernel(facts)}"
    return TITLES[part.kind]


def _about(facts: Facts, part: Part, shares: Row, where: str) -> str:
    """What of the time a kind is about; `where` says that this is not the window."""
    if part.kind == COLD and facts.is_split:
        return f"start-up, {percent(facts.start_up_ns, facts.whole.idle_ns)} of the idle time"
    share_key, words = RUNS.get(part.kind, ("idle", ""))
    if words and 100 * shares[share_key] >= part.share_pct:
        return f"{whole_percent(shares[share_key])}{where} {words}"
    return f"the {whole_percent(shares['idle'])} idle{where}"


def _apart(facts: Facts) -> str:
    """The idle time that lies before the steady part, and after it."""
    if not facts.is_split or facts.repetition is None:
        return ""
    word, last = facts.repetition.word, facts.ending_ns
    said = f"of the {time(facts.whole.idle_ns)} idle{together(facts)}, {time(facts.start_up_ns)} lie before the first"
    said += f" {word} (start-up)" + (f" and {time(last)} after the last" if last else "")
    return f"{said}. In {steady_part(facts)} "


def _idle(facts: Facts) -> str:
    """For how much of the time the GPUs are idle; each by number where they differ."""
    ids, idle = facts.judged.gpu_time["gpu_id"].to_list(), facts.judged.idle_shares
    if max(idle) - min(idle) > APART and len(ids) <= FEW:
        each = [f"GPU {gpu_number(gpu)} for {whole_percent(part)}" for gpu, part in zip(ids, idle, strict=True)]
        return f"idle are {joined(each)}"
    return f"{gpus(ids)} {'are' if len(ids) > 1 else 'is'} idle for {percent_range(idle)}"


def _queued(facts: Facts, kinds: Sequence[Part]) -> str:
    """Why a GPU that is idle for long is not said to wait for the CPU: its work was queued."""
    idle = facts.judged.idle_ns
    queued = facts.judged.by_cause(*(cause for cause in ON_GPU if cause not in UNKNOWN))
    if [part.kind for part in kinds] != ["gpu_bound"] or facts.judged.of(idle) < LONG or queued < MOST * idle:
        return ""
    return f" {percent(queued, idle)} of the idle time lies between pieces of work that were already queued."


def _profiler(facts: Facts) -> str:
    """That idle times leave out those of the profiler."""
    own = facts.whole.by_cause(NOT_THEIRS)
    return f" Idle times here leave out {time(own)} of the profiler's own{together(facts)}." if own else ""
