"""`nsysql idle-gaps`: the page on the terminal, as Markdown or JSON, or its main table in the other forms."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from nsysql.api.pages import SHOWN, By, Pages, idle_view
from nsysql.cli.options import ALL, NAMES, NARROWING, choice, gpu, option, time
from nsysql.cli.output import text_width, unfiltered
from nsysql.cli.rows import page_command
from nsysql.render.page_views import PageView, Rows

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.pages.scope import PageScope

PIECES = 12  # rows of pieces of a gap
DRAWN = 3  # longest gaps that are drawn on a terminal
TOP = f"Maximum rows of each section (0 = all); default: {SHOWN}, with --explain {PIECES}."
APART = "Keep each process's devices separate; a GPU is then pid * 1000 + ordinal."
EXPLAIN = "Why this gap: in a sentence, by cause, call and range, then its longest segments with the evidence."


def _idle_gaps(
    pages: Pages, scope: "PageScope", all: bool, by: str, min_gap_ns: int | None, top: int | None, per_process: bool,
    explain: int | None, no_pictures: bool,
) -> PageView:  # fmt: skip
    shown = (PIECES if explain is not None else SHOWN) if top is None else (top or None)
    narrowed = replace(scope, per_process=per_process, min_gap_ns=min_gap_ns or 0, top=shown, by=by)
    if explain is not None:
        return _explain(pages.run, narrowed, explain)
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


def _explain(run: "Export", scope: "PageScope", gap: int) -> PageView:
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
        option("top", int, None, "--top", metavar="ROWS", min=0, help=TOP),
        gpu("Only this GPU."),
        option("per_process", bool, False, "--per-process", help=APART),
        *NARROWING,
        option("explain", int, None, "--explain", metavar="GAP", help=EXPLAIN),
    ],
    more=[*NAMES, option("no_pictures", bool, False, "--no-pictures", help="Do not draw the longest gaps.")],
)  # fmt: skip
