"""The comparison as JSON with exact values, and the waterfall as a frame."""

from fractions import Fraction
from typing import Any

import polars as pl

from nsysql.analysis.compare import sentences
from nsysql.analysis.compare.compare import AccountChange, Comparison

SCHEMA = "nsysql.compare/2"  # adding a key does not change the number; removing or changing one does
COLUMNS = {
    "gpu_id": pl.Int64, "kind": pl.String, "name": pl.String, "b_name": pl.String, "matched_by": pl.String,
    "a_ns": pl.Float64, "b_ns": pl.Float64, "delta_ns": pl.Float64, "interval_low_ns": pl.Float64,
    "interval_high_ns": pl.Float64, "is_certain": pl.Boolean, "a_count": pl.Float64, "b_count": pl.Float64,
    "count_effect_ns": pl.Float64, "per_call_effect_ns": pl.Float64,
}  # fmt: skip


def document(found: Comparison) -> dict[str, Any]:
    """The comparison as lists and dictionaries, independent of the order and form in which captures were given."""
    return {
        "schema": SCHEMA,
        "unit": found.per,
        "name": found.a.units[0].name,
        "captures": {"a": len(found.a.units), "b": len(found.b.units)},
        "samples": dict(zip(("a", "b"), found.samples, strict=True)),
        "is_paired": found.is_paired,
        "verdict": found.verdict,
        "sentence": sentences.sentence(found),
        "notes": [*sentences.notes(found)],
        **_times(found),
        "smallest_pct": 100 * found.smallest_ns / float(found.a_ns) if found.a_ns else None,
        "is_fair": found.is_fair,
        "comparability": [remark.text for remark in found.remarks],
        "accounts": [_account(found, account) for account in found.accounts],
        "gpus": _gpus(found),
        "work": None if found.work is None else _whole(found.work),
        "window": None if found.window is None else _whole(found.window),
        "calls": _totals(found, "calls", "ns"),
        "ranges": _totals(found, "ranges", "ns"),
        "functions": _totals(found, "samples", "ns"),
        "launches": _totals(found, "launches", "bytes"),
        "method": {
            "threshold_pct": 100 * found.options.threshold,
            "run_noise_pct": None if found.options.run_noise is None else 100 * found.options.run_noise,
            "within_ns": found.evidence.within_ns,
            "between_ns": found.evidence.between_ns,
            "degrees_of_freedom": found.evidence.freedom,
        },
    }


def _times(found: Comparison) -> dict[str, Any]:
    interval = found.interval_pct
    return {
        **_numbers(found, "a_ns", "b_ns", "delta_ns"),
        "change_pct": None if found.change is None else 100 * found.change,
        "interval_pct": None if interval is None else list(interval),
    }


def _whole(found: Comparison) -> dict[str, Any]:
    """The whole work, or the whole run with the time before and after GPU work."""
    return {**_times(found), "accounts": [_account(found, account) for account in found.accounts]}


def _account(found: Comparison, account: AccountChange) -> dict[str, Any]:
    proof, texts = account.evidence, ("kind", "name", "title", "b_name", "matched_by")
    return {
        "gpu_id": found.a.gpu,
        **{name: getattr(account, name) for name in texts},
        **_numbers(account, "a_ns", "b_ns", "delta_ns"),
        "interval_ns": None if proof is None else list(proof.interval(float(account.delta_ns))),
        "is_certain": account.is_certain,
        **_numbers(account, "a_count", "b_count", "count_effect_ns", "per_call_effect_ns"),
    }


def _numbers(of: Comparison | AccountChange, *names: str) -> dict[str, int | float | None]:
    return {name: number(getattr(of, name)) for name in names}


def _gpus(found: Comparison) -> list[dict[str, Any]]:
    """The unit on each GPU; null where a side has no such GPU."""
    a, b = found.a.per_gpu_ns(), found.b.per_gpu_ns()
    ids = sorted({*a, *b}, key=lambda gpu_id: (gpu_id is None, gpu_id or 0))
    return [{"gpu_id": i, "a_ns": number(a.get(i)), "b_ns": number(b.get(i))} for i in ids if i is not None]


def _totals(found: Comparison, name: str, unit: str) -> list[dict[str, Any]]:
    """Totals other than accounts, per unit, the largest difference first."""
    return [
        {
            "kind": kind,
            "name": called,
            f"a_{unit}": number(a[0]),
            f"b_{unit}": number(b[0]),
            "a_count": number(a[1]),
            "b_count": number(b[1]),
        }
        for (kind, called), a, b in found.totals(name)
    ]


def frame(found: Comparison) -> pl.DataFrame:
    """The waterfall: one row per account, the largest difference first."""
    rows = []
    for account in found.accounts:
        row = _account(found, account)
        low, high = row["interval_ns"] or (None, None)
        rows.append({**row, "interval_low_ns": low, "interval_high_ns": high})
    columns = {name: [row[name] for row in rows] for name in COLUMNS}
    return pl.DataFrame(columns, schema=COLUMNS, strict=False)


def number(value: Fraction | None) -> int | float | None:
    """Whole numbers as int, others as the nearest float."""
    if value is None:
        return None
    return value.numerator if value.denominator == 1 else float(value)
