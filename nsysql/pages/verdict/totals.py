"""What shares and sums in sentences are of: which stretch of time, and how many GPUs."""

from nsysql.pages.phrases import percent, seconds, whole_percent
from nsysql.pages.verdict.facts import Facts
from nsysql.words.quantities import time


def stretch(facts: Facts) -> str:
    """What shares are of."""
    return "the steady part" if facts.is_split else "the window"


def of_whole(is_split: bool, meaning: str = "") -> str:
    """What a table means, and that it is of the whole window where the verdict speaks of the steady part."""
    whole = "whole window" if is_split else ""
    return "; ".join(filter(None, [meaning, whole]))


def together(facts: Facts) -> str:
    """Says of a sum that it is of several GPUs: ', all GPUs together'."""
    return ", all GPUs together" if facts.whole.gpu_time.height > 1 else ""


def per_gpu(facts: Facts, ns: int) -> str:
    """A sum over all GPUs, as of one: 'on average 921.0 ms a GPU, 1.842 s in all'."""
    gpus = facts.whole.gpu_time.height
    return f"on average {time(ns / gpus)} a GPU, {time(ns)} in all" if gpus > 1 else time(ns)


def of_stretch(facts: Facts, part: float) -> str:
    """A share of the judged time, of all GPUs: '45% of the window of all GPUs together'."""
    return f"{whole_percent(part)} of {stretch(facts)}{' of all GPUs together' if together(facts) else ''}"


def of_idle(facts: Facts, ns: int) -> str:
    """A part of the judged idle time: '2.964 ms of the 4.923 ms idle in the steady part (60.2%)'."""
    idle = facts.judged.idle_ns
    where = " in the steady part" if facts.is_split else ""
    return f"{time(ns)} of the {time(idle)} idle{where} ({percent(ns, idle)}{together(facts)})"


def of_window(facts: Facts, ns: int) -> str:
    """Idle time apart from the steady part, as a share of the whole window."""
    return f"{time(ns)} ({percent(ns, facts.whole.window_ns)} of the window{together(facts)})"


def steady_part(facts: Facts) -> str:
    """The steady part by its borders."""
    first, last = facts.judged.start_ns or 0, facts.judged.end_ns or 0
    return f"the steady part ({time(last - first)} from {seconds(first)})"


def is_bound(facts: Facts) -> bool:
    """Whether the time of GPU work bounds what is saved on it: on several GPUs its sum is of another total."""
    return facts.whole.gpu_time.height == 1


def profilers_own(ns: int, gpus: int) -> str:
    """That idle times of a table include the profiler's own."""
    together = ", all GPUs together" if gpus > 1 else ""
    return f"idle here includes {time(ns)} of the profiler's own{together}; the verdict leaves it out."


TELLS = 0.9  # of the time: a bound of more tells nothing
ALL = "This and all other advice on idle time shorten the run by"


def at_most(facts: Facts, who: str = ALL, ns: int | None = None) -> str:
    """The most that advice on idle time can save, and why: ' ... at most 24.56 ms of 93.61 ms (26%), for ...'.

    Nothing where that is all. A run with the same GPU work takes no less than its busiest GPU is busy, unless more of
    the work overlaps. `ns` is another bound, that holds then too: each moment of the run comes sooner by no more than
    the calls before it block.
    """
    elapsed = facts.judged.elapsed_ns
    idle = elapsed - facts.judged.busiest_ns
    bound = idle if ns is None else min(idle, ns)
    if bound > TELLS * elapsed:
        return ""
    rest = time(elapsed - bound)
    if ns is not None and ns <= idle:
        why = f", for the CPU spends the other {rest} outside of these calls"
    else:
        gpu = "the busiest GPU" if together(facts) else "the GPU"
        why = f", for {gpu} is busy for the other {rest}, with GPU work and its overlap as they are"
    return f" {who} at most {time(bound)} of {time(elapsed)} ({percent(bound, elapsed)}{_of_all(facts)}){why}."


def more_than(facts: Facts, follows: int, ns: int) -> str:
    """Why the bound of at_most is more than the idle time that follows the calls: that is no bound."""
    elapsed = facts.judged.elapsed_ns
    bound = min(elapsed - facts.judged.busiest_ns, ns)
    if together(facts) or bound <= follows or bound > TELLS * elapsed:
        return ""
    return (
        f" That is more than the {time(follows)} that follow them, for a CPU that is further ahead can close other"
        " gaps, too."
    )


def faster(facts: Facts, what: str, ns: int) -> str:
    """The most that it saves to do `what` with GPU work: what it ran; nothing where that is all, or not known."""
    elapsed = facts.judged.elapsed_ns
    if not is_bound(facts) or ns > TELLS * elapsed:
        return ""
    return f" {what} shortens the run by at most {time(ns)} of {time(elapsed)} ({percent(ns, elapsed)})."


def _of_all(facts: Facts) -> str:
    """That the bound is of the run until the last GPU is done: one of several can save more."""
    return ", until the last GPU is done" if together(facts) else ""
