"""`nsysql trace`: the timeline as a file for Perfetto, and opened in its page."""

import sys
from pathlib import Path
from typing import Any

from nsysql.cli.filter_options import NARROWING
from nsysql.cli.options import CONTEXT, FILE, MEMORY, QUIET, THREADS, argument, formats, option, with_options
from nsysql.cli.output import note, opened
from nsysql.cli.rows import open_export
from nsysql.errors import UsageError

FORMS = ("perfetto", "json")
LARGE = 500_000_000  # bytes from which a browser may fail to load the trace
JOB = "An export (.sqlite, a folder of Parquet or Arrow, .duckdb), or a report; or those of all ranks of one job."
OPEN = "Then show it in the browser: ui.perfetto.dev reads it from this machine, once."


def _trace(
    ctx: Any, export: list[Path], gpu: int | None, open_: bool, start: Any, end: Any, nvtx: str | None,
    steps: str | None, step_range: str | None,
    format: Any, output: str, quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """The timeline for ui.perfetto.dev: GPU work with its launch arguments, threads, launches, and idle time by cause.

    In Perfetto's native format overlapping kernels are shown in full. json is Chrome's format, which other viewers read
    as well; overlapping events are in separate lanes there. Times are the export's clock; in json they count from the
    first event.

    Several exports, or a folder of them, are the ranks of one job: an archive (.zip, or .tar) with a trace of each and
    a manifest that puts them on the clock of the first rank, with the offsets of `nsysql ranks`.
    """
    from nsysql.capture.files import find_files

    files = find_files(export)
    paths = [one.path for one in files]
    form = str(format) if format else "json" if output.endswith(".json") else "perfetto"
    if output == "-" and (open_ or (sys.stdout.isatty() and form == "perfetto")):
        name = "run.pftrace" if len(paths) == 1 else "job.zip"
        raise UsageError(f"a trace is a file for a viewer: nsysql trace {export[0].name} -o {name}")
    if len(paths) > 1 and form == "json":
        raise UsageError("several exports are one archive of Perfetto's own traces; leave out --format json.")
    with opened(output, *paths) as file:
        from nsysql.pages.timeline.counters import with_counters
        from nsysql.pages.timeline.gather import TimelineScope, collect
        from nsysql.render.perfetto import chrome, native

        scope = TimelineScope(start, end, nvtx, gpu, steps, step_range)
        if len(paths) > 1:
            from nsysql.cli.commands.trace_of_job import write_job

            events = write_job(ctx, files, scope, output, file, quiet, threads, memory_limit)
        else:
            with open_export(ctx, paths[0], threads, memory_limit, quiet) as run:
                found = with_counters(collect(run, scope, most=None, occupancy=True), run, gpu)
            events = (native if form == "perfetto" else chrome).write(found, file)
        size = file.tell() if output != "-" else 0
    if output != "-" and not quiet:
        how = " too large for a browser? --start, --end and --nvtx take a stretch." if size > LARGE else ""
        note(f"{output}: {events:,} events, {size / 1e6:.1f} MB; open it on ui.perfetto.dev.{how}")
    if open_:
        from nsysql.cli.served import show_in_perfetto

        show_in_perfetto(Path(output))


trace = with_options(
    _trace,
    [
        CONTEXT,
        argument("export", list[Path], metavar="EXPORT...", help=JOB),
        option("gpu", int, None, "--gpu", metavar="ID", help="Only this GPU; all threads stay."),
        option("open_", bool, False, "--open", help=OPEN),
        *NARROWING,
        formats(FORMS, "perfetto"),
        FILE, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
