"""`nsysql compare`: what changed between two sides of captures, and the gate for CI."""

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.options import (
    CONTEXT,
    FILE,
    MEMORY,
    NAMES,
    QUIET,
    THREADS,
    argument,
    formats,
    option,
    with_options,
)
from nsysql.cli.output import DRAWN_FORMS, FOR_PEOPLE, SVG, TERMINAL, drawn_form, opened
from nsysql.cli.rows import OutputOptions, QueryResult, open_export, write_page, write_rows
from nsysql.errors import UsageError

if TYPE_CHECKING:
    from nsysql.analysis.compare.capture import Capture
    from nsysql.analysis.compare.compare import Comparison
    from nsysql.analysis.compare.conditions import Condition

SHOWN = 12  # rows of a section
FAILED = 3  # exit status if a condition of --fail-if holds beyond noise
PER = "Unit of time: step, window, or the name of an NVTX range; by default steps if both sides have them."
THRESHOLD = "Smallest difference that a verdict names, in percent of A."
RUN_NOISE = "By how many percent runs of the same program may differ; not needed with 4 captures a side."
FAIL_IF = f"Exit with {FAILED} where this holds beyond noise: METRIC > VALUE, such as 'period > 3%'. May be repeated."
FORCE = "Judge --fail-if even if the comparison is unfair."


def _compare(
    ctx: Any, a: list[Path], b: list[Path], per: str | None, gpu: int | None, threshold: float, run_noise: float,
    fail_if: list[str] | None, force: bool, top: int, format: Any, output: str, name_width: int | None,
    full_names: bool, quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """What changed between captures A and B: by how much, where, and whether that is more than noise.

    Steady steps are compared if both sides have them, else the whole run. The difference is the sum of its accounts:
    kernels, communication and copies that are not hidden by other work, idle time by cause. A verdict is given only if
    the evidence allows it. Both sides can be exports or digests of `nsysql digest`.

    With --fail-if the exit status is 3 if a condition holds beyond noise, 0 if not, 1 if it cannot be judged. As csv,
    ndjson, parquet or arrow it is the table of all accounts, as svg a picture for pull requests.
    """
    from nsysql.analysis.compare.compare import Options, compared
    from nsysql.analysis.compare.conditions import read_condition

    form = drawn_form(format, output)
    conditions = [read_condition(text) for text in fail_if or ()]
    if threshold < 0 or run_noise < 0:
        raise UsageError("--threshold and --run-noise are percentages from 0 on.")
    with opened(output, *a, *b) as file:
        sides = [[_capture(ctx, path, per, threads, memory_limit, quiet) for path in side] for side in (a, b)]
        found = compared(sides[0], sides[1], Options(per, gpu, threshold / 100, run_noise / 100))
        giving = OutputOptions(form, output, quiet=quiet, name_width=name_width, full_names=full_names)
        _write(found, giving, top, file)
    _judge(found, conditions, force)


def _capture(ctx: Any, path: Path, per: str | None, threads: Any, memory_limit: Any, quiet: bool) -> "Capture":
    """The comparable data of an export or a digest."""
    from nsysql.analysis.compare import digest
    from nsysql.pages.compare.gather import capture

    if digest.is_digest(path):
        return digest.read(path)
    with open_export(ctx, path, threads, memory_limit, quiet) as run:
        return capture(run, per)


def _write(found: "Comparison", giving: OutputOptions, top: int, file: IO[bytes]) -> None:
    from nsysql.pages.compare import document, page
    from nsysql.render import json

    if giving.form in FOR_PEOPLE:
        write_page(page.page(found, top or None), giving, file)
    elif giving.form == SVG:
        from nsysql.pages.compare.bars import bars
        from nsysql.render.charts.compare import svg

        file.write(svg(bars(found, top or None)).encode("utf-8", "backslashreplace"))
    elif giving.form == "json":
        json.write_document(document.document(found), file)
    else:
        write_rows(QueryResult(document.frame(found)), giving, file)
    file.flush()


def _judge(found: "Comparison", conditions: "list[Condition]", force: bool) -> None:
    """Exit with FAILED if a condition holds beyond noise; the last line on stderr says which."""
    import sys

    import typer

    from nsysql.analysis.compare.conditions import judged

    failed = [one.text for condition in conditions if (one := judged(found, condition, force)).fails]
    if failed:
        sys.stdout.flush()
        print(f"nsysql: failed: {'; '.join(failed)}", file=sys.stderr)
        raise typer.Exit(FAILED)


compare = with_options(
    _compare,
    [
        CONTEXT,
        argument("a", list[Path], metavar="A...", help="The captures before: exports, reports or digests."),
        option("b", list[Path], ..., "--with", metavar="B...", help="The captures after."),
        option("per", str, None, "--per", metavar="UNIT", help=PER),
        option("gpu", int, None, "--gpu", metavar="ID", help="Only this GPU; without it the mean over the GPUs."),
        option("threshold", float, 1.0, "--threshold", metavar="PERCENT", help=THRESHOLD),
        option("run_noise", float, 10.0, "--run-noise", metavar="PERCENT", help=RUN_NOISE),
        option("fail_if", list[str], None, "--fail-if", metavar="CONDITION", help=FAIL_IF),
        option("force", bool, False, "--force", help=FORCE),
        option("top", int, SHOWN, "--top", metavar="ROWS", min=0, help="Maximum rows of each section (0 = all)."),
        formats(DRAWN_FORMS, TERMINAL),
        FILE, *NAMES, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
compare.several = frozenset({"--with"})  # type: ignore[attr-defined]
