"""The idle ledger in plain Python, slow and obvious: what nsysql is compared with. It shares no code with it.

A timeline is a dict of lists of dicts, one dict a row of the export, times in ns, threads as (pid, tid):

    activities  kind, start, end, pid, device, stream, correlation, name, copy_kind, pageable
    calls       start, end, thread, correlation, name
    os_calls    start, end, thread, name
    sched       time, thread, is_in, cpu, state
    mpi         start, end, thread, name
    gil         start, end, thread                 (ranges "Waiting for GIL")
    profilers   threads of the profiler
    overheads   start, end, thread, table, type, name
    waits       start, pid, stream, event          (SYNCHRONIZATION rows that name a stream and an event)
    records     pid, event, stream, correlation    (CUDA_EVENT rows)
    streams     pid, stream, flag                  (TARGET_INFO_CUDA_STREAM)
    devices     pid, device, gpu, uuid             (TARGET_INFO_CUDA_DEVICE)

`idle_pieces` gives (gpu, gap start, gap end, cause, start, end), touching pieces of one cause made one.
"""

import statistics
from itertools import groupby, pairwise, product
from math import floor

Row = dict  # one row of an export
Piece = tuple[int, int, int, str, int, int]

MILLISECOND = 1_000_000
SOON = 20_000  # clocks and hand-overs
FAULT = 50_000  # a thread that is back so soon before pages move had faulted
RETURNS_WITH = 200_000  # a call that returns so soon after the profiler's work waited for it
LEGACY_STREAM, NON_BLOCKING_STREAM = 3, 2

# What each function that the random timelines call is, by hand.
BLOCKING = "sync"
CALLS = {
    "cudaLaunchKernel_v7000": "other_cuda_api",
    "cuLaunchKernelEx": "other_cuda_api",
    "cudaGraphLaunch_v10000": "other_cuda_api",
    "cudaMemcpyAsync_v3020": "other_cuda_api",
    "cudaMemsetAsync_v3020": "other_cuda_api",
    "cudaEventRecord_v3020": "other_cuda_api",
    "cudaStreamWaitEvent_v3020": "other_cuda_api",
    "cudaMemcpy_v3020": BLOCKING,
    "cuMemcpyHtoD_v2": BLOCKING,
    "cudaDeviceSynchronize_v3020": BLOCKING,
    "cuStreamSynchronize_ptsz": BLOCKING,
    "cudaEventSynchronize_v3020": BLOCKING,
    "cuModuleLoadData": "module_load",
    "cuLibraryLoadData": "module_load",
    "cudaSetDevice_v3020": "context_setup",
    "cuCtxCreate_v2": "context_setup",
    "cudaStreamCreate_v3020": "stream_and_event_setup",
    "cuEventDestroy_v2": "stream_and_event_setup",
    "cudaGraphInstantiate_v10000": "graph_build",
    "cuInit": "context_setup",
    "cudaMalloc_v3020": "memory_management",
    "cuMemFree_v2": "memory_management",
}
OS_CALLS = {
    "pthread_cond_wait": "os_wait_lock",
    "sem_wait": "os_wait_lock",
    "read": "os_wait_io",
    "poll": "os_wait_io",
    "usleep": "os_sleep",
    "mmap": "os_other",
}
GRAPH_LAUNCHES = {"cudaGraphLaunch_v10000"}
COPIES = {"cudaMemcpyAsync_v3020", "cudaMemcpy_v3020", "cuMemcpyHtoD_v2"}
OVERHEAD_TYPES = {
    **dict.fromkeys((3, 4, 5), "profiler"),
    **dict.fromkeys((2, 6, 7), "module_load"),
    8: "blocked_launch",
}
OVERHEAD_NAMES = {
    "CUDA profiling data flush overhead": "profiler",
    "Module Loading": "module_load",
    "Lazy Function Loading": "module_load",
    "Command Buffer Full": "blocked_launch",
}
LAUNCHES = {
    "cudaLaunchKernel_v7000",
    "cuLaunchKernelEx",
    "cudaGraphLaunch_v10000",
    "cudaMemcpyAsync_v3020",
    "cudaMemsetAsync_v3020",
}
LAUNCH = "launch"  # a call of LAUNCHES that does not block
CUDA_FAMILIES = {BLOCKING: 2, "memory_management": 4, "other_cuda_api": 5, LAUNCH: 5}  # 3 if not here


def idle_pieces(timeline: dict[str, list[Row]], per_process: bool = False) -> list[Piece]:
    """Every idle nanosecond of every GPU, booked."""
    return Ledger(timeline, per_process).pieces()


def overhead_cause(row: Row) -> str:
    """What a row of overhead is, by its type, else by its name."""
    return OVERHEAD_TYPES.get(row["type"]) or OVERHEAD_NAMES[row["name"]]


def timer_ms(off: Row) -> int | None:
    """How many whole milliseconds a thread was off the CPU, where a timer of that length can have ended it."""
    whole, rest = divmod(off["end"] - off["start"], 10**6)
    return whole if whole and rest <= 150_000 else None


class Ledger:
    """A timeline with what the rules ask about it."""

    def __init__(self, timeline: dict[str, list[Row]], per_process: bool) -> None:
        self.timeline, self.per_process = timeline, per_process
        self.activities = [row for row in timeline["activities"] if row["end"] > row["start"]]
        self.thread_rows: dict[tuple[int, int], list[Row]] = {}
        for row in self.host_rows():
            self.thread_rows.setdefault(row["thread"], []).append(row)
        for row in self.held_by_profiler():
            self.thread_rows.setdefault(row["thread"], []).append(row)

    # --- GPUs and gaps

    def gpu(self, row: Row) -> int:
        """The physical GPU of an activity."""
        if self.per_process:
            return row["pid"] * 1000 + row["device"]
        known = self.timeline["devices"]
        for device in known:
            if (device["pid"], device["device"]) == (row["pid"], row["device"]):
                return min(same["gpu"] for same in known if same["uuid"] == device["uuid"])
        return row["device"]

    def pieces(self) -> list[Piece]:
        found = []
        for gpu in sorted({self.gpu(row) for row in self.activities}):
            gaps = self.gaps(gpu)
            cap = self.latency_cap(gaps)
            for gap in gaps:
                found += self.book(gap, cap)
        return found

    def gaps(self, gpu: int) -> list[Row]:
        """The gaps of a GPU with the activity before and after and the launch of the latter."""
        work = sorted((row for row in self.activities if self.gpu(row) == gpu), key=lambda row: row["start"])
        found, busy_until = [], work[0]["end"]
        for row in work:
            if row["start"] > busy_until:
                found.append(self.gap(gpu, work, busy_until, row["start"]))
            busy_until = max(busy_until, row["end"])
        return found

    def gap(self, gpu: int, work: list[Row], start: int, end: int) -> Row:
        def order(row: Row) -> tuple:
            launch = self.launch(row)
            asked = (launch is None, launch["start"] if launch else 0)
            number = row["correlation"]
            return (row["start"], *asked, row["stream"], number is None, number or 0, row["pid"])

        following = min((row for row in work if row["start"] == end), key=order)
        before = max((row for row in work if row["end"] == start), key=order)
        gap = {"gpu": gpu, "start": start, "end": end, "next": following, "previous": before}
        launch = self.launch(following)
        if launch is None and (thread := self.reader(gap)):  # as if it launched at the gap's end
            launch = {"start": end, "end": end, "thread": thread, "name": None, "correlation": None}
        return gap | {"launch": launch}

    def reader(self, gap: Row) -> tuple[int, int] | None:
        """The thread that reads unified memory at the end of the gap, where no launched work waits by then."""
        following = gap["next"]
        if following["kind"] != "memcpy" or following["copy_kind"] != 12:
            return None
        known = [(self.launch(row), row) for row in self.activities if row["pid"] == following["pid"]]
        for call, row in known:
            if call and self.gpu(row) == gap["gpu"] and call["end"] <= gap["end"] < row["start"] - SOON:
                return None
        before = [(call["start"], call["thread"]) for call, _ in known if call and call["start"] <= gap["start"]]
        return max(before, default=(0, None))[1]

    def launch(self, activity: Row) -> Row | None:
        """The API call with the activity's correlation id in its process."""
        for call in self.timeline["calls"]:
            if (call["thread"][0], call["correlation"]) == (activity["pid"], activity["correlation"]):
                return call
        return None

    # --- the three pieces of a gap

    def book(self, gap: Row, cap: int) -> list[Piece]:
        """The gap cut wherever the answer can change, each part with its cause, equal neighbors joined."""
        start, end, launch = gap["start"], gap["end"], gap["launch"]
        rows = [row for of in self.thread_rows.values() for row in of]
        cuts = {time for row in rows for time in (row["start"], row["end"])}
        cuts |= {start + MILLISECOND}
        if launch:
            cuts |= {launch["start"], launch["end"], max(start, launch["end"]) + cap}
        borders = sorted({start, end} | {time for time in cuts if start < time < end})
        parts = [(self.cause(gap, time, cap), time, until) for time, until in pairwise(borders)]
        booked = []
        for cause, same in groupby(parts, key=lambda part: part[0]):
            same = list(same)
            booked.append((gap["gpu"], start, end, cause, same[0][1], same[-1][2]))
        return booked

    def cause(self, gap: Row, time: int, cap: int) -> str:
        """The cause of the nanosecond at a time."""
        launch, following = gap["launch"], gap["next"]
        if launch is None:
            threads = [thread for thread in self.thread_rows if thread[0] == following["pid"]]
            if any(self.at(thread, time, {"profiler"}) for thread in threads):
                return "profiler"
            if following["kind"] == "memcpy" and following["copy_kind"] in (11, 12, 13):
                return "unified_memory"
            return "launch_latency" if self.is_covered(gap) else "no_launch_recorded"
        thread = launch["thread"]
        if self.at(thread, time, {"profiler"}):
            return "profiler"
        if launch["start"] > gap["end"] or time < launch["start"]:
            return self.before_launch(gap, time)
        if time < launch["end"]:
            return self.in_launch(gap, time)
        kind = self.after_launch(gap)
        if kind is not None:
            return kind
        returned = max(gap["start"], launch["end"])
        return "launch_latency" if time < returned + cap else "queued_unexplained"

    def is_covered(self, gap: Row) -> bool:
        """Whether one long call of the next activity's process lies over the gap."""
        return any(
            call["thread"][0] == gap["next"]["pid"]
            and call["end"] - call["start"] >= MILLISECOND
            and call["start"] <= gap["start"]
            and gap["end"] <= call["end"]
            for call in self.timeline["calls"]
        )

    def before_launch(self, gap: Row, time: int) -> str:
        """What the launching thread was doing."""
        thread = gap["launch"]["thread"]
        cause = "host_code"
        rows = [
            row
            for row in self.thread_rows.get(thread, [])
            if row["start"] <= time < row["end"] and row["family"] < 9 and not self.is_nap(row, gap)
        ]
        if rows:
            first = min(rows, key=lambda row: (row["family"], -row["start"], row["end"], row["order"]))
            cause = first["cause"]
            if self.is_fault(first, gap):
                return "unified_memory"
            if cause == LAUNCH:
                cause = "launch_call" if first["start"] < gap["start"] else "other_cuda_api"
        if cause == BLOCKING:
            return "sync_return" if time < gap["start"] + MILLISECOND else "sync_wait"
        is_main = thread[0] == thread[1]  # it waits only where a wait is recorded
        if (cause == "os_wait_lock" or (cause == "host_code" and not is_main)) and self.waits_for_thread(gap):
            return "waiting_for_thread"
        return cause

    @staticmethod
    def is_fault(row: Row, gap: Row) -> bool:
        """Whether a thread was off the CPU until the pages that it read moved."""
        is_off = row["family"] in (1, 8) and row["cause"] in ("blocked", "waiting_for_thread")
        return is_off and gap["launch"]["name"] is None and row["end"] >= gap["end"] - FAULT

    @staticmethod
    def is_nap(row: Row, gap: Row) -> bool:
        """Whether a thread slept in a call until the GPU was done, and was back soon."""
        return row["family"] == 1 and row["start"] < gap["start"] and row["end"] <= gap["start"] + MILLISECOND

    def waits_for_thread(self, gap: Row) -> bool:
        """Whether the thread did nothing but wait, and another thread of the process launched before it."""
        launch, before = gap["launch"], self.launch(gap["previous"])
        rows = [
            row
            for row in self.thread_rows.get(launch["thread"], [])
            if row["start"] < min(launch["start"], gap["end"]) and row["end"] > gap["start"]
        ]
        # A profiler row changes nothing but its own nanoseconds, and a full launch queue nothing before a launch.
        waits = {"os_wait_lock", "preempted", "blocked", "waiting_for_thread", "profiler", "blocked_launch"}
        return (
            before is not None
            and before["thread"][0] == launch["thread"][0]
            and before["thread"] != launch["thread"]
            and all(row["cause"] in waits for row in rows)
        )

    def in_launch(self, gap: Row, time: int) -> str:
        """What the launching call was doing."""
        launch, following = gap["launch"], gap["next"]
        if self.at(launch["thread"], time, {"module_load"}):
            return "module_load"
        if self.at(launch["thread"], time, {"blocked_launch"}):
            return "blocked_launch"
        if launch["name"] in COPIES and following["kind"] == "memcpy" and following["pageable"]:
            return "pageable_copy"
        if following["kind"] == "kernel" and self.is_first(launch, following):
            return "first_launch"
        return "launch_call"

    def is_first(self, launch: Row, kernel: Row) -> bool:
        """Whether a launch is the function's first of its process, and took long by itself or beside later ones."""
        of_function = [
            call
            for row in self.activities
            if all(row[column] == kernel[column] for column in ("kind", "pid", "name")) and (call := self.launch(row))
        ]
        first = min(call["start"] for call in of_function)
        later = [call["end"] - call["start"] for call in of_function if call["start"] > first]
        took = launch["end"] - launch["start"]
        is_long = took > MILLISECOND or (bool(later) and took > 3 * statistics.median(later))
        return launch["start"] == first and is_long

    def after_launch(self, gap: Row) -> str | None:
        """Why work that was queued did not start; None where nothing but the usual latency says."""
        launch, following = gap["launch"], gap["next"]
        is_graph = launch["name"] in GRAPH_LAUNCHES
        if any(self.launch(row) is launch and row["start"] < following["start"] for row in self.activities):
            return "graph_dependency" if is_graph else "launch_batch"
        if self.waits_for_stream(gap) or self.waits_for_legacy_stream(gap):
            return "stream_wait"
        return "graph_launch" if is_graph else None

    # --- stream waits

    def waits_for_stream(self, gap: Row) -> bool:
        """Whether the next activity's stream was told to wait for an event that explains the gap."""
        following, asked = gap["next"], gap["launch"]["start"]
        earlier = [
            call["start"]
            for row in self.activities
            if (row["pid"], row["stream"]) == (following["pid"], following["stream"])
            and (call := self.launch(row))
            and (row["start"], call["start"]) < (following["start"], asked)
        ]
        since = max(earlier, default=None)
        return any(
            (wait["pid"], wait["stream"]) == (following["pid"], following["stream"])
            and (since is None or since <= wait["start"])
            and wait["start"] < asked
            and self.event_explains(gap, wait)
            for wait in self.timeline["waits"]
        )

    def event_explains(self, gap: Row, wait: Row) -> bool:
        """Whether the awaited event's stream worked up to the gap, or elsewhere; True if not recorded."""
        recorded = []
        for event in self.timeline["records"]:
            call = self.launch(event)
            is_awaited = (event["pid"], event["event"]) == (wait["pid"], wait["event"])
            if is_awaited and call and call["start"] <= wait["start"]:
                recorded.append((call["start"], event))
        if not recorded:
            return True
        time, event = max(recorded, key=lambda pair: pair[0])
        work = []
        for row in self.activities:
            call = self.launch(row)
            is_there = (row["pid"], row["stream"]) == (event["pid"], event["stream"])
            if is_there and call and call["start"] < time:
                work.append((call["start"], row["end"], row))
        if not work:
            return False
        last = max(work, key=lambda found: found[:2])[2]
        return last["end"] >= gap["start"] or self.gpu(last) != gap["gpu"]

    def waits_for_legacy_stream(self, gap: Row) -> bool:
        """Whether the legacy stream ran when a blocking stream's work was launched, or vice versa."""
        before, following = gap["previous"], gap["next"]
        flags = {(row["pid"], row["stream"]): row["flag"] for row in self.timeline["streams"]}
        pair = [flags.get((of["pid"], of["stream"]), NON_BLOCKING_STREAM) for of in (before, following)]
        return (
            before["pid"] == following["pid"]
            and before["stream"] != following["stream"]
            and gap["launch"]["end"] <= gap["start"]
            and LEGACY_STREAM in pair
            and NON_BLOCKING_STREAM not in pair
        )

    # --- latency

    def latency_cap(self, gaps: list[Row]) -> int:
        """How long a launch may take to start before it wants another explanation."""
        lengths = []
        for gap in gaps:
            launch = gap["launch"]
            if launch is None or launch["start"] > gap["end"] or self.after_launch(gap) is not None:
                continue
            length = gap["end"] - max(gap["start"], launch["end"])
            if length > 0:
                lengths.append(length)
        usual = statistics.median(lengths) if len(lengths) >= 20 else 2000
        return floor(3 * min(max(usual, 2000), 20_000))

    # --- host rows

    def at(self, thread: tuple[int, int], time: int, causes: set[str]) -> list[Row]:
        """The rows of a thread that cover a time and have one of the causes."""
        return [
            row
            for row in self.thread_rows.get(thread, [])
            if row["start"] <= time < row["end"] and row["cause"] in causes
        ]

    def host_rows(self) -> list[Row]:
        """Every row that tells what a thread was doing, with its cause and its family: the lower goes first."""
        found = []
        starts = self.runtime_starts()
        for row in self.timeline["calls"]:
            found += self.parts_of_call(row, any(row is start for start in starts))
        for row in self.timeline["overheads"]:
            cause = overhead_cause(row)
            found.append((row, cause, {"profiler": 0, "module_load": 3}.get(cause, 9)))
        found += [(row, "waiting_for_thread", 6) for row in self.timeline["mpi"]]
        found += [(row, "gil_wait", 6) for row in self.timeline["gil"]]
        found += [(row, OS_CALLS[row["name"]], 7) for row in self.timeline["os_calls"]]
        waits = [row for row, cause, _ in found if cause in (BLOCKING, "pageable_copy")]
        off = self.off_cpu()
        found += [(row, row["cause"], 8) for row in off]
        for row, call in product(off, waits):
            cut = {"start": max(row["start"], call["start"]), "end": min(row["end"], call["end"])}
            found += [(row | cut, row["cause"], 1)] if row["thread"] == call["thread"] else []
        return [
            {column: row[column] for column in ("start", "end", "thread")}
            | {"cause": cause, "family": family, "order": order}
            for order, (row, cause, family) in enumerate(found)
            if row["end"] > row["start"]
        ]

    def parts_of_call(self, call: Row, is_start: bool) -> list[tuple[Row, str, int]]:
        """A CUDA call with its cause and family; a copy of pageable memory in two parts."""
        if is_start:
            return [(call, "context_setup", 3)]
        copies = [
            row for row in self.activities if row["kind"] == "memcpy" and row["pageable"] and self.launch(row) is call
        ]
        cause = LAUNCH if call["name"] in LAUNCHES else CALLS[call["name"]]
        if call["name"] in COPIES and self.is_pageable(call):
            cause = BLOCKING
        family = CUDA_FAMILIES.get(cause, 3)
        copies = [row for row in copies if row["copy_kind"] in (1, 2)]
        if cause != BLOCKING or not copies or call["end"] < call["start"]:
            return [(call, cause, family)]
        is_from_gpu = all(row["copy_kind"] == 2 for row in copies)
        border = max(row["end"] for row in copies) if is_from_gpu else min(row["start"] for row in copies)
        border = min(max(border, call["start"]), call["end"])
        causes = (cause, "pageable_copy") if is_from_gpu else ("pageable_copy", cause)
        first, last = call | {"end": border}, call | {"start": border}
        return [(first, causes[0], family), (last, causes[1], family)]

    def runtime_starts(self) -> list[Row]:
        """The first runtime call of a thread after each cuInit."""
        found = []
        for thread in {row["thread"] for row in self.timeline["calls"]}:
            own = sorted(
                (
                    (row["start"], order, row)
                    for order, row in enumerate(self.timeline["calls"])
                    if row["thread"] == thread
                ),
                key=lambda item: item[:2],
            )
            has_begun = False
            for *_, row in own:
                if row["name"].startswith("cuda"):
                    found += [row] if has_begun else []
                    has_begun = False
                has_begun = has_begun or row["name"] == "cuInit"
        return found

    def held_by_profiler(self) -> list[Row]:
        """The profiler's work on one thread, on those of the process whose calls returned when it ended."""
        works = [row for of in self.thread_rows.values() for row in of if row["cause"] == "profiler"]
        found = []
        for call in self.timeline["calls"]:
            if call["end"] <= call["start"]:
                continue
            before = [
                (row["end"], -row["start"])
                for row in works
                if row["thread"][0] == call["thread"][0] and row["end"] <= call["end"]
            ]
            if before:
                end, start = max(before)[0], -max(before)[1]
                if call["start"] < end and call["end"] - end <= RETURNS_WITH:
                    found.append({"start": max(start, call["start"]), "end": end, "thread": call["thread"]})
        return [row | {"cause": "profiler", "family": 0, "order": 0} for row in found]

    def is_pageable(self, call: Row) -> bool:
        """Whether the copy that a call asked for reads or writes pageable memory."""
        return any(
            row["kind"] == "memcpy"
            and row["pageable"]
            and (row["pid"], row["correlation"]) == (call["thread"][0], call["correlation"])
            for row in self.timeline["activities"]
        )

    def off_cpu(self) -> list[Row]:
        """From each out to the event after it, where that is an in; of one moment the in goes first."""
        found = []
        callers = {row["thread"] for row in self.timeline["calls"]}
        events = list(enumerate(self.timeline["sched"]))
        for thread in callers & {row["thread"] for row in self.timeline["sched"]}:
            own = [(order, row) for order, row in events if row["thread"] == thread]
            own.sort(key=lambda item: (item[1]["time"], not item[1]["is_in"], item[0]))
            for (order, out), (following, back) in pairwise(own):
                if not out["is_in"] and back["is_in"]:
                    row = {"start": out["time"], "end": back["time"], "thread": thread, "cpu": back["cpu"]}
                    is_taken = self.preempted((order, out), (following, back))
                    found.append(row | {"cause": "preempted" if is_taken else "blocked"})
        for row in found:
            row["sleeper"], row["waker"] = self.sleeper(row), self.waker(row)
        return [row | {"cause": self.with_others(row, found)} for row in found]

    def sleeper(self, off: Row) -> tuple[int, int] | None:
        """The thread that leaves another CPU first after a thread that waited is put on, if soon."""
        after = [
            (row["time"], row["cpu"], order, row["thread"])
            for order, row in enumerate(self.timeline["sched"])
            if not row["is_in"]
            and off["end"] < row["time"]
            and row["cpu"] != off["cpu"]
            and row["thread"][0] == off["thread"][0]
            and row["thread"] not in self.timeline["profilers"]
        ]
        if off["cause"] == "preempted" or not after:
            return None
        time, *_, thread = min(after)
        return thread if thread != off["thread"] and time - off["end"] <= 100_000 else None

    def waker(self, off: Row) -> tuple[int, int] | None:
        """The thread of the last event that can have woken one, if soon before it is put on; calls before CPUs left."""
        if off["cause"] == "preempted":
            return None
        before = [
            (time, cpu is None, other if cpu is None else (cpu, order), other)
            for order, (time, other, cpu) in enumerate(self.wake_events())
            if other[0] == off["thread"][0]
            and other != off["thread"]
            and other not in self.timeline["profilers"]
            and off["start"] < time <= off["end"]
            and off["end"] - time <= 50_000
            and (cpu is None or cpu != off["cpu"])
        ]
        return max(before)[-1] if before else None

    def with_others(self, off: Row, all_off: list[Row]) -> str:
        """The cause, given which thread wakes the waiting one, or goes to sleep, in its other waits of that size."""
        if off["cause"] == "preempted":
            return "preempted"
        size = max(off["end"] - off["start"], 1).bit_length()
        alike = [
            row
            for row in all_off
            if row["thread"] == off["thread"]
            and row["cause"] != "preempted"
            and max(row["end"] - row["start"], 1).bit_length() == size
        ]
        woken, slept = (
            sum(row[role] == off[role] for row in alike) if off[role] else 0 for role in ("waker", "sleeper")
        )
        timed = sum(timer_ms(row) == timer_ms(off) for row in alike) if timer_ms(off) else 0
        is_timer = timed >= 3 and 2 * timed >= len(alike)
        is_woken = (woken >= 3 or (woken == 2 and len(alike) <= 4)) and not is_timer
        return "waiting_for_thread" if is_woken or (slept >= 3 and 2 * slept >= len(alike)) else "blocked"

    def preempted(self, out: tuple[int, Row], back: tuple[int, Row]) -> bool:
        """Whether a thread was ready to run between two events, as far as scheduling shows."""
        state = out[1]["state"]
        return state == 1 or (state not in (2, 3) and self.handed_over(out, back))

    def handed_over(self, out: tuple[int, Row], back: tuple[int, Row]) -> bool:
        """Whether another thread took the CPU when this one left it, and left it when this one came back to it."""
        if out[1]["cpu"] != back[1]["cpu"]:
            return False
        on_cpu = [(order, row) for order, row in enumerate(self.timeline["sched"]) if row["cpu"] == out[1]["cpu"]]
        on_cpu.sort(key=lambda item: (item[1]["time"], item[1]["is_in"], item[0]))
        after, before = on_cpu.index(out) + 1, on_cpu.index(back) - 1
        if after >= len(on_cpu) or before < 0:
            return False
        came, left = on_cpu[after][1], on_cpu[before][1]
        return (
            came["is_in"]
            and not left["is_in"]
            and came["thread"] == left["thread"] != out[1]["thread"]
            and came["time"] - out[1]["time"] <= SOON
            and back[1]["time"] - left["time"] <= SOON
        )

    def wake_events(self) -> list[tuple[int, tuple[int, int], int | None]]:
        """What can have woken a thread: time, thread and, where it leaves a CPU, that CPU."""
        calls = [(row["end"], row["thread"], None) for row in self.timeline["calls"] + self.timeline["os_calls"]]
        leaves = [(row["time"], row["thread"], row["cpu"]) for row in self.timeline["sched"] if not row["is_in"]]
        return calls + leaves
