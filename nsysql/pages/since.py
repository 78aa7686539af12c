"""`nsysql runs --since`: the captures of a program over time, and the first that differs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from nsysql.analysis.compare import sentences
from nsysql.analysis.compare.change_points import FEWEST, SIDE
from nsysql.analysis.compare.compare import CANNOT_JUDGE, UNCLEAR
from nsysql.analysis.compare.series import Series
from nsysql.analysis.digest import WORK
from nsysql.pages.compare import changes
from nsysql.pages.compare import document as comparison_document
from nsysql.pages.elements import Bar, Page, Section
from nsysql.pages.sections import table
from nsysql.words.quantities import counted, tenths, time

SCHEMA = "nsysql.since/1"
SHOWN, ACCOUNTS = 7, 3  # captures around the change, and accounts, that the page lists
NAMED = 3  # notes, and captures of a sentence


def sentence(series: Series) -> str:
    """Which capture is the first that differs, by how much, and how sure its place is."""
    unit, count = sentences.UNITS.get(series.unit, series.unit), counted(len(series.names), "capture")
    if series.too_few:
        return f"CANNOT JUDGE: {count}; a change can be told from noise from {FEWEST} on."
    if series.machines:
        machines = "; ".join(f"{number:,} on {machine}" for machine, number in series.machines[:NAMED])
        return f"CANNOT JUDGE: the captures are not of one machine: {machines}. Give those of one."
    if not series.changes:
        return _without_change(series, unit, count)
    first, names, found = series.changes[0], series.names, series.comparison
    size = f"takes {time(first.after_ns)}, was {time(first.before_ns)}: {_more(first.after_ns / first.before_ns)}"
    word = sentences.HEADS.get(series.verdict, series.verdict.upper())
    place = f"since {names[first.at]}"
    if first.is_drift:
        place = f"steadily from {names[0]} to {names[-1]}"
    elif first.low != first.high:
        place += f" (95%: {names[first.low]} to {names[first.high]})"
    because = ""
    if found is not None and found.verdict == series.verdict:
        because = sentences.why(found, found.verdict)
    elif found is not None and series.verdict == UNCLEAR:
        because = f"but {sentences.sentence(found).rstrip('.')}"
    return f"{word} {place}: {unit} {size}{f'; {because}' if because else ''}."


def _without_change(series: Series, unit: str, count: str) -> str:
    times = sorted(series.times_ns[i] for i in range(len(series.names)) if i not in series.outliers)
    usual = f"{unit} takes {time(times[0])} to {time(times[-1])} in {count}"
    if not (last := series.last_ones):
        outliers = f" but {counted(len(series.outliers), 'outlier')}" if series.outliers else ""
        return f"NO CHANGE SHOWN: {usual}{outliers}, which is within noise."
    ns = sum(series.times_ns[place] for place in last) / len(last)
    ratio = _more(ns / times[len(times) // 2])
    which = " and ".join(series.names[place] for place in last)
    return (
        f"UNCLEAR: {unit} takes {time(ns)} in {which}, the last, {ratio} than the median: an outlier, or the first of "
        f"a change: {SIDE} captures show one."
    )


def _more(ratio: float) -> str:
    return f"{tenths(100 * abs(ratio - 1))}% {'more' if ratio > 1 else 'less'} time"


def _notes(series: Series) -> Iterator[str]:
    """What belongs to the verdict: later changes, what changed, outliers, the order."""
    later = [
        f"{time(one.after_ns)} since {series.names[one.at]} ({_more(one.after_ns / one.before_ns)})"
        for one in series.changes[1:]
    ]
    if later:
        more = f", and {counted(len(later) - NAMED, 'more change')}" if len(later) > NAMED else ""
        yield f"Later: {', then '.join(later[:NAMED])}{more}."
    found = series.comparison
    if series.unit == WORK and series.has_steps and not series.machines:
        yield "Not per step: the captures have no step in common."
    if found is not None and series.verdict != CANNOT_JUDGE:
        yield from (
            text
            for text in sentences.notes(found)
            if not text.startswith("Not per step") and " a side show" not in text
        )
        yield from (remark.text for remark in found.remarks)
    middle = sorted(series.times_ns)[len(series.times_ns) // 2] if series.times_ns else 0.0
    if series.outliers and (series.changes or not series.last_ones):
        each = [f"{series.names[i]} ({_more(series.times_ns[i] / middle)})" for i in series.outliers]
        more = f" and {len(each) - NAMED} more" if len(each) > NAMED else ""
        yield f"Outliers, not counted: {', '.join(each[:NAMED])}{more}."
    if series.by_time:
        first, last = series.by_time[0], series.by_time[-1]
        yield f"The captures are not in the order of time: {first} was taken first, {last} last."


def page(series: Series, top: int | None) -> Page:
    """The sentence, the captures around the change, and what changed."""
    change = series.changes[0] if series.changes else None
    count = len(series.names)
    middle = count if change is None else change.at
    shown = count if top is None else min(count, top, SHOWN)
    first = min(max(0, middle - shown // 2), count - shown)
    longest = max(series.times_ns, default=0.0) or 1.0
    starts = {one.at for one in series.changes if not one.is_drift}
    rows = [
        {
            **row,
            "mark": "->" if place in starts else "",
            "bar": Bar(row["unit_ns"] / longest, 20),
            "outlier": "outlier" if row["is_outlier"] else "",
        }
        for place, row in enumerate(frame(series)[first : first + shown].to_dicts(), first)
    ]
    left = f"; {shown} of {count:,}, --top 0 shows all" if shown < count else ""
    columns = "mark=:text run=capture:text unit_ns=time bar=:text outlier=:text"
    sections = [
        Section("First change", "", (sentence(series), *list(_notes(series))[:NAMED])),
        table("Captures", columns, rows, f"in order{left}"),
    ]
    if series.comparison is not None:
        a, b = (f"{series.names[side[0]]} to {series.names[side[-1]]}" for side in series.sides)
        sections.append(replace(changes(series.comparison, ACCOUNTS), meaning=f"A: {a}, B: {b}"))
    left_out = [{"run": run, "reason": reason} for run, reason in series.left_out]
    of = f"{len(left_out):,} of {counted(count + len(left_out), 'capture')}"
    if left_out:
        sections.append(table("Left out", "run=capture:text reason=why:wrap", left_out, of, top=top, rest="capture"))
    return Page(f"{counted(count, 'capture')} over time", tuple(sections))


def document(series: Series) -> dict[str, Any]:
    changes = [
        {
            "capture": series.names[change.at],
            "place": change.at,
            "interval": [series.names[change.low], series.names[change.high]],
            "interval_places": [change.low, change.high],
            "before_ns": change.before_ns,
            "after_ns": change.after_ns,
            "change_pct": 100 * (change.after_ns / change.before_ns - 1),
            "is_drift": change.is_drift,
        }
        for change in series.changes
    ]
    found = series.comparison
    return {
        "schema": SCHEMA,
        "unit": series.unit,
        "verdict": series.verdict,
        "sentence": sentence(series),
        "notes": list(_notes(series)),
        "captures": frame(series).to_dicts(),
        "change": {**changes[0], "comparison": found and comparison_document(found)} if changes else None,
        "later": changes[1:],
        "left_out": [{"run": run, "reason": reason} for run, reason in series.left_out],
    }


def frame(series: Series) -> pl.DataFrame:
    """A row per capture: its name, the unit's time, and whether it is after the change or an outlier."""
    places = range(len(series.names))
    at = series.changes[0].at if series.changes else len(series.names)
    return pl.DataFrame(
        {
            "run": series.names,
            "unit_ns": series.times_ns,
            "is_after": [i >= at for i in places],
            "is_outlier": [i in series.outliers for i in places],
        },
        schema={"run": pl.String, "unit_ns": pl.Float64, "is_after": pl.Boolean, "is_outlier": pl.Boolean},
    )
