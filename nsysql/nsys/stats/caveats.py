"""Warn when a report reproduces an NVIDIA bug that affects this export.

A caveat holds where its view has rows. They are asked for after the report, and only where the export has
the tables that the view needs; docs/differences.md has the whole list, with examples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.nsys.stats.reports import Report

MOST = 1000  # rows counted at most


@dataclass(frozen=True)
class Caveat:
    """A defect of some reports that applies if a view has rows; `{count}` is their number."""

    view: str
    reports: frozenset[str]
    text: str


CAVEATS = (
    Caveat(
        "graph_trace",
        frozenset(
            {
                "cuda_gpu_kern_sum", "cuda_gpu_kern_gb_sum", "cuda_gpu_sum", "cuda_gpu_trace", "cuda_api_gpu_sum",
                "cuda_kern_exec_sum", "cuda_kern_exec_trace", "nvtx_kern_sum", "nvtx_gpu_proj_sum",
                "nvtx_gpu_proj_trace", "gpu_gaps", "gpu_time_util",
            }
        ),
        "runs of whole CUDA graphs ({count}) are not counted, as in nsys; `nsysql gpu-time` and `nsysql launches` "
        "count them.",
    ),
    Caveat(
        "_nsys_defect_throughput",
        frozenset({"cuda_gpu_trace"}),
        "throughput is too low by a percent or more, as in nsys, for {count} of the operations; `nsysql {command}` "
        "has it right.",
    ),
    Caveat(
        "_nsys_defect_migration",
        frozenset({"um_sum"}),
        "throughput is too low by a percent or more, as in nsys, for {count} of the pages; `nsysql {command}` "
        "has it right.",
    ),
    Caveat(
        "_nsys_defect_domain_repeat",
        frozenset({"nvtx_sum", "nvtx_pushpop_sum", "nvtx_startend_sum"}),
        "ranges count several times, as in nsys, where several threads registered their domain; `nsysql {command}` "
        "counts each once.",
    ),
    Caveat(
        "_nsys_defect_misjoined_memcpy",
        frozenset({"cuda_memcpy_async", "cuda_memcpy_sync"}),
        "copies can be listed several times, as in nsys, which joins them to calls of other processes too; "
        "`nsysql {command}` lists each once.",
    ),
    Caveat(
        "_nsys_defect_misjoined_memset",
        frozenset({"cuda_memset_sync"}),
        "sets are listed several times, as in nsys, which joins them to calls of other processes too; "
        "`nsysql {command}` lists each once.",
    ),
)  # fmt: skip


def caveats(run: "Export", report: "Report") -> Iterator[str]:
    """Sentences on what the report gets wrong for this export, as NVIDIA's does."""
    for caveat in CAVEATS:
        if report.query.name in caveat.reports:
            count = run.count(caveat.view, report.parameters, MOST)
            if count:
                shown = f"{count:,}" if count < MOST else f"{MOST:,} or more"
                yield caveat.text.format(count=shown, command=report.query.name.replace("_", "-"))
