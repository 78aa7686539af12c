"""`nsysql trace`: the timeline as a file for Perfetto."""

import sys
from pathlib import Path
from typing import Any

from nsysql.cli.filter_options import NARROWING
from nsysql.cli.options import CONTEXT, FILE, MEMORY, QUIET, THREADS, argument, option, with_options
from nsysql.cli.output import note, opened
from nsysql.cli.rows import open_export
from nsysql.errors import UsageError

LARGE = 500_000_000  # bytes from which a browser may fail to load the trace
JOB = "An export (.sqlite, a folder of Parquet or Arrow, .duckdb), or a report; or those of all ranks of one job."


def _trace(
    ctx: Any, export: list[Path], gpu: int | None, start: Any, end: Any, nvtx: str | None,
    steps: str | None, step_range: str | None,
    output: str, quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """The timeline for ui.perfetto.dev: GPU work with its launch arguments, threads, launches, and idle time by cause.

    Overlapping kernels are shown in full. Times are the export's clock.

    Several exports, or a folder of them, are the ranks of one job: an archive (.zip, or .tar) with a trace of each and
    a manifest that puts them on the clock of the first rank, with the offsets of `nsysql ranks`.
    """
    from nsysql.capture.files import find_files

    files = find_files(export)
    paths = [one.path for one in files]
    if output.endswith(".json") or (output == "-" and sys.stdout.isatty()):
        name = "run.pftrace" if len(paths) == 1 else "job.zip"
        raise UsageError(f"a trace is a file of Perfetto's own format: nsysql trace {export[0].name} -o {name}")
    with opened(output, *paths) as file:
        from nsysql.pages.timeline.counters import with_counters
        from nsysql.pages.timeline.gather import TimelineScope, collect
        from nsysql.render.perfetto import native

        scope = TimelineScope(start, end, nvtx, gpu, steps, step_range)
        if len(paths) > 1:
            from nsysql.cli.commands.trace_of_job import write_job

            events = write_job(ctx, files, scope, output, file, quiet, threads, memory_limit)
        else:
            with open_export(ctx, paths[0], threads, memory_limit, quiet) as run:
                found = with_counters(collect(run, scope, most=None, occupancy=True), run, gpu)
            events = native.write(found, file)
        size = file.tell() if output != "-" else 0
    if output != "-" and not quiet:
        how = " too large for a browser? --start, --end and --nvtx take a stretch." if size > LARGE else ""
        note(f"{output}: {events:,} events, {size / 1e6:.1f} MB; open it on ui.perfetto.dev.{how}")


trace = with_options(
    _trace,
    [
        CONTEXT,
        argument("export", list[Path], metavar="EXPORT...", help=JOB),
        option("gpu", int, None, "--gpu", metavar="ID", help="Only this GPU; all threads stay."),
        *NARROWING,
        FILE, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
