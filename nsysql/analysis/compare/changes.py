"""The difference of an account, split into effects."""

from dataclasses import dataclass
from fractions import Fraction

from nsysql.analysis.compare.noise import Evidence
from nsysql.analysis.compare.side import Means


@dataclass(frozen=True)
class SideMeans:
    """Mean ns and mean activities per unit, for each account of a side."""

    ns: Means
    counts: Means


@dataclass(frozen=True)
class AccountChange:
    """An account in both sides: mean ns and activities per unit, and the effects that make up the difference."""

    kind: str
    name: str
    title: str
    b_name: str | None  # its name in B, if that differs
    matched_by: str
    a_ns: Fraction
    b_ns: Fraction
    a_count: Fraction
    b_count: Fraction
    evidence: Evidence | None = None
    is_certain: bool = False

    @property
    def delta_ns(self) -> Fraction:
        """B minus A."""
        return self.b_ns - self.a_ns

    @property
    def count_effect_ns(self) -> Fraction:
        """The part of the difference due to the number of activities."""
        return (self.b_count - self.a_count) * sum(self._per_call()) / 2

    @property
    def per_call_effect_ns(self) -> Fraction:
        """The part due to the duration of an activity: the rest."""
        return self.delta_ns - self.count_effect_ns

    def _per_call(self) -> tuple[Fraction, Fraction]:
        """Mean duration of an activity in A and B; a side without any takes the other's."""
        a = self.a_ns / self.a_count if self.a_count else None
        b = self.b_ns / self.b_count if self.b_count else None
        return (a if a is not None else b or Fraction(0)), (b if b is not None else a or Fraction(0))
