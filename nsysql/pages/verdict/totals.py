"""What shares and sums in sentences are of: which stretch of time, and how many GPUs."""

from nsysql.pages.phrases import percent, seconds, whole_percent
from nsysql.pages.verdict.facts import Facts
from nsysql.quantities import time


def stretch(facts: Facts) -> str:
    """What shares are of."""
    return "the steady part" if facts.is_split else "the window"


def together(facts: Facts) -> str:
    """Says of a sum that it is of several GPUs: ', all GPUs together'."""
    return ", all GPUs together" if facts.whole.gpu_time.height > 1 else ""


def of_stretch(facts: Facts, part: float) -> str:
    """A share of the judged time, of all GPUs: '45% of the window, all GPUs together'."""
    return f"{whole_percent(part)} of {stretch(facts)}{together(facts)}"


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
