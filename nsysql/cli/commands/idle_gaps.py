"""`nsysql idle-gaps`: the page on the terminal, as Markdown or JSON, or its main table in the other forms."""

import sys
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from nsysql.cli.options import ALL, NAMES, NARROWING, choice, option, time
from nsysql.cli.output import text_width, unfiltered
from nsysql.cli.rows import PageAnswer, QueryResult, page_command

if TYPE_CHECKING:
    import polars

    from nsysql.capture.export import Export
    from nsysql.pages.scope import PageScope

SHOWN = 5  # rows of a section
PIECES = 12  # rows of pieces of a gap
DRAWN = 3  # longest gaps that are drawn on a terminal
TOP = f"Maximum rows of each section (0 = all); default: {SHOWN}, with --explain {PIECES}."
APART = "Keep each process's devices apart; a GPU is then pid * 1000 + ordinal."
EXPLAIN = "Why this gap: in a sentence, by cause, call and range, then its longest segments with the evidence."
BY = ("cause", "nvtx", "pattern", "api", "thread", "function", "line", "drain")


def _idle_gaps(
    run: "Export", scope: "PageScope", all: bool, by: Any, min_gap: Any, top: int | None, per_process: bool,
    explain: int | None, no_pictures: bool,
) -> PageAnswer:  # fmt: skip
    """Where and why each GPU was idle, and what to do: every idle nanosecond has one cause. --all adds the tables.

    A gap is an interval in which a GPU runs nothing. It ends because a launch on a thread asked for work: what
    the thread did before, the launch call, and what the GPU waited for after it share the gap. The causes sum
    to the idle time. A share says how long the GPU waited under a cause, not what removing it saves.

    As csv, ndjson, parquet or arrow it is the table of all gaps, with --by nvtx, pattern, api, thread, function,
    line or drain the table by that, with --explain the gap's pieces.
    """
    from nsysql.pages.idle.page import collect
    from nsysql.pages.idle.tables import longest_gaps

    shown = SHOWN if top is None else (top or None)
    asked = replace(scope, per_process=per_process, min_gap_ns=min_gap or 0, top=shown, by=str(by.value))
    if explain is not None:
        return _explain(run, asked, explain, PIECES if top is None else (top or None))
    found = cache(lambda: collect(run, asked, all))
    is_drawn = all and not no_pictures and not per_process
    return PageAnswer(
        lambda: found().page(),
        lambda: found().document(),
        lambda: _table(run, asked, every=top is None),
        after=(lambda: _pictures(run, longest_gaps(found().asked))) if is_drawn else None,
    )


def _pictures(run: "Export", gaps: "polars.DataFrame") -> None:
    """Draw the longest gaps on the terminal."""
    from nsysql.pages.timeline.gather import read_around
    from nsysql.render.timeline.terminal import write
    from nsysql.words.quantities import time

    for gap in gaps.sort("dur_ns", "gap_id", descending=[True, False]).head(DRAWN).to_dicts():
        print()
        heading = f"Gap {gap['gap_id']}: {time(gap['dur_ns'])}, drawn"
        write(read_around(run, gap), unfiltered(sys.stdout), text_width("-") or 80, 1, heading)


def _explain(run: "Export", asked: "PageScope", gap: int, rows: int | None) -> PageAnswer:
    from nsysql.pages.idle import explain

    found = explain.collect(run, asked, gap, rows)
    return PageAnswer(
        lambda: explain.page(found),
        lambda: explain.document(found),
        lambda: QueryResult(found.pieces, list(found.notes)),
    )


def _table(run: "Export", asked: "PageScope", every: bool) -> QueryResult:
    """The page's main table."""
    from nsysql.pages.idle.gather import GROUPS, gpu_time_or_raise, groups

    gpu_time_or_raise(run, asked)
    top = None if every else asked.top
    if asked.by in GROUPS:
        frame: polars.DataFrame = groups(run, asked, top)
    elif asked.by == "drain":
        frame = run.query("idle_drains", top=top, **asked.window)
    elif asked.by == "pattern":
        frame = run.query("idle_patterns", top=top, **asked.window)
    else:
        frame = run.query("idle_gaps", min_gap_ns=asked.min_gap_ns, top=top, **asked.window)
    return QueryResult(frame, run.data_problems("idle_pieces"))


idle_gaps = page_command(
    _idle_gaps,
    [
        ALL,
        choice("by", BY, "cause", "--by", help="What else to sum the idle time by."),
        time("min_gap", "--min-gap", "Shortest gap to list; the sums keep all."),
        option("top", int, None, "--top", metavar="ROWS", min=0, help=TOP),
        option("gpu", int, None, "--gpu", metavar="ID", help="Only this GPU."),
        option("per_process", bool, False, "--per-process", help=APART),
        *NARROWING,
        option("explain", int, None, "--explain", metavar="GAP", help=EXPLAIN),
    ],
    more=[*NAMES, option("no_pictures", bool, False, "--no-pictures", help="Do not draw the longest gaps.")],
)  # fmt: skip
