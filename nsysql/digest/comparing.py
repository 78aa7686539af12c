"""Files compared: two sides, and how much of a change their kernels and copies explain, by a replay."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from nsysql.analysis.compare.compare import FASTER, SLOWER, Comparison, Options, Replayed, compared
from nsysql.analysis.digest_file import is_digest
from nsysql.analysis.replay.changes import Waits, durations_from
from nsysql.analysis.replay.model import Array, Graph
from nsysql.analysis.replay.walk import replay
from nsysql.capture.export import Export
from nsysql.capture.files import find_files
from nsysql.capture.replay_graph import MOST_WORK, read_graph, unexplained
from nsysql.digest.reading import read_side
from nsysql.errors import MissingData, UsageError


def compare_files(
    a: Sequence[Path], b: Sequence[Path], options: Options, opened: Callable[[Path], Export]
) -> Comparison:
    """Two sides of exports or digests, opened by `opened`; of two exports also the replay of a change."""
    first, second = ([read_side(path, options.per, opened) for path in side] for side in (a, b))
    found = compared(first, second, options)
    if len(a) != 1 or len(b) != 1 or found.verdict not in (FASTER, SLOWER):
        return found
    return replace(found, replayed=_replayed(a[0], b[0], opened))


def _replayed(a: Path, b: Path, opened: Callable[[Path], Export]) -> Replayed | None:
    """A's work with B's durations; None if they do not launch the same work, or A's graph does not explain A."""
    files = [find_files([path]) if path.is_dir() else [path] for path in (a, b)]
    if any(len(of_side) > 1 for of_side in files) or is_digest(a) or is_digest(b):
        return None
    with opened(a) as ours, opened(b) as theirs:
        count = ours.count("_replay_work", {}, MOST_WORK + 1)
        if count > MOST_WORK or count != theirs.count("_replay_work", {}, MOST_WORK + 1):
            return None
        try:
            graph, other = read_graph(ours), read_graph(theirs)
            if unexplained(graph):
                return None
            waits = durations_from(graph, Waits.all(graph.wait), other)
        except (MissingData, UsageError):  # another sequence
            return None
    times = replay(graph.with_waits(waits.likely)).times
    return Replayed(_span(graph, graph.measured), _span(graph, times), _span(other, other.measured))


def _span(graph: Graph, times: Array) -> int:
    """From the first GPU work to the last."""
    first, last = (times[graph.works[name].to_numpy()] for name in ("first", "last"))
    return int(last.max() - first.min())
