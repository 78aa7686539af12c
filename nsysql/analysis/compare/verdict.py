"""The verdict as a word, if the evidence allows one."""

from nsysql.analysis.compare.compare import Comparison
from nsysql.analysis.compare.noise import Evidence

FASTER, SLOWER, NO_DIFFERENCE, CANNOT_JUDGE = "faster", "slower", "no_difference_shown", "cannot_judge"


def word(found: Comparison) -> str:
    """faster, slower, no_difference_shown or cannot_judge."""
    if all(account.delta_ns == 0 for account in found.accounts):
        return NO_DIFFERENCE
    if found.evidence is None or not found.is_fair:
        return CANNOT_JUDGE
    if is_beyond_noise(found, found.evidence):
        return FASTER if found.delta_ns < 0 else SLOWER
    return NO_DIFFERENCE


def is_beyond_noise(found: Comparison, proof: Evidence) -> bool:
    """Whether the unit's difference exceeds the scatter of samples, that of runs, and the threshold."""
    delta, whole = float(found.delta_ns), float(found.a_ns)
    least = max(found.options.threshold, found.run_noise) * whole
    return abs(delta) > least and proof.shows(delta)


def interval_pct(found: Comparison) -> tuple[float, float] | None:
    """The 95 % interval of the difference, in percent of A's unit."""
    if found.evidence is None or not found.a_ns:
        return None
    return tuple(100 * end / float(found.a_ns) for end in (found.evidence.low, found.evidence.high))  # type: ignore[return-value]


def change_pct(found: Comparison) -> float | None:
    """The difference in percent of A's unit."""
    return float(100 * found.delta_ns / found.a_ns) if found.a_ns else None
