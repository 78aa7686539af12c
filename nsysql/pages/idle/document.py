"""The idle page for programs: JSON with exact values, as docs/idle-gaps.md describes it."""

from typing import Any

from nsysql.pages.idle.explain import GapDetail, sentences
from nsysql.pages.idle.gather import Idle
from nsysql.pages.verdict.document import of_verdict

SCHEMA = "nsysql.idle_gaps/1"  # a key is added without a new number; one is removed or changed only with it
GAP_SCHEMA = "nsysql.idle_gap/1"


def of_page(found: Idle) -> dict[str, Any]:
    """The page in lists and dictionaries: per GPU its time, causes, patterns and longest gaps."""
    asked = found.asked
    return {
        "schema": SCHEMA,
        "export": found.path,
        "asked": {
            "gpu": asked.gpu,
            "start_ns": asked.start_ns,
            "end_ns": asked.end_ns,
            "nvtx": asked.nvtx,
            "steps": asked.steps,
            "per_process": asked.per_process,
            "min_gap_ns": asked.min_gap_ns,
            "top": asked.top,
            "by": asked.by,
        },
        "verdict": of_verdict(found.verdict),
        "steps": None if found.steps is None else {**found.steps.document(), "idle_before_ns": found.idle_before_ns},
        "gpu_time": found.booked.gpu_time.to_dicts(),
        "exposed_time": found.booked.exposed_time.to_dicts(),
        "ledger": found.booked.ledger.to_dicts(),
        "groups": [] if found.groups is None else found.groups.to_dicts(),
        "in_mpi": found.booked.in_mpi.to_dicts(),
        "patterns": found.patterns.to_dicts(),
        "gaps": found.booked.gaps.to_dicts(),
        "lengths": found.lengths.to_dicts(),
        "notes": list(found.notes),
    }


def of_gap(found: GapDetail) -> dict[str, Any]:
    """One gap and its pieces."""
    return {
        "schema": GAP_SCHEMA,
        "export": found.path,
        "sentences": list(sentences(found)),
        "gap": found.gap,
        "pieces": found.pieces.to_dicts(),
        "notes": list(found.notes),
    }
