"""The graph of a capture: nodes in order of time, and edges with a kind, a wait and the call or work they are of."""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy
import polars

Array = numpy.ndarray[Any, numpy.dtype[Any]]
NEVER = -(2**60)  # the wait of an edge that is removed
NONE = -1


class Edge(IntEnum):
    """Why a node waits for another. The node is a call's start or return, or the start or end of GPU work."""

    BEGIN = 0  # a thread's first call: at its measured time
    HOST = 1  # host code between two calls of a thread
    OWN = 2  # a call's own time, from its start to its return
    WAIT = 3  # a blocking call returns after the work that it waits for
    QUEUE = 4  # a launch returns when the launch queue has a free place
    SUBMIT = 5  # work starts after its call has begun
    STREAM = 6  # work of a stream follows each other
    ENGINE = 7  # one copy at a time per direction and GPU
    JOIN = 8  # the legacy default stream and blocking streams wait for each other
    EVENT = 9  # a stream that was told to wait for an event
    RUN = 10  # work runs, from its start to its end
    TOGETHER = 11  # the kernels of one collective end together
    PLACE = 12  # work without a recorded call keeps its place after the call before it


@dataclass(frozen=True)
class Graph:
    """Nodes are numbered in an order in which every edge leads from a smaller number to a larger one.

    calls: one row per CUDA API call that is in no other call, in order of start: start_ns, end_ns, name, process_id,
    thread (one number for threads that take turns), waits (a blocking call), step nodes `first`, `last`.
    works: one row per GPU activity, in order of start: start_ns, end_ns, call (row of calls, or -1), kind, name,
    gpu_id, stream, bytes, direction, is_pageable, and nodes `first`, `last`.
    """

    calls: polars.DataFrame
    works: polars.DataFrame
    measured: Array  # time of each node, ns
    node: Array  # of each edge: the node that waits; edges are sorted by it
    source: Array  # the node that it waits for
    kind: Array  # Edge
    wait: Array  # ns, from the source to the node
    call: Array  # row of calls that the edge belongs to, or -1
    work: Array  # row of works that the edge belongs to, or -1
    slack_ns: int  # time in which a GPU waited and no edge says for what
    concurrent: str | None  # why threads of the capture cannot be replayed
    link_bytes_per_s: float | None = None  # of pinned copies on the GPUs' usual link; None if it is not known

    def with_waits(self, wait: Array) -> "Graph":
        """The same graph with other waits."""
        return replace(self, wait=wait)
