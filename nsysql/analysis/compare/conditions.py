"""Parse and judge the conditions of --fail-if: `period > 3%`, `idle:os_wait_io > 2ms`, `launches > 0`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from nsysql.analysis.compare.compare import CANNOT_JUDGE, UNCLEAR, AccountChange, Comparison, proof_of, sums
from nsysql.analysis.compare.fairness import other_work
from nsysql.analysis.compare.job import ALL_JOINED, JOINED, WAITS
from nsysql.analysis.compare.main_change import WORDS
from nsysql.analysis.compare.matching import root
from nsysql.analysis.compare.noise import REPEATS, of_counts
from nsysql.analysis.compare.sentences import sentence, two_digits
from nsysql.analysis.digest import BUSY, KERNELS, WORK, Unit
from nsysql.errors import UsageError, suggestion
from nsysql.words.kernel_names import short
from nsysql.words.quantities import time

FORM = re.compile(
    r"\s*(?P<metric>\S.*?)\s*(?P<sign>[<>])\s*(?P<value>[+-]?\d+(?:\.\d+)?)\s*(?P<unit>%|ns|us|µs|ms|s)?\s*"
)
UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}
WHOLE = ("period", "window", "unit")
COUNTED = ("launches", "bytes")
TOLD_APART = [f"idle:{cause}" for cause in WAITS]
EXAMPLES = '"period > 3%", "idle:os_wait_io > 2ms", "computing > 5%", "launches > 0"'


@dataclass(frozen=True)
class Condition:
    """A metric whose difference, B minus A, is above or below a limit: percent of A's value, ns, or a number."""

    text: str
    metric: str
    is_above: bool
    limit: Fraction
    unit: str


@dataclass(frozen=True)
class Judgment:
    """The outcome of a condition: it `fails` beyond noise, `holds` by the means, `passes`, or `cannot` be judged."""

    condition: Condition
    outcome: str  # fails, holds, passes or cannot
    text: str
    smallest_pct: float | None  # the smallest change of the metric that can fail

    @property
    def hint(self) -> str:
        """A hint that the limit is within noise."""
        limit = abs(self.condition.limit) if self.condition.unit == "%" else None
        if self.smallest_pct is None or (limit is not None and limit >= self.smallest_pct):
            return ""
        if self.outcome in ("fails", "cannot") or (limit is None and self.outcome != "holds"):
            return ""
        return f"; this gate cannot fire below {two_digits(self.smallest_pct)}%: give {REPEATS} captures a side"


def read_condition(text: str, causes: Sequence[str] = ()) -> Condition:
    """Parse a condition; `causes` are those of idle time. Raises UsageError if the text is not one."""
    match = FORM.fullmatch(text)
    if match is None:
        raise UsageError(f"--fail-if {text!r} is not a condition; write METRIC > VALUE, such as {EXAMPLES}.")
    metric, unit = match["metric"], match["unit"] or ""
    kind = metric.partition(":")[0]
    known = (*WHOLE, *COUNTED, "busy", "kernel", *WORDS)
    if kind not in known:
        offer = f"it can be {', '.join(known)}.{suggestion(kind, known)}"
        raise UsageError(f"--fail-if {text!r}: there is no metric {kind!r}; {offer}")
    name = metric.partition(":")[2]
    if kind == "idle" and name and causes and name not in causes:
        raise UsageError(f"--fail-if {text!r}: there is no cause of idle time {name!r}.{suggestion(name, causes)}")
    if not unit and metric not in COUNTED:
        raise UsageError(f"--fail-if {text!r} needs a unit: %, ns, us, ms or s.")
    if unit in UNITS and metric in COUNTED:
        raise UsageError(f"--fail-if {text!r}: {metric} is a number; give one, or percent.")
    limit = Fraction(match["value"]) * UNITS.get(unit, 1)
    return Condition(text.strip(), metric, match["sign"] == ">", limit, unit)


def judged(comparison: Comparison, condition: Condition, force: bool) -> Judgment:
    """Judge the condition: it fails if it holds by the means and the difference exceeds noise."""
    of = comparison.work if condition.metric == "window" and comparison.work is not None else comparison
    a, b, smallest = _values(of, condition)
    delta = b - a
    value = 100 * delta / a if condition.unit == "%" and a else delta
    holds = value > condition.limit if condition.is_above else value < condition.limit
    if condition.unit == "%" and not a:  # if A is 0, any increase exceeds every percentage
        holds = delta > 0 and condition.is_above
    if condition.metric in COUNTED:
        text = f"{condition.text}: {float(a):,.6g} became {float(b):,.6g}"
    else:
        change = f" ({float(100 * (b - a) / a):+.1f}%)" if a else ""
        text = f"{condition.text}: {time(float(a))} became {time(float(b))}{change}"
    least = 100 * smallest / float(a) if a and condition.metric not in COUNTED else None
    why = None if force else _why_not(of, condition)
    titles = {one.title for one in of.accounts if condition.metric.startswith("idle:")}
    if not force and (ALL_JOINED in titles or (JOINED in titles and condition.metric in TOLD_APART)):
        why, delta = "only one side recorded what tells this cause from others", Fraction(1)
    if why is not None and (holds or delta):
        return Judgment(condition, "cannot", f"{text}; {why}", least)
    is_shown = delta and abs(float(delta)) > smallest
    return Judgment(condition, "passes" if not holds else "fails" if is_shown else "holds", text, least)


def _why_not(comparison: Comparison, condition: Condition) -> str | None:
    """Say why a metric of the comparison cannot be judged; None if it can."""
    if (why := other_work(comparison.a, comparison.b)) is not None:
        return why
    is_comparable = comparison.is_fair and comparison.is_same and not comparison.too_few
    if not is_comparable or comparison.verdict in (UNCLEAR, CANNOT_JUDGE):
        return sentence(comparison).partition(": ")[2].rstrip(".")
    if condition.metric in ("period", "unit") and comparison.per == WORK and comparison.reasons:
        return comparison.reasons[0].rstrip(".")
    return None


def _values(comparison: Comparison, condition: Condition) -> tuple[Fraction, Fraction, float]:
    """Return the metric in A and B, and its smallest difference beyond noise. Raises UsageError for an unknown name."""
    metric = condition.metric
    if metric in WHOLE:
        return comparison.a_ns, comparison.b_ns, comparison.smallest_ns
    if metric in COUNTED:
        counts = [[_counted(unit, metric) for unit in side.units] for side in (comparison.a, comparison.b)]
        a, b = (sum(side, Fraction(0)) / len(side) for side in counts)
        return a, b, of_counts(*([float(count) for count in side] for side in counts))
    accounts = [account for account in comparison.accounts if _is_of(account, metric)]
    kind, _, name = metric.partition(":")
    if not accounts and name and kind != "idle":
        hint = suggestion(metric, [f"{a.kind}:{a.name}" for a in comparison.accounts if a.kind == kind])
        raise UsageError(f"--fail-if: neither side has {metric!r}.{hint}")
    if not accounts:  # a cause of idle time, or a kind, that neither side has
        return Fraction(0), Fraction(0), 0.0
    a, b = sums(accounts)
    proof = accounts[0].evidence if len(accounts) == 1 else None
    return a, b, (proof or proof_of(comparison, accounts)).smallest_ns


def _counted(unit: Unit, metric: str) -> Fraction:
    """Return launches, or bytes, per unit of one capture."""
    name = "count" if metric == "launches" else "amount"
    return Fraction(sum(getattr(total, name) for total in unit.launches), unit.total_steps)


def _is_of(account: AccountChange, metric: str) -> bool:
    kind, colon, name = metric.partition(":")
    if metric == "busy":
        return account.kind in BUSY
    if kind == "kernel":
        return account.kind in KERNELS and (not colon or name in _names(account))
    return account.kind == kind and (not colon or name in _names(account))


def _names(account: AccountChange) -> set[str]:
    named = [name for name in (account.name, account.b_name) if name]
    return {account.title, *named, *map(short, named), *map(root, named)}
