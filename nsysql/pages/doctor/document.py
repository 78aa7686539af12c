"""The examination as JSON (see docs/doctor.md), and its main table."""

from dataclasses import asdict
from typing import Any

import polars as pl

from nsysql.pages.doctor.gather import Examination

SCHEMA = "nsysql.doctor/1"  # adding a key does not change the number; removing or changing one does


def document(found: Examination) -> dict[str, Any]:
    """The examination as lists and dictionaries."""
    info = found.info
    return {
        "schema": SCHEMA,
        "export": info.document(),
        "can_be_analysed": found.can_be_analysed,
        "events": found.events,
        "damaged": dict(found.damaged),
        "answers": [asdict(answer) for answer in found.answers],
        "lines": list(found.lines),
        "messages": None if found.messages is None else found.messages.to_dicts(),
        "profiler": {"total_time_ns": int(found.costs["total_time_ns"].sum()), "costs": found.costs.to_dicts()},
        "checks": [asdict(check) for check in found.checks],
        "findings": [asdict(finding) for finding in found.findings],
    }


def table(found: Examination) -> pl.DataFrame:
    """The main table: a row per question."""
    columns = dict.fromkeys(("kind", "name", "verdict", "lacks", "options"), pl.String)
    return pl.DataFrame([answer.row for answer in found.answers], schema=columns)
