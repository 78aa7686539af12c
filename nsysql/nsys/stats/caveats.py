"""Warn when a report reproduces an NVIDIA bug that affects this export.

A caveat holds where the view _nsys_defect has rows of it, or the export has runs of whole CUDA graphs. They are asked
for after the report; docs/differences.md has the whole list, with examples.
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
    """A defect of some reports that applies if it has rows; `{count}` is their number."""

    defect: str
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
        "throughput",
        frozenset({"cuda_gpu_trace"}),
        "throughput is too low by a percent or more, as in nsys, for {count} of the operations; `nsysql {command}` "
        "has it right.",
    ),
    Caveat(
        "migration",
        frozenset({"um_sum"}),
        "throughput is too low by a percent or more, as in nsys, for {count} of the pages; `nsysql {command}` "
        "has it right.",
    ),
    Caveat(
        "domain_repeat",
        frozenset({"nvtx_sum", "nvtx_pushpop_sum", "nvtx_startend_sum"}),
        "ranges count several times, as in nsys, where several threads registered their domain; `nsysql {command}` "
        "counts each once.",
    ),
    Caveat(
        "misjoined_memcpy",
        frozenset({"cuda_memcpy_async", "cuda_memcpy_sync"}),
        "copies can be listed several times, as in nsys, which joins them to calls of other processes too; "
        "`nsysql {command}` lists each once.",
    ),
    Caveat(
        "misjoined_memset",
        frozenset({"cuda_memset_sync"}),
        "sets are listed several times, as in nsys, which joins them to calls of other processes too; "
        "`nsysql {command}` lists each once.",
    ),
)  # fmt: skip


def caveats(run: "Export", report: "Report") -> Iterator[str]:
    """Sentences on what the report gets wrong for this export, as NVIDIA's does."""
    for caveat in CAVEATS:
        if report.query.name in caveat.reports:
            view = "graph_trace" if caveat.defect == "graph_trace" else "_nsys_defect"
            which = "" if view == caveat.defect else f"WHERE defect = '{caveat.defect}'"
            count = run.count(view, report.parameters, MOST, which)
            if count:
                shown = f"{count:,}" if count < MOST else f"{MOST:,} or more"
                yield caveat.text.format(count=shown, command=report.query.name.replace("_", "-"))
