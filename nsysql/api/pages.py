"""Return the pages of an export as objects: `run.pages.NAME(...)` is the page of the command NAME."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, TypeVar, get_args

from nsysql.catalog.parameters import Steps, Time, as_ns, read_steps
from nsysql.errors import UsageError, suggestion
from nsysql.render.page_views import DrawnView, FlameView, PageView, ReportView, Rows, TimelineView

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.pages.flame import Weight
    from nsysql.pages.scope import PageScope

By = Literal["cause", "nvtx", "pattern", "api", "thread", "function", "line", "drain"]
LineBy = Literal["line", "function", "file"]
LineSort = Literal["gpu", "launches", "wait", "idle", "samples", "name"]
View = TypeVar("View", bound=PageView)
SHOWN = 5  # rows of a section


def scope_of(
    start_ns: Time | None, end_ns: Time | None, nvtx: str | None, steps: Steps | None, step_range: str | None,
    **more: Any,
) -> "PageScope":  # fmt: skip
    """Return the scope of a page, with times and steps as users write them."""
    from nsysql.pages.scope import PageScope

    times = {"start_ns": as_ns(start_ns), "end_ns": as_ns(end_ns)}
    return PageScope(nvtx=nvtx, steps=read_steps(steps), step_range=step_range, **times, **more)


def idle_view(run: "Export", scope: "PageScope", all: bool = False, every: bool = False) -> PageView:
    """Return the idle page; its table of gaps has `every` gap, or as many as a section."""
    from nsysql.pages.idle.page import Idle
    from nsysql.pages.scope import ScopedRun

    page, top = Idle(ScopedRun(run, scope), all), None if every else scope.top
    return PageView(
        page.page, page.document, lambda: Rows(page.table(top), run.data_problems("idle_pieces")),
        lambda: run.kernel_names,
    )  # fmt: skip


def gap_view(run: "Export", scope: "PageScope", gap: int) -> PageView:
    """Return the page of one gap; its table has the gap's pieces."""
    from nsysql.pages.idle import explain

    detail = explain.collect(run, scope, gap, scope.top)
    rows = Rows(detail.pieces, detail.notes)
    return PageView(lambda: explain.page(detail), lambda: explain.document(detail), lambda: rows)


class Pages:
    """The pages of one export. `print` shows a page as text, a notebook as HTML; `document()` returns its numbers.

    The commands of these names have their parameters as options, and their docstrings as help. A page is computed at
    once, as the export may be closed before it is shown; with `is_lazy` only when it is used, as on the command line.
    """

    def __init__(self, run: "Export", is_lazy: bool = False) -> None:
        self.run = run
        self._is_lazy = is_lazy

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("_") and "run" in self.__dict__:
                if name in self.run.paths:
                    raise AttributeError(f"{name} is a query: run.{name}()")
                if name in ("compare", "ranks"):
                    raise AttributeError(f"{name} is about several captures: nsysql.{name}(...)")
            known = sorted(one for one in dir(self) if not one.startswith("_"))
            raise AttributeError(f"There is no page {name!r}; there are {', '.join(known)}.{suggestion(name, known)}")

    def _kernels(self) -> dict[str, str]:
        return self.run.kernel_names

    def _made(self, view: View) -> View:
        if not self._is_lazy:
            view.page()
        return view

    def summary(
        self, *, all: bool = False, top: int = SHOWN, start_ns: Time | None = None, end_ns: Time | None = None,
        nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    ) -> PageView:  # fmt: skip
        """Show what limits the run and what to do, on one screen; `all` adds what was captured, what ran, and how long.

        The screen has the parts of the capture (start-up, steps, ...) with GPU busy time and causes of idle time, at
        most five findings with what they save, and what is not known. As csv, ndjson, parquet or arrow it is the table
        of all kernels.

        Raises MissingData if there is no such NVTX range, UsageError if the interval is empty.
        """
        from nsysql.pages.first_screen import STANDS_ON
        from nsysql.pages.scope import ScopedRun
        from nsysql.pages.summary.page import Summary

        page = Summary(ScopedRun(self.run, scope_of(start_ns, end_ns, nvtx, steps, step_range, top=top)), all)
        table = "this is the table of kernels, as of nsysql cuda-gpu-kern-sum; -f json has the whole page."
        none = "no rows: no kernel is in this export, or in this interval."

        def rows() -> Rows:
            return Rows(page.scoped.rows("cuda_gpu_kern_sum"), [table, *self.run.data_problems(*STANDS_ON)], none)

        return self._made(PageView(page.page, page.document, rows, self._kernels))

    def findings(self, *, ignore: Sequence[str] = (), all: bool = False) -> PageView:
        """List what limits the run and what to do about it, by what it could save.

        Each part of the capture (start-up, steps, ...) is judged by itself. `nsysql explain CODE` shows a rule; `all`
        adds findings below 1 % of their part.

        Raises UsageError for a code to `ignore` that no rule has.
        """
        from nsysql.findings.engine import find
        from nsysql.pages.findings import FindingsPage

        page = FindingsPage(self.run.info.path.stem, find(self.run, ignore), all)
        return self._made(PageView(page.page, page.document, kernels=self._kernels))

    def idle_gaps(
        self, *, all: bool = False, by: By = "cause", gpu: int | None = None, min_gap_ns: Time = 0,
        top: int | None = SHOWN, per_process: bool = False, start_ns: Time | None = None, end_ns: Time | None = None,
        nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None, explain: int | None = None,
    ) -> PageView:  # fmt: skip
        """Show where and why GPUs were idle, and what to do: each idle nanosecond has one cause. `all` adds the tables.

        A gap is an interval in which a GPU runs nothing. It ends because a launch on a thread asked for work: what the
        thread did before, the launch call, and what the GPU waited for after it share the gap. The causes sum to the
        idle time. A share says how long the GPU waited under a cause, not what removing it saves.

        As csv, ndjson, parquet or arrow it is the table of all gaps, with --by nvtx, pattern, api, thread, function,
        line or drain the table by that, with --explain, which shows one gap by its number, the gap's pieces.

        Raises MissingData if the export has no GPU activity, UsageError if the interval is empty.
        """
        if by not in get_args(By):
            raise UsageError(f"idle_gaps: by is {by!r}; it can be {', '.join(get_args(By))}.")
        scope = scope_of(
            start_ns, end_ns, nvtx, steps, step_range, gpu=gpu, per_process=per_process,
            min_gap_ns=as_ns(min_gap_ns) or 0, top=top, by=by,
        )  # fmt: skip
        return self._made(idle_view(self.run, scope, all) if explain is None else gap_view(self.run, scope, explain))

    def steps(self, *, step_range: str | None = None, gpu: int | None = None, top: int | None = 3) -> DrawnView:
        """Show how long the program's steps take, how much they vary, and why some are slow.

        Steps are found by NVTX ranges that contain most of the launches, else by the sequence of launches. A step's
        period on a GPU begins with its first work there and ends with the next step's; the mean of the steady ones is
        split into what ran and, by cause, idle time. As csv, ndjson, parquet or arrow it is the table of all steps, as
        svg a picture of them for documents.

        Raises MissingData if no NVTX range has the requested name, UsageError if the GPU has no work in it.
        """
        from nsysql.pages.step_accounts import collect
        from nsysql.pages.steps import document, page

        steps_ = collect(self.run, step_range, gpu, top)

        def draw(width: int) -> str:
            from nsysql.render.charts.steps import svg

            return svg(steps_, width)

        rows = Rows(steps_.times, steps_.notes, steps_.reason or "no rows.")
        view = DrawnView(draw, lambda: page(steps_), lambda: document(steps_), lambda: rows, self._kernels)
        return self._made(view)

    def what_if(
        self, *changes: str, steps: Steps | None = None, step_range: str | None = None, top: int | None = 8,
    ) -> PageView:  # fmt: skip
        """Predict what a change would save: the capture replayed with the change, everything else as measured.

        Without options it is a table of changes that are often possible, each alone. Options combine to one change.
        WHAT@NVTX narrows a change to calls within the NVTX ranges of that name. The time is from the first GPU work to
        the last. If the export does not explain what the GPU waited for, there is no answer.

        Raises MissingData in that case, UsageError for a change that is unknown or concerns nothing. In Python a change
        is written as on the command line, without the dashes: "remove synchronization", "graph", "once", "scale
        kernel:ampere_sgemm*=0.5", "apply round-trip".
        """
        from nsysql.findings.what_if import Change, collect
        from nsysql.pages.what_if import document, page

        parsed = [Change(how.replace("-", "_"), what) for how, _, what in (text.partition(" ") for text in changes)]
        predicted = collect(self.run, parsed, read_steps(steps), step_range)
        names = self._kernels
        return self._made(PageView(lambda: page(predicted, top), lambda: document(predicted), kernels=names))

    def lines(
        self, *, by: LineBy = "line", sort: LineSort = "gpu", top: int | None = 20, idle: bool = True,
        source: Path | None = None, start_ns: Time | None = None, end_ns: Time | None = None,
        nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    ) -> PageView:  # fmt: skip
        """Show where in the source the time goes: GPU work launched, waits, idle time and CPU samples by line.

        A call counts at the line in its own call stack, else at that of the nearest Python sample of its thread, of an
        NVTX range named file.py:12 name, or of an OpenACC construct; each row says which. Time without a known line is
        a row too, so that rows sum to the whole. An .html has each file line by line. As csv, ndjson, parquet or arrow
        it is the table of all rows.

        Raises MissingData if the export has no evidence of lines.
        """
        from nsysql.pages.lines import LinesAsked, collect, document, page

        scope = scope_of(start_ns, end_ns, nvtx, steps, step_range)
        source_lines = collect(self.run, LinesAsked(by, sort, top, idle, scope.filters))

        def html(file: IO[bytes]) -> None:
            from nsysql.pages.lines import texts
            from nsysql.render.html.page import write_lines

            files = source_lines.rows["file"].drop_nulls().unique().to_list()
            write_lines(source_lines, {} if source is None else texts(source, files), file)

        rows = Rows(source_lines.rows, source_lines.notes)
        return self._made(PageView(lambda: page(source_lines), lambda: document(source_lines), lambda: rows, html=html))

    def doctor(self) -> PageView:
        """Check what an export can and cannot answer, nsys's own messages, and inconsistencies.

        Every query, report, rule and cause of idle time is checked against the capture, with the option of nsys profile
        that records what is missing. Every table is read in full. As csv, ndjson, parquet or arrow it is the table of
        all of them. Exit status 0 if the export can be analyzed, 1 if it is damaged or has no events.
        """
        from nsysql.pages.doctor import document, frame, page
        from nsysql.pages.examination import collect

        seen = collect(self.run)
        status = 0 if seen.can_be_analysed else 1
        view = PageView(lambda: page(seen), lambda: document(seen), lambda: Rows(frame(seen)), status=status)
        return self._made(view)

    def report(
        self, *, top: int = 15, gpu: int | None = None, start_ns: Time | None = None, end_ns: Time | None = None,
        nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    ) -> ReportView:  # fmt: skip
        """Show the verdict, timeline, tables and longest gaps as one HTML page; `top` rows of each section.

        Raises UsageError if the interval is empty.
        """
        from nsysql.pages.report.gather import collect

        scope = scope_of(start_ns, end_ns, nvtx, steps, step_range, gpu=gpu)
        return ReportView(collect(self.run, scope, top), top)

    def timeline(
        self, *, gpu: int | None = None, start_ns: Time | None = None, end_ns: Time | None = None,
        nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    ) -> TimelineView:  # fmt: skip
        """Show what ran on GPUs and threads, and why GPUs were idle: `print` shows it as text, a notebook as a picture.

        Raises MissingData if the export has nothing to show, UsageError if the interval is empty.
        """
        from nsysql.pages.timeline.curves import with_curves
        from nsysql.pages.timeline.gather import collect

        scope = scope_of(start_ns, end_ns, nvtx, steps, step_range, gpu=gpu)
        return TimelineView(with_curves(collect(self.run, scope), self.run, gpu))

    def flame(
        self, weight: "Weight" = "gpu", *, start_ns: Time | None = None, end_ns: Time | None = None,
        nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    ) -> FlameView:  # fmt: skip
        """Show NVTX ranges and what ran inside as a flame graph: a notebook shows it, `write` saves it to a file.

        Raises MissingData if the export has nothing of that weight, UsageError if the interval is empty.
        """
        from nsysql.pages.flame import collect

        scope = scope_of(start_ns, end_ns, nvtx, steps, step_range)
        return FlameView(collect(self.run, weight, **scope.filters), self.run.path)
