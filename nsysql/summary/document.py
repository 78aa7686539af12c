"""The summary for programs: JSON with exact values, and its main table."""

import json
from typing import IO, Any

import polars as pl

from nsysql.summary.gather import Summary
from nsysql.summary.words import ahead

SCHEMA = "nsysql.summary/1"  # a key is added without a new number; one is removed or changed only with it


def write(found: Summary, file: IO[bytes]) -> None:
    """Write the whole summary as one JSON object, as docs/summary.md describes it."""
    file.write((json.dumps(document(found), ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode())


def document(found: Summary) -> dict[str, Any]:
    """The summary in lists and dictionaries; a section that the export has nothing for is an empty list."""
    info = found.info
    return {
        "schema": SCHEMA,
        "export": {
            "file": str(info.path),
            "size_bytes": info.size_bytes,
            "nsys_version": info.product_version,
            "schema_version": info.schema_version,
            "capture_ns": info.duration_ns,
        },
        "gpus": _rows(found.gpus),
        "processes": _rows(found.processes),
        "gpu_time": _rows(found.gpu_time),
        "longest_gaps": _rows(found.gaps),
        "idle_ledger": [] if found.why is None else _rows(found.why.ledger),
        "launch_pace": [{**row, "ahead": ahead(row)} for row in _rows(found.launch_pace)],
        "kernels": _rows(found.kernels),
        "api_calls": _rows(found.api_calls),
        "memory_by_time": _rows(found.memory_by_time),
        "memory_by_size": _rows(found.memory_by_size),
        "nvtx": _rows(found.nvtx),
        "os_calls": _rows(found.os_calls),
        "capture_messages": _rows(found.messages),
        "lacks": [{"option": lack.option, "tells": lack.tells} for lack in found.lacks],
    }


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return frame.to_dicts()
