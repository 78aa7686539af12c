"""GPU work as packets: a render stage each, on the queue of its stream, with its launch arguments."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from nsysql.render.perfetto.descriptions import FLAGS, NEEDED, ON_SEQUENCE, PACKET, STAGE_EVENT, TIMESTAMP
from nsysql.render.perfetto.wire import FIXED64, Bytes, constants, message, messages, number, numbers, tag, text

ARGUMENTS = {  # of a launch, by Perfetto's names
    "device": "gpu_id",
    "stream": "stream_id",
    "context": "context_id",
    "registers_per_thread": "registers_per_thread",
    "shared_mem_static": "static_shared_memory_bytes",
    "shared_mem_dynamic": "dynamic_shared_memory_bytes",
}
OF_COPY = {"device": "gpu_id", "stream": "stream_id", "context": "context_id", "bytes": "bytes"}
OF_OCCUPANCY = {"sm__maximum_warps_per_active_cycle_pct": "occupancy_pct"}  # theoretical, as Nsight Compute calls it
OF_WAVES = {"waves_per_multiprocessor": "waves", "last_wave_pct": "last_wave_pct"}
LIMIT = "occupancy_limited_by"
LAUNCH, GRID, BLOCK, ARGUMENT = 21, 1, 2, 3


def packets(work: pl.DataFrame) -> bytes:
    """The packets of rows of gpu_events that also have event_id, queue, stage, context and name_number."""
    is_kernel = pl.col("kind") == "kernel"
    made = [_packets(part, True, more) for part, more in _with_occupancy(work.filter(is_kernel))]
    others = work.filter(~is_kernel)
    return b"".join([*made, *([] if others.is_empty() else [_packets(others, False, [])])])


def _with_occupancy(kernels: pl.DataFrame) -> Iterator[tuple[pl.DataFrame, list[Bytes]]]:
    """Groups of kernels with the same occupancy arguments, and these arguments."""
    if "occupancy_pct" not in kernels.columns:
        yield from [] if kernels.is_empty() else [(kernels, [])]
        return
    alike = [pl.col(name).is_not_null().alias(f"has_{name}") for name in ("occupancy_pct", "waves")]
    for (has_any, has_waves, limit), part in kernels.group_by(*alike, "limited_by", maintain_order=True):
        named = {**(OF_OCCUPANCY if has_any else {}), **(OF_WAVES if has_waves else {})}
        more = [_real(name, part[column].fill_null(0).to_numpy()) for name, column in named.items()]
        if limit is not None:
            more.append(constants(message(ARGUMENT, text(2, LIMIT), text(6, str(limit))), part.height))
        yield part, more


def _packets(work: pl.DataFrame, is_kernel: bool, more: list[Bytes]) -> bytes:
    rows = work.height
    launch = [_dimensions(work, GRID, "grid"), _dimensions(work, BLOCK, "block")] if is_kernel else []
    for name, column in (ARGUMENTS if is_kernel else OF_COPY).items():
        launch.append(_argument(name, _column(work, column)))
    launch += more
    event = [
        numbers(1, _column(work, "event_id")),
        numbers(2, (work["end_ns"] - work["start_ns"]).to_numpy()),
        numbers(13, _column(work, "queue")),
        numbers(14, _column(work, "stage")),
        numbers(11, _column(work, "gpu_id")),
        numbers(5, _column(work, "context")),
        numbers(20, _column(work, "name_number")),
        messages(LAUNCH, launch),
    ]
    made = messages(PACKET, [
        numbers(TIMESTAMP, _column(work, "start_ns")), messages(STAGE_EVENT, event),
        constants(number(FLAGS, NEEDED) + ON_SEQUENCE, rows),
    ])  # fmt: skip
    return made.tobytes()


def _dimensions(work: pl.DataFrame, field: int, what: str) -> Bytes:
    return messages(field, [numbers(i, _column(work, f"{what}_{axis}")) for i, axis in enumerate("xyz", 1)])


def _argument(name: str, values: "np.ndarray") -> Bytes:
    head = constants(text(2, name), values.size)
    return messages(ARGUMENT, [head, numbers(4, values)])


def _real(name: str, values: "np.ndarray") -> Bytes:
    """An argument that is a double, eight bytes each."""
    head = constants(text(2, name) + tag(5, FIXED64), values.size)
    return messages(ARGUMENT, [head, values.astype("<f8").view(np.uint8).reshape(-1, 8)])


def _column(work: pl.DataFrame, name: str) -> "np.ndarray":
    """A column of numbers; 0 for what is not recorded, or negative, which these fields cannot say."""
    return work[name].fill_null(0).clip(lower_bound=0).to_numpy()
