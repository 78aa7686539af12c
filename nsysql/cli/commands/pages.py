"""`nsysql summary`, `findings`, `explain`, `idle-gaps`, `steps`, `lines`, `doctor`, `what-if`: the pages of one export.

A page is text on the terminal, Markdown, HTML or JSON, and most are their main table in the other formats. What a page
has, and the help of its command, is the method of `Pages` of its name.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import typer

from nsysql.api.pages import SHOWN, By, LineBy, LineSort, Pages, gap_view, idle_view
from nsysql.cli.options import (
    ALL,
    NARROWING,
    OF_FILES,
    SHOWN_ROWS,
    STEP_RANGE,
    argument,
    choice,
    gpu,
    option,
    time,
    top_rows,
)
from nsysql.cli.output import DRAWN_FORMS, PAGES
from nsysql.cli.rows import Call, command, more_rows, page_command, write_rows
from nsysql.render.page_views import PageView, Rows

if TYPE_CHECKING:
    from nsysql.pages.scope import PageScope

TOP = option(5, "--top", kind=int, metavar="ROWS", min=1, help="Rows of each section of --all.")
summary = page_command(Pages.summary, [ALL, TOP, *NARROWING])
IGNORE = option(
    [], "--ignore", kind=list[str], metavar="CODE", show_default=False, help="Leave a rule out; may be repeated."
)
findings = page_command(Pages.findings, [ALL, IGNORE], PAGES)


@command(OF_FILES[1:])
def explain(
    call: Call,
    code: str = argument(metavar="CODE", help="The rule, such as few-blocks."),
    export: Path | None = argument(None, metavar="[EXPORT]", help="Show the rule's rows there."),
) -> None:
    """A rule of the findings in words; with an export what it finds there, what to do, and its rows."""
    from nsysql.catalog.packs import find_packs, query_paths
    from nsysql.findings.engine import find, refuse_unknown, rules

    code, known = code.replace("_", "-"), rules(query_paths(find_packs(call.packs)))
    refuse_unknown([code], known)
    query = known[code]
    typer.echo(f"{code}: {query.summary}\n\n{query.about}\n")
    width = max((len(key) + 2 for key, _ in query.finding), default=0)
    for key, text in query.finding:
        typer.echo(f"{key:{width}}{text}")
    if export is not None:
        with call.open(export) as run:
            import polars as pl

            from nsysql.findings.sentences import brief
            from nsysql.pages.first_screen import says, says_where
            from nsysql.words.quantities import time

            for one in (f for f in find(run).findings if f.code == code):
                saves = f" Saves {one.bound} {time(one.saves_ns)}." if one.saves_ns is not None else ""
                part = f"part {', '.join(str(f.part_id) for f in one.each or (one,))}  "
                typer.echo(f"{part:{width}}{says(one, says_where(one))} {one.do}{saves}")
            rows = run.answer(query.name, SHOWN_ROWS)
            more = more_rows(rows.total - rows.frame.height, f"nsysql query {query.name} shows all.")
            texts = pl.col("^(subject|place|nvtx_path)$").map_elements(brief, return_dtype=pl.String)
            found = "The rule's rows, without the replay:" if rows.total else "It finds nothing here."
            typer.echo(f"\n{found}")
            notes = () if rows.total else rows.notes  # what the export lacks, without which it may find nothing
            shown = Rows(rows.frame.with_columns(texts), notes, "the rule has no rows.", more)
            write_rows(shown, call.of(run), sys.stdout.buffer)


PIECES = 12  # rows of pieces of a gap
ROWS = f"Maximum rows of each section (0 = all); default: {SHOWN}, with --explain {PIECES}."
APART = "Keep each process's devices separate; a GPU is then pid * 1000 + ordinal."
EXPLAIN = "Why this gap: in a sentence, by cause, call and range, then its longest segments with the evidence."


def _idle_gaps(
    pages: Pages,
    all: bool = ALL,
    by: str = choice(get_args(By), "cause", "--by", help="What else to sum the idle time by."),
    min_gap_ns: int | None = time("--min-gap", "Shortest gap to list; the sums keep all."),
    top: int | None = option(None, "--top", metavar="ROWS", min=0, help=ROWS),
    gpu: int | None = gpu("Only this GPU."),
    per_process: bool = option(False, "--per-process", help=APART),
    scope: "PageScope" = NARROWING,
    explain: int | None = option(None, "--explain", metavar="GAP", help=EXPLAIN),
) -> PageView:
    shown = (PIECES if explain is not None else SHOWN) if top is None else (top or None)
    narrowed = replace(scope, gpu=gpu, per_process=per_process, min_gap_ns=min_gap_ns or 0, top=shown, by=by)
    if explain is not None:
        return gap_view(pages.run, narrowed, explain)
    return idle_view(pages.run, narrowed, all, every=top is None)


idle_gaps = page_command(_idle_gaps)

RANGE = "The NVTX range that marks the steps: NAME[@DOMAIN]; numbers in it match any number."
BUSIEST = "The GPU that the page is about; by default the busiest."
SLOW = "Maximum slow steps to print (0 = all)."
MARK = option(None, "--step-range", kind=str, metavar="TEXT", help=RANGE)
steps = page_command(Pages.steps, [MARK, gpu(BUSIEST), top_rows(3, SLOW)], DRAWN_FORMS)

SOURCE = "Folder of the program's source, whose lines HTML then shows."
lines = page_command(
    Pages.lines,
    [
        choice(get_args(LineBy), "line", "--by", help="What a row is."),
        choice(get_args(LineSort), "gpu", "--sort", help="What to sort by, largest first; names from A."),
        top_rows(20, "Maximum rows to print (0 = all)."),
        option(True, "--idle/--no-idle", kind=bool, name="idle", help="Attribute the idle time, which takes longer."),
        option(None, "--source", kind=Path, metavar="FOLDER", help=SOURCE),
        *NARROWING,
    ],
    more=(),
)

doctor = page_command(Pages.doctor, [], more=())

FLAGS = ("once", "fuse", "graph", "overlap")  # changes that are about nothing in particular


WHAT = "kernel:NAME, copy:DIRECTION, call:NAME, memset, host_code, launch_calls, memory_management or synchronization"
OTHER = "Durations of GPU work from another capture of the same sequence."
PAGEABLE = "Pageable copies at this rate: 12.5GB/s, or pinned."


def _many(spelled: str, metavar: str, help: str) -> Any:
    return option([], spelled, kind=list[str], metavar=metavar, help=help, show_default=False)


CHANGES: Any = (
    _many("--remove", "WHAT", f"Remove {WHAT}."),
    _many("--scale", "WHAT=FACTOR", "Make it take FACTOR times as long: kernel:ampere_sgemm*=0.5."),
    option(False, "--once", kind=bool, help="Large copies that are repeated happen once."),
    option(False, "--graph", kind=bool, help="Launches in a row become one CUDA graph."),
    option(False, "--fuse", kind=bool, help="Elementwise kernels in a row become one."),
    option(False, "--overlap", kind=bool, help="Copies run beside kernels, on a stream of their own."),
    option(None, "--rate", kind=str, metavar="RATE", help=PAGEABLE),
    _many("--floor", "kernel:NAME=BYTES", "Kernels limited by memory: BYTES each."),
)


def _what_if(
    pages: Pages,
    apply: list[str] = _many("--apply", "CODE", "Do what a finding advises: its code or number in `nsysql findings`."),
    _: Any = CHANGES,
    durations_from: str | None = option(None, "--durations-from", metavar="OTHER", help=OTHER),
    steps: str | None = option(None, "--steps", metavar="STEPS", help="The time of these steps: steady, 5, 5:10."),
    step_range: str | None = STEP_RANGE,
    top: int | None = top_rows(8, "Maximum rows to print (0 = all)."),
    **more: Any,
) -> PageView:
    changes = [f"apply {code}" for part in apply for code in part.split(",")]
    changes += [f"{how} {what}" for how in ("remove", "scale", "floor") for what in more[how]]
    changes += [how for how in FLAGS if more[how]]
    changes += [] if more["rate"] is None else [f"rate {more['rate']}"]
    changes += [f"durations_from {durations_from}"] if durations_from else []
    return pages.what_if(*changes, steps=steps, step_range=step_range, top=top)


what_if = page_command(_what_if, forms=PAGES)
