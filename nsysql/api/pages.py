"""The pages of an export as objects: `run.pages.NAME(...)` is the page of the command NAME."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from nsysql.catalog.parameters import Steps, Time, as_ns, read_steps
from nsysql.errors import UsageError
from nsysql.render.page_views import DrawnView, FlameView, PageView, ReportView, TimelineView

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.pages.flame import Weight
    from nsysql.pages.scope import PageScope

By = Literal["cause", "nvtx", "pattern", "api", "thread", "function", "line", "drain"]
LineBy = Literal["line", "function", "file"]
SHOWN = 5  # rows of a section


def scope_of(
    start_ns: Time | None, end_ns: Time | None, nvtx: str | None, steps: Steps | None, step_range: str | None,
    **more: Any,
) -> "PageScope":  # fmt: skip
    """What of an export a page is about, of times and steps as users write them."""
    from nsysql.pages.scope import PageScope

    return PageScope(
        start_ns=as_ns(start_ns),
        end_ns=as_ns(end_ns),
        nvtx=nvtx,
        steps=read_steps(steps),
        step_range=step_range,
        **more,
    )


class Pages:
    """The pages of one export. `print` shows a page as text, a notebook as HTML; `document()` gives its numbers."""

    def __init__(self, run: "Export") -> None:
        self._run = run

    def summary(
        self, *, all: bool = False, top: int = SHOWN, start_ns: Time | None = None, end_ns: Time | None = None,
        nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    ) -> PageView:  # fmt: skip
        """What limits the run and what to do; with `all` also what was captured and what ran, `top` rows a section.

        Raises MissingData if there is no such NVTX range, UsageError if the interval is empty.
        """
        from nsysql.pages.summary.page import collect

        scope = scope_of(start_ns, end_ns, nvtx, steps, step_range, top=top)
        found = collect(self._run, scope, all)
        return PageView(found.page(), found.document, self._run.kernel_names)

    def findings(self, *, ignore: Sequence[str] = (), all: bool = False) -> PageView:
        """What limits each part of the run, what to do and what it saves; `document()` has the findings as data.

        `ignore` leaves rules out by their codes; `all` adds findings below 1 % of their part. Raises UsageError for a
        code that no rule has.
        """
        from nsysql.findings.engine import find
        from nsysql.pages.findings import FindingsPage

        found = FindingsPage(self._run.info.path.stem, find(self._run, ignore), all)
        return PageView(found.page(), found.document, self._run.kernel_names)

    def idle_gaps(
        self, *, all: bool = False, by: By = "cause", gpu: int | None = None, min_gap_ns: Time = 0,
        top: int | None = SHOWN, per_process: bool = False, start_ns: Time | None = None, end_ns: Time | None = None,
        nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    ) -> PageView:  # fmt: skip
        """Where and why each GPU was idle, and what to do; `all` adds the tables, `top` rows of each section.

        Raises MissingData if the export has no GPU activity, UsageError if the interval is empty.
        """
        from nsysql.pages.idle.page import collect

        if by not in get_args(By):
            raise UsageError(f"idle_gaps: by is {by!r}; it can be {', '.join(get_args(By))}.")
        scope = scope_of(
            start_ns, end_ns, nvtx, steps, step_range, gpu=gpu, per_process=per_process,
            min_gap_ns=as_ns(min_gap_ns) or 0, top=top, by=by,
        )  # fmt: skip
        found = collect(self._run, scope, all)
        return PageView(found.page(), found.document, self._run.kernel_names)

    def steps(self, *, step_range: str | None = None, gpu: int | None = None, top: int | None = 3) -> DrawnView:
        """How long the loop takes that the program repeats, how much it varies, and what the `top` slowest have.

        Raises MissingData if no NVTX range has the name asked for, UsageError if the GPU has no work of it.
        """
        from nsysql.pages.step_accounts import collect
        from nsysql.pages.steps import document, page

        found = collect(self._run, step_range, gpu, top)

        def draw(width: int) -> str:
            from nsysql.render.charts.steps import svg

            return svg(found, width)

        return DrawnView(page(found), lambda: document(found), draw, self._run.kernel_names)

    def what_if(self, *changes: str, steps: Steps | None = None, step_range: str | None = None) -> PageView:
        """What changes would save, by a replay: one prediction for all `changes` together, a table of many without any.

        A change is written as on the command line, without the dashes: "remove synchronization",
        "scale kernel:ampere_sgemm*=0.5", "apply round-trip", "graph", "once". Raises MissingData where the export does
        not explain what the GPU waited for, UsageError for a change that is unknown or concerns nothing.
        """
        from nsysql.pages.what_if import Change, collect, document, page

        asked = [Change(how.replace("-", "_"), what) for how, _, what in (text.partition(" ") for text in changes)]
        found = collect(self._run, asked, read_steps(steps), step_range)
        return PageView(page(found), lambda: document(found), self._run.kernel_names)

    def lines(
        self, *, by: LineBy = "line", top: int | None = 20, idle: bool = True, start_ns: Time | None = None,
        end_ns: Time | None = None, nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    ) -> PageView:  # fmt: skip
        """Where in the source the time goes, `top` rows; without `idle` the idle time is left out, which is faster.

        Raises MissingData if the export has no evidence of lines.
        """
        from nsysql.pages.lines import LinesAsked, collect, document, page

        scope = scope_of(start_ns, end_ns, nvtx, steps, step_range)
        found = collect(self._run, LinesAsked(by, "gpu", top, idle, scope.filters))
        return PageView(page(found), lambda: document(found))

    def doctor(self) -> PageView:
        """What the export can and cannot answer, what nsys said of it, and what is odd in it. Reads every table."""
        from nsysql.pages.doctor import document, page
        from nsysql.pages.examination import collect

        found = collect(self._run)
        return PageView(page(found), lambda: document(found))

    def report(
        self,
        *,
        top: int = 15,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> ReportView:
        """Verdict, timeline, tables and the longest gaps as one HTML page; `top` rows of each section.

        Raises UsageError if the interval is empty.
        """
        from nsysql.pages.report.gather import collect

        asked = scope_of(start_ns, end_ns, nvtx, steps, step_range, gpu=gpu)
        return ReportView(collect(self._run, asked, top), top)

    def timeline(
        self, *, gpu: int | None = None, start_ns: Time | None = None, end_ns: Time | None = None,
        nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    ) -> TimelineView:  # fmt: skip
        """What ran on GPUs and threads, and why GPUs were idle: `print` shows it as text, a notebook as a picture.

        Raises MissingData if the export has nothing to show, UsageError if the interval is empty.
        """
        from nsysql.pages.timeline.curves import with_curves
        from nsysql.pages.timeline.gather import collect

        asked = scope_of(start_ns, end_ns, nvtx, steps, step_range, gpu=gpu)
        return TimelineView(with_curves(collect(self._run, asked), self._run, gpu))

    def flame(
        self, weight: "Weight" = "gpu", *, start_ns: Time | None = None, end_ns: Time | None = None,
        nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    ) -> FlameView:  # fmt: skip
        """NVTX ranges and what ran inside as a flame graph: a notebook shows it, `write` makes a file of it.

        Raises MissingData if the export has nothing of that weight, UsageError if the interval is empty.
        """
        from nsysql.pages.flame import collect

        scope = scope_of(start_ns, end_ns, nvtx, steps, step_range)
        return FlameView(collect(self._run, weight, **scope.filters), self._run.path)
