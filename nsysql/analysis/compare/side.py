"""One side of a comparison: one or several captures, as mean times per unit and as samples for the noise."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from nsysql.analysis.compare.capture import Account, Capture, Key, Unit
from nsysql.errors import UsageError

if TYPE_CHECKING:
    from nsysql.analysis.compare.noise import Floats

Means = dict[Key, Fraction]


@dataclass(frozen=True)
class Side:
    """Captures and the unit that is compared, for one GPU or as the mean over all."""

    captures: tuple[Capture, ...]
    units: tuple[Unit, ...]
    gpu: int | None

    @property
    def steps(self) -> int:
        """Units of time in all captures."""
        return sum(sum(unit.steps) for unit in self.units)

    @property
    def samples(self) -> int:
        """Samples in all captures."""
        return sum(len(unit.steps) for unit in self.units)

    def mean_ns(self) -> Means:
        """Mean time per unit in each account: the mean of the captures' means."""
        return self._means("ns")

    def mean_counts(self) -> Means:
        """Mean activities per unit in each account."""
        return self._means("counts")

    def _means(self, name: str) -> Means:
        found: Means = {}
        for unit in self.units:
            for gpu in (gpus := self.gpus(unit)):
                for account in gpu:
                    share = Fraction(sum(getattr(account, name)), sum(unit.steps) * len(gpus) * len(self.units))
                    found[account.key] = found.get(account.key, Fraction(0)) + share
        return found

    def gpus(self, unit: Unit) -> list[tuple[Account, ...]]:
        """The accounts of each GPU that is compared."""
        return [gpu.accounts for gpu in unit.gpus if self.gpu is None or gpu.gpu_id == self.gpu]

    def per_gpu_ns(self) -> dict[int | None, Fraction]:
        """Mean time per unit on each GPU, over the captures that use it."""
        found: dict[int | None, list[Fraction]] = {}
        for unit in self.units:
            for gpu in unit.gpus:
                total = sum(sum(account.ns) for account in gpu.accounts)
                found.setdefault(gpu.gpu_id, []).append(Fraction(total, sum(unit.steps)))
        return {gpu_id: sum(means, Fraction(0)) / len(means) for gpu_id, means in found.items()}

    def titles(self) -> dict[Key, str]:
        """The names to show for accounts, if they differ."""
        return {a.key: a.title for unit in self.units for gpu in unit.gpus for a in gpu.accounts if a.title}

    def totals(self, name: str) -> dict[Key, tuple[Fraction, Fraction]]:
        """Mean amount and count per unit of a field of totals: `calls`, `launches` or `ranges`."""
        found: dict[Key, tuple[Fraction, Fraction]] = {}
        for unit in self.units:
            parts = sum(unit.steps) * len(self.units)
            for total in getattr(unit, name):
                amount, count = found.get((total.kind, total.name), (Fraction(0), Fraction(0)))
                more = Fraction(total.amount, parts), Fraction(total.count, parts)
                found[total.kind, total.name] = amount + more[0], count + more[1]
        return found

    def sequence(self) -> tuple[str, ...]:
        """Kernels in launch order, of the first capture that has them."""
        return next((unit.sequence for unit in self.units if unit.sequence), ())

    def arrays(self, columns: Sequence[Iterable[Key]]) -> list["Floats"]:
        """One array per capture: rows are samples, columns the time of these accounts per unit, mean over the GPUs."""
        import numpy as np

        found = []
        for unit in self.units:
            gpus = self.gpus(unit)
            sums: dict[Key, Floats] = {}
            for account in (account for gpu in gpus for account in gpu):
                sums[account.key] = sums.get(account.key, 0) + np.array(account.ns, dtype=np.float64)
            none = np.zeros(len(unit.steps))
            steps = np.array(unit.steps) * len(gpus)
            values = [sum((sums.get(key, none) for key in keys), none) / steps for keys in columns]
            found.append(np.column_stack(values))
        return found


def side_of(captures: Sequence[Capture], kind: str, gpu: int | None) -> Side:
    """The side with these captures. Raises UsageError if one did not use the GPU."""
    units = tuple(unit for capture in captures if (unit := capture.unit(kind)) is not None)
    for unit in units:
        known = [g.gpu_id for g in unit.gpus]
        if gpu is not None and gpu not in known:
            raise UsageError(f"--gpu {gpu}: a capture has no work on it, but on {', '.join(map(str, known))}.")
    return Side(tuple(captures), units, gpu)
