"""Round moments for the ruler of a timeline.

>>> marks(0, 1_000_000, 4)
[(0, '0'), (250000, '+250 µs'), (500000, '+500 µs'), (750000, '+750 µs'), (1000000, '+1 ms')]
"""

from nsysql.words.quantities import TIMES

STEPS = (1, 2, 2.5, 5, 10)


def marks(start_ns: int, end_ns: int, most: int) -> list[tuple[int, str]]:
    """Moments between the two, at most about so many, each with its distance from the start as text."""
    span = max(1, end_ns - start_ns)
    least = span / max(1, most)
    power = 10 ** max(0, len(str(int(least))) - 1)
    step = max(1, int(next(s * power for s in STEPS if s * power >= least)))
    return [(start_ns + at, f"+{short_time(at)}" if at else "0") for at in range(0, span + 1, step)]


def short_time(ns: int) -> str:
    """A round time without zeros at its end: 250 µs."""
    factor, unit = max((t for t in TIMES if ns >= t[0]), default=TIMES[0])
    return f"{ns / factor:.3f}".rstrip("0").rstrip(".") + f" {unit}"
