"""`nsysql summary`, `findings`, `explain`, `steps`, `lines`, `doctor` and `what-if`: the pages of one export.

A page is text on the terminal, Markdown, HTML or JSON, and most are their main table in the other formats. What a page
has, and the help of its command, is the method of `Pages` of its name.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import typer

from nsysql.api.pages import SHOWN, By, LineBy, LineSort, Pages, idle_view
from nsysql.cli.options import (
    ALL,
    NAMES,
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
from nsysql.cli.output import DRAWN_FORMS, PAGES, text_width, unfiltered
from nsysql.cli.rows import Call, command, more_rows, page_command, write_rows
from nsysql.render.page_views import PageView, Rows

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.pages.scope import PageScope

TOP = option("top", int, 5, "--top", metavar="ROWS", min=1, help="Rows of each section of --all.")
summary = page_command(Pages.summary, [ALL, TOP, *NARROWING])
IGNORE = option(
    "ignore", list[str], [], "--ignore", metavar="CODE", show_default=False, help="Leave a rule out; may be repeated."
)
findings = page_command(Pages.findings, [ALL, IGNORE], PAGES)


def _explain(call: Call, code: str, export: Path | None) -> None:
    """A rule of the findings in words; with an export what it finds there, and its rows."""
    from nsysql.catalog.packs import find_packs, query_paths
    from nsysql.findings.engine import find, refuse_unknown, rules

    code, known = code.replace("_", "-"), rules(query_paths(find_packs(call.packs)))
    refuse_unknown([code], known)
    query = known[code]
    typer.echo(f"{code}: {query.doc}\n")
    width = max((len(key) + 2 for key, _ in query.finding), default=0)
    for key, text in query.finding:
        typer.echo(f"{key:{width}}{text}")
    if export is not None:
        with call.open(export) as run:
            import polars as pl

            from nsysql.findings.sentences import brief
            from nsysql.words.quantities import time

            for one in (f for f in find(run).findings if f.code == code):
                saves = f" Saves {one.bound} {time(one.saves_ns)}." if one.saves_ns is not None else ""
                typer.echo(f"{f'part {one.part_id}  ':{width}}{one.says}{saves}")
            rows = run.answer(query.name, SHOWN_ROWS)
            more = more_rows(rows.total - rows.frame.height, f"nsysql query {query.name} shows all.")
            texts = pl.col("^(subject|place|nvtx_path)$").map_elements(brief, return_dtype=pl.String)
            typer.echo("\nThe rule's rows, without the replay:")
            write_rows(Rows(rows.frame.with_columns(texts), more=more), call.of(run), sys.stdout.buffer)


explain = command(
    _explain,
    [
        argument("code", str, metavar="CODE", help="The rule, such as few-blocks."),
        argument("export", Path | None, metavar="[EXPORT]", help="Show the rule's rows there.", default=None),
    ],
    OF_FILES[1:],
)


RANGE = "The NVTX range that marks the steps: NAME[@DOMAIN]; numbers in it match any number."
steps = page_command(
    Pages.steps,
    [
        option("step_range", str, None, "--step-range", metavar="TEXT", help=RANGE),
        gpu("The GPU that the page is about; by default the busiest."),
        top_rows(3, "Maximum slow steps to print (0 = all)."),
    ],
    DRAWN_FORMS,
)

SOURCE = "Folder of the program's source, whose lines HTML then shows."
lines = page_command(
    Pages.lines,
    [
        choice("by", get_args(LineBy), "line", "--by", help="What a row is."),
        choice("sort", get_args(LineSort), "gpu", "--sort", help="What to sort by, largest first; names from A."),
        top_rows(20, "Maximum rows to print (0 = all)."),
        option("idle", bool, True, "--idle/--no-idle", help="Attribute the idle time, which takes longer."),
        option("source", Path, None, "--source", metavar="FOLDER", help=SOURCE),
        *NARROWING,
    ],
    more=(),
)

doctor = page_command(Pages.doctor, [], more=())

FLAGS = ("once", "fuse", "graph", "overlap")  # changes that are about nothing in particular


def _what_if(
    pages: Pages, apply: list[str], rate: str | None, durations_from: str | None, steps: str | None,
    step_range: str | None, top: int | None, **more: Any,
) -> PageView:  # fmt: skip
    changes = [f"apply {code}" for part in apply for code in part.split(",")]
    changes += [f"{how} {what}" for how in ("remove", "scale", "floor") for what in more[how]]
    changes += [how for how in FLAGS if more[how]]
    changes += [] if rate is None else [f"rate {rate}"]
    changes += [f"durations_from {durations_from}"] if durations_from else []
    return pages.what_if(*changes, steps=steps, step_range=step_range, top=top)


_what_if.__doc__ = Pages.what_if.__doc__


def _many(name: str, spelled: str, metavar: str, help: str) -> Any:
    return option(name, list[str], [], spelled, metavar=metavar, help=help, show_default=False)


WHAT = "kernel:NAME, copy:DIRECTION, call:NAME, memset, host_code, launch_calls, memory_management or synchronization"
OTHER = "Durations of GPU work from another capture of the same sequence."
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
        option("durations_from", str, None, "--durations-from", metavar="OTHER", help=OTHER),
        option("steps", str, None, "--steps", metavar="STEPS", help="The time of these steps: steady, 5, 5:10."),
        STEP_RANGE,
        top_rows(8, "Maximum rows to print (0 = all)."),
    ],
    PAGES,
)


PIECES = 12  # rows of pieces of a gap
DRAWN = 3  # longest gaps that are drawn on a terminal
ROWS = f"Maximum rows of each section (0 = all); default: {SHOWN}, with --explain {PIECES}."
APART = "Keep each process's devices separate; a GPU is then pid * 1000 + ordinal."
EXPLAIN = "Why this gap: in a sentence, by cause, call and range, then its longest segments with the evidence."


def _idle_gaps(
    pages: Pages, scope: "PageScope", all: bool, by: str, min_gap_ns: int | None, top: int | None, per_process: bool,
    explain: int | None, no_pictures: bool,
) -> PageView:  # fmt: skip
    shown = (PIECES if explain is not None else SHOWN) if top is None else (top or None)
    narrowed = replace(scope, per_process=per_process, min_gap_ns=min_gap_ns or 0, top=shown, by=by)
    if explain is not None:
        return _explain_gap(pages.run, narrowed, explain)
    view = idle_view(pages.run, narrowed, all, every=top is None)
    if all and not no_pictures and not per_process:
        view.after = lambda: _pictures(pages.run, narrowed)
    return view


_idle_gaps.__doc__ = Pages.idle_gaps.__doc__


def _pictures(run: "Export", scope: "PageScope") -> None:
    """Draw the longest gaps on the terminal."""
    from nsysql.pages.idle.tables import longest_gaps
    from nsysql.pages.scope import ScopedRun
    from nsysql.pages.timeline.gather import read_around
    from nsysql.render.timeline.terminal import write
    from nsysql.words.quantities import time

    for gap in longest_gaps(ScopedRun(run, scope)).head(DRAWN).to_dicts():
        print()
        heading = f"Gap {gap['gap_id']}: {time(gap['dur_ns'])}, drawn"
        write(read_around(run, gap), unfiltered(sys.stdout), text_width("-") or 80, 1, heading)


def _explain_gap(run: "Export", scope: "PageScope", gap: int) -> PageView:
    from nsysql.pages.idle import explain

    detail = explain.collect(run, scope, gap, scope.top)
    rows = Rows(detail.pieces, detail.notes)
    return PageView(lambda: explain.page(detail), lambda: explain.document(detail), lambda: rows)


idle_gaps = page_command(
    _idle_gaps,
    [
        ALL,
        choice("by", get_args(By), "cause", "--by", help="What else to sum the idle time by."),
        time("min_gap_ns", "--min-gap", "Shortest gap to list; the sums keep all."),
        option("top", int, None, "--top", metavar="ROWS", min=0, help=ROWS),
        gpu("Only this GPU."),
        option("per_process", bool, False, "--per-process", help=APART),
        *NARROWING,
        option("explain", int, None, "--explain", metavar="GAP", help=EXPLAIN),
    ],
    more=[*NAMES, option("no_pictures", bool, False, "--no-pictures", help="Do not draw the longest gaps.")],
)  # fmt: skip
