"""GPU work as packets: a render stage each, on the queue of its stream, with what it was launched with."""

import numpy as np
import polars as pl

from nsysql.render.perfetto.descriptions import FLAGS, NEEDED, ON_SEQUENCE, PACKET, STAGE_EVENT, TIMESTAMP
from nsysql.render.perfetto.wire import Bytes, constants, messages, number, numbers, text

ARGUMENTS = {  # of a launch, by Perfetto's names
    "device": "gpu_id",
    "stream": "stream_id",
    "context": "context_id",
    "registers_per_thread": "registers_per_thread",
    "shared_mem_static": "static_shared_memory_bytes",
    "shared_mem_dynamic": "dynamic_shared_memory_bytes",
}
OF_COPY = {"device": "gpu_id", "stream": "stream_id", "context": "context_id", "bytes": "bytes"}
LAUNCH, GRID, BLOCK, ARGUMENT = 21, 1, 2, 3


def packets(work: pl.DataFrame) -> bytes:
    """The packets of rows of gpu_events that also have event_id, queue, stage, context and name_number."""
    is_kernel = pl.col("kind") == "kernel"
    parts = (work.filter(is_kernel), True), (work.filter(~is_kernel), False)
    return b"".join(_packets(part, kernel) for part, kernel in parts if not part.is_empty())


def _packets(work: pl.DataFrame, is_kernel: bool) -> bytes:
    rows = work.height
    launch = [_dimensions(work, GRID, "grid"), _dimensions(work, BLOCK, "block")] if is_kernel else []
    for name, column in (ARGUMENTS if is_kernel else OF_COPY).items():
        launch.append(_argument(name, _column(work, column)))
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


def _column(work: pl.DataFrame, name: str) -> "np.ndarray":
    """A column of numbers; 0 for what is not recorded, or negative, which these fields cannot say."""
    return work[name].fill_null(0).clip(lower_bound=0).to_numpy()
