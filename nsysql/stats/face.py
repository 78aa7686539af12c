"""`nsysql stats`: several reports of one export, each to its output, as `nsys stats` would."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from nsysql.errors import MissingData, NsysqlError
from nsysql.export import Export
from nsysql.stats.cells import cells, csv_line
from nsysql.stats.spec import Report, read_report

CHUNK = 20_000


def stats(run: Export, reports: list[str], outputs: list[str], *, quiet: bool, force: bool) -> None:
    """Print the reports. One that is unknown or cannot be given costs a line on stderr; the others go on."""
    for text in reports:
        try:
            report = read_report(text, run.paths)
        except NsysqlError as error:
            say(f"ERROR: {error}")
            continue
        for output in outputs:
            _give(run, report, output, quiet=quiet, force=force)


def _give(run: Export, report: Report, output: str, *, quiet: bool, force: bool) -> None:
    target = None if output == "-" else _target(run.path, report, output)
    if target and target.exists() and not force:
        if not quiet:
            say(f"SKIPPED: output file {target} exists; overwrite it with --force-overwrite true.")
        return
    try:
        lines = csv_lines(run, report)
        if target is None:
            _write(lines, sys.stdout)
        else:
            with target.open("w", encoding="utf-8", newline="") as file:
                _write(lines, file)
    except MissingData as error:
        if not quiet:
            say(f"SKIPPED: {error}")
    except NsysqlError as error:
        say(f"ERROR: {error}")


def _target(export: Path, report: Report, output: str) -> Path:
    base = str(export.with_suffix("")) if output == "." else output
    return Path(f"{base}_{report.suffix}.csv")


def csv_lines(run: Export, report: Report) -> Iterator[str]:
    """The CSV of a report in chunks of text: header, rows, an empty line. Nothing at all where it has no rows."""
    printed = cells(report.query)
    rows = run.execute_around(report.query, f"SELECT {csv_line(printed)}", report.parameters)
    found = rows.fetchmany(CHUNK)
    if found:
        yield ",".join(f'"{c.title}"' if "," in c.title else c.title for c in printed) + "\n"
    while found:
        yield "\n".join([row[0] for row in found]) + "\n"
        found = rows.fetchmany(CHUNK)


def _write(chunks: Iterator[str], file: IO[str]) -> None:
    wrote = False
    for chunk in chunks:
        file.write(chunk)
        wrote = True
    if wrote:
        file.write("\n")


def say(text: str) -> None:
    """One line to the person, on stderr."""
    print(text, file=sys.stderr)
