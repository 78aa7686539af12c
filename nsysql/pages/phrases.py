"""Numbers and names of the summary in words."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nsysql.words.kernel_names import short
from nsysql.words.naming import Names
from nsysql.words.quantities import rounded, tenths, time

MOSTLY_SHARE = 0.75  # of the launches
IDLE_SHARE = 0.1  # of a window in which a GPU waits for the CPU
FEWEST_LAUNCHES = 20  # launches from which on there is a pace
Row = Mapping[str, Any]


def ahead(row: Row, waiting: float) -> str | None:
    """Who is ahead on a GPU: CPU, GPU (it waits for the CPU) or neither; None where few launches are recorded.

    `waiting` is the share of the GPU's window in which it was idle and its next work had not been launched. It
    decides: many launches that queue behind each other say little next to one long gap. Where it is small, the CPU is
    ahead if most launches of the row of launch_pace waited in the queue.
    """
    if row["launches"] < FEWEST_LAUNCHES:
        return None
    if waiting >= IDLE_SHARE:
        return "GPU"
    return "CPU" if row["soon_launches"] / row["launches"] <= 1 - MOSTLY_SHARE else "neither"


def pace(rows: Sequence[Row], waiting: Sequence[float]) -> str:
    """What it means that the same is ahead on all these GPUs; `waiting` as for `ahead`."""
    who, first = gpus([row["gpu_id"] for row in rows]), rows[0]
    side = ahead(first, waiting[0])
    if side is None:
        launches = max(row["launches"] for row in rows)
        if not launches:
            return f"{who}: the calls that launched the kernels are not in this export."
        few = f"{counted(launches, 'launch is', 'launches are')}"
        if len(rows) > 1:
            few = f"at most {counted(launches, 'launch', 'launches')} on each are"
        return f"{who}: {few} too few to say whether CPU or GPU is ahead."
    limit = re.sub(r"\.0+ ", " ", time(first["soon_ns"]))
    soon = [row["soon_launches"] / row["launches"] for row in rows]
    started = f"{percent_range(soon)} of launches started within {limit}"
    if side == "GPU":
        wait = "waits" if len(rows) == 1 else "wait"
        return f"{who} {wait} for the CPU in {percent_range(waiting)} of the window: no work was launched. {started}."
    if side == "CPU":
        late = percent_range([1 - share for share in soon])
        return f"{who}: the CPU runs ahead ({late} of launches waited > {limit} in the queue)."
    hardly = "hardly waits" if len(rows) == 1 else "hardly wait"
    return f"{who} {hardly} for the CPU ({percent_range(waiting)} of the window): {started}, the others queued."


def orphans(rows: Sequence[Row]) -> str | None:
    """How many runs on these GPUs were launched by no recorded call, though others were; None if there are none."""
    found = [row for row in rows if row["launches"] and row["orphan_runs"]]
    if not found:
        return None
    count, runs = (sum(row[name] for row in found) for name in ("orphan_runs", "runs"))
    where = gpus([row["gpu_id"] for row in found])
    have = "has" if count == 1 else "have"
    return f"{where}: {count:,} of {runs:,} kernels {have} no recorded launch; they only count towards GPU time."


def percent_range(shares: Sequence[float]) -> str:
    """Shares in a sentence: '90%', '90% to 97%', 'up to 5%'."""
    low, high = whole_percent(min(shares)), whole_percent(max(shares))
    if low == high:
        return low
    return f"up to {high}" if low in ("0%", "<1%") else f"{low} to {high}"


def whole_percent(part: float) -> str:
    """A share in whole percent; what is not nothing and not all is never shown as such.

    >>> whole_percent(0.333), whole_percent(0.001), whole_percent(0.999), whole_percent(0), whole_percent(1)
    ('33%', '<1%', '>99%', '0%', '100%')
    """
    percent_of = rounded(100 * part)
    return "<1%" if 0 < part < 0.005 else ">99%" if part < 1 and percent_of >= 100 else f"{percent_of}%"


def share(part: float | None, of: float) -> float:
    """The part as a share of the whole, 0 where there is no whole or the part is not known."""
    return part / of if part is not None and of else 0.0


def percent(part: float | None, of: float) -> str:
    """The part in percent; what is not nothing and not all is never shown as such, what is not known as nothing.

    >>> percent(1, 3), percent(1, 10**6), percent(999_999, 10**6), percent(0, 0), percent(None, 3)
    ('33.3%', '<0.1%', '>99.9%', '0.0%', '')
    """
    if part is None:
        return ""
    part_of = share(part, of)
    return "<0.1%" if 0 < part_of < 0.0005 else ">99.9%" if 0.9995 <= part_of < 1 else f"{tenths(100 * part_of)}%"


def seconds(ns: int) -> str:
    """A time on the export's clock: '60.111513 s'."""
    return f"{ns / 10**9:.6f} s"


def gpus(ids: Sequence[int | None]) -> str:
    """GPUs in a sentence: 'GPU 0', 'GPUs 0 and 1', 'GPUs 0 to 3'."""
    first, word = ids[0], "GPU" if len(ids) == 1 else "GPUs"
    run = len(ids) > 2 and first is not None and list(ids) == list(range(first, first + len(ids)))
    return f"{word} {first} to {ids[-1]}" if run else f"{word} {joined([gpu_number(i) for i in ids])}"


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


def short_name(name: str | None) -> str:
    """A piece of GPU work by its short name: a kernel's function, a copy's direction.

    >>> short_name("[CUDA memcpy Host-to-Device]"), short_name("[CUDA memset]"), short_name("void f<int>(int *)")
    ('copy Host-to-Device', 'memset', 'f<int>')
    """
    if name and name.startswith("[CUDA "):
        return name[len("[CUDA ") : -1].replace("memcpy ", "copy ").replace("Unified ", "UM ")
    return without_signature(name)


def without_signature(name: str | None) -> str:
    """A function's name by what it does: without namespaces, parameters and what is the same for all.

    >>> without_signature("void gemm<float, (int)4>(float *, int (*)(int))")
    'gemm<float>'
    """
    return short(name) if name else "(no name)"


def work_names(text: str, *names: str | None) -> Names:
    """A text with pieces of GPU work in it: copies by their short name, kernels as the page shows them."""
    kernels = (name if name and not name.startswith("[CUDA ") else short_name(name) for name in names)
    return Names(tuple(kernels), text)
