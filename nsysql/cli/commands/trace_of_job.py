"""`nsysql trace` of several exports: one archive for Perfetto, all on one clock."""

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.output import note
from nsysql.cli.rows import open_export

if TYPE_CHECKING:
    from nsysql.capture.files import RunFile
    from nsysql.pages.timeline.gather import TimelineScope
    from nsysql.pages.timeline.model import Timeline

TAR = (".tar",)


def write_job(
    ctx: Any, exports: "list[RunFile]", scope: "TimelineScope", output: str, file: IO[bytes], quiet: bool, threads: Any,
    memory_limit: Any,
) -> int:  # fmt: skip
    """Write the archive and give its number of events. `scope` is on the clock of the first rank's export."""
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.digest.reading import read_files
    from nsysql.render.perfetto.archive import Part, write

    job = of_facts(read_files(exports, threads, memory_limit), "ranks")
    files = sorted({member.file for member in job.members})
    parts: list[Part] = []
    for place, clock in zip(files, job.clocks, strict=True):
        path, name = exports[place].path, exports[place].name
        ranks = [str(member.rank) for member in job.members if member.file == place]
        machine = f"rank{'s' if len(ranks) > 1 else ''} {', '.join(ranks)} ({name})"

        def timeline(path: Path = path, offset: int = clock.offset_ns) -> "Timeline":
            from nsysql.pages.timeline.counters import with_counters
            from nsysql.pages.timeline.gather import collect

            with open_export(ctx, path, threads, memory_limit, quiet) as run:
                return with_counters(collect(run, moved(scope, offset), most=None, occupancy=True), run, scope.gpu)

        parts.append(Part(f"{name}.pftrace", machine, clock.offset_ns, clock.uncertainty_ns, timeline))
        if clock.drift and not quiet:
            note(f"{name}: its clock drifts by {clock.drift * 1e6:+.1f} ppm; the trace has the offset of the middle.")
        if clock.problem and not quiet:
            note(f"{name}: {clock.problem}.")
    for problem in () if quiet else job.problems:
        note(problem)
    return write(parts, file, output.endswith(TAR))


def moved(scope: "TimelineScope", offset: int) -> "TimelineScope":
    """The same scope on the clock of an export to whose times the offset is added."""
    from dataclasses import replace

    start, end = (None if ns is None else ns - offset for ns in (scope.start_ns, scope.end_ns))
    return replace(scope, start_ns=start, end_ns=end)
