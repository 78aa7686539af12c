"""The rows of a capture behind a finding: gaps by number, kernels and copies by table and row."""

from typing import Any

from nsysql.agents.answer import rows_of
from nsysql.agents.captures import Capture
from nsysql.findings.engine import Finding

CLASSES = ("matrix", "elementwise", "layout", "communication", "softmax")  # claims that are classes of kernels
CAUSES = {
    "host-code": "host_code", "timer-sleep": "os_sleep", "preempted": "preempted", "oversubscribed": "preempted",
    "gil": "gil_wait", "waits-for-thread": "waiting_for_thread", "paced-by-thread": "waiting_for_thread",
    "graphics-interop": "queued_unexplained", "mps-or-other-process": "queued_unexplained",
}  # fmt: skip
WORK = {
    "graph-traced-whole": "graph", "memset": "memset", "page-faults": "kernel", "serial-streams": "kernel",
    "clocks": "kernel",
}  # by code  # fmt: skip
OF_PART = ("startup", "outlier-pause")  # findings about a whole part


def asked(finding: Finding) -> tuple[str, dict[str, Any]]:
    """The query whose rows are the evidence of a finding, and its parameters without `top`."""
    of_part = {"part": finding.part_id}
    if finding.code in WORK:
        return "part_work", {**of_part, "kind": WORK[finding.code]}
    if finding.claims == "kernel":
        return "part_work", {**of_part, "kind": "kernel", "name": finding.subject}
    if finding.claims in CLASSES:
        return "part_work", {**of_part, "kernel_class": finding.claims}
    if finding.claims == "copy":
        return "part_work", {**of_part, "kind": "memcpy"}
    if finding.code in OF_PART or finding.claims is None:
        return "part_gaps", of_part
    cause = {"cause": CAUSES[finding.code]} if finding.code in CAUSES else {"claim": finding.claims}
    return "part_gaps", {**of_part, **cause}


def rows(capture: Capture, finding: Finding, top: int) -> list[dict[str, Any]]:
    """The rows with most time, at most `top`; none if the capture lacks what the query needs."""
    name, parameters = asked(finding)
    if not capture.run.has("_idle_gap" if name == "part_gaps" else "_gpu_work_ids"):
        return []
    return rows_of(capture.run.query(name, **parameters, top=top))
