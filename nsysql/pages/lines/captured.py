"""Sentences on the evidence for source lines in a capture, and what to capture to have more."""

from collections.abc import Iterator
from typing import Any

from nsysql.capture.export import Export

CAPTURE = (
    "capture Python with --python-sampling=true, OpenACC with --trace=openacc, other programs with NVTX ranges named"
    " file.cpp:12 name (nsysql record --for lines prints the command)"
)
NO_LINES = f"the export has no lines of source, functions at best: {CAPTURE}."
NO_FUNCTIONS = (
    "functions of calls and of what runs between them are not recorded: capture with --cudabacktrace=all and"
    " --sample=process-tree."
)
BLOBS = (
    "export the report again with nsys export --type=sqlite --include-blobs=true, which needs an nsys whose exports"
    " have schema 3.16.1 or later, or ask the report itself where any nsys is installed: nsysql lines RUN.nsys-rep"
)


def has_lines(run: Export) -> bool:
    """Whether any place in the export has a line number."""
    return bool(run.query("lines", idle=False)["line"].is_not_null().any())


def capture_notes(run: Export) -> Iterator[str]:
    """What the export lacks for source lines, and how to get it."""
    lost, every = stacks_lost(run)
    if lost:
        if lost == every and not _has_payloads(run):
            yield f"{every:,} Python samples are in the export without their stacks: {BLOBS}."
        else:
            yield f"the stacks of {lost:,} of {every:,} Python samples cannot be read."
    if not run.has("call_site"):
        yield NO_FUNCTIONS


def _has_payloads(run: Export) -> bool:
    """Whether there are payloads, even unreadable ones as in a redacted export."""
    return not run.sql("SELECT 1 FROM python_sample LIMIT 1").is_empty()


def stacks_lost(run: Export) -> tuple[int, int]:
    """The number of Python samples without a readable stack, and of all Python samples."""
    if not run.has("NVTX_EVENTS"):
        return 0, 0
    found: list[dict[str, Any]] = run.query("python_samples").to_dicts()
    every = sum(row["samples"] for row in found)
    return every - sum(row["stacks"] for row in found), every
