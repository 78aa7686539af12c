"""The digest of a file: read from a digest, or made of an export; of many files, in several processes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from nsysql.analysis.compare.job import together
from nsysql.analysis.digest import Digest
from nsysql.analysis.digest_file import is_digest, read
from nsysql.capture.export import Export
from nsysql.capture.files import RunFile, find_files
from nsysql.digest.gather import comparable, of_ranks
from nsysql.errors import NotAnExport, NsysqlError

FEWEST_FOR_PROCESSES = 4  # exports


def read_side(path: Path, per: str | None, opened: Callable[[Path], Export]) -> Digest:
    """What is compared of a file; of a folder of exports or digests, the ranks of a job, all together."""
    files = [file.path for file in find_files([path], digests=True)] if path.is_dir() else [path]
    return together([read_one(file, per, opened) for file in files])


def read_one(path: Path, per: str | None, opened: Callable[[Path], Export]) -> Digest:
    """What is compared of an export, opened by `opened`, or of a digest."""
    if is_digest(path):
        return read(path)
    with opened(path) as run:
        return comparable(run, per)


def read_files(
    files: Sequence[RunFile], threads: int | None = None, memory_limit: str | None = None, processes: int = 1
) -> list[Digest]:
    """The digests of ranks, in order, read in `processes` processes.

    An export that cannot be read is included with its `problem`. Raises NotAnExport if none can be read.
    """
    arguments = [(file.path, file.name, threads, memory_limit) for file in files]
    if processes > 1 and len(arguments) >= FEWEST_FOR_PROCESSES:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        with ProcessPoolExecutor(min(processes, len(arguments)), get_context("spawn")) as pool:
            found = list(pool.map(_read_rank, *zip(*arguments, strict=True)))
    else:
        found = [_read_rank(*one) for one in arguments]
    if all(one.problem is not None for one in found):
        raise NotAnExport("\n".join(one.problem for one in found if one.problem is not None))
    return found


def _read_rank(path: Path, name: str, threads: int | None, memory_limit: str | None) -> Digest:
    try:
        if is_digest(path):
            return replace(read(path), run=name)
        with Export(path, threads=threads, memory_limit=memory_limit) as run:
            return replace(of_ranks(run), run=name)
    except NsysqlError as error:
        return Digest(run=name, problem=str(error))
