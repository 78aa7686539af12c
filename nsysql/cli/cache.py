"""`nsysql cache`: the exports that were made of reports."""

import typer

from nsysql.cli.options import dressed, option


def _cache(clear: bool) -> None:
    """The exports that nsysql made of reports, and where they are kept.

    A report (.nsys-rep) is exported once, by the nsys on the PATH or named by NSYSQL_NSYS. The exports lie in a
    folder of the user's caches, or in NSYSQL_CACHE; above 20 GB those used longest ago are removed.
    """
    from nsysql.inputs import cache

    found = cache.entries()
    size = sum(found.values())
    if clear:
        cache.clear()
    told = f"{len(found):,} {'export' if len(found) == 1 else 'exports'}, {size:,} bytes"
    typer.echo(f"{'removed ' if clear else ''}{told}, in {cache.folder()}")


cache = dressed(_cache, [option("clear", bool, False, "--clear", help="Remove them.")])
