"""`nsysql digest`: the data of one capture for comparisons, in a small file."""

from pathlib import Path
from typing import Any

from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, QUIET, THREADS, option, with_options
from nsysql.cli.output import opened
from nsysql.cli.rows import open_export

PER = "Keep this NVTX range as a unit of time too, for `nsysql compare --per NAME`."


def _digest(ctx: Any, export: Path, per: str | None, output: str, quiet: bool, threads: Any, memory_limit: Any) -> None:
    """The data of one capture for `nsysql compare`, in a small file, without rows, paths or the environment.

    Keep the digest of the main branch, and compare each change with it. Comparing digests gives the same bytes as
    comparing their exports.
    """
    from nsysql.analysis.digest_file import text_of
    from nsysql.digest import gather

    with opened(output, export) as file, open_export(ctx, export, threads, memory_limit, quiet) as run:
        file.write(text_of(gather.digest(run, per)))


digest = with_options(
    _digest,
    [
        CONTEXT, EXPORT,
        option("per", str, None, "--per", metavar="NAME", help=PER),
        FILE, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
