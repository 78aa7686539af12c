"""`nsysql summary`, `findings`, `explain`, `steps`, `lines`, `doctor` and `what-if`: the pages of one export.

A page is text on the terminal, Markdown, HTML or JSON, and most are their main table in the other formats.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nsysql.cli.options import ALL, MEMORY, NARROWING, QUIET, SHOWN_ROWS, THREADS, argument, choice, option
from nsysql.cli.output import DRAWN_FORMS, PAGES
from nsysql.cli.rows import Call, PageAnswer, QueryResult, command, more_rows, page_command, write_rows

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.pages.scope import PageScope


def _summary(run: "Export", scope: "PageScope", all: bool, top: int) -> PageAnswer:
    """What limits the run and what to do, on one screen; --all adds what was captured, what ran, and how long.

    The screen has the parts of the capture (start-up, steps, ...) with GPU busy time and causes of idle time, at most
    five findings with what they save, and what is not known. As csv, ndjson, parquet or arrow it is the table of all
    kernels.
    """
    from dataclasses import replace

    from nsysql.pages.summary.page import collect

    asked = replace(scope, top=top)
    return PageAnswer(
        lambda: collect(run, asked, all).page(),
        lambda: collect(run, asked, all).document(),
        lambda: _kernels(run, asked),
    )


def _kernels(run: "Export", scope: "PageScope") -> QueryResult:
    from nsysql.pages.first_screen import STANDS_ON
    from nsysql.pages.scope import Asked

    rows = Asked(run, scope).rows("cuda_gpu_kern_sum")
    none = "no rows: no kernel is in this export, or in this interval."
    notes = ["this is the table of kernels, as of nsysql cuda-gpu-kern-sum; -f json has the whole page."]
    return QueryResult(rows, [*notes, *run.data_problems(*STANDS_ON)], none)


TOP = option("top", int, 5, "--top", metavar="ROWS", min=1, help="Rows of each section of --all.")
summary = page_command(_summary, [ALL, TOP, *NARROWING])


def _findings(run: "Export", all: bool, ignore: list[str] | None) -> PageAnswer:
    """What limits the run and what to do about it, by what it could save.

    Each part of the capture (start-up, steps, ...) is judged by itself. `nsysql explain CODE` shows a rule; --all adds
    findings below 1 % of their part.
    """
    from nsysql.findings.engine import find
    from nsysql.pages.findings import FindingsPage

    found = FindingsPage(run.info.path.stem, find(run, ignore or ()), all)
    return PageAnswer(found.page, found.document)


IGNORE = option("ignore", list[str], None, "--ignore", metavar="CODE", help="Leave a rule out; may be repeated.")
findings = page_command(_findings, [ALL, IGNORE], PAGES)


def _explain(call: Call, code: str, export: Path | None) -> None:
    """A rule of the findings in words; with an export what it finds there, and its rows."""
    from nsysql.catalog.packs import find_packs, find_query, query_paths

    paths = query_paths(find_packs(call.packs))
    rule = f"{code.replace('-', '_')}_rule"  # where a view has the name of the code
    query = find_query(rule if rule in paths else code, paths)
    typer.echo(f"{code}: {query.doc}\n")
    width = max((len(key) + 2 for key, _ in query.finding), default=0)
    for key, text in query.finding:
        typer.echo(f"{key:{width}}{text}")
    if export is not None:
        with call.open(export) as run:
            from nsysql.findings.engine import code_of, find
            from nsysql.words.quantities import time

            for one in (f for f in find(run).findings if f.code == code_of(query)):
                saves = f" Saves {one.bound} {time(one.saves_ns)}." if one.saves_ns is not None else ""
                typer.echo(f"{f'part {one.part_id}':{width}}{one.says}{saves}")
            rows = run.answer(query.name, SHOWN_ROWS)
            more = more_rows(rows.total - rows.frame.height, f"nsysql query {query.name} shows all.")
            typer.echo("\nThe rule's rows, without the replay:")
            write_rows(QueryResult(rows.frame, more=more), call.of(run), sys.stdout.buffer)


explain = command(
    _explain,
    [
        argument("code", str, metavar="CODE", help="The rule, such as few-blocks."),
        argument("export", Path | None, metavar="[EXPORT]", help="Show the rule's rows there.", default=None),
    ],
    [QUIET, THREADS, MEMORY],
)


def _steps(run: "Export", step_range: str | None, gpu: int | None, top: int) -> PageAnswer:
    """How long the program's steps take, how much they vary, and why some are slow.

    Steps are found by NVTX ranges that contain most of the launches, else by the sequence of launches. A step's period
    on a GPU begins with its first work there and ends with the next step's; the mean of the steady ones is split into
    what ran and, by cause, idle time. As csv, ndjson, parquet or arrow it is the table of all steps, as svg a picture
    of them for documents.
    """
    from nsysql.pages.step_accounts import collect
    from nsysql.pages.steps import document, page

    found = collect(run, step_range, gpu, top or None)

    def draw(width: int) -> str:
        from nsysql.render.charts.steps import svg

        return svg(found, width)

    return PageAnswer(
        lambda: page(found),
        lambda: document(found),
        lambda: QueryResult(found.times, list(found.notes), found.reason or "no rows."),
        draw,
    )


RANGE = "The NVTX range that marks the steps: NAME[@DOMAIN]; numbers in it are any numbers."
steps = page_command(
    _steps,
    [
        option("step_range", str, None, "--step-range", metavar="TEXT", help=RANGE),
        option("gpu", int, None, "--gpu", metavar="ID", help="The GPU that the page is about; by default the busiest."),
        option("top", int, 3, "--top", metavar="ROWS", min=0, help="Maximum slow steps to print (0 = all)."),
    ],
    DRAWN_FORMS,
)


def _lines(
    run: "Export", scope: "PageScope", by: Any, sort: Any, top: int, idle: bool, source: Path | None
) -> PageAnswer:
    """Where in the source the time goes: GPU work launched, waits, idle time and CPU samples by line.

    A call counts at the line in its own call stack, else at that of the nearest Python sample of its thread, of an NVTX
    range named file.py:12 name, or of an OpenACC construct; each row says which. Time without a known line is a row
    too, so that rows sum to the whole. An .html has each file line by line. As csv, ndjson, parquet or arrow it is the
    table of all rows.
    """
    from nsysql.pages.lines import LinesAsked, collect, document, page

    found = collect(run, LinesAsked(str(by.value), str(sort.value), top or None, idle, scope.filters))

    def html(file: Any) -> None:
        from nsysql.pages.lines import texts
        from nsysql.render.lines import write

        names = found.rows["file"].drop_nulls().unique().to_list()
        write(found, {} if source is None else texts(source, names), file)

    rows = QueryResult(found.rows, list(found.notes))
    return PageAnswer(lambda: page(found), lambda: document(found), lambda: rows, html=html)


SORT, ORDER = ("gpu", "launches", "wait", "idle", "samples", "name"), "What to sort by, largest first; names from A."
SOURCE = "Folder of the program's source, whose lines HTML then shows."
lines = page_command(
    _lines,
    [
        choice("by", ("line", "function", "file"), "line", "--by", help="What a row is."),
        choice("sort", SORT, "gpu", "--sort", help=ORDER),
        option("top", int, 20, "--top", metavar="ROWS", min=0, help="Maximum rows to print (0 = all)."),
        option("idle", bool, True, "--idle/--no-idle", help="Attribute the idle time, which takes longer."),
        option("source", Path, None, "--source", metavar="FOLDER", help=SOURCE),
        *NARROWING,
    ],
    more=(),
)


def _doctor(run: "Export") -> PageAnswer:
    """What an export can and cannot answer, nsys's own messages, and inconsistencies.

    Every query, report, rule and cause of idle time against the capture, with the option of nsys profile that records
    what is missing. Every table is read in full. As csv, ndjson, parquet or arrow it is the table of all of them. Exit
    status 0 if the export can be analyzed, 1 if it is damaged or holds no event.
    """
    from nsysql.pages.doctor import document, frame, page
    from nsysql.pages.examination import collect

    found = collect(run)
    return PageAnswer(
        lambda: page(found),
        lambda: document(found),
        lambda: QueryResult(frame(found)),
        status=0 if found.can_be_analysed else 1,
    )


doctor = page_command(_doctor, [], more=())


def _what_if(
    run: "Export", apply: list[str], remove: list[str], scale: list[str], once: bool, graph: bool, fuse: bool,
    overlap: bool, rate: str | None, floor: list[str], durations_from: str | None, steps: str | None,
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
        option("step_range", str, None, "--step-range", metavar="TEXT", help="The NVTX range that marks the steps."),
        option("top", int, 8, "--top", metavar="ROWS", min=0, help="Maximum rows to print (0 = all)."),
    ],
    PAGES,
)
