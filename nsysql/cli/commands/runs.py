"""`nsysql runs`: query many exports as one, in worker processes on this machine or of a Dask cluster."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nsysql.cli.open_export import bar
from nsysql.cli.options import COLUMNS, LIMIT, OF_PAGES, OUTPUT, argument, formats, option, top_rows
from nsysql.cli.output import DRAWN_FORMS, ENDINGS, form_of, opened
from nsysql.cli.rows import Call, command, give, more_rows, write_rows
from nsysql.errors import UsageError, escaped
from nsysql.render.page_views import DrawnView, Rows

if TYPE_CHECKING:
    from nsysql.fleet.question import Question
    from nsysql.fleet.runs import Runs

SHOWN = 40  # rows of a section
MOST_LISTED = 20  # failed files that are listed
QUERY = "Run this query or view on every export, and output the rows of all."
PARAM = "A parameter of the query: NAME=VALUE, such as min-gap=10us; may be repeated."
FOLDER = "A folder that stores results (Parquet, a folder per query) and reuses them; or a file, by its extension."
SCHEDULER = "Use the workers of the Dask scheduler at ADDRESS: tcp://node1:8786, or its scheduler file (.json)."
SINCE = "The captures are those of one program over time: the first that differs, and what changed."
STRICT = "Exit with 1 if a file cannot be read; by default it is only reported."
FILES = {end for endings in ENDINGS.values() for end in endings}
WORKERS = "Worker processes on this machine; by default one per CPU."


@command([COLUMNS, LIMIT, *OF_PAGES[1:]])
def runs(
    call: Call,
    jobs: list[Path] = argument(metavar="JOB...", help="A folder of exports, a pattern, or exports."),
    query: str | None = option(None, "--query", metavar="NAME", help=QUERY),
    param: list[str] | None = option(None, "--param", metavar="NAME=VALUE", help=PARAM),
    scheduler: str | None = option(None, "--scheduler", metavar="ADDRESS", help=SCHEDULER),
    workers: int | None = option(None, "--workers", metavar="COUNT", min=1, help=WORKERS),
    since: bool = option(False, "--since", help=SINCE),
    strict: bool = option(False, "--strict", help=STRICT),
    top: int | None = top_rows(SHOWN),
    output: str | None = option(None, "--output", "-o", metavar="PATH", help=FOLDER, rich_help_panel=OUTPUT),
    format: Any = formats(DRAWN_FORMS, "table"),
) -> None:
    """Many exports at once: a row for each run and outliers, or the rows of a query over all of them.

    JOB is a folder that is searched for exports, a pattern such as 'job/*.sqlite', or files. Worker processes read
    them, one file at a time each. A file that cannot be read is reported, and the others are read. With --output FOLDER
    the results are stored, and the same command continues where it was interrupted.

    With --since the captures are those of one program over time, in natural order of their names, best as digests:
    which is the first that differs, and what changed there; as a picture, too.

    Without --query it is a page; as csv, ndjson, parquet or arrow it is the page's table of runs.
    """
    from nsysql.fleet.runs import open_runs

    if since:
        if query or param or scheduler:
            raise UsageError("--since reads digests or exports here: without --query, --param and --scheduler.")
        call = replace(call, output=output or "-", form=form_of(format, output or "-", DRAWN_FORMS))
        if _since(call, jobs, top) and strict:
            raise typer.Exit(1)
        return
    is_file = output is not None and Path(output).suffix.lower() in FILES and not Path(output).is_dir()
    target, folder = (output or "-", None) if is_file else ("-", output)
    form = form_of(format, target, DRAWN_FORMS)
    if form == "svg":
        raise UsageError("svg is a picture of --since; the page about many runs has html.")
    call = replace(call, form=form, output=target)
    question = _question(query, param or [], call.packs)
    with open_runs(
        list(jobs), packs=call.packs, output=folder, scheduler=scheduler, workers=workers, threads=call.threads,
        memory_limit=call.memory_limit,
    ) as runs, opened(target, *(file.path for file in runs.files)) as file:  # fmt: skip
        runs.progress = lambda text: bar(text, call.quiet)
        with _interrupted(runs, folder):
            outcomes = runs.ask([question])
        if len(outcomes) > 1 or runs.answered(question, outcomes):  # else an error names the file
            is_listed = folder and Path(folder, "status.csv").exists()
            listed = f"{folder}/status.csv lists all" if is_listed else "--output FOLDER keeps a list"
            _failures({name: one.reason for name, one in outcomes.items() if one.reason}, listed)
        if query is None:
            give(runs.view(runs.together(outcomes), top), call, file)
        else:
            rows = runs.rows(question, outcomes, call.rows or None)
            total = sum(outcomes[name].answers[question.name]["rows"] for name in runs.answered(question, outcomes))
            none = "no rows: no export holds anything of the kind."
            write_rows(Rows(rows, [], none, more_rows(total - rows.height)), call, file)
        file.flush()
    if strict and any(one.reason for one in outcomes.values()):
        raise typer.Exit(1)


def _since(call: Call, jobs: list[Path], top: int | None) -> bool:
    """Write the page; return whether a file cannot be read, which stderr says."""
    from nsysql.analysis.compare.compare import Options
    from nsysql.analysis.compare.series import series_of
    from nsysql.capture.files import find_files
    from nsysql.digest.reading import read_series
    from nsysql.pages import since
    from nsysql.render.charts.compare import svg_of_series

    files = find_files(jobs, digests=True)
    with opened(call.output, *(file.path for file in files)) as target:
        captures = read_series(files, call.open)
        series = series_of([file.name for file in files], captures, Options())
        page, document = lambda: since.page(series, top), lambda: since.document(series)
        rows = Rows(since.frame(series))
        give(DrawnView(lambda width: svg_of_series(series, width), page, document, lambda: rows), call, target)
    failed = {file.name: one.problem for file, one in zip(files, captures, strict=True) if one.problem}
    _failures(failed, "the page lists all")
    return bool(failed)


def _question(name: str | None, param: list[str], packs: tuple[Path, ...]) -> "Question":
    """What is asked of each export: the rows of the query, or the data of the page."""
    from nsysql.fleet.question import find, of_page, of_query, read_parameters
    from nsysql.fleet.task import OVERVIEW

    if name is None:
        if param:
            raise UsageError("--param belongs to a query; name one with --query.")
        return of_page(OVERVIEW)
    query = find(name, packs)
    return of_query(query.name, read_parameters(query, param), packs)


@contextmanager
def _interrupted(runs: "Runs", output: str | None) -> Iterator[None]:
    """On Ctrl-C, report which results are stored."""
    try:
        yield
    except KeyboardInterrupt:
        count, kept = f"{runs.so_far} of {len(runs)} exports", "lost; --output FOLDER keeps them"
        if output:
            kept = f"kept in {output}; the same command goes on from there"
        with suppress(OSError):
            print(escaped(f"nsysql: interrupted: {count} were answered now and are {kept}."), file=sys.stderr)
        raise


def _failures(failed: dict[str, str], listed: str) -> None:
    """List the failed files on stderr, with the reason; beyond MOST_LISTED their number, and what lists them all."""
    sys.stdout.flush()
    with suppress(OSError):
        for name, reason in list(failed.items())[:MOST_LISTED]:
            print(escaped(" ".join(f"nsysql: {name}: {reason}".split())), file=sys.stderr)
        if len(failed) > MOST_LISTED:
            print(escaped(f"nsysql: {len(failed) - MOST_LISTED:,} more files failed; {listed}."), file=sys.stderr)
