"""Jobs for tests: exports of MPI ranks drawn from arrivals, and copies of real exports with shifted clocks."""

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

Arrivals = Sequence[Sequence[int]]  # of each rank at each collective, in ns of a common clock
DUR = 10_000  # from the last arrival to the end
UTC = 1_800_000_000_000_000_000
TIMES = ("start", "end")


def mpi_job(
    build: Callable[[str], Path],
    folder: Path,
    arrivals: Arrivals,
    shifts: Sequence[int] | None = None,
    drifts: Sequence[float] | None = None,
    work: str = "work",
) -> list[Path]:
    """A job: rank r arrives at collective i at arrivals[i][r], all leave DUR after the last; between, it is in `work`.

    The clock of rank r is ahead by shifts[r], and faster by drifts[r], and its session's start does not say so.
    """
    ranks = len(arrivals[0])
    paths = []
    for rank in range(ranks):
        shift, drift = (shifts or [0] * ranks)[rank], (drifts or [0.0] * ranks)[rank]
        thread = f"{600 + rank} << 24 | {600 + rank}"

        def clock(ns: int, shift: int = shift, drift: float = drift) -> int:
            return ns + shift + round(ns * drift)

        calls, ranges, before = [], [], 0
        for of_ranks in arrivals:
            end = max(of_ranks) + DUR
            calls.append(f"({clock(of_ranks[rank])}, {clock(end)}, {thread}, 1, 9)")
            ranges.append(f"({clock(before)}, {clock(of_ranks[rank])}, 59, {thread}, '{work}')")
            before = end
        sql = f"""
            INSERT INTO StringIds (id, value) VALUES (1, 'MPI_Allreduce');
            INSERT INTO MPI_RANKS (globalTid, rank) VALUES ({thread}, {rank});
            INSERT INTO MPI_COLLECTIVES_EVENTS (start, "end", globalTid, textId, commHandle) VALUES {", ".join(calls)};
            INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES {", ".join(ranges)};
            CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
            INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({UTC});"""
        path = folder / f"rank_{rank}.sqlite"
        shutil.move(build(sql), path)
        paths.append(path)
    return paths


def shifted(export: Path, copy: Path, clock: Callable[[str], str], keep: str = "") -> Path:
    """A copy of an export whose times t are clock('t') in SQL, in all tables with start and end.

    With `keep`, a condition on the process ('pid = 144'), only that one's rows of tables with a process or thread stay.
    """
    shutil.copyfile(export, copy)
    copy.chmod(0o644)
    db = sqlite3.connect(copy)
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]
        own = next((name for name in ("globalTid", "globalPid") if name in columns), None)
        if keep and own and table not in ("PROCESSES", "ThreadNames", "ProcessStreams", "ANALYSIS_FILE"):
            db.execute(f'DELETE FROM "{table}" WHERE NOT ({keep.replace("pid", f"({own} >> 24) & 16777215")})')
        for column in TIMES:
            if column in columns and "globalTid" in columns + ["globalTid"] * ("globalPid" in columns):
                db.execute(f'UPDATE "{table}" SET "{column}" = {clock(chr(34) + column + chr(34))}')
    db.commit()
    db.close()
    return copy
