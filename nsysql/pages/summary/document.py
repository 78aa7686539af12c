"""The summary for programs: JSON with exact values, and its main table."""

from dataclasses import asdict
from typing import Any

import polars as pl

from nsysql.pages.phrases import ahead
from nsysql.pages.summary.gather import Summary
from nsysql.pages.summary.gpu_sections import waiting
from nsysql.pages.verdict.document import of_verdict

SCHEMA = "nsysql.summary/1"  # a key is added without a new number; one is removed or changed only with it


def document(found: Summary) -> dict[str, Any]:
    """The summary in lists and dictionaries; a section that the export has nothing for is an empty list."""
    info, waits = found.info, waiting(found)
    return {
        "schema": SCHEMA,
        "export": info.document(),
        "narrowed_to": None if found.stretch is None else asdict(found.stretch),
        "verdict": None if found.verdict is None else of_verdict(found.verdict),
        "gpus": _rows(found.gpus),
        "processes": _rows(found.processes),
        "gpu_time": _rows(found.gpu_time),
        "longest_gaps": _rows(found.gaps),
        "idle_ledger": [] if found.why is None else _rows(found.why.ledger),
        "steps": None if found.steps is None else found.steps.document(),
        "launch_pace": [
            {**row, "ahead": ahead(row, waits.get(row["gpu_id"], 0.0))} for row in _rows(found.launch_pace)
        ],
        "kernels": _rows(found.kernels),
        "api_calls": _rows(found.api_calls),
        "memory_by_time": _rows(found.memory_by_time),
        "memory_by_size": _rows(found.memory_by_size),
        "gpu_metrics": _rows(found.metrics),
        "nvtx": _rows(found.nvtx),
        "os_calls": _rows(found.os_calls),
        "mpi_ranks": _rows(found.mpi_ranks),
        "mpi_calls": _rows(found.mpi_calls),
        "capture_messages": _rows(found.messages),
        "lacks": [{"option": lack.option, "tells": lack.tells} for lack in found.lacks],
        "notes": list(found.notes),
    }


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return frame.to_dicts()
