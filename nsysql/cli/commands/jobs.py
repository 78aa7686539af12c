"""`nsysql ranks`, `nsysql report` and `nsysql trace`: of one export, or of the ranks of a job."""

import gzip
import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer

from nsysql.api.facade import ranks_view
from nsysql.cli.open_export import ensure_exported, waiting
from nsysql.cli.options import EXPORTS, OF_FILES, OF_PAGES, argument, choice, narrowing, option, top_rows
from nsysql.cli.output import PAGE_FORMS, note, opened
from nsysql.cli.rows import Call, command, give
from nsysql.errors import MissingData, UsageError
from nsysql.words.quantities import SIZES, scaled

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.capture.files import RunFile
    from nsysql.pages.scope import PageScope
    from nsysql.pages.timeline.model import Timeline

PROCESSES = 4  # most processes to read exports
JOB = "The exports of one job: files, a folder, or a pattern; one for each rank, or for several."
AS = "Treat the exports as the ranks of one job, or as repeated runs; by default their times and ranks decide."


@command(OF_PAGES, PAGE_FORMS)
def ranks(
    call: Call,
    job: list[Path] = argument(metavar="JOB...", help=JOB),
    as_: Any = choice(("ranks", "repeats"), None, "--as", help=AS),
    top: int | None = top_rows(16),
) -> None:
    """Which rank of a job keeps the others waiting, by how much, and what it does meanwhile.

    Collectives (kernels of NCCL, else MPI calls) are matched across the ranks, and each is split into waiting for
    the last rank and transfer. Clocks of several exports are aligned by their sessions' starts and by the collectives;
    the page shows the uncertainty. Several processes with GPUs in one export are ranks too. As csv, ndjson, parquet or
    arrow it is the table of ranks.
    """
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.capture.files import find_files
    from nsysql.digest.reading import read_files

    files = find_files(job, digests=True)
    with opened(call.output, *(one.path for one in files)) as file:
        for one in files:
            ensure_exported(one.path)
        with waiting(f"Reading {len(files)} exports", call.quiet)():
            facts = read_files(files, call.threads, call.memory_limit, min(PROCESSES, os.cpu_count() or 1))
            job_ = of_facts(facts, as_)
        give(ranks_view(job_, top), call, file)
    if any(one.problem for one in facts):  # the page has it as a note
        raise typer.Exit(1)


@command(OF_FILES)
def report(
    call: Call,
    export: list[Path] = EXPORTS,
    top: int = option(15, "--top", metavar="ROWS", min=1, help="Rows of each section."),
    scope: "PageScope" = narrowing("Only the timeline and idle time of this GPU."),
) -> None:
    """What limits the run, the timeline, where the time went, and why the longest gaps: one HTML file.

    The file is self-contained: it opens by a double click, offline, and can be sent to others. Its timeline has zoom,
    search and selection; tables and pictures of the gaps are readable without scripting. If there are many events,
    neighbors that are too short to be seen are merged, but not around the longest gaps; --start, --end or --nvtx
    select a time in full.

    Several exports, or a folder of them, are the ranks of one job: who keeps the others waiting, as `nsysql ranks`
    says it, and the timelines of all of them on the clock of the first rank.
    """
    from nsysql.capture.files import find_files

    files = find_files(export)
    if call.output == "-" and sys.stdout.isatty():
        raise UsageError(f"a report is a file for a browser: nsysql report {export[0].name} -o report.html")
    with opened(call.output, *(one.path for one in files)) as file:
        if len(files) > 1:
            _report_of_job(call, files, scope, top, file)
        else:
            from nsysql.pages.report.gather import collect
            from nsysql.render.html.report import write

            with call.open(files[0].path, for_page=True) as run:
                report = collect(run, scope, top)
            write(report, top, file)
        size = file.tell() if call.output != "-" else 0
    if call.output != "-":
        call.note(f"{call.output}: {scaled(size, SIZES)}; open it in a browser.")


def _report_of_job(call: Call, exports: "list[RunFile]", scope: "PageScope", top: int, file: IO[bytes]) -> None:
    """Write the report. `scope` is on the clock of the first rank's export."""
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.digest.reading import read_files
    from nsysql.pages.ranks import page
    from nsysql.pages.timeline.curves import MOST_VALUES, with_curves
    from nsysql.pages.timeline.gather import aligned, collect, of_job, together
    from nsysql.render.html.report import write_job

    job = of_facts(read_files(exports, call.threads, call.memory_limit), None)
    if len({member.file for member in job.members}) < len(exports) or job.kind != "ranks":
        problems = " ".join(dict.fromkeys(job.problems))
        text = f"these {len(exports)} exports are not all ranks of one job; give one export each."
        raise UsageError(f"{text} {problems}".strip())

    def read(run: "Export", narrowed: "PageScope") -> "Timeline":
        return with_curves(collect(run, narrowed), run, most=MOST_VALUES // len(exports))

    drawn: list[tuple[str, Timeline]] = []
    timelines = of_job(exports, job, scope, lambda path: call.open(path, for_page=True), read)
    for one in sorted(timelines, key=lambda one: int(one.ranks.partition(",")[0])):
        try:
            drawn.append((f"Rank {one.ranks}: {one.name}", aligned(one)))
        except (MissingData, UsageError) as error:
            note(f"{one.name} has no timeline: {error}")
    write_job(page(job, top), together(drawn) if drawn else None, file)


LARGE = 5_000_000  # events from which a browser may fail to load the trace, and short ones are merged
LEVEL = 1  # of compression; higher ones take long and gain little


@command(OF_FILES)
def trace(
    call: Call,
    export: list[Path] = EXPORTS,
    scope: "PageScope" = narrowing("Only this GPU; all threads stay."),
    full: bool = option(False, "--full", help="Merge nothing, however many events there are."),
) -> None:
    """The timeline for ui.perfetto.dev: GPU work with its launch arguments, threads, launches, and idle time by cause.

    Of more than 5 million events short ones are merged, as in a report, unless --full is given.

    The first row is the critical path, as `nsysql what-if` has it: what determined when the last GPU work ended.
    Overlapping kernels are shown in full. Times are the export's clock.

    Several exports, or a folder of them, are the ranks of one job: an archive (.zip) with a trace of each and a
    manifest that puts them on the clock of the first rank, with the offsets of `nsysql ranks`.
    """
    from nsysql.capture.files import find_files

    files, output = find_files(export), call.output
    if output.endswith(".json") or (output == "-" and sys.stdout.isatty()):
        name = "run.pftrace" if len(files) == 1 else "job.zip"
        raise UsageError(f"a trace is a file of Perfetto's own format: nsysql trace {export[0].name} -o {name}")
    most = None if full else LARGE
    with opened(output, *(one.path for one in files)) as file:
        if len(files) > 1:
            events = _trace_of_job(call, files, scope, most, file)
        else:
            from nsysql.pages.timeline.streamed import streamed
            from nsysql.render.perfetto import native

            with call.open(files[0].path) as run, gzip.GzipFile("", "wb", LEVEL, file, mtime=0) as packed:
                streamed_trace = streamed(run, scope, most)
                events = native.write(streamed_trace, packed)
            if streamed_trace.merged is not None:
                call.note("short events are merged; --full keeps all, --start and --end those of an interval.")
        size = file.tell() if output != "-" else 0
    if output != "-":
        how = " too large for a browser? Narrow it by --start, --end or --nvtx." if full and events > LARGE else ""
        call.note(f"{output}: {events:,} events, {scaled(size, SIZES)}; open it on ui.perfetto.dev.{how}")


def _trace_of_job(call: Call, exports: "list[RunFile]", scope: "PageScope", most: int | None, file: IO[bytes]) -> int:
    """Write the archive and give its number of events. `scope` is on the clock of the first rank's export."""
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.digest.reading import read_files
    from nsysql.pages.timeline.gather import of_job
    from nsysql.pages.timeline.streamed import streamed
    from nsysql.render.perfetto import native

    job = of_facts(read_files(exports, call.threads, call.memory_limit), "ranks")

    def write(run: "Export", narrowed: "PageScope", trace: IO[bytes]) -> tuple[int, int]:
        streamed_trace = streamed(run, narrowed, most)
        return native.write(streamed_trace, trace), native.moved_by(streamed_trace)

    parts: list[native.Part] = []
    for one in of_job(exports, job, scope, call.open, write):
        name, clock = one.name, one.clock
        machine = f"rank{'s' if ',' in one.ranks else ''} {one.ranks} ({name})"
        parts.append(native.Part(f"{name}.pftrace", machine, clock.offset_ns, clock.uncertainty_ns, one.read))
        if clock.drift:
            drift = f"{clock.drift * 1e6:+.1f} ppm"
            call.note(f"{name}: its clock drifts by {drift}; the trace has the offset of the middle.")
        if clock.problem:
            call.note(f"{name}: {clock.problem}.")
    call.note(*job.problems)
    return native.write_archive(parts, file)
