"""Read digests of files or make them from exports, in several processes if there are many; compare two sides."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from nsysql.analysis.compare.compare import FASTER, SLOWER, Comparison, Options, Replayed, compared
from nsysql.analysis.compare.job import together
from nsysql.analysis.digest import Digest
from nsysql.analysis.digest_file import is_digest, read
from nsysql.analysis.replay.changes import Waits, durations_from, paced
from nsysql.analysis.replay.graph import replay, span
from nsysql.capture.export import Export
from nsysql.capture.files import RunFile, find_files
from nsysql.capture.replay_graph import MOST_WORK, read_graph, unexplained
from nsysql.digest.gather import comparable, of_ranks
from nsysql.errors import MissingData, NotAnExport, NsysqlError, UsageError

FEWEST_FOR_PROCESSES = 4  # exports
Make = Callable[[Export], Digest]
Opened = Callable[[Path], Export]


def _files(path: Path) -> list[Path]:
    """Return the files of one side of a comparison: the exports or digests of a folder are the ranks of one job."""
    return [file.path for file in find_files([path], digests=True)] if path.is_dir() else [path]


def read_one(path: Path, make: Make, opened: Opened) -> Digest:
    """Read a digest, or make one, or a part of one, from an export opened by `opened`."""
    if is_digest(path):
        return read(path)
    with opened(path) as run:
        return make(run)


def _or_problem(file: RunFile, make: Make, opened: Opened) -> Digest:
    """Read or make the digest of a file; one that cannot be read has its `problem`."""
    try:
        return replace(read_one(file.path, make, opened), run=file.name)
    except NsysqlError as error:
        return Digest(run=file.name, problem=str(error))


def read_series(files: Sequence[RunFile], opened: Opened) -> list[Digest]:
    """Return the comparable digests of files; one that cannot be read has its `problem`. Raises it if none can."""
    return _any_read([_or_problem(file, comparable, opened) for file in files])


def _any_read(digests: list[Digest]) -> list[Digest]:
    if all(one.problem is not None for one in digests):
        raise NotAnExport("\n".join(one.problem for one in digests if one.problem is not None))
    return digests


def read_files(
    files: Sequence[RunFile], threads: int | None = None, memory_limit: str | None = None, processes: int = 1
) -> list[Digest]:
    """Return the digests of ranks, in order, read in `processes` processes.

    An export that cannot be read is included with its `problem`. Raises NotAnExport if none can be read.
    """
    make = partial(_or_problem, make=of_ranks, opened=partial(Export, threads=threads, memory_limit=memory_limit))
    if processes == 1 or len(files) < FEWEST_FOR_PROCESSES:
        return _any_read(list(map(make, files)))
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(min(processes, len(files)), get_context("spawn")) as pool:
        return _any_read(list(pool.map(make, files)))


def compare_files(a: Sequence[Path], b: Sequence[Path], options: Options, opened: Opened) -> Comparison:
    """Compare two sides of exports or digests, opened by `opened`; if each is one export, also replay the change."""
    make = partial(comparable, per=options.per)
    first, second = (
        [together([read_one(file, make, opened) for file in _files(path)]) for path in side] for side in (a, b)
    )
    comparison = compared(first, second, options)
    if len(a) != 1 or len(b) != 1 or comparison.verdict not in (FASTER, SLOWER):
        return comparison
    return replace(comparison, replayed=_replayed(a[0], b[0], opened))


def _replayed(a: Path, b: Path, opened: Opened) -> Replayed | None:
    """Replay A's work with B's durations; None if they launch different work or A's graph does not explain A."""
    if any(len(files) > 1 or is_digest(files[0]) for files in map(_files, (a, b))):
        return None
    with opened(a) as ours, opened(b) as theirs:
        count = ours.count("_replay_work", {}, MOST_WORK + 1)
        if count > MOST_WORK or count != theirs.count("_replay_work", {}, MOST_WORK + 1):
            return None
        try:
            graph, other = read_graph(ours), read_graph(theirs)
            if unexplained(graph):
                return None
            waits = paced(graph, durations_from(graph, Waits.all(graph.wait), other))
        except (MissingData, UsageError):  # different launch sequences
            return None
    cases = {id(case): case for case in (waits.low, waits.likely, waits.high)}.values()
    spans = [span(graph, replay(graph.with_waits(case)).times) for case in cases]
    return Replayed(span(graph, graph.measured), (min(spans), max(spans)), span(other, other.measured))
