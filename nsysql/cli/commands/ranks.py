"""`nsysql ranks`: the page on the terminal, as Markdown or JSON, or its table of ranks in the other formats."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nsysql.cli.options import FILE, MEMORY, NAMES, QUIET, THREADS, argument, formats, option, with_options
from nsysql.cli.output import PAGE_FORMS, TERMINAL, form_of, opened
from nsysql.cli.rows import OutputOptions, PageAnswer, QueryResult, give

if TYPE_CHECKING:
    pass

PROCESSES = 4  # most processes to read exports
SHOWN = 64  # ranks
JOB = "The exports of one job: files, a folder, or a pattern; one for each rank, or for several."
AS = "Treat the exports as the ranks of one job, or as repeated runs; by default their times and ranks decide."


def _ranks(
    job: list[Path], as_: Any, top: int, format: Any, output: str, name_width: int | None, full_names: bool,
    quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """Which rank of a job keeps the others waiting, by how much, and what it does meanwhile.

    Collectives (kernels of NCCL, else MPI calls) are matched across the ranks, and each is split into waiting for
    the last rank and transfer. Clocks of several exports are aligned by their sessions' starts and by the collectives;
    the page shows the uncertainty. Several processes with GPUs in one export are ranks too. As csv, ndjson, parquet or
    arrow it is the table of ranks.
    """
    from nsysql.analysis.ranks.job import of_facts
    from nsysql.capture.files import find_files
    from nsysql.cli.open_export import ensure_exported
    from nsysql.cli.progress import waiting
    from nsysql.digest.reading import read_files
    from nsysql.pages.ranks import page

    form = form_of(format, output, PAGE_FORMS)
    files = find_files(job, digests=True)
    with opened(output, *(one.path for one in files)) as file:
        for one in files:
            ensure_exported(one.path)
        with waiting(f"Reading {len(files)} exports", quiet)():
            facts = read_files(files, threads, memory_limit, min(PROCESSES, os.cpu_count() or 1))
            found = of_facts(facts, None if as_ is None else str(as_))  # type: ignore[arg-type]
        giving = OutputOptions(form, output, quiet=quiet, name_width=name_width, full_names=full_names)
        answer = PageAnswer(
            lambda: page.page(found, top or None),
            lambda: page.document(found),
            lambda: QueryResult(found.ranks, list(found.problems)),
        )
        give(answer, giving, file)
    if any(one.problem for one in facts):  # the page has it as a note
        raise typer.Exit(1)


def _kinds() -> Any:
    from enum import StrEnum

    return StrEnum("As", [("ranks", "ranks"), ("repeats", "repeats")])


ranks = with_options(
    _ranks,
    [
        argument("job", list[Path], metavar="JOB...", help=JOB),
        option("as_", _kinds(), None, "--as", help=AS),
        option("top", int, SHOWN, "--top", metavar="ROWS", min=0, help="Maximum rows of each section (0 = all)."),
        formats(PAGE_FORMS, TERMINAL),
        FILE, *NAMES, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
