"""Draw exports that grow in one direction, and measure commands on them.

    python benchmarks/growth.py processes|streams|ranges [COUNT...]

`processes`: so many processes of one GPU, each with 3 kernels and a wait. `streams`: 64 GPUs, on each so many streams,
20 kernels each. `ranges`: so many NVTX ranges `it<i>`, each around a launch. A line per command: user CPU seconds and
bytes of output, for each COUNT.
"""

import resource
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from exports import table_ddl

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


def main() -> None:
    """Measure all commands of one kind of growth."""
    what, *given = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for count in map(int, given or COUNTS[what]):
            export = draw(what, count, Path(folder) / f"{what}-{count}.sqlite")
            for command in COMMANDS[what]:
                print(f"{what} {count:>9,} {command:10} {measure(command, export, Path(folder))}", flush=True)


if __name__ == "__main__":
    main()
