"""`nsysql compare`: what changed between two sides of captures, and the gate for CI; `nsysql digest`: one side."""

import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

import typer

from nsysql.api.facade import comparison_view
from nsysql.cli.options import EXPORT, OF_FILES, OF_PAGES, argument, gpu, option, top_rows
from nsysql.cli.output import DRAWN_FORMS, opened
from nsysql.cli.rows import Call, command, give
from nsysql.errors import UsageError

if TYPE_CHECKING:
    from nsysql.analysis.compare.compare import Comparison
    from nsysql.analysis.compare.conditions import Judgment

SHOWN = 12  # rows of a section
FAILED, CANNOT = 3, 1  # exit statuses: a condition of --fail-if fails beyond noise; it cannot be judged
GITHUB = "github"
PER = "Unit of time: step, work, window, or the name of an NVTX range; by default steps if both sides have the same."
THRESHOLD = "Smallest difference that a verdict names, in percent."
RUN_NOISE = "By how many percent runs of one program differ (standard deviation), instead of the built-in estimate."
FAIL_IF = f"Exit with {FAILED} if this holds beyond noise: METRIC > VALUE, such as 'period > 3%'. May be repeated."
FORCE = "Judge --fail-if even if the comparison is unfair."
STRICT = f"Exit with {CANNOT} if a condition of --fail-if holds within noise."


@command(OF_PAGES, (*DRAWN_FORMS, GITHUB), several=frozenset({"--with"}))
def compare(
    call: Call,
    a: list[Path] = argument(metavar="A... [B]", help="The captures before, and after: exports or digests."),
    b: list[Path] | None = option(None, "--with", metavar="B...", help="The captures after, if A are several."),
    per: str | None = option(None, "--per", metavar="UNIT", help=PER),
    gpu: int | None = gpu("Only this GPU; without it the mean over the GPUs."),
    threshold: float = option(1.0, "--threshold", metavar="PERCENT", help=THRESHOLD),
    run_noise: float | None = option(None, "--run-noise", metavar="PERCENT", help=RUN_NOISE),
    fail_if: list[str] | None = option(None, "--fail-if", metavar="CONDITION", help=FAIL_IF),
    force: bool = option(False, "--force", help=FORCE),
    strict: bool = option(False, "--strict", help=STRICT),
    everything: bool = option(False, "--all", help="Every account, CPU calls, launches and the method, too."),
    top: int | None = top_rows(SHOWN),
) -> None:
    """What changed between captures A and B: by how much, where, and whether that is more than noise.

    Steps are compared if both sides have the same, else the whole work. The difference is the sum of its accounts:
    kernels, communication and copies that are not hidden by other work, idle time by cause. A verdict is given only if
    the evidence allows it. Both sides can be exports or digests of `nsysql digest`, or folders of the ranks of a job;
    with 3 captures a side, their scatter is the noise.

    With --fail-if the exit status is 3 if a condition holds beyond noise, 0 if not, 1 if it cannot be judged. As csv,
    ndjson, parquet or arrow it is the table of all accounts, as svg a picture for pull requests, as github annotations.
    """
    from nsysql.analysis.compare.compare import Options
    from nsysql.analysis.compare.conditions import judged, read_condition
    from nsysql.catalog.query_file import causes
    from nsysql.digest.reading import compare_files

    conditions = [read_condition(text, [cause for cause, *_ in causes()]) for text in fail_if or ()]
    if threshold < 0 or (run_noise or 0) < 0:
        raise UsageError("--threshold and --run-noise are percentages from 0 on.")
    if not b and len(a) != 2:
        raise UsageError("compare takes two captures, A and B; give several a side as A... --with B....")
    a, b = (a, b) if b else (a[:1], a[1:])
    options = Options(per, gpu, threshold / 100, None if run_noise is None else run_noise / 100)
    with opened(call.output, *a, *b) as file:
        comparison = compare_files(a, b, options, call.open)
        results = [judged(comparison, condition, force) for condition in conditions]
        if call.form != GITHUB:
            gates = [
                {"condition": condition, "outcome": one.outcome, "sentence": f"{one.text}{one.hint}"}
                for condition, one in zip(fail_if or (), results, strict=True)
            ]
            give(comparison_view(comparison, top, everything, gates), call, file)
        _exit(comparison, results, strict, file if call.form == GITHUB else None)


def _exit(comparison: "Comparison", results: "list[Judgment]", strict: bool, file: IO[bytes] | None) -> None:
    """Exit with FAILED if a condition holds beyond noise, with CANNOT if one cannot be judged; stderr says which.

    With `file` the verdict and the conditions are written as annotations of GitHub.
    """
    from nsysql.analysis.compare.sentences import sentence

    lines = [(LEVELS[one.outcome], f"{WORDS[one.outcome]}: {one.text}{one.hint}") for one in results]
    if file is not None:
        for level, text in (("notice", sentence(comparison)), *lines):
            in_one_line = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
            file.write(f"::{level} title=nsysql compare::{in_one_line}\n".encode())
        file.flush()
    sys.stdout.flush()
    for one, (_, text) in zip(results, lines, strict=True):
        if one.outcome != "passes" or one.hint:
            print(f"nsysql: {text}", file=sys.stderr)
    outcomes = {one.outcome for one in results}
    if "fails" in outcomes:
        raise typer.Exit(FAILED)
    if "cannot" in outcomes or (strict and "holds" in outcomes):
        raise typer.Exit(CANNOT)


LEVELS = {"fails": "error", "cannot": "error", "holds": "warning", "passes": "notice"}
WORDS = {"fails": "failed", "cannot": "cannot be judged", "holds": "within noise", "passes": "passed"}


NAMED = "Keep this NVTX range as a unit of time too, for `nsysql compare --per NAME`."


@command(OF_FILES)
def digest(
    call: Call, export: Path = EXPORT, per: str | None = option(None, "--per", metavar="NAME", help=NAMED)
) -> None:
    """The data of one capture for `nsysql compare`, in a small file, without rows, paths or the environment.

    Keep the digest of the main branch, and compare each change with it. Comparing digests gives the same bytes as
    comparing their exports.
    """
    from nsysql.analysis.digest_file import text_of
    from nsysql.digest import gather

    if call.output == "-" and sys.stdout.isatty():
        raise UsageError(f"a digest is a file: nsysql digest {export.name} -o run.digest")
    with opened(call.output, export) as file, call.open(export) as run:
        file.write(text_of(gather.digest(run, per)))
