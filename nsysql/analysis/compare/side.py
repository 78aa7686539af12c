"""Represent one side of a comparison: captures as mean times per unit, and as samples for the noise."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nsysql.analysis.digest import BUSY, KERNELS, WINDOW, Account, Digest, Key, Unit
from nsysql.errors import UsageError

Floats = NDArray[np.float64]
Means = dict[Key, Fraction]
Amount = tuple[Fraction, Fraction]  # per unit: ns or bytes, and count
NOTHING: Amount = (Fraction(0), Fraction(0))
MOSTLY = 0.9  # of the kernel time: the rest does not matter


@dataclass(frozen=True)
class Samples:
    """Times of a capture: a row per sample, a column per group of accounts; the weight of a row is its steps.

    `launches` are the launches of each group of accounts.
    """

    rows: Floats
    weights: Floats
    launches: Floats

    def mean(self) -> Floats:
        """Return the mean per step."""
        return self.weights @ self.rows / self.weights.sum()  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Side:
    """Captures and the unit that is compared, for one GPU or as the mean over all."""

    captures: tuple[Digest, ...]
    units: tuple[Unit, ...]
    gpu: int | None
    noise: float | None = None  # by which runs differ, as a share; None: the priors of `noise`

    @property
    def steps(self) -> int:
        """Units of time in all captures."""
        return sum(sum(unit.steps) for unit in self.units)

    @cached_property
    def mean_ns(self) -> Means:
        """Mean time per unit in each account: the mean of the captures' means."""
        return self._means("ns")

    @cached_property
    def mean_counts(self) -> Means:
        """Mean activities per unit in each account."""
        return self._means("counts")

    def _means(self, name: str) -> Means:
        means: Means = {}
        for unit in self.units:
            for gpu in (gpus := self.gpus(unit)):
                for account in gpu:
                    share = Fraction(sum(getattr(account, name)), sum(unit.steps) * len(gpus) * len(self.units))
                    means[account.key] = means.get(account.key, Fraction(0)) + share
        return means

    def mean(self, key: Key | None) -> Amount:
        """Return the time and the activities per unit of an account; nothing for None."""
        return (self.mean_ns[key], self.mean_counts[key]) if key else NOTHING

    def gpus(self, unit: Unit) -> list[tuple[Account, ...]]:
        """Return the accounts of each GPU that is compared."""
        return [gpu.accounts for gpu in unit.gpus if self.gpu is None or gpu.gpu_id == self.gpu]

    def per_gpu_ns(self, without: str = "") -> dict[int | None, Fraction]:
        """Return the mean time per unit on each GPU, `without` a kind of account, over the captures that use it."""
        times: dict[int | None, list[Fraction]] = {}
        for unit in self.units:
            for gpu in unit.gpus:
                total = sum(sum(account.ns) for account in gpu.accounts if account.kind != without)
                times.setdefault(gpu.gpu_id, []).append(Fraction(total, sum(unit.steps)))
        return {gpu_id: sum(means, Fraction(0)) / len(means) for gpu_id, means in times.items()}

    def titles(self) -> dict[Key, str]:
        """Return the names to show for accounts, if they differ."""
        return {a.key: a.title for unit in self.units for gpu in unit.gpus for a in gpu.accounts if a.title}

    def totals(self, name: str) -> dict[Key, Amount]:
        """Return mean amount and count per unit of a field of totals: `calls`, `launches`, `ranges` or `samples`."""
        sums: dict[Key, Amount] = {}
        for unit in self.units:
            parts = unit.total_steps * len(self.units)
            for total in getattr(unit, name):
                amount, count = sums.get(key := (total.kind, total.name), NOTHING)
                sums[key] = amount + Fraction(total.amount, parts), count + Fraction(total.count, parts)
        return sums

    def sequence(self) -> tuple[str, ...]:
        """Return kernels in launch order, of the first capture that has them."""
        return next((unit.sequence for unit in self.units if unit.sequence), ())

    def samples(self, columns: Sequence[Iterable[Key]]) -> list["Samples"]:
        """Return for each capture the time of these accounts per unit: rows are samples, mean over the GPUs."""
        of_samples = []
        for unit in self.units:
            gpus = self.gpus(unit)
            sums: dict[Key, Floats] = {}  # ns and launches
            for account in (account for gpu in gpus for account in gpu):
                launches = account.counts if account.kind in BUSY else [0] * len(account.ns)
                both = np.array([account.ns, launches], dtype=np.float64)
                sums[account.key] = sums.get(account.key, 0) + both
            none, steps = np.zeros((2, len(unit.steps))), np.array(unit.steps, dtype=np.float64)
            values = [sum((sums.get(key, none) for key in keys), none) / (steps * len(gpus)) for keys in columns]
            rows, launched = np.stack(values, axis=2)
            of_samples.append(Samples(rows, steps, launched))
        return of_samples

    @cached_property
    def gpu_work_ns(self) -> float | None:
        """The shortest busy time of a capture, mean over its GPUs; None without GPU work."""
        times = [
            sum(sum(a.ns) for gpu in unit.gpus for a in gpu.accounts if a.kind in BUSY) / len(unit.gpus)
            for capture in self.captures
            if (unit := capture.unit(WINDOW)) is not None
        ]
        return min(times, default=None)

    @cached_property
    def kernel_counts(self) -> int | None:
        """How often a capture runs each of the kernels with MOSTLY of its kernel time, at least; None without any."""
        least = []
        for unit in filter(None, (capture.unit(WINDOW) for capture in self.captures)):
            kernels = [(sum(a.counts), sum(a.ns)) for gpu in unit.gpus for a in gpu.accounts if a.kind in KERNELS]
            left = MOSTLY * sum(ns for _, ns in kernels)
            for count, ns in sorted(kernels, reverse=True):
                if left > 0:
                    least.append(count)
                left -= ns
        return min(least, default=None)


def side_of(captures: Sequence[Digest], units: Sequence[Unit], gpu: int | None, noise: float | None = None) -> Side:
    """Build the side with these captures and their units. Raises UsageError if one did not use the GPU."""
    for unit in units:
        known = [g.gpu_id for g in unit.gpus]
        if gpu is not None and gpu not in known:
            raise UsageError(f"--gpu {gpu}: a capture has no work on it, but on {', '.join(map(str, known))}.")
    return Side(tuple(captures), tuple(units), gpu, noise)
