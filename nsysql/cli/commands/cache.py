"""`nsysql cache`: the exports made from reports."""

import typer

from nsysql.cli.options import option, with_options


def _cache(clear: bool) -> None:
    """The exports that nsysql made from reports, and where they are stored.

    A report (.nsys-rep) is exported once, by the nsys on the PATH or named by NSYSQL_NSYS. The exports are stored in
    the user's cache folder, or in NSYSQL_CACHE; above 20 GB the least recently used are removed. An nsys that makes no
    progress for 5 minutes, or for the seconds in NSYSQL_NSYS_TIMEOUT, is stopped. An export may be read by those who
    may read its report.
    """
    from nsysql.capture.forms import report_cache

    found = report_cache.entries()
    size = sum(found.values())
    if clear:
        report_cache.clear()
    size_line = f"{len(found):,} {'export' if len(found) == 1 else 'exports'}, {size:,} bytes"
    typer.echo(f"{'removed ' if clear else ''}{size_line}, in {report_cache.folder()}")


cache = with_options(_cache, [option("clear", bool, False, "--clear", help="Remove them.")])
