"""The packs of the command line: the folders given with --pack, and the headings of packs."""

from pathlib import Path
from typing import Any

from nsysql.errors import escaped

HEADINGS = {  # of nsysql's own packs; a user's pack is headed by the name of its folder
    "compare": "Comparing",
    "cuda": "CUDA",
    "doctor": "What an export holds",
    "graphics": "Graphics",
    "idle": "Idle time",
    "memory": "Memory",
    "metrics": "GPU metrics and occupancy",
    "network": "Network",
    "nvtx": "NVTX",
    "operators": "Operators",
    "os": "Operating system",
    "parallel": "MPI, OpenMP, OpenACC",
    "ranks": "Ranks of a job",
    "rules": "Expert rules",
    "steps": "Steps and accounts",
    "summary": "Overview",
    "timeline": "Timeline",
}


def packs(ctx: Any) -> tuple[Path, ...]:
    """The folders given with --pack."""
    return tuple(ctx.find_root().params.get("pack") or ())


def first_line(path: Path) -> str:
    """What a row of the query is: the first line of its file."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return escaped(file.readline().removeprefix("--").strip())
