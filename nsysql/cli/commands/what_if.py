"""`nsysql what-if`: what a change of the program would save, by a replay of the capture."""

from typing import TYPE_CHECKING, Any

from nsysql.cli.options import option
from nsysql.cli.output import PAGES
from nsysql.cli.rows import OutputOptions, PageAnswer, page_command

if TYPE_CHECKING:
    from nsysql.capture.export import Export

SHOWN = 8  # rows
WHAT = "kernel:NAME, copy:DIRECTION, call:NAME, memset, host_code, launch_calls, memory_management or synchronization"


def _what_if(
    run: "Export", _: OutputOptions, apply: list[str], remove: list[str], scale: list[str], once: bool, graph: bool,
    fuse: bool, overlap: bool, rate: str | None, floor: list[str], durations_from: str | None, steps: str | None,
    step_range: str | None, top: int,
) -> PageAnswer:  # fmt: skip
    """What a change would save: the capture replayed with the change, everything else as measured.

    Without options a table of changes that are often possible, each by itself. Options combine to one change.
    WHAT@NVTX narrows a change to calls within the NVTX ranges of that name. The time is from the first GPU work to the
    last. Where the export does not explain what the GPU waited for, there is no answer.
    """
    from nsysql.pages.what_if import Change, collect, document, page

    asked = [Change("apply", code) for part in apply for code in part.split(",")]
    asked += [Change("remove", what) for what in remove] + [Change("scale", what) for what in scale]
    asked += [Change("floor", what) for what in floor]
    asked += [
        Change(how) for how, given in (("once", once), ("fuse", fuse), ("graph", graph), ("overlap", overlap)) if given
    ]
    asked += [Change("rate", "" if rate == "pinned" else rate)] if rate is not None else []
    asked += [Change("durations_from", durations_from)] if durations_from else []
    found = collect(run, asked, steps, step_range)
    return PageAnswer(lambda: page(found, top or None), lambda: document(found))


def _many(name: str, spelled: str, metavar: str, help: str) -> Any:
    return option(name, list[str], [], spelled, metavar=metavar, help=help, show_default=False)


what_if = page_command(
    _what_if,
    [
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
    ],
    PAGES,
)  # fmt: skip
