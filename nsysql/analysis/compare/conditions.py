"""The language of --fail-if: `period > 3%`, `idle:os_wait_io > 2ms`, `launches > 0`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from nsysql.analysis.compare.changes import AccountChange
from nsysql.analysis.compare.compare import Comparison, proof_of
from nsysql.analysis.compare.matching import root
from nsysql.analysis.compare.sentences import WORDS
from nsysql.analysis.compare.verdict import is_beyond_noise
from nsysql.errors import MissingData, UsageError, suggestion
from nsysql.words.kernel_names import short
from nsysql.words.quantities import time

FORM = re.compile(
    r"\s*(?P<metric>\S.*?)\s*(?P<sign>[<>])\s*(?P<value>[+-]?\d+(?:\.\d+)?)\s*(?P<unit>%|ns|us|µs|ms|s)?\s*"
)
UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}
WHOLE = ("period", "window", "unit")
COUNTED = ("launches", "bytes")
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
    """Whether a condition is met beyond noise, and a sentence with its numbers."""

    condition: Condition
    fails: bool
    text: str


def read_condition(text: str) -> Condition:
    """Parse a condition. Raises UsageError if the text is not one."""
    found = FORM.fullmatch(text)
    if found is None:
        raise UsageError(f"--fail-if {text!r} is not a condition; write METRIC > VALUE, such as {EXAMPLES}.")
    metric, unit = found["metric"], found["unit"] or ""
    if unit in ("", None) and metric not in COUNTED:
        raise UsageError(f"--fail-if {text!r} needs a unit: %, ns, us, ms or s.")
    if unit in UNITS and metric in COUNTED:
        raise UsageError(f"--fail-if {text!r}: {metric} is a number; give one, or percent.")
    limit = Fraction(found["value"]) * UNITS.get(unit, 1)
    return Condition(text.strip(), metric, found["sign"] == ">", limit, unit)


def judged(found: Comparison, condition: Condition, force: bool) -> Judgment:
    """Whether the condition fails the comparison.

    Raises MissingData if it cannot be judged: no such metric, an unfair comparison without `force`, or a difference
    beyond the limit with one sample per side, which may be noise.
    """
    if not found.is_fair and not force:
        unfair = next(remark.text for remark in found.remarks if remark.is_unfair)
        raise MissingData(f"--fail-if: the comparison is unfair. {unfair} --force judges all the same.")
    a, b, is_shown = _values(found, condition.metric)
    delta = b - a
    value = 100 * delta / a if condition.unit == "%" and a else delta
    holds = value > condition.limit if condition.is_above else value < condition.limit
    if condition.unit == "%" and not a:  # A is 0: any increase is beyond every percentage
        holds = delta > 0 and condition.is_above
    shown = None if not holds or not delta else is_shown()
    if holds and delta and shown is None:
        raise MissingData(
            f"--fail-if {condition.text!r} holds ({_values_of(condition, a, b)}), and with one sample a side nothing "
            "says whether that is more than noise; compare steps, or give several captures of each side."
        )
    return Judgment(condition, bool(shown), f"{condition.text}: {_values_of(condition, a, b)}")


def _values_of(condition: Condition, a: Fraction, b: Fraction) -> str:
    if condition.metric in COUNTED:
        return f"{float(a):,.6g} became {float(b):,.6g}"
    change = f" ({float(100 * (b - a) / a):+.1f} %)" if a else ""
    return f"{time(float(a))} became {time(float(b))}{change}"


Values = tuple[Fraction, Fraction, Callable[[], bool | None]]


def _values(found: Comparison, metric: str) -> Values:
    """The metric in A and B, and a function that says whether its difference is beyond noise (None: unknown)."""
    if metric in WHOLE:
        proof = found.evidence
        return found.a_ns, found.b_ns, lambda: None if proof is None else is_beyond_noise(found, proof)
    if metric in COUNTED:
        a, b = (_counted(side.totals("launches"), metric) for side in (found.a, found.b))
        return a, b, lambda: True
    accounts = [account for account in found.accounts if _is_of(account, metric)]
    if not accounts:
        raise MissingData(f"--fail-if: neither side has {metric!r}.{_known(found, metric)}")
    sums = [sum((getattr(account, name) for account in accounts), Fraction(0)) for name in ("a_ns", "b_ns")]
    return sums[0], sums[1], lambda: _is_shown(found, accounts)


def _counted(totals: dict[tuple[str, str], tuple[Fraction, Fraction]], metric: str) -> Fraction:
    return sum((total[metric == "launches"] for total in totals.values()), Fraction(0))


def _is_of(account: AccountChange, metric: str) -> bool:
    kind, colon, name = metric.partition(":")
    if metric == "busy":
        return account.kind in ("computing", "graph", "communication", "copy", "memset")
    if kind == "kernel":
        return account.kind in ("computing", "communication") and (not colon or name in _names(account))
    return account.kind == kind and (not colon or name in _names(account))


def _names(account: AccountChange) -> set[str]:
    named = [name for name in (account.name, account.b_name) if name]
    return {account.title, *named, *map(short, named), *map(root, named)}


def _is_shown(found: Comparison, accounts: list[AccountChange]) -> bool | None:
    """For one account by its own evidence; for several, by that of their sum."""
    if found.evidence is None:
        return None
    if len(accounts) == 1:
        return accounts[0].is_certain
    return proof_of(found, accounts)


def _known(found: Comparison, metric: str) -> str:
    kind = metric.partition(":")[0]
    known = [f"{a.kind}:{a.name}" for a in found.accounts if a.kind == kind or kind not in WORDS]
    hint = suggestion(metric, known)
    return (
        hint or f" There is period, busy, launches, bytes, {', '.join(dict.fromkeys(a.kind for a in found.accounts))}."
    )
