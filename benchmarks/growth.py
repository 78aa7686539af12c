"""Draw exports that grow in one direction, and measure commands on them.

    python benchmarks/growth.py processes|streams|ranges [COUNT...]
    python benchmarks/growth.py size [--nsys PROGRAM] [--only COMMAND,COMMAND] [SMALL.sqlite LARGE.sqlite]

`processes`: so many processes of one GPU, each with 3 kernels and a wait. `streams`: 64 GPUs, on each so many streams,
20 kernels each. `ranges`: so many NVTX ranges `it<i>`, each around a launch. A line per command: user CPU seconds and
bytes of output, for each COUNT.

`size`: every page and the largest queries on two exports, drawn by scale.py from the sample (50 and 500 times) unless
they are given, the larger one ten times the smaller; nsys beside them where it is there. It writes GROWTH.md: CPU
seconds (user and system, which other programs on the machine hardly change), memory, and growth of both.
"""

import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from exports import table_ddl

HERE = Path(__file__).resolve().parent
RUNTIME, KERNEL = "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL"
TABLES = ("StringIds", RUNTIME, KERNEL, "NVTX_EVENTS", "PROCESSES")
COMMANDS = {
    "processes": ("summary", "idle-gaps", "report"),
    "streams": ("summary", "idle-gaps", "findings", "steps", "report"),
    "ranges": ("steps", "digest", "report", "summary", "idle-gaps"),
}
COUNTS = {"processes": (2_500, 10_000), "streams": (25, 100), "ranges": (250_000, 1_000_000)}
CALL = 'start, "end", globalTid, correlationId, nameId, returnValue'
WORK = 'start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName'


def draw(what: str, count: int, path: Path) -> Path:
    """Write the export to `path`."""
    db = sqlite3.connect(path)
    db.executescript("PRAGMA synchronous = OFF;" + "".join(map(table_ddl, TABLES)))
    texts = "(1, 'cudaLaunchKernel_v7000'), (2, 'cudaStreamSynchronize_v3020'), (3, 'kernel'), (4, 'other')"
    db.execute(f"INSERT INTO StringIds (id, value) VALUES {texts}")
    number = "WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < {} - 1) SELECT {} FROM c"

    def rows(table: str, columns: str, times: int, values: str) -> None:
        db.execute(f"INSERT INTO {table} ({columns}) " + number.format(times, values))

    if what == "processes":
        rows("PROCESSES", "globalPid, pid, name", count, "(n + 10) << 24, n + 10, 'app'")
        tid, at = "((n / 4 + 10) << 24 | (n / 4 + 10))", "(n * 10000)"
        rows(
            RUNTIME, CALL, 4 * count, f"{at}, {at} + iif(n % 4 = 3, 9000, 2000), {tid}, n + 1, iif(n % 4 = 3, 2, 1), 0"
        )
        values = f"{at} + 3000, {at} + 8000, 0, 1, 7, n + 1, (n / 4 + 10) << 24, 3, 3"
        rows(KERNEL, WORK, 4 * count, values)
        db.execute(f"DELETE FROM {KERNEL} WHERE correlationId % 4 = 0")
    elif what == "streams":
        every, at = 64 * 20 * count, "(n * 1000)"
        rows(RUNTIME, CALL, every, f"{at}, {at} + 800, 10 << 24 | 10, n + 1, 1, 0")
        gpu, stream = "n % 64", f"n / 64 % {count} + 7"
        rows(KERNEL, WORK, every, f"{at} + 2000, {at} + 30000, {gpu}, {gpu} + 1, {stream}, n + 1, 10 << 24, 3, 3")
    else:
        at = "(n * 10000)"
        rows(RUNTIME, CALL, count, f"{at} + 1000, {at} + 2000, 10 << 24 | 10, n + 1, 1, 0")
        rows(KERNEL, WORK, count, f"{at} + 3000, {at} + 8000 + n % 7, 0, 1, 7, n + 1, 10 << 24, 3 + n % 5 / 4, 3")
        rows("NVTX_EVENTS", 'start, "end", eventType, text, globalTid, domainId', count,
             f"{at}, {at} + 9000, 59, 'it' || n, 10 << 24 | 10, 0")  # fmt: skip
    db.commit()
    db.close()
    return path


def measure(command: str, export: Path, folder: Path) -> str:
    """The user CPU seconds of the command and the bytes that it writes."""
    output = folder / f"out.{'html' if command == 'report' else 'digest' if command == 'digest' else 'txt'}"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    to_file = ["-o", str(output)] if command in ("report", "digest") else []
    done = subprocess.run(
        [sys.executable, "-m", "nsysql", command, str(export), *to_file], capture_output=True, check=False
    )
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    size = output.stat().st_size if to_file and output.exists() else len(done.stdout)
    failed = "" if done.returncode == 0 else f" FAILED {done.stderr.decode()[-200:]}"
    return f"{seconds:6.1f} s {size:>10,} B{failed}"


EVERY = (
    "summary", "findings", "idle-gaps", "idle-gaps --by nvtx", "steps", "operators", "what-if", "timeline", "flame",
    "lines", "doctor", "digest", "report", "trace", "trace --full", "launches", "nvtx-sum", "nvtx-gpu-proj-sum",
)  # fmt: skip
ENDINGS = {"report": ".html", "digest": ".digest", "trace": ".pftrace", "flame": ".html"}  # of those that write a file
BESIDE = {  # of nsys
    "idle-gaps": "analyze -r gpu_gaps",
    "nvtx-sum": "stats -r nvtx_sum",
}


def spent(command: list[str]) -> tuple[float, float] | None:
    """CPU seconds and megabytes of a command, None where it failed; of a process of its own."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return None if process.returncode else (usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1.024 / 1e3)


def sizes(exports: list[Path], commands: Sequence[str], nsys: str | None, folder: Path) -> str:
    """The table: a line per command."""
    small, large = (f"{path.stat().st_size / 1e6:,.0f} MB" for path in exports)
    lines = [
        f"| command | CPU s at {small} | at {large} | growth | MB at {small} | at {large} | growth "
        f"| file MB at {large} | nsys CPU s at {large} |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for command in commands:
        name, *options = command.split()
        output = folder / f"out{ENDINGS[name]}" if name in ENDINGS else None
        to = ["-o", str(output)] if output else []
        ours = [[sys.executable, "-m", "nsysql", name, str(path), *options, *to] for path in exports]
        found = [spent(one) for one in ours]
        written = f"{output.stat().st_size / 1e6:,.1f}" if output and output.exists() else ""
        theirs = None
        if nsys and command in BESIDE:
            face, *report = BESIDE[command].split()
            theirs = spent([nsys, face, "-q", "-f", "csv", *report, "-o", "-", str(exports[1])])
        cells = [command]
        for part, digits in ((0, 1), (1, 0)):
            values = [None if one is None else one[part] for one in found]
            cells += ["failed" if value is None else f"{value:,.{digits}f}" for value in values]
            cells.append("" if None in values else f"{values[1] / values[0]:.1f}")  # type: ignore[operator]
        lines.append("| " + " | ".join([*cells, written, f"{theirs[0]:.1f}" if theirs else ""]) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def write_sizes(given: list[str]) -> None:
    """Measure every command on two sizes, and write GROWTH.md."""
    asked: dict[str, str] = {}
    while given[:1] in (["--nsys"], ["--only"]):
        option, value, *given = given
        asked[option] = value
    commands = asked["--only"].split(",") if "--only" in asked else EVERY
    with tempfile.TemporaryDirectory() as folder:
        exports = [Path(path) for path in given] or [Path(folder) / f"{times}.sqlite" for times in (50, 500)]
        for path in exports if not given else ():
            sample = next(iter(sorted((HERE.parent / "tests" / "fixtures").rglob("*.sqlite"))))
            subprocess.run([sys.executable, str(HERE / "scale.py"), str(sample), str(path), path.stem], check=True)
        table = sizes(exports, commands, asked.get("--nsys"), Path(folder))
    about = (
        f"# Growth: results of the last run of benchmarks/growth.py size\n\n{date.today().isoformat()}. "
        f"{os.cpu_count()} cores, one run each. CPU seconds are user and system time of all threads.\n\n"
    )
    (HERE / "GROWTH.md").write_text(about + table + "\n", encoding="utf-8")


def main() -> None:
    """Measure all commands of one kind of growth."""
    what, *given = sys.argv[1:]
    if what == "size":
        write_sizes(given)
        return
    with tempfile.TemporaryDirectory() as folder:
        for count in map(int, given or COUNTS[what]):
            export = draw(what, count, Path(folder) / f"{what}-{count}.sqlite")
            for command in COMMANDS[what]:
                print(f"{what} {count:>9,} {command:10} {measure(command, export, Path(folder))}", flush=True)


if __name__ == "__main__":
    main()
