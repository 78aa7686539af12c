"""Read many exports, in sequence or in several processes: an unreadable export is reported and the rest are read."""

from collections.abc import Sequence
from pathlib import Path

from nsysql.analysis.digest import is_digest, read_ranks
from nsysql.analysis.ranks.facts import RankFacts
from nsysql.capture.export import Export
from nsysql.capture.files import RunFile
from nsysql.digest.rank_facts import read
from nsysql.errors import NotAnExport, NsysqlError

FEWEST_FOR_PROCESSES = 4  # exports


def read_files(
    files: Sequence[RunFile], threads: int | None = None, memory_limit: str | None = None, processes: int = 1
) -> list[RankFacts]:
    """The facts of these exports, in order, read in `processes` processes.

    An export that cannot be read is included with its `problem`. Raises NotAnExport if none can be read.
    """
    arguments = [(file.path, file.name, threads, memory_limit) for file in files]
    if processes > 1 and len(arguments) >= FEWEST_FOR_PROCESSES:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        with ProcessPoolExecutor(min(processes, len(arguments)), get_context("spawn")) as pool:
            found = list(pool.map(read_file, *zip(*arguments, strict=True)))
    else:
        found = [read_file(*one_file) for one_file in arguments]
    if all(facts.problem is not None for facts in found):
        raise NotAnExport("\n".join(facts.problem for facts in found if facts.problem is not None))
    return found


def read_file(path: Path, name: str, threads: int | None = None, memory_limit: str | None = None) -> RankFacts:
    """The facts of one_file export; its problem where it cannot be read."""
    try:
        if is_digest(path):
            return read_ranks(path, name)
        with Export(path, threads=threads, memory_limit=memory_limit) as run:
            return read(run, name)
    except NsysqlError as error:
        return RankFacts(name, str(path), problem=str(error))
