"""An account's difference, and what it is made of."""

from dataclasses import dataclass
from fractions import Fraction

from nsysql.comparison.noise import Evidence
from nsysql.comparison.side import Means


@dataclass(frozen=True)
class SideMeans:
    """Mean ns and activities of a unit in each account of a side."""

    ns: Means
    counts: Means


@dataclass(frozen=True)
class AccountChange:
    """An account in both sides: mean ns and activities of a unit, and what the difference is made of."""

    kind: str
    name: str
    title: str
    b_name: str | None  # in B, where it has another name there
    matched_by: str
    a_ns: Fraction
    b_ns: Fraction
    a_count: Fraction
    b_count: Fraction
    evidence: Evidence | None = None
    is_certain: bool = False

    @property
    def delta_ns(self) -> Fraction:
        """B less A."""
        return self.b_ns - self.a_ns

    @property
    def count_effect_ns(self) -> Fraction:
        """What the other number of activities makes of the difference."""
        return (self.b_count - self.a_count) * sum(self._per_call()) / 2

    @property
    def per_call_effect_ns(self) -> Fraction:
        """What the other length of an activity makes of it: the rest."""
        return self.delta_ns - self.count_effect_ns

    def _per_call(self) -> tuple[Fraction, Fraction]:
        """Length of an activity in A and B; where a side has none, as in the other."""
        a = self.a_ns / self.a_count if self.a_count else None
        b = self.b_ns / self.b_count if self.b_count else None
        return (a if a is not None else b or Fraction(0)), (b if b is not None else a or Fraction(0))
