"""Many exports read, one after the other or in several processes: what cannot be read is told, and ends nothing."""

import os
from collections.abc import Sequence
from pathlib import Path

from nsysql.errors import NotAnExport, NsysqlError, UsageError
from nsysql.export import Export
from nsysql.jobs.facts import RankFacts, read

ENDINGS = (".sqlite", ".duckdb", ".nsys-rep", ".qdrep")  # of exports in a folder; the first of a name counts
TABLES = (".parquet", ".arrow")  # of a folder that is an export
FEWEST_FOR_PROCESSES = 4  # exports


def exports_in(paths: Sequence[Path]) -> list[Path]:
    """The exports that paths name: files, folders of tables, and all exports in other folders, by name.

    Raises NotAnExport where a folder has none, UsageError where nothing is named.
    """
    found: list[Path] = []
    for path in paths:
        if not path.is_dir() or any(file.suffix in TABLES for file in path.iterdir()):
            found.append(path)
            continue
        inside = _of_folder(path)
        if not inside:
            raise NotAnExport(f"{path} is a folder without exports ({', '.join(ENDINGS)}).")
        found += inside
    if not found:
        raise UsageError("no export is named; give files, or a folder of them.")
    return found


def _of_folder(folder: Path) -> list[Path]:
    """The exports right in a folder, one of each name, in order of names with numbers as numbers."""
    chosen: dict[str, Path] = {}
    for ending in ENDINGS:
        for file in folder.glob(f"*{ending}"):
            chosen.setdefault(file.name.removesuffix(ending), file)
    for inner in folder.iterdir():
        if inner.is_dir() and any(file.suffix in TABLES for file in inner.iterdir()):
            chosen.setdefault(inner.name, inner)
    return [chosen[name] for name in sorted(chosen)]


def names_of(paths: Sequence[Path]) -> list[str]:
    """What answers call the exports: their file's names, or as much of the paths as tells them apart."""
    names = [path.name for path in paths]
    if len(set(names)) == len(names):
        return names
    whole = [path.resolve() for path in paths]
    common = Path(os.path.commonpath([path.parent for path in whole]))
    return [path.relative_to(common).as_posix() for path in whole]


def read_files(
    paths: Sequence[Path], threads: int | None = None, memory_limit: str | None = None, processes: int = 1
) -> list[RankFacts]:
    """The facts of exports, in their order, read in so many processes.

    An export that cannot be read is there with its problem. Raises the problem where that is all there is.
    """
    asked = [(path, name, threads, memory_limit) for path, name in zip(paths, names_of(paths), strict=True)]
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
