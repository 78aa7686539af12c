"""Many exports read, one after the other or in several processes: what cannot be read ends nothing, and is reported."""

from collections.abc import Sequence
from pathlib import Path

from nsysql.errors import NotAnExport, NsysqlError
from nsysql.export import Export
from nsysql.jobs.facts import RankFacts, read
from nsysql.sources.files import RunFile

FEWEST_FOR_PROCESSES = 4  # exports


def read_files(
    files: Sequence[RunFile], threads: int | None = None, memory_limit: str | None = None, processes: int = 1
) -> list[RankFacts]:
    """The facts of exports, in their order, read in so many processes.

    An export that cannot be read is there with its problem. Raises the problem where that is all there is.
    """
    asked = [(file.path, file.name, threads, memory_limit) for file in files]
    if processes > 1 and len(asked) >= FEWEST_FOR_PROCESSES:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        with ProcessPoolExecutor(min(processes, len(asked)), get_context("spawn")) as pool:
            found = list(pool.map(read_file, *zip(*asked, strict=True)))
    else:
        found = [read_file(*one) for one in asked]
    if all(facts.problem is not None for facts in found):
        raise NotAnExport("\n".join(facts.problem for facts in found if facts.problem is not None))
    return found


def read_file(path: Path, name: str, threads: int | None = None, memory_limit: str | None = None) -> RankFacts:
    """The facts of one export; its problem where it cannot be read."""
    try:
        with Export(path, threads=threads, memory_limit=memory_limit) as run:
            return read(run, name)
    except NsysqlError as error:
        return RankFacts(name, str(path), problem=str(error))
