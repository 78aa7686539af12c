"""`nsysql what-if`: what a change of the program would save, by a replay of the capture."""

from pathlib import Path
from typing import Any

from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, NAMES, QUIET, THREADS, formats, option, with_options
from nsysql.cli.output import FOR_PEOPLE, PAGES, TERMINAL, opened, page_form
from nsysql.cli.rows import OutputOptions, open_export, write_page

SHOWN = 8  # rows
WHAT = "kernel:NAME, copy:DIRECTION, call:NAME, memset, host_code, launch_calls, memory_management or synchronization"


def _what_if(
    ctx: Any, export: Path, apply: list[str], remove: list[str], scale: list[str], once: bool, graph: bool, fuse: bool,
    overlap: bool, rate: str | None, floor: list[str], durations_from: str | None, steps: str | None,
    step_range: str | None, top: int, format: Any, output: str, name_width: int | None, full_names: bool, quiet: bool,
    threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """What a change would save: the capture replayed with the change, everything else as measured.

    Without options a table of changes that are often possible, each by itself. Options combine to one change.
    WHAT@NVTX narrows a change to calls within the NVTX ranges of that name. The time is from the first GPU work to the
    last. Where the export does not explain what the GPU waited for, there is no answer.
    """
    from nsysql.pages.what_if import Change, collect, document, page
    from nsysql.render.rows import write_document

    asked = [Change("apply", code) for part in apply for code in part.split(",")]
    asked += [Change("remove", what) for what in remove] + [Change("scale", what) for what in scale]
    asked += [Change("floor", what) for what in floor]
    asked += [
        Change(how) for how, given in (("once", once), ("fuse", fuse), ("graph", graph), ("overlap", overlap)) if given
    ]
    asked += [Change("rate", "" if rate == "pinned" else rate)] if rate is not None else []
    asked += [Change("durations_from", durations_from)] if durations_from else []
    form = page_form(format, output)
    with opened(output, export) as file:
        with open_export(ctx, export, threads, memory_limit, quiet, form in PAGES) as run:
            found = collect(run, asked, steps, step_range)
        if form in FOR_PEOPLE:
            giving = OutputOptions(form, output, quiet=quiet, name_width=name_width, full_names=full_names)
            write_page(page(found, top or None), giving, file)
        else:
            write_document(document(found), file)


def _many(name: str, spelled: str, metavar: str, help: str) -> Any:
    return option(name, list[str], [], spelled, metavar=metavar, help=help, show_default=False)


what_if = with_options(
    _what_if,
    [
        CONTEXT, EXPORT,
        _many("apply", "--apply", "CODE", "Do what a finding advises: its code or number in `nsysql findings`."),
        _many("remove", "--remove", "WHAT", f"Remove {WHAT}."),
        _many("scale", "--scale", "WHAT=FACTOR", "Make it take FACTOR times as long: kernel:ampere_sgemm*=0.5."),
        option("once", bool, False, "--once", help="Large copies that are repeated happen once."),
        option("graph", bool, False, "--graph", help="Launches in a row become one CUDA graph."),
        option("fuse", bool, False, "--fuse", help="Elementwise kernels in a row become one."),
        option("overlap", bool, False, "--overlap", help="Copies run beside kernels, on a stream of their own."),
        option("rate", str, None, "--rate", metavar="RATE", help="Pageable copies at this rate: 12.5GB/s, or pinned."),
        _many("floor", "--floor", "kernel:NAME=BYTES", "Kernels limited by memory: BYTES each."),
        option("durations_from", str, None, "--durations-from", metavar="OTHER",
               help="Durations of GPU work from another capture of the same sequence."),
        option("steps", str, None, "--steps", metavar="STEPS", help="The time of these steps: steady, 5, 5:10."),
        option("step_range", str, None, "--step-range", metavar="TEXT", help="The NVTX range that marks the steps."),
        option("top", int, SHOWN, "--top", metavar="ROWS", min=0, help="Maximum rows to print (0 = all)."),
        formats(PAGES, TERMINAL),
        FILE, *NAMES, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
