"""What to do about calls that wait until the GPU has nothing left to do."""

import re

import polars as pl

from nsysql.pages.names import call
from nsysql.pages.phrases import Row
from nsysql.words.quantities import size

TO_GPU, TO_HOST = "Host-to-Device", "Device-to-Host"
ITEM = re.compile(r"aten::(item|_local_scalar_dense|is_nonzero|to|_to_copy|nonzero|copy_)\b")


def folded(path_of: pl.Expr) -> pl.Expr:
    """NVTX paths that differ only in numbers as one: each number becomes #."""
    return path_of.str.replace_all(r", (seq|op_id) = \d+", "").str.replace_all(r"\d+", "#")


def is_copy(name: str) -> bool:
    """Whether a call that emptied the queue is itself a copy."""
    return call(name).startswith(("cudaMemcpy", "cuMemcpy"))


def copy_words(copy: Row) -> str:
    """A kind of copy that calls waited for, a row of idle_drain_copies: '8 B Host-to-Device from pageable memory'."""
    is_sent = copy["direction"].startswith("Host")
    host = copy["src_kind"] if is_sent else copy["dst_kind"]
    memory = f" {'from' if is_sent else 'to'} {host.lower()} memory" if host and "Host" in copy["direction"] else ""
    return f"{_sizes(copy)} {copy['direction']}{memory}"


def _sizes(copy: Row) -> str:
    least, most = size(copy["least"] or 0), size(copy["most"] or 0)
    return least if least == most else f"{least} to {most}"


def without(name: str, nvtx: str | None, direction: str | None = None) -> str:
    """What to do about a blocking call after which the GPU ran dry, in these NVTX ranges, after a copy that way."""
    is_item = nvtx and ITEM.search(nvtx.rpartition(" > ")[2])
    if is_item and direction == TO_GPU:
        return "Make that value on the GPU (device=...), or copy it from pinned memory with non_blocking=True."
    if is_item and direction:
        return "Keep that value on the GPU: no .item() or .cpu() inside of the step."
    if is_item:
        return "Keep that value on the GPU: no .item(), .cpu() or tensor of a Python number inside of the step."
    if direction == TO_GPU and "Memcpy" not in name:
        return (
            "Work on the same stream waits for that copy anyway: synchronize only before the host changes its source."
        )
    if "Memcpy" in name or "Memset" in name:
        return "Copy asynchronously from pinned memory and read the result later, when the next work is queued."
    if direction == TO_HOST:
        return (
            "The host reads that copy and has to wait: launch the next work before the wait, and process the previous"
            " results while it runs (two buffers)."
        )
    if "EventSynchronize" in name:
        return "Wait for the event only where the host reads the result, after the next work is queued."
    return (
        "Work on a stream already runs in order: remove it between launches and keep one before the host reads results."
    )
