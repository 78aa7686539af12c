"""Invented timelines for the idle ledger, and the exports that tell them (see idle_reference.py for their shape).

Times are small numbers of a unit that differs from one timeline to the next, so that borders meet often and
the ledger's own lengths (2, 6 and 60 microseconds, a millisecond) are crossed. On one stream work starts in
the order of its launches, no two at once, as CUDA has it.
"""

from itertools import count
from pathlib import Path

from exports import create_export
from hypothesis import strategies as st
from idle_reference import CALLS, COPIES, OS_CALLS, OVERHEAD_NAMES

Row = dict
Timeline = dict[str, list[Row]]

TABLES = {
    "kernel": "CUPTI_ACTIVITY_KIND_KERNEL",
    "memcpy": "CUPTI_ACTIVITY_KIND_MEMCPY",
    "memset": "CUPTI_ACTIVITY_KIND_MEMSET",
    "graph": "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
}
FILES = count()
KERNELS = ("k1", "k2", "k3")
OTHERS = ("MPI_Recv", "Waiting for GIL", "CUPTI worker thread")
NAMES = {name: n for n, name in enumerate([*KERNELS, *CALLS, *OS_CALLS, *OVERHEAD_NAMES, *OTHERS, "Unknown"], 1)}
THREADS = [(500, 500), (500, 501), (600, 600)]
STREAMS = [7, 8, 9]
DEVICES = [(0, "A"), (1, "B"), (2, "B")]  # GPU numbers and uuids; two numbers mean one GPU


@st.composite
def timelines(draw: st.DrawFn, groups: int = 9, extras: int = 9) -> Timeline:
    """A timeline of up to `groups` launches and `extras` other rows of each kind."""
    unit = draw(st.sampled_from([1, 700, 5_001, 40_000, 400_000]))
    origin = draw(st.sampled_from([0, 0, -30 * unit]))
    moment = st.builds(
        lambda at, more: origin + at * unit + more, st.integers(0, 9 * groups), st.sampled_from([0, 0, 1])
    )
    length = st.integers(0, 15).map(lambda n: n * unit)
    thread = st.sampled_from(THREADS)
    stretch = {"start": moment, "end": length, "thread": thread}

    timeline: Timeline = {"activities": [], "calls": []}
    numbers = {500: count(1), 600: count(1)}
    launches = draw(st.lists(st.builds(dict, launch(unit), **stretch), min_size=groups // 2, max_size=groups))
    taken: set[tuple] = set()
    latest: dict[tuple, int] = {}
    for asked in sorted(launches, key=lambda row: row["start"]):
        add_launch(timeline, asked, next(numbers[asked["thread"][0]]), taken, latest, origin)

    def some(**columns: st.SearchStrategy) -> list[Row]:
        found = draw(st.lists(st.fixed_dictionaries(columns), max_size=extras))
        return [row | {"end": row["start"] + row["end"]} if "end" in row else row for row in found]

    for call in some(**stretch, name=st.sampled_from(sorted(CALLS))):
        timeline["calls"].append(call | {"correlation": next(numbers[call["thread"][0]])})
    timeline["os_calls"] = some(**stretch, name=st.sampled_from(sorted(OS_CALLS)))
    timeline["sched"] = some(
        time=moment,
        thread=thread,
        is_in=st.booleans(),
        cpu=st.integers(0, 1),
        state=st.sampled_from([None, None, None, 0, 1, 2]),
    )
    timeline["mpi"] = some(**stretch, name=st.just("MPI_Recv"))[:2]
    timeline["gil"] = some(**stretch)[:2]
    timeline["profilers"] = draw(st.sampled_from([[], [], [THREADS[1]]]))
    timeline["overheads"] = draw(st.lists(overhead(stretch), max_size=extras // 2))
    event, stream, pid = st.integers(1, 3), st.sampled_from(STREAMS), st.sampled_from([500, 600])
    timeline["waits"] = some(start=moment, pid=pid, stream=stream, event=event)
    timeline["records"] = []
    for record in some(start=moment, thread=thread, event=event, stream=stream) if draw(st.booleans()) else []:
        number = next(numbers[record["thread"][0]])
        start = record["start"]
        while ("record", record["thread"][0], start) in taken:
            start += 1
        taken.add(("record", record["thread"][0], start))
        call = {"start": start, "end": start + 1, "thread": record["thread"], "correlation": number}
        timeline["calls"].append(call | {"name": "cudaEventRecord_v3020"})
        row = {"pid": record["thread"][0], "event": record["event"], "stream": record["stream"]}
        timeline["records"].append(row | {"correlation": number})
    flags = st.fixed_dictionaries({"pid": pid, "stream": stream, "flag": st.sampled_from([1, 2, 3, 3])})
    timeline["streams"] = draw(st.lists(flags, max_size=6, unique_by=lambda row: (row["pid"], row["stream"])))
    device = st.fixed_dictionaries({"pid": pid, "device": st.integers(0, 1), "at": st.sampled_from(DEVICES)})
    devices = draw(st.lists(device, max_size=4, unique_by=lambda row: (row["pid"], row["device"])))
    timeline["devices"] = [row | {"gpu": row["at"][0], "uuid": row["at"][1]} for row in devices]
    return timeline


def launch(unit: int) -> st.SearchStrategy[Row]:
    """What a call asks for: its name, and the work as (kind, delay after the call's start, length ...)."""
    delay = st.sampled_from([*range(-4, 12), 20, 30]).map(lambda n: n * unit)

    def work(*kinds: str) -> st.SearchStrategy[Row]:
        return st.fixed_dictionaries(
            {
                "kind": st.sampled_from(kinds),
                "delay": delay,
                "length": st.integers(0, 5).map(lambda n: n * unit),
                "device": st.sampled_from([0, 0, 1]),
                "stream": st.sampled_from(STREAMS),
                "name": st.sampled_from(KERNELS),
                "pageable": st.booleans(),
                "copy_kind": st.sampled_from([1, 1, 2, 8]),
                "is_timeless": st.sampled_from([False] * 9 + [True]),
            }
        )

    def asks(names: list[str], kinds: tuple[str, ...], most: int) -> st.SearchStrategy[Row]:
        recorded = st.sampled_from([True] * 5 + [False])
        asked = st.lists(work(*kinds), min_size=1, max_size=most)
        return st.fixed_dictionaries({"name": st.sampled_from(names), "work": asked, "is_recorded": recorded})

    migration = asks(["cudaMalloc_v3020"], ("migration",), 1)
    return st.one_of(
        asks(["cudaLaunchKernel_v7000", "cuLaunchKernelEx"], ("kernel",), 1),
        asks(["cudaLaunchKernel_v7000", "cuLaunchKernelEx"], ("kernel",), 2),
        asks(sorted(COPIES), ("memcpy",), 2),
        asks(["cudaMemsetAsync_v3020"], ("memset",), 1),
        asks(["cudaGraphLaunch_v10000"], ("kernel", "memcpy", "memset"), 3),
        asks(["cudaGraphLaunch_v10000"], ("graph",), 1),
        migration,
    )


def add_launch(
    timeline: Timeline, asked: Row, number: int, taken: set[tuple], latest: dict[tuple, int], origin: int
) -> None:
    """Add a call and its work, starts moved where a stream would start out of order or two launches tie."""
    pid, start = asked["thread"][0], asked["start"]
    streams = {(pid, work["stream"]) for work in asked["work"]}
    while any((stream, start) in taken for stream in streams):
        start += 1
    taken |= {(stream, start) for stream in streams}
    call = {"start": start, "end": start + asked["end"], "thread": asked["thread"], "correlation": number}
    if asked["is_recorded"]:
        timeline["calls"].append(call | {"name": asked["name"]})
    for work in asked["work"]:
        at = max(start + work["delay"], latest.get((pid, work["stream"]), origin - 10**9) + 1)
        latest[pid, work["stream"]] = at
        row = work | {"pid": pid, "start": at, "end": at + work["length"], "correlation": number}
        if work["is_timeless"]:
            row |= {"start": 0, "end": 0}
        if work["kind"] == "migration":
            row |= {"kind": "memcpy", "copy_kind": 12 if work["copy_kind"] == 2 else 11, "correlation": None}
        timeline["activities"].append(row)


def overhead(stretch: dict[str, st.SearchStrategy]) -> st.SearchStrategy[Row]:
    """A row of overhead: with a type, or with a name only."""
    both = ["PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"]
    typed = {"type": st.integers(2, 8), "name": st.just("Unknown"), "table": st.sampled_from(both)}
    named = {
        "type": st.sampled_from([None, 0]),
        "name": st.sampled_from(sorted(OVERHEAD_NAMES)),
        "table": st.sampled_from(both),
    }
    rows = st.one_of(st.fixed_dictionaries(stretch | typed), st.fixed_dictionaries(stretch | named))
    return rows.map(lambda row: row | {"end": row["start"] + row["end"]})


# --- exports


def export(timeline: Timeline, folder: Path) -> Path:
    """The export that tells a timeline."""
    return create_export(export_sql(timeline), folder / f"{next(FILES)}.sqlite")


def export_sql(timeline: Timeline) -> str:
    """A timeline as inserts."""
    sql = [insert("StringIds", {"id": number, "value": name}) for name, number in NAMES.items()]
    for row in timeline["activities"]:
        sql.append(insert(TABLES[row["kind"]], activity_columns(row)))
    for row in timeline["calls"]:
        sql.append(insert("CUPTI_ACTIVITY_KIND_RUNTIME", call_columns(row) | {"correlationId": row["correlation"]}))
    for row in timeline["os_calls"]:
        sql.append(insert("OSRT_API", call_columns(row) | {"eventClass": 27}))
    for row in timeline["overheads"]:
        sql.append(insert(row["table"], call_columns(row) | {"overheadType": row["type"]}))
    for row in timeline["sched"]:
        thread = {"globalTid": number_of(row["thread"])}
        of_cpu = {"cpu": row["cpu"], "threadState": row["state"]}
        sql.append(insert("SCHED_EVENTS", {"start": row["time"], "isSchedIn": int(row["is_in"]), **of_cpu, **thread}))
    for row in timeline["mpi"]:
        times = {"start": row["start"], "end": row["end"], "globalTid": number_of(row["thread"])}
        sql.append(insert("MPI_P2P_EVENTS", times | {"textId": NAMES[row["name"]]}))
    for row in timeline["gil"]:
        times = {"start": row["start"], "end": row["end"], "globalTid": number_of(row["thread"])}
        sql.append(insert("NVTX_EVENTS", times | {"eventType": 59, "textId": NAMES["Waiting for GIL"]}))
    for thread in timeline["profilers"]:
        name = {"nameId": NAMES["CUPTI worker thread"], "globalTid": number_of(thread)}
        sql.append(insert("ThreadNames", name))
    for row in timeline["waits"]:
        columns = {"start": row["start"], "end": row["start"], "syncType": 2, "eventId": row["event"], "contextId": 1}
        stream = {"streamId": row["stream"], "globalPid": row["pid"] << 24}
        sql.append(insert("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", columns | stream))
    for row in timeline["records"]:
        columns = {
            "eventId": row["event"],
            "streamId": row["stream"],
            "correlationId": row["correlation"],
            "contextId": 1,
        }
        sql.append(insert("CUPTI_ACTIVITY_KIND_CUDA_EVENT", columns | {"globalPid": row["pid"] << 24}))
    for row in timeline["streams"]:
        columns = {"processId": row["pid"], "streamId": row["stream"], "flag": row["flag"], "contextId": 1}
        sql.append(insert("TARGET_INFO_CUDA_STREAM", columns))
    for row in timeline["devices"]:
        columns = {"pid": row["pid"], "cudaId": row["device"], "gpuId": row["gpu"], "uuid": row["uuid"]}
        sql.append(insert("TARGET_INFO_CUDA_DEVICE", columns))
    return "\n".join(sql)


def activity_columns(row: Row) -> Row:
    """The columns of a row of GPU work."""
    columns = {
        "start": row["start"],
        "end": row["end"],
        "deviceId": row["device"],
        "streamId": row["stream"],
        "correlationId": row["correlation"],
        "globalPid": row["pid"] << 24,
        "contextId": 1,
    }
    kinds = {
        "kernel": {"demangledName": NAMES.get(row["name"], 0), "shortName": NAMES.get(row["name"], 0)},
        "memcpy": {"copyKind": row["copy_kind"], "srcKind": 0 if row["pageable"] else 1, "dstKind": 2},
    }
    return columns | kinds.get(row["kind"], {})


def call_columns(row: Row) -> Row:
    """The columns that every row of a thread's stretch has."""
    named = {"start": row["start"], "end": row["end"], "nameId": NAMES[row["name"]]}
    return named | {"globalTid": number_of(row["thread"])}


def number_of(thread: tuple[int, int]) -> int:
    """NVIDIA's number of a thread."""
    return thread[0] << 24 | thread[1]


def insert(table: str, row: Row) -> str:
    """One row as a statement."""
    columns = ", ".join(f'"{name}"' for name in row)
    values = ", ".join("NULL" if value is None else repr(value) for value in row.values())
    return f"INSERT INTO {table} ({columns}) VALUES ({values});"


def even_gaps(gap_pct: float, count: int = 4_000, period_ns: int = 100_000) -> str:
    """So many kernels of one stream with a gap of that share of the time after each, as SQL of an export."""
    busy, process = round(period_ns * (1 - gap_pct / 100)), 4711 << 24
    kernels = [f"({i * period_ns}, {i * period_ns + busy}, 0, 1, 7, {i + 1}, {process}, 1, 1)" for i in range(count)]
    calls = [f"({i * period_ns - 50}, {i * period_ns - 10}, {process + 1}, {i + 1}, 2)" for i in range(count)]
    return f"""
INSERT INTO StringIds (id, value) VALUES (1, 'my_kernel'), (2, 'cudaLaunchKernel_v7000');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,
    demangledName, shortName) VALUES {", ".join(kernels)};
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId) VALUES {", ".join(calls)};
"""
