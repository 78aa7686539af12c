"""`nsysql runs --since`: the captures of a program over time, and the first that differs."""

from typing import Any

import polars as pl

from nsysql.analysis.compare import sentences
from nsysql.analysis.compare.series import FEWEST, Series
from nsysql.pages.compare import changes
from nsysql.pages.compare import document as comparison_document
from nsysql.pages.elements import Bar, Page, Section
from nsysql.pages.sections import table
from nsysql.words.quantities import counted, tenths, time

SCHEMA = "nsysql.since/1"
SHOWN = 15  # captures around the change that the page lists


def sentence(series: Series) -> str:
    """Which capture is the first that differs, by how much, and how sure its place is."""
    unit = sentences.UNITS.get(series.unit, series.unit)
    if series.too_few:
        return (
            f"CANNOT JUDGE: {counted(len(series.names), 'capture')}; a change can be told from noise from {FEWEST} on."
        )
    change = series.change
    if change is None:
        return f"NO CHANGE SHOWN: {unit} in {counted(len(series.names), 'capture')} varies within noise."
    ratio = change.after_ns / change.before_ns
    size = f"{tenths(100 * abs(ratio - 1))}% {'more' if ratio > 1 else 'less'} time"
    place = f"since {series.names[change.at]}"
    if change.low != change.high:
        place += f" (95%: {series.names[change.low]} to {series.names[change.high]})"
    word = "SLOWER" if ratio > 1 else "FASTER"
    drift = "; a steady drift fits better than one change" if change.is_drift else ""
    return f"{word} {place}: {unit} takes {time(change.after_ns)}, was {time(change.before_ns)}: {size}{drift}."


def page(series: Series, top: int | None) -> Page:
    """The sentence, the captures around the change, and what changed."""
    change = series.change
    first = 0 if change is None else max(0, change.at - SHOWN // 2)
    last = len(series.names) if top is None else min(len(series.names), first + min(top, SHOWN))
    longest = max(series.times_ns) or 1.0
    rows = [
        {
            "mark": "->" if change is not None and i == change.at else "",
            "run": series.names[i],
            "unit_ns": series.times_ns[i],
            "bar": Bar(series.times_ns[i] / longest, 20),
        }
        for i in range(first, last)
    ]
    columns = "mark=:text run=capture:text unit_ns=time bar=:text"
    sections = [Section("First change", "", (sentence(series),)), table("Captures", columns, rows, "in order")]
    if change is not None and change.comparison is not None:
        sections.append(changes(change.comparison))
    return Page(f"{counted(len(series.names), 'capture')} over time", tuple(sections))


def document(series: Series) -> dict[str, Any]:
    """The series as lists and dictionaries."""
    change = series.change
    return {
        "schema": SCHEMA,
        "unit": series.unit,
        "sentence": sentence(series),
        "captures": frame(series).to_dicts(),
        "change": None
        if change is None
        else {
            "capture": series.names[change.at],
            "place": change.at,
            "interval": [series.names[change.low], series.names[change.high]],
            "interval_places": [change.low, change.high],
            "before_ns": change.before_ns,
            "after_ns": change.after_ns,
            "change_pct": 100 * (change.after_ns / change.before_ns - 1),
            "is_drift": change.is_drift,
            "comparison": None if change.comparison is None else comparison_document(change.comparison),
        },
    }


def frame(series: Series) -> pl.DataFrame:
    """A row per capture: its name, the unit's time, and whether it is after the change."""
    at = len(series.names) if series.change is None else series.change.at
    after = [i >= at for i in range(len(series.names))]
    return pl.DataFrame({"run": series.names, "unit_ns": series.times_ns, "is_after": after})
