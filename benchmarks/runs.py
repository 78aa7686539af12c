"""Time `nsysql runs` over copies of one small export, and write files per second, memory and growth as a table.

    python benchmarks/runs.py [--export FILE] [--files 64,256,1000] [--page 64,256] [--workers 1,2]

Each line is a whole process on a folder of its own. Files per second are of the whole command, its start included.
Memory is the largest sum of the resident sizes of the command and its workers, looked at ten times a second; pages
that they share are counted in each. CPU time is of all processes: it hardly depends on what else the machine does.
`again` is the same command once more, which asks no file: it is the start, the
look at every file, and the reduction. The table goes into RESULTS.md, in place of the one before.
"""

import argparse
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import psutil

HERE = Path(__file__).resolve().parent
SAMPLE = HERE.parent / "tests" / "fixtures" / "training.sqlite"
MARK = "# Many exports"
QUERY = ["--query", "cuda_gpu_kern_sum"]
FAR = 10_000  # files that the growth is extrapolated to


@dataclass(frozen=True)
class Ran:
    """One finished command, and the same again."""

    what: str
    workers: int
    files: int
    seconds: float
    cpu_seconds: float
    megabytes: float
    again: float


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--export", type=Path, default=SAMPLE)
    parser.add_argument("--files", default="64,256,1000", help="numbers of files that a query is asked of")
    parser.add_argument("--page", default="64,256", help="numbers of files that the page is made of")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--output", type=Path, default=HERE / "RESULTS.md")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    found = []
    with tempfile.TemporaryDirectory(prefix="nsysql-benchmark-") as place:
        for what, numbers in (("query", given.files), ("page", given.page)):
            for files in map(int, filter(None, numbers.split(","))):
                job = Path(place) / f"job-{files}"
                if not job.exists():
                    job.mkdir()
                    for i in range(files):
                        shutil.copyfile(given.export, job / f"run_{i}.sqlite")
                for workers in map(int, given.workers.split(",")):
                    found.append(measured(what, job, Path(place) / "answers", workers, files))
                    print(found[-1], flush=True)
    text = table(found, given.export, load)
    print(text)
    before = given.output.read_text(encoding="utf-8").partition(f"\n{MARK}")[0] if given.output.exists() else ""
    given.output.write_text(f"{before.rstrip()}\n\n{text}" if before else text, encoding="utf-8")


def measured(what: str, job: Path, answers: Path, workers: int, files: int) -> Ran:
    """One command in a folder without answers, then the same again."""
    shutil.rmtree(answers, ignore_errors=True)
    options = [*(QUERY if what == "query" else []), "-o", str(answers), "--workers", str(workers), "-f", "csv"]
    command = [sys.executable, "-m", "nsysql", "runs", str(job), *options]
    first, again = run(command), run(command)
    return Ran(what, workers, files, first[0], first[1], first[2] / 1e6, again[0])


def run(command: list[str]) -> tuple[float, float, int]:
    """The seconds of a command, those of all CPUs, and the most bytes that it and its children had."""
    most, began, before = 0, time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    family = psutil.Process(process.pid)
    while process.poll() is None:
        total = 0
        try:
            for one in [family, *family.children(recursive=True)]:
                total += one.memory_info().rss
        except psutil.Error:
            pass
        most = max(most, total)
        time.sleep(0.1)
    seconds = time.perf_counter() - began
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed: {process.stderr.read().decode() if process.stderr else ''}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, most


def table(found: list[Ran], export: Path, load: float) -> str:
    """The measurements as Markdown."""
    size = export.stat().st_size / 1e3
    lines = [
        f"{MARK}: results of the last run of benchmarks/runs.py",
        "",
        f"{date.today()}. Python {platform.python_version()}, {psutil.cpu_count()} cores ({platform.machine()}), "
        f"{platform.system()}. Copies of {export.name} ({size:,.0f} kB), page cache warm, local disk, one run each; "
        f"load average before: {load:.1f}.",
        "",
        "| what | workers | files | s | files/s | efficiency | CPU ms a file | MB | again s |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for one in found:
        alone = next((r for r in found if (r.what, r.files, r.workers) == (one.what, one.files, 1)), None)
        efficiency = f"{alone.seconds / one.seconds / one.workers:.0%}" if alone else ""
        lines.append(
            f"| {one.what} | {one.workers} | {one.files:,} | {one.seconds:.1f} | {one.files / one.seconds:.1f} "
            f"| {efficiency} | {one.cpu_seconds / one.files * 1e3:.0f} | {one.megabytes:,.0f} | {one.again:.2f} |"
        )
    lines += ["", f"Growth, extrapolated to {FAR:,} files by a straight line through the smallest and the largest:", ""]
    for what, workers in dict.fromkeys((one.what, one.workers) for one in found):
        own = sorted((r for r in found if (r.what, r.workers) == (what, workers)), key=lambda r: r.files)
        if len(own) > 1:
            each, far = line(own[0].files, own[0].seconds, own[-1].files, own[-1].seconds)
            of_again, again = line(own[0].files, own[0].again, own[-1].files, own[-1].again)
            grown = f"{of_again * 1e3:.2f} ms a file, {again:.0f} s" if of_again > 0 else "no growth beyond the noise"
            lines.append(
                f"- {what}, {workers} worker{'s' if workers > 1 else ''}: {each * 1e3:.1f} ms a file, "
                f"{far / 60:.1f} minutes; again {grown}."
            )
    return "\n".join(lines) + "\n"


def line(x1: float, y1: float, x2: float, y2: float) -> tuple[float, float]:
    """The slope of a straight line, and its height at FAR."""
    slope = (y2 - y1) / (x2 - x1)
    return slope, y1 + slope * (FAR - x1)


if __name__ == "__main__":
    main()
