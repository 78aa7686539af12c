"""Time nsysql beside nsys, as whole processes in turn, and write the medians as a table.

    python benchmarks/run.py [--export FILE] [--nsys PROGRAM] [--times 5,50,500] [--rounds 3,3,1]
                             [--alone 2000] [--only TEXT] [--output RESULTS.md]

Each export is the given one (or the project's sample) repeated along the time line, and read once, so that it
is in the page cache. Every report runs `--rounds` times in turn: nsys, nsysql, nsys, nsysql.
Seconds are wall time, memory the operating system's largest resident size. The floor is what the C library of
SQLite needs to step through the columns of the report's main table once. Without nsys the rest is measured, and
so are exports of the sizes of `--alone`, once, which nsys would take too long for.
"""

import argparse
import os
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLE = HERE.parent / "tests" / "fixtures"
REPORTS = (
    "cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_kern_gb_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum",
    "cuda_gpu_sum", "cuda_api_gpu_sum", "cuda_kern_exec_sum", "cuda_kern_exec_trace", "cuda_gpu_trace",
    "cuda_api_trace", "osrt_sum",
    "nvtx_sum", "nvtx_pushpop_sum", "nvtx_pushpop_trace", "nvtx_kern_sum", "nvtx_gpu_proj_sum", "nvtx_gpu_proj_trace",
)  # fmt: skip
RULES = ("cuda_api_sync", "gpu_gaps:gap=0", "gpu_time_util:threshold=100")
PAGES = ("summary", "idle-gaps")
BY_NVTX = "idle-gaps --by nvtx"
ALL = "default set, one call"
DEFAULT_SET = (
    "nvtx_sum", "osrt_sum", "cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum",
)  # fmt: skip
SECOND = ("cuda_gpu_kern_sum", "nvtx_sum", "nvtx_gpu_proj_sum", *PAGES, BY_NVTX)  # asked again after a conversion
FLOORS = {
    "cuda_api_sum": ("CUPTI_ACTIVITY_KIND_RUNTIME", 'start, "end", nameId'),
    "cuda_gpu_kern_sum": ("CUPTI_ACTIVITY_KIND_KERNEL", 'start, "end", demangledName'),
    "cuda_gpu_mem_time_sum": ("CUPTI_ACTIVITY_KIND_MEMCPY", 'start, "end", copyKind'),
    "nvtx_sum": ("NVTX_EVENTS", 'start, "end", eventType, textId, text, domainId, globalTid'),
}


@dataclass(frozen=True)
class Run:
    """One finished process."""

    seconds: float
    megabytes: float


Row = tuple[str, Run | None, Run | None, float | None]  # what, nsys, nsysql, seconds of one SQLite pass


def timed(command: list[str], prints: bool = True) -> Run | None:
    """Run a command to its end; None where it failed, or printed nothing though it `prints`."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 or (prints and os.fstat(out.fileno()).st_size == 0):
            return None
    return Run(seconds, usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3) * 1.024)


def median(runs: list[Run | None]) -> Run | None:
    """The medians of the runs that gave something."""
    found = [r for r in runs if r]
    if not found:
        return None
    return Run(statistics.median(r.seconds for r in found), max(r.megabytes for r in found))


def side_by_side(commands: list[list[str]], rounds: int) -> list[Run | None]:
    """Medians of several commands run in turn; one that fails is not run again."""
    runs: list[list[Run | None]] = [[] for _ in commands]
    for _ in range(rounds):
        for i, command in enumerate(commands):
            if None not in runs[i]:
                runs[i].append(timed(command))
    return [median(r) for r in runs]


def warm(export: Path) -> None:
    """Read the file once, so that it is in the page cache."""
    with export.open("rb") as file:
        while file.read(2**24):
            pass


def floor(export: Path, report: str) -> float | None:
    """Seconds that one pass of SQLite over the report's columns takes."""
    if report not in FLOORS:
        return None
    table, columns = FLOORS[report]
    db = sqlite3.connect(f"file:{export}?mode=ro&immutable=1", uri=True)
    try:
        start = time.perf_counter()
        db.execute(f"SELECT {', '.join(f'max({c})' for c in columns.split(', '))} FROM {table}").fetchone()
        return time.perf_counter() - start
    except sqlite3.Error:
        return None
    finally:
        db.close()


def commands(what: str, export: Path, nsys: str | None) -> tuple[list[str] | None, list[str]]:
    """nsys's command, if it has one, and ours."""
    ours = [sys.executable, "-m", "nsysql"]
    if what in (*PAGES, BY_NVTX):
        command, *options = what.split()
        return None, [*ours, command, str(export), *options]
    if what == ALL:
        return None, [*ours, "stats", "-q", "-f", "csv", "-o", "-", str(export)]
    face, flag = ("analyze", "-r") if what in RULES else ("stats", "-r")
    options = [face, "-q", "-f", "csv", flag, what, "-o", "-", str(export)]
    return ([nsys, *options] if nsys else None), [*ours, *options]


def measure(export: Path, nsys: str | None, rounds: int, only: str) -> list[Row]:
    """A row per report, rule and page: nsys, nsysql, floor."""
    rows = []
    for what in (*REPORTS, ALL, *RULES, *PAGES, BY_NVTX):
        if only not in what:
            continue
        theirs, ours = commands(what, export, nsys)
        found = side_by_side([c for c in (theirs, ours) if c], rounds)
        row = (what, found[0] if theirs else None, found[-1], floor(export, what))
        if row[2] or row[1]:
            rows.append(row)
            print(what, *(f"{r.seconds:.2f} s" if r else "-" for r in row[1:3]), file=sys.stderr, flush=True)
    return rows


def table(rows: list[Row], smaller: list[Row]) -> str:
    """The rows as a Markdown table; `smaller` are those of the size before, for the growth."""
    before = {what: ours for what, _, ours, _ in smaller}
    lines = [
        "| what | nsys s | nsysql s | ratio | nsys MB | nsysql MB | SQLite pass s | growth |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for what, theirs, ours, least in rows:
        less = before.get(what)
        ratio = f"{theirs.seconds / ours.seconds:.1f}" if theirs and ours else ""
        cells = (
            what,
            f"{theirs.seconds:.2f}" if theirs else "",
            f"{ours.seconds:.2f}" if ours else "",
            ratio,
            f"{theirs.megabytes:.0f}" if theirs else "",
            f"{ours.megabytes:.0f}" if ours else "",
            f"{least:.2f}" if least else "",
            f"{ours.seconds / less.seconds:.1f}" if ours and less else "",
        )
        lines.append("| " + " | ".join(cells) + " |")
    slowest = max((t.seconds for what, t, _, _ in rows if t and what in DEFAULT_SET), default=None)
    if slowest:
        lines.append(f"\nThe slowest single report of the default set takes nsys {slowest:.2f} s.")
    both = [t.seconds / o.seconds for _, t, o, _ in rows if t and o]
    if both:
        lines.append(f"\nGeometric mean of the ratios: {statistics.geometric_mean(both):.1f}.")
    return "\n".join(lines)


def converted(export: Path, folder: Path, rounds: int) -> str:
    """How much sooner a question is answered after `nsysql convert`, as a Markdown table."""
    lines = [
        "| question | SQLite s | DuckDB file s | ratio | Parquet s | ratio |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    targets = (folder / "run.duckdb", folder / "run_pqtdir")
    convert = [sys.executable, "-m", "nsysql", "convert", str(export), "-o"]
    made = [timed([*convert, str(path)], prints=False) for path in targets]
    for what in SECOND:
        first, *later = side_by_side([commands(what, path, None)[1] for path in (export, *targets)], rounds)
        if first is None:
            continue
        cells = [f"{run.seconds:.2f} | {first.seconds / run.seconds:.1f}" if run else " | " for run in later]
        lines.append(f"| {what} | {first.seconds:.2f} | {' | '.join(cells)} |")
    took = [f"{run.seconds:.0f} s, {run.megabytes:.0f} MB of memory" if run else "failed" for run in made]
    return "\n".join([*lines, f"\nConversion to DuckDB: {took[0]}; to Parquet: {took[1]}."])


def said(command: list[str]) -> str:
    """What a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--export", type=Path, help="the export to repeat (default: the project's sample)")
    parser.add_argument("--nsys", default=os.environ.get("NSYSQL_NSYS") or shutil.which("nsys"))
    parser.add_argument("--times", default="5,50,500")
    parser.add_argument("--rounds", default="3,3,1", help="how often each report runs, for each of --times")
    parser.add_argument("--alone", default="", help="further sizes, at which nsysql alone runs once")
    parser.add_argument("--only", default="")
    parser.add_argument("--output", type=Path, default=HERE / "RESULTS.md")
    args = parser.parse_args()
    sizes = [int(times) for times in args.times.split(",")]
    rounds = [int(count) for count in args.rounds.split(",")]
    plan = [(times, count, args.nsys) for times, count in zip(sizes, rounds, strict=True)]
    plan += [(int(times), 1, None) for times in args.alone.split(",") if times]
    source = args.export or next(iter(sorted(SAMPLE.rglob("*.sqlite"))))
    version = said([args.nsys, "--version"]) if args.nsys else "absent"
    ours = said([sys.executable, "-m", "nsysql", "--version"])
    text = [
        "# Results of the last run of benchmarks/run.py\n",
        f"{date.today().isoformat()}. nsys: {version}. nsysql: {ours}, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores ({platform.machine()}), {platform.system()}. Medians of {args.rounds} runs in turn, "
        f"page cache warm; exports made from {source.stem}. A ratio above 1 means that nsysql is faster, "
        "growth is against the size before.\n",
    ]
    with tempfile.TemporaryDirectory() as folder:
        smaller: list[Row] = []
        for times, count, nsys in plan:
            export = Path(folder) / f"x{times}.sqlite"
            # In a process of its own: a child's largest size is never told below that of its parent.
            subprocess.run([sys.executable, str(HERE / "scale.py"), str(source), str(export), str(times)], check=True)
            text.append(f"## {times} times: {export.stat().st_size / 1e6:.0f} MB{', nsysql alone' * (nsys is None)}\n")
            warm(export)
            rows = measure(export, nsys, count, args.only)
            text.append(table(rows, smaller) + "\n")
            smaller = rows
            if times == max(sizes) and not args.only:
                text.append("### The second question, after `nsysql convert`\n")
                text.append(converted(export, Path(folder), count) + "\n")
            export.unlink()
    if not args.nsys:
        text.append("nsys was not found on PATH and not given with --nsys: only nsysql was measured.\n")
    before = args.output.read_text(encoding="utf-8") if args.output.exists() else ""
    others = "".join(before.partition("\n# Many exports")[1:])  # of runs.py
    args.output.write_text("\n".join(text) + others, encoding="utf-8")
    print(args.output)


if __name__ == "__main__":
    main()
