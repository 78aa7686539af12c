"""Query many exports as one: the result of `nsysql.open_runs`."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from nsysql.capture.connection import SMALL_EXPORT, memory_bytes
from nsysql.capture.files import RunFile, find_files
from nsysql.catalog.header import own_folder
from nsysql.catalog.packs import find_packs, find_query, public_views, query_paths
from nsysql.catalog.query_file import SOURCE
from nsysql.errors import NsysqlError, UsageError
from nsysql.fleet.question import Question, code, of_page, of_query
from nsysql.fleet.store import Store, rows_of, sql_over
from nsysql.fleet.task import OVERVIEW, Outcome, Task, outcome_of, tables_of
from nsysql.fleet.workers import ClusterWorkers, LocalWorkers, connect

if TYPE_CHECKING:
    import polars

    from nsysql.analysis.many_runs import ManyRuns
    from nsysql.capture.methods import Methods
    from nsysql.render.page_views import PageView
else:
    Methods = object  # the queries and views: type checkers see them, `__getattr__` finds them

Paths = str | Path | Sequence[str | Path]
Workers = ClusterWorkers | LocalWorkers
Telling = Callable[[str], AbstractContextManager[Callable[[float], None] | None]]
SHOWN = 40  # rows of a section
MEMBERS = ("ask", "close", "names", "overview", "query", "spread", "sql", "status")
NO_FILE = "there is no such file."


def open_runs(
    paths: Paths,
    *,
    packs: str | Path | Sequence[str | Path] = (),
    output: str | Path | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
) -> "Runs":
    """Open many exports to query them as one: a folder that is searched, a pattern such as 'job/*.sqlite', or paths.

    Digests have the page only; those of a folder count if it has no exports.

    Queries run in worker processes, one file at a time each: one worker per CPU, or `workers`, or those of the Dask
    scheduler at `scheduler` (its address, or its scheduler file). Results are stored in the folder `output` and reused
    next time unless the file, nsysql or the query changed; without `output` they are deleted by `close()`. `packs` are
    folders of further queries. `threads` are each worker's (1 without it), `memory_limit` ('16GB'; also
    NSYSQL_MEMORY_LIMIT) bounds all workers of a machine together.

    A scheduler needs Dask. Raises UsageError if nothing is found at these paths.
    """
    places = [paths] if isinstance(paths, str | Path) else list(paths)
    folders = (packs,) if isinstance(packs, str | Path) else tuple(packs)
    if workers is not None and workers < 1:
        raise UsageError(f"workers is {workers}; it must be at least 1.")
    try:
        files = find_files(places)
    except UsageError:  # a folder of digests
        files = find_files(places, digests=True)
    return Runs(files, folders, output, scheduler, workers, threads, memory_limit)


class Runs(Methods):
    """Many exports. Every query and view is a method, as for one export: `runs.cuda_gpu_kern_sum()` returns one frame.

    Its rows have the run's name in the column `run`, then the query's columns; runs are in natural order of their
    names. Files that cannot be read, or lack what the query needs, have no rows there: `status` says why. Also a
    context manager; `close()` ends the workers.
    """

    def __init__(
        self, files: Sequence[RunFile], packs: Sequence[str | Path], output: str | Path | None, scheduler: str | None,
        workers: int | None, threads: int | None, memory_limit: str | None,
    ) -> None:  # fmt: skip
        self.files = tuple(files)
        folders = find_packs(tuple(packs))
        self._packs = tuple(folder.absolute() for folder in folders if not folder.is_relative_to(own_folder()))
        self._scheduler, self._count, self._threads = scheduler, workers, threads
        self._limit = memory_limit or os.environ.get("NSYSQL_MEMORY_LIMIT") or None
        self._bytes = None if self._limit is None else memory_bytes(self._limit)
        self._temporary = output is None
        self._output = None if output is None else Path(output).absolute()
        self._made: Store | None = None
        self._workers: Workers | None = None
        self._outcomes: dict[str, Outcome] = {}
        self._so_far: list[Outcome] = []  # of the query in progress
        self._closed = False
        self.progress: Telling | None = None  # shows progress

    # Asking --------------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        return [file.name for file in self.files]

    def query(self, name: str, /, **parameters: Any) -> "polars.DataFrame":
        """Return the results of a query, or the rows of a view, for all runs: column `run`, then those of the query.

        Rows are ordered by run, then as the query orders them. Raises UsageError for an unknown query, parameter or
        value, and the first file's reason if no file has a result.
        """
        question = of_query(name, parameters, self._packs)
        return self.rows(question, self.ask([question]))

    def sql(self, text: str, parameters: Mapping[str, Any] | None = None) -> "polars.DataFrame":
        """Return the result of one SELECT over all runs: queries and views are tables, with the column `run` first.

        A run without a result for one of them has no rows in it. `parameters` fill `$name`. Raises QueryError for
        anything but a SELECT.
        """
        known = {*query_paths(find_packs(self._packs)), *public_views()}
        names = dict.fromkeys(name for name in SOURCE.findall(text) if name in known)
        questions = [of_query(name, {}, self._packs) for name in names]
        outcomes = self.ask(questions)
        for question in questions:
            self.require_one(question, outcomes)
        answered = {question.name: self.answered(question, outcomes) for question in questions}
        return sql_over(self.store, answered, text, parameters, self._limit)

    def ask(self, questions: Sequence[Question]) -> dict[str, Outcome]:
        """Run the questions on every file without stored results; returns outcomes by the file's name."""
        if self._closed:
            raise UsageError("these runs were closed; open them again with nsysql.open_runs.")
        names = [question.name for question in questions]
        tasks, outcomes = [], {}
        for file in self.files:
            if file.identity is None:
                outcomes[file.name] = outcome_of(file.name, names, {}, NO_FILE, 0.0)
                continue
            known = self._known(file, questions)
            left = tuple(question for question in questions if question.name not in known)
            outcomes[file.name] = outcome_of(file.name, names, known, None, 0.0)
            if left:
                place, packs = str(self.store.folder.absolute()), tuple(map(str, self._packs))
                to = place, self.store.token, self.store.command
                tasks.append(Task(file.name, str(file.path), file.identity, left, *to, code(), packs))
        for one in self._done(tasks):
            before = outcomes[one.run]
            reason = one.reason if not one.answers else None
            outcomes[one.run] = outcome_of(one.run, names, {**before.answers, **one.answers}, reason, one.seconds)
            self._outcomes[one.run] = outcomes[one.run]
        self._outcomes.update(outcomes)
        if not self._temporary and any(file.identity for file in self.files):  # else no folder is created
            with suppress(OSError), self.store.part(self.store.status) as part:  # others' results can be read-only
                self.status.write_csv(part)
        return outcomes

    def rows(self, question: Question, outcomes: Mapping[str, Outcome], most: int | None = None) -> "polars.DataFrame":
        """Return the results of one question as a frame, or its first rows. Raises the first file's reason if none."""
        self.require_one(question, outcomes)
        answered = self.answered(question, outcomes)
        return rows_of(self.store, question.name, answered, self._limit, most)

    def require_one(self, question: Question, outcomes: Mapping[str, Outcome]) -> None:
        if self.answered(question, outcomes):
            return
        first = next(iter(outcomes.values()))
        path = next(file.path for file in self.files if file.name == first.run)
        reason = first.answers.get(question.name, {}).get("reason") or first.reason or ""
        several = f" None of the {len(outcomes)} files has an answer." if len(outcomes) > 1 else ""
        raise NsysqlError(f"{path}: {reason}{several}")

    def answered(self, question: Question, outcomes: Mapping[str, Outcome]) -> list[str]:
        answers = {name: outcomes[name].answers.get(question.name) for name in self.names}
        return [name for name, answer in answers.items() if answer is not None and not answer.get("reason")]

    @property
    def status(self) -> "polars.DataFrame":
        """One row for each file, in order: run, path, status, seconds, reason.

        status is answered, partly or failed for the last query, NULL before the first; seconds are those of the worker,
        0 for stored results.
        """
        import polars as pl

        rows = []
        for file in self.files:
            one = self._outcomes.get(file.name)
            rows.append((file.name, _text(file.path), *((one.status, one.seconds, one.reason) if one else [None] * 3)))
        kinds = {"run": pl.String, "path": pl.String, "status": pl.String, "seconds": pl.Float64, "reason": pl.String}
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def overview(self, *, top: int | None = SHOWN) -> "PageView":
        """Return a page: a row per run and GPU, outliers, how much the runs differ, and when each was busy.

        `top` rows of each section, all if None. Raises the first file's reason if no file can be read.
        """
        return self.view(self.together(), top)

    def view(self, many: "ManyRuns", top: int | None) -> "PageView":
        from nsysql.pages.runs import document, frame, page
        from nsysql.render.page_views import PageView, Rows

        return PageView(lambda: page(many, top), lambda: document(many), lambda: Rows(frame(many)))

    def spread(self) -> "polars.DataFrame":
        """Return how the runs differ: median, smallest, largest, relative MAD of window, period and each account."""
        return self.together().spread

    def together(self, outcomes: Mapping[str, Outcome] | None = None) -> "ManyRuns":
        """Return the page's data as frames; `outcomes` are those of an earlier `ask`, if there was one."""
        from nsysql.analysis.many_runs import ManyRuns

        question = of_page(OVERVIEW)
        outcomes = self.ask([question]) if outcomes is None else outcomes
        self.require_one(question, outcomes)
        answered = self.answered(question, outcomes)
        frames = (rows_of(self.store, name, answered, self._limit) for name in tables_of(question))
        return ManyRuns(self.title, self.status, *frames)

    @property
    def title(self) -> str:
        """The folder that all exports share, and the number of exports."""
        place = Path(os.path.commonpath([file.path.parent for file in self.files]))
        count = f"{len(self.files):,} {'export' if len(self.files) == 1 else 'exports'}"
        return f"{_text(Path(place.name))}: {count}" if len(place.parts) > 2 else count

    @property
    def so_far(self) -> int:
        """The number of files done in the query in progress, without those that had stored results."""
        return sum(1 for outcome in self._so_far if outcome.answers)

    # Doing ---------------------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        if self._made is None:
            folder = self._output or Path(tempfile.mkdtemp(prefix="nsysql-runs-"))
            self._made = Store(folder, sources=tuple(file.path for file in self.files)).create()
        return self._made

    def _known(self, file: RunFile, questions: Sequence[Question]) -> dict[str, dict[str, Any]]:
        """Return the stored results that are still valid for the file."""
        known, done = {}, self.store.finished(file.name, file.identity)
        for question in questions:
            answer = done.get(question.name)
            if answer is None or answer["key"] != question.key or not answer["lasts"]:
                continue
            if answer["reason"] or answer["checksums"] == self.store.checksums(tables_of(question), file.name):
                known[question.name] = answer
        return known

    def _done(self, tasks: list[Task]) -> "list[Outcome]":
        """Run the tasks on the workers, largest files first, so that all workers end at about the same time."""
        if not tasks:
            return []
        sizes = {file.name: file.size_bytes for file in self.files}
        tasks.sort(key=lambda task: -sizes[task.run])
        if self._workers is None:
            self._workers = connect(self._scheduler) if self._scheduler else LocalWorkers(self._count, len(tasks))
        workers = self._workers
        limit = None if self._bytes is None else f"{int(self._bytes / workers.per_host)}B"
        is_said = self._threads is not None or os.environ.get("NSYSQL_THREADS")
        for i, task in enumerate(tasks):
            threads = 1 if sizes[task.run] < SMALL_EXPORT else workers.threads
            tasks[i] = replace(task, memory_limit=limit, threads=self._threads if is_said else threads)
        done = self._so_far = []
        text = f"Asking {len(tasks)} of {len(self.files)} exports" if len(tasks) > 1 else "Asking an export"
        try:
            with self.progress(text) if self.progress else nullcontext(None) as on_progress:
                for one in workers.outcomes(tasks):
                    if one.stop is not None:
                        raise NsysqlError(one.stop)
                    done.append(one)
                    if on_progress is not None:
                        on_progress(len(done) / len(tasks))
        except BaseException:
            self._stop()
            raise
        return done

    def _stop(self) -> None:
        if self._workers is not None:
            workers, self._workers = self._workers, None
            workers.close()
        if self._made is not None:
            self._made.sweep()

    def close(self) -> None:
        """End the workers; without `output` also delete the results."""
        self._closed = True
        self._stop()
        if self._made is not None:
            self._made.close(self._temporary)

    # Being an object -----------------------------------------------------------------------------

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or "_packs" not in self.__dict__:
                raise AttributeError(name)
            queries = query_paths(find_packs(self._packs))
            try:
                query = find_query(name, queries)
            except UsageError as error:
                raise AttributeError(str(error)) from None
            from nsysql.catalog.signatures import as_method

            return as_method(self, query)

    def __dir__(self) -> list[str]:
        return sorted({*MEMBERS, *query_paths(find_packs(self._packs)), *public_views()})

    def __len__(self) -> int:
        return len(self.files)

    def __enter__(self) -> "Runs":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):
            if not self._closed:
                self.close()

    def __repr__(self) -> str:
        return f"<nsysql runs: {len(self.files)} exports, {self.files[0].name} to {self.files[-1].name}>"


def _text(path: Path) -> str:
    return str(path).encode("utf-8", "backslashreplace").decode()
