"""What `nsysql.open` gives: an open export whose pages are methods too."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from nsysql.capture.export import Export
from nsysql.catalog.parameters import as_ns, read_steps
from nsysql.errors import UsageError
from nsysql.render.page_views import DrawnView, FlameView, PageView, ReportView, TimelineView

if TYPE_CHECKING:
    from nsysql.analysis.compare.capture import Capture
    from nsysql.pages.flame.model import Weight

Time = int | str | timedelta | None  # in ns, or a text with its unit: "1.5ms"
Steps = str | int | tuple[int, int] | range | slice | None  # "steady", 5, (5, 10) with both, range(5, 11)
By = Literal["cause", "nvtx", "pattern", "api", "thread", "function", "line", "drain"]
Captures = str | Path | Sequence[str | Path]
PAGES = ("doctor", "flame", "idle", "report", "steps", "summary", "timeline", "what_if")
SHOWN = 5  # rows of a section


def open(
    path: str | Path,
    *,
    packs: str | Path | tuple[str | Path, ...] | list[str | Path] = (),
    threads: int | None = None,
    memory_limit: str | None = None,
    allow_files: bool = False,
    waiting: Callable[[], AbstractContextManager[object]] = nullcontext,
    name_letters: int | None = None,
) -> "Run":
    """Open an Nsight Systems export, read-only: a .sqlite, a folder of Parquet or Arrow files, a .duckdb
    of `nsysql convert`, or a report where nsys is installed. Several threads can ask it, one at a time.

    `packs` are folders of further queries. `threads` are DuckDB's; `memory_limit` ('4GB') bounds the process: a
    question that needs more ends in an error. `allow_files` lets `sql()` and packs read other files (read_csv and the
    like), which is refused otherwise.
    `waiting` gives a context manager that is entered while a question runs, such as one that shows a spinner.
    `name_letters` cuts longer names of events, for display: each stays different from all others.
    Raises NotAnExport, with the reason and the mend, where the file is none.
    """
    folders = (packs,) if isinstance(packs, str | Path) else tuple(packs)
    run = Run(Path(path), folders, threads, memory_limit, allow_files, name_letters)
    run._engine.show(waiting)
    return run


def compare(
    a: Captures, b: Captures, *, per: str | None = None, gpu: int | None = None, threshold_pct: float = 1.0,
    run_noise_pct: float | None = None, top: int = 12, everything: bool = True,
) -> DrawnView:  # fmt: skip
    """What changed between captures `a` and `b`, each one path or several, of exports or digests.

    `per` is step, work, window, or the name of an NVTX range; `gpu` one GPU instead of the mean over all; a verdict
    needs more than `threshold_pct`. With fewer than three captures a side runs are taken to differ by `run_noise_pct`
    (standard deviation), by default by an estimate. Without `everything` the page is the first screen.
    Raises MissingData where the sides have no unit of time in common, NotAnExport where a file is none.
    """
    from nsysql.analysis.compare.compare import Options, compared
    from nsysql.pages.compare import document, page

    sides = [
        [_capture(Path(path), per) for path in ([side] if isinstance(side, str | Path) else side)] for side in (a, b)
    ]
    found = compared(
        sides[0],
        sides[1],
        Options(per, gpu, threshold_pct / 100, None if run_noise_pct is None else run_noise_pct / 100),
    )

    def draw(width: int) -> str:
        from nsysql.pages.compare.bars import bars
        from nsysql.render.charts.compare import svg

        return svg(bars(found, top or None), width)

    return DrawnView(page.page(found, top, everything), lambda: document.document(found), draw)


def ranks(
    paths: Captures,
    *,
    as_: Literal["ranks", "repeats"] | None = None,
    processes: int = 1,
    top: int | None = 64,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> PageView:
    """Which rank of a job keeps others waiting, by how much, and what it does meanwhile; `top` rows of a section.

    `paths` are exports, a folder of them or a pattern; `as_` takes them for ranks of one job or for repeated runs,
    which else their times and ranks decide. Several `processes` read them at a time. Raises UsageError where a rank
    occurs twice, MissingData where no export has GPU work or MPI calls, NotAnExport where none can be read.
    """
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.capture.files import find_files
    from nsysql.digest.reading import read_files
    from nsysql.pages.ranks import document, page

    files = find_files([paths] if isinstance(paths, str | Path) else paths, digests=True)
    found = of_facts(read_files(files, threads, memory_limit, processes), as_)
    return PageView(page.page(found, top), lambda: document.document(found))


def _capture(path: Path, per: str | None) -> "Capture":
    from nsysql.analysis import digest
    from nsysql.pages.compare.gather import capture

    if digest.is_digest(path):
        return digest.read(path)
    with open(path) as run:
        return capture(run, per)


class Run(Export):
    """One open export: queries and views are methods that give frames; `summary`, `idle`, `steps`, `doctor` pages."""

    def summary(
        self, *, all: bool = False, top: int = SHOWN, start_ns: Time = None, end_ns: Time = None,
        nvtx: str | None = None, steps: Steps = None, step_range: str | None = None,
    ) -> PageView:  # fmt: skip
        """What limits the run and what to do; with `all` also what was captured and what ran, `top` rows a section.

        Raises MissingData if there is no such NVTX range, UsageError if the interval is empty.
        """
        from nsysql.pages.scope import PageScope
        from nsysql.pages.summary.page import collect

        scope = PageScope(
            start_ns=_ns(start_ns),
            end_ns=_ns(end_ns),
            nvtx=nvtx,
            top=top,
            steps=read_steps(steps),
            step_range=step_range,
        )
        found = collect(self, scope, all)
        return PageView(found.page(), found.document)

    def idle(
        self, *, all: bool = False, by: By = "cause", gpu: int | None = None, min_gap_ns: int | str | timedelta = 0,
        top: int | None = SHOWN, per_process: bool = False, start_ns: Time = None, end_ns: Time = None,
        nvtx: str | None = None, steps: Steps = None, step_range: str | None = None,
    ) -> PageView:  # fmt: skip
        """Where and why each GPU was idle, and what to do; `all` adds the tables, `top` rows of each section.

        Raises MissingData where the export has no GPU activity, UsageError where the stretch of time is none.
        """
        from nsysql.pages.idle.page import collect
        from nsysql.pages.scope import PageScope

        if by not in get_args(By):
            raise UsageError(f"idle: by is {by!r}; it can be {', '.join(get_args(By))}.")
        scope = PageScope(
            gpu,
            _ns(start_ns),
            _ns(end_ns),
            nvtx,
            per_process,
            _ns(min_gap_ns) or 0,
            top,
            by,
            read_steps(steps),
            step_range,
        )
        found = collect(self, scope, all)
        return PageView(found.page(), found.document)

    def steps(self, *, step_range: str | None = None, gpu: int | None = None, top: int | None = 3) -> DrawnView:
        """How long the loop takes that the program repeats, how much it varies, and what the `top` slowest have.

        Raises MissingData where no NVTX range has the name asked for, UsageError where the GPU has no work of it.
        """
        from nsysql.pages.steps import document, page
        from nsysql.pages.steps.gather import StepsAsked, collect

        found = collect(self, StepsAsked(step_range, gpu, top))

        def draw(width: int) -> str:
            from nsysql.pages.steps.bars import bars
            from nsysql.render.charts.steps import svg

            return svg(bars(found), width)

        return DrawnView(page.page(found), lambda: document.document(found), draw)

    def what_if(self, *changes: str, steps: Steps = None, step_range: str | None = None) -> PageView:
        """What changes would save, by a replay: one prediction for all `changes` together, a table of many without any.

        A change is written as on the command line, without the dashes: "remove synchronization",
        "scale kernel:ampere_sgemm*=0.5", "apply round-trip", "graph", "once". Raises MissingData where the export does
        not explain what the GPU waited for, UsageError for a change that is unknown or concerns nothing.
        """
        from nsysql.pages.what_if import Change, collect, document, page

        asked = [Change(how.replace("-", "_"), what) for how, _, what in (text.partition(" ") for text in changes)]
        found = collect(self, asked, read_steps(steps), step_range)
        return PageView(page(found), lambda: document(found))

    def doctor(self) -> PageView:
        """What the export can and cannot answer, what nsys said of it, and what is odd in it. Reads every table."""
        from nsysql.pages.doctor import document, page
        from nsysql.pages.doctor.gather import collect

        found = collect(self)
        return PageView(page.page(found), lambda: document.document(found))

    def report(
        self,
        *,
        top: int = 15,
        gpu: int | None = None,
        start_ns: Time = None,
        end_ns: Time = None,
        nvtx: str | None = None,
        steps: Steps = None,
        step_range: str | None = None,
    ) -> ReportView:
        """Verdict, timeline, tables and the longest gaps as one HTML page; `top` rows of each section.

        Raises UsageError where the stretch of time is none.
        """
        from nsysql.pages.report.gather import collect
        from nsysql.pages.timeline.gather import TimelineScope

        asked = TimelineScope(_ns(start_ns), _ns(end_ns), nvtx, gpu, read_steps(steps), step_range)
        return ReportView(collect(self, asked, top), top)

    def timeline(
        self, *, gpu: int | None = None, start_ns: Time = None, end_ns: Time = None, nvtx: str | None = None,
        steps: Steps = None, step_range: str | None = None,
    ) -> TimelineView:  # fmt: skip
        """What ran on GPUs and threads, and why GPUs were idle: `print` shows it as text, a notebook as a picture.

        Raises MissingData where the export has nothing to show, UsageError where the stretch of time is none.
        """
        from nsysql.pages.timeline.curves import with_curves
        from nsysql.pages.timeline.gather import TimelineScope, collect

        asked = TimelineScope(_ns(start_ns), _ns(end_ns), nvtx, gpu, read_steps(steps), step_range)
        return TimelineView(with_curves(collect(self, asked), self, gpu))

    def flame(
        self, weight: "Weight" = "gpu", *, start_ns: Time = None, end_ns: Time = None, nvtx: str | None = None,
        steps: Steps = None, step_range: str | None = None,
    ) -> FlameView:  # fmt: skip
        """NVTX ranges and what ran inside as a flame graph: a notebook shows it, `write` makes a file of it.

        Raises MissingData where the export has nothing of that weight, UsageError where the stretch of time is none.
        """
        from nsysql.pages.flame.gather import collect

        narrowed = {"start_ns": _ns(start_ns), "end_ns": _ns(end_ns), "nvtx": nvtx, "steps": read_steps(steps)}
        return FlameView(collect(self, weight, **narrowed, step_range=step_range), self.path)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *PAGES})


def _ns(time: Time) -> int | None:
    return as_ns(time)  # type: ignore[no-any-return]
