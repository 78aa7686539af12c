"""Rows of a timeline, made of the answers of its queries."""

from pathlib import PurePosixPath

import polars as pl

from nsysql.analysis.global_ids import pid_of, process_of, tid_of
from nsysql.capture.export import Export
from nsysql.errors import MissingData, UsageError
from nsysql.pages.phrases import gpu_number
from nsysql.pages.timeline.model import CAUSE, OWN
from nsysql.words.quantities import size

CATEGORIES = {  # of what threads did, in the order in which their rows are shown
    "nvtx": "NVTX",
    "nvtx_start_end": "NVTX start/end",
    "cuda": "CUDA API",
    "mpi": "MPI",
    "os": "OS runtime",
    "off_cpu": "off the CPU",
}
NAME = pl.col("name").fill_null("(no name)")
SUMS = ("count", "busy_ns", "longest_ns")  # of events some of which may be merged
TEXTS = ("style", "name", "detail")
COPIES = {"Host-to-Device": "h2d", "Device-to-Host": "d2h", "Device-to-Device": "d2d", "Peer-to-Peer": "p2p"}
PLACE = dict.fromkeys(("gpu_id", "pid", "tid", "thread_id", "context_id"), pl.Int64())


Parts = dict[tuple[int, str], pl.DataFrame]  # the events of each thread and category
Rows = list[tuple[dict[str, object], pl.DataFrame]]  # tracks, without their numbers, with their events


def rows_of(run: Export, work: pl.DataFrame | None, threads: Parts, pieces: pl.DataFrame | None) -> Rows:
    """The tracks of GPUs, then those of threads, with their events; None if the export has no events of a kind."""
    of_gpus = [] if work is None else _gpu_rows(dict(run.query("gpus").select("gpu_id", "name").rows()), work, pieces)
    return [*of_gpus, *_thread_rows(run, threads)]


def made(rows: Rows, what: tuple[str, ...]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tracks and events as in `model`; `what` are the columns that say what an event is."""
    if not rows:
        return pl.DataFrame(), pl.DataFrame({"start_ns": []})
    columns = ("track", "start_ns", "end_ns", *what, "link", "lane", *SUMS)
    numbered = (frame.with_columns(track=pl.lit(i, pl.UInt32)) for i, (_, frame) in enumerate(rows))
    events = pl.concat([frame.select(columns) for frame in numbered])
    lanes_of = events.group_by("track").agg(lanes=pl.col("lane").max() + 1)
    return tracks_of(rows).join(lanes_of, on="track", how="left", maintain_order="left"), events


def tracks_of(parts: Rows) -> pl.DataFrame:
    """The tracks with how many events they have: columns as in `model`, without lanes."""
    rows = [row | {"track": number, "events": int(frame["count"].sum())} for number, (row, frame) in enumerate(parts)]
    text = {name: pl.String() for name in ("group", "label", "kind", "program", "thread")}
    schema = {"track": pl.UInt32(), **text, **PLACE, "stream_id": pl.Int64(), "events": pl.UInt32()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _gpu_rows(names: dict[int | None, str], work: pl.DataFrame, pieces: pl.DataFrame | None) -> Rows:
    """Of each GPU idle time by cause, then its streams."""
    rows: Rows = []
    by_gpu = work.partition_by("gpu_id", as_dict=True, maintain_order=True)
    for (gpu_id,), of_gpu in sorted(by_gpu.items(), key=lambda item: (item[0][0] is None, item[0])):
        group = f"GPU {gpu_number(gpu_id)}" + (f" {names[gpu_id]}" if names.get(gpu_id) else "")
        idle = None if pieces is None else pieces.filter(pl.col("gpu_id").eq_missing(gpu_id))
        if idle is not None and not idle.is_empty():
            rows.append(({"group": group, "label": "idle by cause", "kind": "idle", "gpu_id": gpu_id}, idle))
        streams = of_gpu.partition_by("pid", "context_id", "stream_id", as_dict=True)
        contexts = {(pid, context) for pid, context, _ in streams}
        pids = [pid for pid, _ in contexts]
        for (pid, context, stream), frame in sorted(streams.items(), key=lambda item: str_key(item[0])):
            label = f"stream {stream}" + (f" of {pid}" if len({*pids}) > 1 else "")
            label += f", context {context}" if pids.count(pid) > 1 else ""
            place = {"gpu_id": gpu_id, "pid": pid, "context_id": context, "stream_id": stream}
            rows.append(({"group": group, "label": label, "kind": "stream", **place}, frame))
    return rows


def str_key(key: tuple[object, ...]) -> tuple[tuple[bool, int], ...]:
    """An order for numbers that may be missing."""
    return tuple((value is None, value if isinstance(value, int) else 0) for value in key)


def work_events(work: pl.DataFrame) -> pl.DataFrame:
    """Rows of gpu_events with style, detail and link."""
    launched = pl.format(
        "grid {} x {} x {}, block {} x {} x {}, {} registers, {} B shared",
        *(f"{what}_{axis}" for what in ("grid", "block") for axis in "xyz"),
        pl.col("registers_per_thread").fill_null(0),
        pl.col("static_shared_memory_bytes").fill_null(0) + pl.col("dynamic_shared_memory_bytes").fill_null(0),
    )
    sizes = work["bytes"].drop_nulls().unique()
    texts = sizes.map_elements(size, return_dtype=pl.String) if sizes.len() else sizes.cast(pl.String)
    moved = pl.col("bytes").replace_strict(sizes, texts, default=None, return_dtype=pl.String)
    detail = pl.coalesce(launched, moved)
    return work.with_columns(style=work_style(), detail=detail, link=link("process_id"), name=NAME)


def work_style() -> pl.Expr:
    """The style of GPU work."""
    direction = pl.col("name").str.extract(r"memcpy (.*)\]$").replace_strict(COPIES, default="memcpy")
    return (
        pl.when(pl.col("kind") == "memcpy").then(direction)
        .when(pl.col("is_communication")).then(pl.lit("communication"))
        .otherwise(pl.col("kind"))
    )  # fmt: skip


def link(process: str) -> pl.Expr:
    """A number that work and the call that launched it share, and nothing else."""
    pid = pid_of(pl.col(process))
    number = pid * 2**33 + pl.col("correlation_id") % 2**32
    return pl.when(pl.col("correlation_id") != 0).then(number).otherwise(0).fill_null(0)


def idle_events(pieces: pl.DataFrame) -> pl.DataFrame:
    """Rows of idle_pieces with their cause as style, the evidence as detail, and the gap's negative number as link."""
    row, waits = pl.format("{} row {}", "evidence_table", "evidence_row_id"), pl.format("for {}", "waits_for")
    said = (pl.col("evidence_name"), pl.col("function"), row, waits, pl.format("ended by thread {}", "tid"))
    evidence = pl.concat_str(said, separator=", ", ignore_nulls=True)
    gap = -pl.col("gap_id").cast(pl.Int64)
    return pieces.with_columns(style=CAUSE + pl.col("cause"), name="cause", detail=evidence, link=gap)


def thread_style() -> pl.Expr:
    """The style of what a thread did, by its category, and by the color that the program gave a range."""
    is_range = pl.col("category").is_in(["nvtx", "nvtx_start_end"])
    color = pl.col("color").cast(pl.Int64)
    hexadecimal = pl.lit(list("0123456789abcdef"))
    digits = pl.concat_str(hexadecimal.list.get((color // 16**place) % 16) for place in range(5, -1, -1))
    own = pl.when(is_range & color.is_not_null()).then(pl.lit(OWN + "#") + digits)
    return own.when(is_range).then(pl.lit("nvtx")).otherwise(pl.col("category").cast(pl.String))


def _thread_rows(run: Export, threads: Parts) -> Rows:
    """Threads, those with most CUDA calls first, then those with most of anything."""
    counts = {key: int(frame["count"].sum()) for key, frame in threads.items()}

    def most(thread: int) -> tuple[int, ...]:
        of = {category: counts.get((thread, category), 0) for category in CATEGORIES}
        return -of["cuda"], -of["nvtx"] - of["nvtx_start_end"], -sum(of.values()), thread

    names, programs = _names(run, "thread"), _names(run, "process")
    rows: Rows = []
    for thread in sorted({thread for thread, _ in counts}, key=most):
        pid, tid = pid_of(thread), tid_of(thread)
        program = PurePosixPath(programs.get(process_of(thread)) or "").name
        name = names.get(thread)
        group = f"{program or 'process'} {pid}, thread {tid}" + (f" {name}" if name and name != program else "")
        for category, label in CATEGORIES.items():
            frame = threads.get((thread, category))
            if frame is not None:
                place = {"pid": pid, "tid": tid, "thread_id": thread, "program": program, "thread": name}
                rows.append(({"group": group, "label": label, "kind": category, **place}, frame))
    return rows


def _names(run: Export, of: str) -> dict[int, str]:
    """The first name of each; names of several processes or threads that share a number are as the export has them."""
    frame, key = ask(run, of), f"{of}_id"
    named = None if frame is None else frame.drop_nulls(["name", key]).unique(key, keep="first", maintain_order=True)
    return {} if named is None else dict(named.select(key, "name").rows())


def ask(run: Export, query: str, **parameters: object) -> pl.DataFrame | None:
    """The answer; None if the export has nothing for it."""
    try:
        rows = run.query(query, **parameters)
    except MissingData:
        return None
    return None if rows.is_empty() else rows


def of_gpu(
    gpu: int | None, work: pl.DataFrame | None, pieces: pl.DataFrame | None
) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Work and idle pieces of a GPU, of all if none is asked for. Raises UsageError if it has no work."""
    if gpu is None:
        return work, pieces
    known = [] if work is None else work["gpu_id"].unique().drop_nulls().sort().to_list()
    if work is None or gpu not in known:
        there = f"; there is {', '.join(map(str, known))}" if known else ""
        raise UsageError(f"no GPU work was recorded on GPU {gpu}{there}.")
    is_own = pl.col("gpu_id") == gpu
    return work.filter(is_own), None if pieces is None else pieces.filter(is_own)
