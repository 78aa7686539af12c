"""Open exports as `nsysql.open` does, and compare or rank several of them."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nsysql.capture.export import Export
from nsysql.catalog.parameters import Steps, Time
from nsysql.errors import UsageError
from nsysql.render.page_views import DrawnView, PageView, Rows

if TYPE_CHECKING:
    from nsysql.analysis.compare.compare import Comparison
    from nsysql.analysis.ranks.job import Job
    from nsysql.api.pages import Pages
    from nsysql.pages.timeline.model import Timeline

Captures = str | Path | Export | Sequence[str | Path | Export]


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
    """Open an Nsight Systems export, read-only: a .sqlite, a folder of Parquet or Arrow files, a .duckdb of `nsysql
    convert`, or a report if nsys is installed. Thread-safe: questions are answered one at a time.

    `packs` are folders of further queries. `threads` are DuckDB's; `memory_limit` ('4GB') bounds the process: a
    question that needs more ends in an error. `allow_files` lets `sql()` and packs read other files (read_csv and the
    like), which is refused otherwise. `waiting` returns a context manager that is active while a question runs, such as
    one that shows a spinner. `name_letters` cuts longer names of events, for display: each stays different from all
    others. Raises NotAnExport, with the reason and a remedy, if the file is not an export.
    """
    folders = (packs,) if isinstance(packs, str | Path) else tuple(packs)
    run = Run(Path(path), folders, threads, memory_limit, allow_files, name_letters)
    run._engine.turns.waiting = waiting
    return run


def compare(
    a: Captures, b: Captures, *, per: str | None = None, gpu: int | None = None, threshold_pct: float = 1.0,
    run_noise_pct: float | None = None, top: int = 12, all: bool = False,
) -> DrawnView:  # fmt: skip
    """Compare captures `a` and `b`, each one or several: paths of exports or digests, or open exports.

    A folder of exports or digests is one capture: the ranks of a job. `per` is step, work, window, or the name of an
    NVTX range; `gpu` one GPU instead of the mean over all; a verdict needs more than `threshold_pct`. With fewer than
    three captures a side, runs are assumed to differ by `run_noise_pct` (standard deviation), by default by an
    estimate. The page is the first screen, with `all` every account, too. Raises MissingData if the sides have no unit
    of time in common, NotAnExport if a file is not an export.
    """
    from nsysql.analysis.compare.compare import Options
    from nsysql.digest.reading import compare_files

    first, second = _paths(a), _paths(b)
    options = Options(per, gpu, threshold_pct / 100, None if run_noise_pct is None else run_noise_pct / 100)
    return comparison_view(compare_files(first, second, options, open), top or None, all)


def _paths(captures: Captures) -> list[Path]:
    """Return the paths of one capture or several. Raises UsageError if there are none."""
    several = [captures] if isinstance(captures, str | Path | Export) else captures
    paths = [one.path if isinstance(one, Export) else Path(one) for one in several]
    if not paths:
        raise UsageError("no capture is named; give the path of an export or a digest, a folder, or several.")
    return paths


def comparison_view(
    comparison: "Comparison", top: int | None, everything: bool, gates: Sequence[dict[str, str]] = ()
) -> DrawnView:
    """Return the page of a comparison; its document has the outcomes of `gates`, if there are any."""
    from nsysql.pages.compare import document, frame, page

    def draw(width: int) -> str:
        from nsysql.render.charts.compare import svg

        return svg(comparison, top, width)

    def as_document() -> dict[str, Any]:
        return document(comparison) | ({"gates": list(gates)} if gates else {})

    return DrawnView(draw, lambda: page(comparison, top, everything), as_document, lambda: Rows(frame(comparison)))


def ranks(
    paths: Captures,
    *,
    as_: Literal["ranks", "repeats"] | None = None,
    processes: int = 1,
    top: int | None = 16,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> PageView:
    """Find which rank of a job keeps others waiting, by how much, and what it does meanwhile; `top` rows per section.

    `paths` are exports, a folder of them or a pattern; `as_` treats them as ranks of one job or as repeated runs; by
    default their times and ranks decide. `processes` read them in parallel. Raises UsageError if a rank occurs twice,
    MissingData if no export has GPU work or MPI calls, NotAnExport if none can be read.
    """
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.capture.files import find_files
    from nsysql.digest.reading import read_files

    files = find_files(_paths(paths), digests=True)
    return ranks_view(of_facts(read_files(files, threads, memory_limit, processes), as_), top)


def ranks_view(job: "Job", top: int | None) -> PageView:
    """Return the page of the ranks of a job."""
    from nsysql.pages.ranks import document, page

    return PageView(lambda: page(job, top), lambda: document(job), lambda: Rows(job.ranks, job.problems))


def timelines(
    paths: Captures, *, gpu: int | None = None, start_ns: Time | None = None, end_ns: Time | None = None,
    nvtx: str | None = None, steps: Steps | None = None, step_range: str | None = None,
    threads: int | None = None, memory_limit: str | None = None,
) -> "dict[str, Timeline]":  # fmt: skip
    """Return the timelines of a job's ranks by the names of their exports, all on the clock of the first rank's export.

    `events` of a timeline is a frame: track, lane, start_ns, end_ns, name and more. Offsets of the clocks and their
    errors are in `ranks(paths).document()`. Raises as `ranks` does, and MissingData for an export without a timeline.
    """
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.api.pages import scope_of
    from nsysql.capture.files import find_files
    from nsysql.digest.reading import read_files
    from nsysql.pages.timeline.gather import aligned, collect, of_job, with_one_length

    files = find_files(_paths(paths))
    job = of_facts(read_files(files, threads, memory_limit), "ranks")
    scope = scope_of(start_ns, end_ns, nvtx, steps, step_range, gpu=gpu)

    def opened(path: Path) -> Run:
        return open(path, threads=threads, memory_limit=memory_limit)

    job_timelines = of_job(files, job, scope, opened, collect)
    timelines = with_one_length([aligned(one) for one in job_timelines])
    return {one.name: timeline for one, timeline in zip(job_timelines, timelines, strict=True)}


class Run(Export):
    """One open export: queries and views are methods that return frames, `pages` has the pages."""

    @property
    def pages(self) -> "Pages":
        """The pages of the command line: `run.pages.summary()`, `run.pages.idle_gaps(by="nvtx")`."""
        from nsysql.api.pages import Pages

        return Pages(self)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            from nsysql.api.pages import Pages

            try:
                return super().__getattr__(name)
            except AttributeError:
                if name.startswith("_") or not hasattr(Pages, name):
                    raise
            raise AttributeError(f"{name} is a page: run.pages.{name}()")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), "pages"})
