"""Read digests of files or make them from exports, in several processes if there are many; compare two sides."""

from collections.abc import Callable, Sequence
from dataclasses import replace
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


def _files(path: Path) -> list[Path]:
    """Return the files of one side of a comparison: the exports or digests of a folder are the ranks of one job."""
    return [file.path for file in find_files([path], digests=True)] if path.is_dir() else [path]


def read_one(path: Path, per: str | None, opened: Callable[[Path], Export]) -> Digest:
    """Read a digest, or make the comparable part of one from an export opened by `opened`."""
    if is_digest(path):
        return read(path)
    with opened(path) as run:
        return comparable(run, per)


def read_series(files: Sequence[RunFile], opened: Callable[[Path], Export]) -> list[Digest]:
    """Return the comparable digests of files; one that cannot be read has its `problem`. Raises it if none can."""
    digests = []
    for file in files:
        try:
            digests.append(read_one(file.path, None, opened))
        except NsysqlError as error:
            digests.append(Digest(problem=str(error)))
    return _any_read(digests)


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
    arguments = [(file.path, file.name, threads, memory_limit) for file in files]
    if processes > 1 and len(arguments) >= FEWEST_FOR_PROCESSES:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        with ProcessPoolExecutor(min(processes, len(arguments)), get_context("spawn")) as pool:
            digests = list(pool.map(_read_rank, *zip(*arguments, strict=True)))
    else:
        digests = [_read_rank(*one) for one in arguments]
    return _any_read(digests)


def _read_rank(path: Path, name: str, threads: int | None, memory_limit: str | None) -> Digest:
    try:
        if is_digest(path):
            return replace(read(path), run=name)
        with Export(path, threads=threads, memory_limit=memory_limit) as run:
            return replace(of_ranks(run), run=name)
    except NsysqlError as error:
        return Digest(run=name, problem=str(error))


def compare_files(
    a: Sequence[Path], b: Sequence[Path], options: Options, opened: Callable[[Path], Export]
) -> Comparison:
    """Compare two sides of exports or digests, opened by `opened`; if each is one export, also replay the change."""
    first, second = (
        [together([read_one(file, options.per, opened) for file in _files(path)]) for path in side] for side in (a, b)
    )
    comparison = compared(first, second, options)
    if len(a) != 1 or len(b) != 1 or comparison.verdict not in (FASTER, SLOWER):
        return comparison
    return replace(comparison, replayed=_replayed(a[0], b[0], opened))


def _replayed(a: Path, b: Path, opened: Callable[[Path], Export]) -> Replayed | None:
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
