"""`nsysql report` of several exports: the ranks page, and the timelines of all ranks on one clock."""

from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.commands.trace_of_job import moved
from nsysql.cli.output import note
from nsysql.cli.rows import open_export
from nsysql.errors import UsageError

if TYPE_CHECKING:
    from nsysql.capture.files import RunFile
    from nsysql.pages.timeline.gather import TimelineScope
    from nsysql.pages.timeline.model import Timeline


def write_job(
    ctx: Any, exports: "list[RunFile]", scope: "TimelineScope", top: int, file: IO[bytes], quiet: bool, threads: Any,
    memory_limit: Any,
) -> None:  # fmt: skip
    """Write the report. `scope` is on the clock of the first rank's export."""
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.digest.reading import read_files
    from nsysql.errors import MissingData
    from nsysql.pages.ranks.page import page
    from nsysql.pages.timeline.curves import with_curves
    from nsysql.pages.timeline.gather import collect
    from nsysql.render.html.page import write

    job = of_facts(read_files(exports, threads, memory_limit), None)
    drawn: list[tuple[str, Timeline]] = []  # with its times on the first rank's clock
    for place, clock in zip(sorted({member.file for member in job.members}), job.clocks, strict=True):
        ranks = ", ".join(str(member.rank) for member in job.members if member.file == place)
        with open_export(ctx, exports[place].path, threads, memory_limit, quiet, for_page=True) as run:
            try:
                found = with_curves(collect(run, moved(scope, clock.offset_ns)), run, scope.gpu)
            except (MissingData, UsageError) as error:
                note(f"{exports[place].name} has no timeline: {error}")
                continue
        drawn.append((f"Rank {ranks}: {exports[place].name}", _shifted(found, clock.offset_ns)))
    start = min((one.start_ns for _, one in drawn), default=0)
    end = max((one.end_ns for _, one in drawn), default=0)
    pictures = [(title, replace(one, start_ns=start, end_ns=end)) for title, one in drawn]
    write(page(job, top), file, pictures)


def _shifted(timeline: "Timeline", offset: int) -> "Timeline":
    """The timeline on the clock of the first rank."""
    import polars as pl

    shifted = pl.col("start_ns", "end_ns") + offset
    curves = timeline.curves
    return replace(
        timeline,
        start_ns=timeline.start_ns + offset,
        end_ns=timeline.end_ns + offset,
        events=timeline.events.with_columns(shifted),
        curves=None if curves is None else replace(curves, values=curves.values.with_columns(shifted)),
    )
