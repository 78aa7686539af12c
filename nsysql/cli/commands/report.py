"""`nsysql report`: verdict, timeline, tables and the longest gaps as one HTML file."""

import sys
from dataclasses import replace
from pathlib import Path
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
    from nsysql.pages.timeline.model import Timeline


LEFT_OUT = "GPU metrics and memory in use are left out here: the report of one export has them"


def write_job(
    ctx: Any, exports: "list[RunFile]", scope: "PageScope", top: int, file: IO[bytes], quiet: bool, threads: Any,
    memory_limit: Any,
) -> None:  # fmt: skip
    """Write the report. `scope` is on the clock of the first rank's export."""
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.digest.reading import read_files
    from nsysql.errors import MissingData
    from nsysql.pages.ranks.page import page
    from nsysql.pages.timeline import ranks
    from nsysql.pages.timeline.gather import collect
    from nsysql.render.html.report import write_job as write

    facts = read_files(exports, threads, memory_limit)
    job = of_facts(facts, None)
    if len({member.file for member in job.members}) < len(exports) or job.kind != "ranks":
        problems = " ".join(dict.fromkeys(job.problems))
        raise UsageError(
            f"these {len(exports)} exports are not all ranks of one job; give one export each. {problems}".strip()
        )
    drawn: list[tuple[str, Timeline]] = []

    def opened_quietly(path: Path) -> "Export":
        return open_export(ctx, path, threads, memory_limit, quiet, for_page=True)

    def read(run: "Export", narrowed: "PageScope") -> "Timeline":
        shown = collect(run, narrowed)
        has_curves = run.has("gpu_metric") or run.has("gpu_memory_event")
        return replace(shown, notes=(*shown.notes, LEFT_OUT)) if has_curves else shown

    found = ranks.of_job(exports, job, scope, opened_quietly, read)
    for one in sorted(found, key=lambda one: int(one.ranks.partition(",")[0])):
        try:
            drawn.append((f"Rank {one.ranks}: {one.name}", ranks.aligned(one)))
        except (MissingData, UsageError) as error:
            note(f"{one.name} has no timeline: {error}")
    write(page(job, top), ranks.together(drawn) if drawn else None, file)


JOB = "An export (.sqlite, a folder of Parquet or Arrow, .duckdb), or a report; or those of all ranks of one job."
SHOWN = 15  # rows of a section
OF_GPU = "Only the timeline and idle time of this GPU."


def _report(
    ctx: Any, export: list[Path], top: int, gpu: int | None, start: Any, end: Any, nvtx: str | None, steps: str | None,
    step_range: str | None,
    output: str, quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
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
    if output == "-" and sys.stdout.isatty():
        raise UsageError(f"a report is a file for a browser: nsysql report {export[0].name} -o report.html")
    with opened(output, *(one.path for one in files)) as file:
        from nsysql.pages.scope import PageScope

        scope = PageScope(gpu, start, end, nvtx, steps=steps, step_range=step_range)
        if len(files) > 1:
            write_job(ctx, files, scope, top, file, quiet, threads, memory_limit)
        else:
            from nsysql.pages.report.gather import collect
            from nsysql.render.html.report import write

            with open_export(ctx, files[0].path, threads, memory_limit, quiet, True) as run:
                found = collect(run, scope, top)
            write(found, top, file)
        size = file.tell() if output != "-" else 0
    if output != "-" and not quiet:
        note(f"{output}: {size / 1e6:.1f} MB; open it in a browser.")


report = with_options(
    _report,
    [
        CONTEXT,
        argument("export", list[Path], metavar="EXPORT...", help=JOB),
        option("top", int, SHOWN, "--top", metavar="ROWS", min=1, help="Rows of each section."),
        option("gpu", int, None, "--gpu", metavar="ID", help=OF_GPU),
        *NARROWING, FILE, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
