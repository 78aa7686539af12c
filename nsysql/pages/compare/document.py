"""The comparison as JSON with exact values, and the waterfall as a frame."""

from fractions import Fraction
from typing import Any

import polars as pl

from nsysql.analysis.compare import sentences, verdict
from nsysql.analysis.compare.changes import AccountChange
from nsysql.analysis.compare.compare import Comparison
from nsysql.analysis.compare.noise import LEVEL, RESAMPLES, SEED
from nsysql.analysis.compare.side import Side

SCHEMA = "nsysql.compare/1"  # adding a key does not change the number; removing or changing one does
COLUMNS = {
    "gpu_id": pl.Int64, "kind": pl.String, "name": pl.String, "b_name": pl.String, "matched_by": pl.String,
    "a_ns": pl.Float64, "b_ns": pl.Float64, "delta_ns": pl.Float64, "interval_low_ns": pl.Float64,
    "interval_high_ns": pl.Float64, "is_certain": pl.Boolean, "a_count": pl.Float64, "b_count": pl.Float64,
    "count_effect_ns": pl.Float64, "per_call_effect_ns": pl.Float64,
}  # fmt: skip


def document(found: Comparison) -> dict[str, Any]:
    """The comparison as lists and dictionaries, independent of the order and form in which captures were given."""
    interval = verdict.interval_pct(found)
    return {
        "schema": SCHEMA,
        "unit": found.per,
        "captures": {"a": len(found.a.units), "b": len(found.b.units)},
        "samples": dict(zip(("a", "b"), found.samples, strict=True)),
        "samples_are": "captures" if found.are_captures or found.per == "window" else "steps",
        "a_ns": number(found.a_ns),
        "b_ns": number(found.b_ns),
        "delta_ns": number(found.delta_ns),
        "change_pct": verdict.change_pct(found),
        "interval_pct": None if interval is None else list(interval),
        "p_value": None if found.evidence is None else found.evidence.p_value,
        "verdict": verdict.word(found),
        "sentence": sentences.sentence(found),
        "is_fair": found.is_fair,
        "comparability": [remark.text for remark in found.remarks],
        "accounts": [_account(found, account) for account in found.accounts],
        "gpus": _gpus(found),
        "whole_run": None if found.whole_run is None else _whole_run(found.whole_run),
        "calls": _totals(found, "calls", "ns"),
        "ranges": _totals(found, "ranges", "ns"),
        "launches": _totals(found, "launches", "bytes"),
        "method": {
            "threshold_pct": 100 * found.options.threshold,
            "run_noise_pct": 100 * found.run_noise,
            "interval": f"circular block bootstrap, block round(sqrt(samples)), {100 * (1 - LEVEL):g} %",
            "resamples": RESAMPLES,
            "seed": SEED,
            "test": "Mann-Whitney U; accounts corrected by Holm",
        },
    }


def _whole_run(found: Comparison) -> dict[str, Any]:
    """The whole run, for a comparison by steps, with the time before and after GPU work."""
    return {
        "a_ns": number(found.a_ns),
        "b_ns": number(found.b_ns),
        "delta_ns": number(found.delta_ns),
        "sentence": sentences.sentence(found),
        "accounts": [_account(found, account) for account in found.accounts],
    }


def _account(found: Comparison, account: AccountChange) -> dict[str, Any]:
    proof = account.evidence
    return {
        "gpu_id": found.a.gpu,
        "kind": account.kind,
        "name": account.name,
        "title": account.title,
        "b_name": account.b_name,
        "matched_by": account.matched_by,
        "a_ns": number(account.a_ns),
        "b_ns": number(account.b_ns),
        "delta_ns": number(account.delta_ns),
        "interval_ns": None if proof is None else [proof.low, proof.high],
        "p_value": None if proof is None else proof.p_value,
        "is_certain": account.is_certain,
        "a_count": number(account.a_count),
        "b_count": number(account.b_count),
        "count_effect_ns": number(account.count_effect_ns),
        "per_call_effect_ns": number(account.per_call_effect_ns),
    }


def _gpus(found: Comparison) -> list[dict[str, Any]]:
    """The unit on each GPU; null where a side has no such GPU."""
    a, b = found.a.per_gpu_ns(), found.b.per_gpu_ns()
    ids = sorted({*a, *b}, key=lambda gpu_id: (gpu_id is None, gpu_id or 0))
    return [{"gpu_id": i, "a_ns": number(a.get(i)), "b_ns": number(b.get(i))} for i in ids if i is not None]


def _totals(found: Comparison, name: str, unit: str) -> list[dict[str, Any]]:
    """Totals other than accounts, per unit, the largest difference first."""
    zero = Fraction(0), Fraction(0)
    sides: list[Side] = [found.a, found.b]
    a, b = (side.totals(name) for side in sides)
    keys = sorted({*a, *b}, key=lambda key: (-abs(b.get(key, zero)[0] - a.get(key, zero)[0]), key))
    return [
        {
            "kind": kind,
            "name": called,
            f"a_{unit}": number(a.get((kind, called), zero)[0]),
            f"b_{unit}": number(b.get((kind, called), zero)[0]),
            "a_count": number(a.get((kind, called), zero)[1]),
            "b_count": number(b.get((kind, called), zero)[1]),
        }
        for kind, called in keys
    ]


def frame(found: Comparison) -> pl.DataFrame:
    """The waterfall: one row per account, the largest difference first."""
    rows = []
    for account in found.accounts:
        row = _account(found, account)
        low, high = row["interval_ns"] or (None, None)
        rows.append({**row, "interval_low_ns": low, "interval_high_ns": high})
    columns = {name: [None if row[name] is None else row[name] for row in rows] for name in COLUMNS}
    return pl.DataFrame(columns, schema=COLUMNS, strict=False)


def number(value: Fraction | None) -> int | float | None:
    """Whole numbers as int, others as the nearest float."""
    if value is None:
        return None
    return value.numerator if value.denominator == 1 else float(value)
