"""Numbers and names of the summary in words."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nsysql.render.cells import time

MOSTLY = 0.75  # of the launches
MUCH = 0.1  # of a window idle
SOME = 20  # launches from which on there is a pace
Row = Mapping[str, Any]


def ahead(row: Row) -> str | None:
    """Who is ahead on a GPU, by its row of launch_pace: CPU, GPU or neither; None where few launches are recorded.

    The CPU is ahead where most launches stand in a queue behind other work; the GPU is ahead, and waits for
    the CPU, where most find it free.
    """
    if row["launches"] < SOME:
        return None
    soon = row["soon_launches"] / row["launches"]
    return "GPU" if soon >= MOSTLY else "CPU" if soon <= 1 - MOSTLY else "neither"


def pace(rows: Sequence[Row], idle: Sequence[float]) -> str:
    """What it means that the same is ahead on all these GPUs; `idle` are the idle shares of their windows."""
    who, first = gpus([row["gpu_id"] for row in rows]), rows[0]
    if not ahead(first):
        launches = max(row["launches"] for row in rows)
        if not launches:
            return f"{who}: the calls that launched the kernels are not in this export."
        few = f"{counted(launches, 'launch is', 'launches are')}"
        return f"{who}: {few} too few to say whether CPU or GPU is ahead."
    limit = re.sub(r"\.0+ ", " ", time(first["soon_ns"]))
    soon = [row["soon_launches"] / row["launches"] for row in rows]
    if ahead(first) == "GPU":
        text = f"waits for the CPU, which sets the pace: {between(soon)} of the launches started within {limit}."
        busy = [1 - share for share in idle]
        even = f" Even so it was busy {between(busy)} of its window." if min(idle) <= MUCH else ""
        return f"{who}: {text}{even}"
    if ahead(first) == "CPU":
        late = between([1 - share for share in soon])
        text = f"sets the pace, the CPU is ahead: {late} of the launches queued for over {limit}."
        even = f" Even so it was idle {between(idle)} of its window: see the gaps." if max(idle) > MUCH else ""
        return f"{who}: {text}{even}"
    return (
        f"{who}: at times waits for the CPU: {between(soon)} of the launches started within {limit}, the others queued."
    )


def orphans(rows: Sequence[Row]) -> str | None:
    """How many runs on these GPUs were launched by no recorded call, though others were; None if there are none."""
    found = [row for row in rows if row["launches"] and row["orphan_runs"]]
    if not found:
        return None
    count, runs = (sum(row[name] for row in found) for name in ("orphan_runs", "runs"))
    where = gpus([row["gpu_id"] for row in found])
    return f"{where}: the launch of {count:,} of {counted(runs, 'run')} is not recorded; they count as running alone."


def between(shares: Sequence[float]) -> str:
    """Shares in a sentence: '90%', '90% to 97%'."""
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    return low if low == high else f"{low} to {high}"


def share(part: float, whole: float) -> float:
    """The part as a share of the whole, 0 where there is no whole."""
    return part / whole if whole else 0.0


def percent(part: float, whole: float) -> str:
    """The part in percent; what is not nothing and not all is never shown as such.

    >>> percent(1, 3), percent(1, 10**6), percent(999_999, 10**6), percent(0, 0)
    ('33.3%', '<0.1%', '>99.9%', '0.0%')
    """
    part_of = share(part, whole)
    return "<0.1%" if 0 < part_of < 0.0005 else ">99.9%" if 0.9995 <= part_of < 1 else f"{part_of:.1%}"


def moment(ns: int) -> str:
    """A time on the export's clock: '60.111513 s'."""
    return f"{ns / 10**9:.6f} s"


def gpus(ids: Sequence[int | None]) -> str:
    """GPUs in a sentence: 'GPU 0', 'GPU 0 and 1', 'GPU 0 to 3'."""
    first = ids[0]
    run = len(ids) > 2 and first is not None and list(ids) == list(range(first, first + len(ids)))
    return f"GPU {first} to {ids[-1]}" if run else f"GPU {joined([gpu_number(i) for i in ids])}"


def gpu_number(gpu_id: int | None) -> str:
    """A GPU's number; ? for that of work whose device is not recorded."""
    return "?" if gpu_id is None else str(gpu_id)


def counted(count: int, one: str, several: str = "") -> str:
    """A number of things: '1 gap', '1,234 gaps'."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def joined(parts: Sequence[str]) -> str:
    """A list in a sentence: 'a, b and c'."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def beginning(text: str, length: int) -> str:
    """The first line of a text, as much of it as fits."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def work(name: str | None) -> str:
    """A piece of GPU work by its short name: a kernel's function, a copy's direction.

    >>> work("[CUDA memcpy Host-to-Device]"), work("[CUDA memset]"), work("void f<int>(int *)")
    ('copy Host-to-Device', 'memset', 'f<int>')
    """
    if name and name.startswith("[CUDA "):
        return name[len("[CUDA ") : -1].replace("memcpy ", "copy ").replace("Unified ", "UM ")
    return without_signature(name)


def without_signature(name: str | None) -> str:
    """A function's name without what is the same for all: `void`, and the list of its arguments.

    >>> without_signature("void gemm<float, (int)4>(float *, int (*)(int))")
    'gemm<float, (int)4>'
    """
    if not name:
        return "(no name)"
    text, depth = name.removeprefix("void "), 0
    if not text.endswith(")"):
        return text
    for at in range(len(text) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if not depth:
            return text[:at].rstrip() or text
    return text
