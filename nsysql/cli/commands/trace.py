"""`nsysql trace`: the timeline as a file for Perfetto."""

import gzip
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.options import CONTEXT, FILE, MEMORY, QUIET, THREADS, argument, option, with_options
from nsysql.cli.output import note, opened
from nsysql.cli.query_command import NARROWING
from nsysql.cli.rows import open_export
from nsysql.errors import UsageError

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.capture.files import RunFile
    from nsysql.pages.scope import PageScope

TAR = (".tar",)


def write_job(
    ctx: Any, exports: "list[RunFile]", scope: "PageScope", most: int | None, output: str, file: IO[bytes], quiet: bool,
    threads: Any, memory_limit: Any,
) -> int:  # fmt: skip
    """Write the archive and give its number of events. `scope` is on the clock of the first rank's export."""
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.digest.reading import read_files
    from nsysql.pages.timeline.ranks import of_job
    from nsysql.pages.timeline.streamed import streamed
    from nsysql.render.perfetto import native
    from nsysql.render.perfetto.archive import Part, write

    job = of_facts(read_files(exports, threads, memory_limit), "ranks")

    def opened_quietly(path: Path) -> "Export":
        return open_export(ctx, path, threads, memory_limit, quiet)

    def read(run: "Export", narrowed: "PageScope") -> tuple[IO[bytes], int, int]:
        found = streamed(run, narrowed, most)
        trace = TemporaryFile()  # noqa: SIM115  (the archive closes it)
        return trace, native.write(found, trace), native.moved_by(found)

    parts: list[Part] = []
    for one in of_job(exports, job, scope, opened_quietly, read):
        name, clock = one.name, one.clock
        machine = f"rank{'s' if ',' in one.ranks else ''} {one.ranks} ({name})"
        parts.append(Part(f"{name}.pftrace", machine, clock.offset_ns, clock.uncertainty_ns, one.read))
        if clock.drift and not quiet:
            note(f"{name}: its clock drifts by {clock.drift * 1e6:+.1f} ppm; the trace has the offset of the middle.")
        if clock.problem and not quiet:
            note(f"{name}: {clock.problem}.")
    for problem in () if quiet else job.problems:
        note(problem)
    return write(parts, file, output.endswith(TAR))


LARGE = 5_000_000  # events from which a browser may fail to load the trace, and short ones are merged
LEVEL = 1  # of compression; higher ones take long and gain little
JOB = "An export (.sqlite, a folder of Parquet or Arrow, .duckdb), or a report; or those of all ranks of one job."


def _trace(
    ctx: Any, export: list[Path], gpu: int | None, start: Any, end: Any, nvtx: str | None,
    steps: str | None, step_range: str | None,
    full: bool, output: str, quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """The timeline for ui.perfetto.dev: GPU work with its launch arguments, threads, launches, and idle time by cause.

    Of more than 5 million events short ones are merged, as in a report, unless --full is given.

    The first row is the critical path, as `nsysql what-if` has it: what determined when the last GPU work ended.
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
    most = None if full else LARGE
    with opened(output, *paths) as file:
        from nsysql.pages.scope import PageScope

        scope = PageScope(gpu, start, end, nvtx, steps=steps, step_range=step_range)
        if len(paths) > 1:
            events = write_job(ctx, files, scope, most, output, file, quiet, threads, memory_limit)
        else:
            from nsysql.pages.timeline.streamed import streamed
            from nsysql.render.perfetto import native

            with (
                open_export(ctx, paths[0], threads, memory_limit, quiet) as run,
                gzip.GzipFile("", "wb", LEVEL, file, mtime=0) as packed,
            ):
                found = streamed(run, scope, most)
                events = native.write(found, packed)
                if found.merged is not None and not quiet:
                    note("short events are merged; --full keeps all, --start and --end those of an interval.")
        size = file.tell() if output != "-" else 0
    if output != "-" and not quiet:
        how = " too large for a browser? Narrow it by --start, --end or --nvtx." if full and events > LARGE else ""
        note(f"{output}: {events:,} events, {size / 1e6:.1f} MB; open it on ui.perfetto.dev.{how}")


trace = with_options(
    _trace,
    [
        CONTEXT,
        argument("export", list[Path], metavar="EXPORT...", help=JOB),
        option("gpu", int, None, "--gpu", metavar="ID", help="Only this GPU; all threads stay."),
        *NARROWING,
        option("full", bool, False, "--full", help="Merge nothing, however many events there are."),
        FILE, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
