"""Make a large export out of a small one: repeat its events along the time line.

    python benchmarks/scale.py IN.sqlite OUT.sqlite TIMES

Each copy is shifted by the capture's length, and its correlation ids by their span, so that launches still meet
their work and nothing overlaps that did not before. Standard library only; IN is not changed.
"""

import shutil
import sqlite3
import sys
from pathlib import Path

EVENTS = ("NVTX_EVENTS", "OSRT_API", "SCHED_EVENTS", "PROFILER_OVERHEAD", "GPU_METRICS", "CUDA_GPU_MEMORY_USAGE_EVENTS")
TIMES = ("start", "end", "timestamp")


def scale(source: Path, target: Path, times: int) -> None:
    """Write `target` as `source` with its events `times` times."""
    shutil.copyfile(source, target)
    target.chmod(0o644)
    db = sqlite3.connect(target)
    for pragma in ("journal_mode=off", "synchronous=off", "cache_size=-1000000"):
        db.execute(f"PRAGMA {pragma}")
    tables = {
        name: [row[1] for row in db.execute(f'PRAGMA table_info("{name}")') if not row[5]]
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if name in EVENTS or name.startswith("CUPTI_ACTIVITY_KIND_")
    }
    shift = _span(db, tables, TIMES)
    id_shift = _span(db, tables, ("correlationId",))
    for name, columns in tables.items():
        shifted = [
            f'"{c}" + n * {shift}' if c in TIMES else f'"{c}" + n * {id_shift}' if c == "correlationId" else f'"{c}"'
            for c in columns
        ]
        into = ", ".join(f'"{c}"' for c in columns)
        db.execute(f'CREATE TEMP TABLE once AS SELECT * FROM "{name}"')
        db.execute(
            "WITH RECURSIVE copies (n) AS "
            f"(SELECT 1 WHERE {times} > 1 UNION ALL SELECT n + 1 FROM copies WHERE n < {times - 1}) "
            f'INSERT INTO "{name}" ({into}) SELECT {", ".join(shifted)} FROM copies, once'
        )
        db.execute("DROP TABLE once")
    db.commit()
    db.close()


def _span(db: sqlite3.Connection, tables: dict[str, list[str]], names: tuple[str, ...]) -> int:
    """One more than what lies between the smallest and the largest value of those columns in all tables."""
    found = [
        value
        for table, columns in tables.items()
        for c in columns
        if c in names
        for value in db.execute(f'SELECT min("{c}"), max("{c}") FROM "{table}"').fetchone()
        if value is not None
    ]
    return max(found, default=0) - min(found, default=0) + 1


if __name__ == "__main__":
    scale(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
