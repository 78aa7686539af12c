"""What a capture needs so that lines are known, in words."""

from collections.abc import Iterator

from nsysql.export import Export

CAPTURE = (
    "capture Python with --python-sampling=true, OpenACC with --trace=openacc, other programs with NVTX ranges named"
    " file.cpp:12 name (nsysql record --for lines prints the command)"
)
NO_LINES = f"the export has no lines of source, functions at best: {CAPTURE}."
NO_FUNCTIONS = (
    "functions of calls and of what runs between them are not recorded: capture with --cudabacktrace=all and"
    " --sample=process-tree."
)


def has_lines(run: Export) -> bool:
    """Whether any place that the export names has a line."""
    return bool(run.query("lines", idle=False)["line"].is_not_null().any())


def capture_notes(run: Export) -> Iterator[str]:
    """What the export lacks for places, and how to get it."""
    if not run.has("call_site"):
        yield NO_FUNCTIONS
