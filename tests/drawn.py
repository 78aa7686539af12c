"""Exports drawn as text: the stories of tests/stories, one for each thing that a rule of findings says or must not say.

    # What happens, in a sentence.
    expect sync-each-launch          one of these codes is among the first two findings: the expert's answer
    holds few-blocks                 these rules hold, at any place
    not launch-bound graph-candidate these hold nowhere
    says "in 4 of 50 steps"          so says one of the findings that are shown, or its advice
    first few-blocks                 this code is the first finding
    headline "GPU-bound in its ..."  what the headline is
    unsure "whether ..."             what one of the points that remain unsure begins with
    in rest few-blocks               these hold in parts of this kind, and in no other
    gpu "NVIDIA A100" 8.0 108        name, compute capability, SMs, perhaps copy engines; GPUs follow in order

    every 100 x 20                   the lines under it 20 times, 100 us apart; `at 50` places them once
      kernel "k(float *)" 0-4 6-16 blocks=200 threads=256
      call cudaDeviceSynchronize 5-18

Times are in us: of the call, then on the GPU. Kinds of lines: kernel NAME, copy up|down|within|peer, migration up|down
(no call), memset, graph, call NAME, os NAME, mpi NAME, range NAME, off (the thread has no CPU), sample FUNCTION (a
moment), overhead, metric NAME=VALUE (a moment). Options: thread, process, stream, gpu, blocks, threads, registers,
shared (bytes), cluster (blocks), bytes, pageable (of a copy), cause (of a migration; 1 is a prefetch), as (the name of
the launching call), returns (of a call), caller (of a sample's function), domain, taker (the thread that has the CPU
meanwhile).
"""

import shlex
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from exports import table_ddl

STORIES = Path(__file__).parent / "stories"
DIRECTIONS = {"up": (1, 0, 2), "down": (2, 2, 0), "within": (8, 2, 2), "peer": (10, 2, 2)}  # kind, source, target
CALLS = {
    "kernel": "cudaLaunchKernel", "copy": "cudaMemcpyAsync", "memset": "cudaMemsetAsync", "graph": "cudaGraphLaunch",
}  # fmt: skip
CLAIMS = {"not": "never"} | {word: word for word in ("expect", "holds", "says", "first", "headline", "unsure")}
PID = 700


@dataclass
class Story:
    """A story: what an expert expects, and the rows of its export by table."""

    name: str
    expect: list[str] = field(default_factory=list)
    holds: list[str] = field(default_factory=list)
    never: list[str] = field(default_factory=list)
    says: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    headline: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)  # of rules, the kind of parts in which they hold
    rows: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)
    count: int = 0  # of launches

    def add(self, table: str, **row: object) -> None:
        """Add a row of NVIDIA's `table`."""
        self.rows.setdefault(table, []).append(row)

    def text(self, text: str) -> int:
        """The number of a text in StringIds."""
        return self.texts.setdefault(text, len(self.texts) + 1)

    def write(self, path: Path) -> Path:
        """Write the export to `path`."""
        self.rows["StringIds"] = [{"id": number, "value": text} for text, number in self.texts.items()]
        db = sqlite3.connect(path)
        db.executescript("PRAGMA synchronous = OFF; BEGIN;\n" + "".join(table_ddl(name) for name in self.rows))
        for table, rows in self.rows.items():
            for row in rows:
                names, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
                db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))
        db.commit()
        db.close()
        return path


def story_names() -> list[str]:
    """The stories of tests/stories, in alphabetical order."""
    return sorted(path.stem for path in STORIES.glob("*.txt"))


def read_story(name: str) -> Story:
    """The story of this name. Raises ValueError, with the line, for one that cannot be read."""
    return drawn(name, (STORIES / f"{name}.txt").read_text())


def drawn(name: str, text: str) -> Story:
    """The story that this text draws. Raises ValueError, with the line, for one that cannot be read."""
    story = Story(name)
    for number, (line, at) in _unrolled(text.splitlines()):
        try:
            _line(story, shlex.split(line, comments=True), at)
        except (ValueError, KeyError, IndexError) as error:
            raise ValueError(f"{name}.txt:{number} cannot be read: {line!r} ({error})") from error
    return story


def _unrolled(lines: list[str]) -> Iterator[tuple[int, tuple[str, float]]]:
    """Each line, numbered, with the time that its block begins, as often as it is repeated."""
    block: list[tuple[int, str]] = []
    starts = [0.0]
    for number, line in [*enumerate(lines, 1), (len(lines) + 1, "end")]:
        if line.startswith(" "):
            block.append((number, line))
            continue
        yield from ((n, (text, start)) for start in starts for n, text in block)
        block, words = [], line.split()
        if words[:1] == ["at"]:
            starts = [float(words[1])]
        elif words[:1] == ["every"]:
            begin = float(words[5]) if words[4:5] == ["from"] else 0.0
            starts = [begin + float(words[1]) * i for i in range(int(words[3]))]
        elif words[:1] != ["end"]:
            yield number, (line, 0.0)


def _line(story: Story, words: list[str], at: float) -> None:
    if not words:
        return
    kind, rest = words[0], [word for word in words[1:] if "=" not in word or word[0] == "="]
    options = dict(word.split("=", 1) for word in words[1:] if "=" in word and word[0] != "=")
    if kind in CLAIMS:
        getattr(story, CLAIMS[kind]).extend(rest)
    elif kind == "in":
        story.places.update(dict.fromkeys(rest[1:], rest[0]))
    elif kind == "gpu":
        _gpu(story, rest)
    elif kind in CALLS:
        _work(story, kind, rest, options, at)
    else:
        _event(story, kind, rest, options, at)


def _gpu(story: Story, words: list[str]) -> None:
    number, (major, minor) = len(story.rows.get("TARGET_INFO_GPU", ())), words[1].split(".")
    limits = {"maxWarpsPerSm": 64, "maxBlocksPerSm": 32, "maxRegistersPerSm": 65536, "maxShmemPerSm": 163840}
    story.add(
        "TARGET_INFO_GPU", id=number, deviceId=number, vmId=1, name=words[0], smCount=int(words[2]),
        computeMajor=int(major), computeMinor=int(minor), memoryBandwidth=1555 * 10**9, totalMemory=40 * 10**9,
        clockRate=14 * 10**8, busLocation=f"0000:0{number}:00.0", **limits,
        **({"asyncEngines": int(words[3])} if len(words) > 3 else {}),
    )  # fmt: skip


def _span(text: str, at: float) -> dict[str, int]:
    start, _, end = text.partition("-")
    return {"start": round((at + float(start)) * 1000), "end": round((at + float(end)) * 1000)}


def _ids(options: dict[str, str]) -> tuple[int, int]:
    """globalPid and globalTid of a line's process and thread, by default the first ones."""
    process = (PID + int(options.get("process", 0))) << 24
    return process, process | (PID + int(options.get("process", 0)) + int(options.get("thread", 0)))


def _work(story: Story, kind: str, words: list[str], options: dict[str, str], at: float) -> None:
    """A launch and what it does on the GPU; `node` numbers the kernels of one graph launch."""
    is_later = int(options.get("node", 1)) > 1
    story.count += not is_later
    process, thread = _ids(options)
    call = story.text(options.get("as", CALLS[kind]) + "_v7000")
    ids = {"correlationId": story.count, "globalPid": process, "deviceId": int(options.get("gpu", 0)), "contextId": 1}
    if not is_later:
        story.add(
            "CUPTI_ACTIVITY_KIND_RUNTIME", **_span(words[-2], at), globalTid=thread, correlationId=story.count,
            nameId=call, returnValue=0, eventClass=0,
        )  # fmt: skip
    row = {**_span(words[-1], at), **ids, "streamId": int(options.get("stream", 7))}
    if "node" in options:
        row["graphNodeId"] = int(options["node"])
    if kind == "kernel":
        grid = {"gridX": int(options.get("blocks", 1000)), "gridY": 1, "gridZ": 1}
        grid["clusterX"] = int(options.get("cluster", 0))
        block = {"blockX": int(options.get("threads", 256)), "blockY": 1, "blockZ": 1}
        used = {
            "registersPerThread": int(options.get("registers", 32)), "staticSharedMemory": 0,
            "dynamicSharedMemory": int(options.get("shared", 0)),
        }  # fmt: skip
        name = story.text(words[0])
        story.add("CUPTI_ACTIVITY_KIND_KERNEL", **row, **grid, **block, **used, demangledName=name, shortName=name)
    elif kind == "copy":
        of, source, target = DIRECTIONS[words[0]]
        host = 0 if options.get("pageable") else 1
        kinds = {"copyKind": of, "srcKind": source or host, "dstKind": target or host}
        story.add("CUPTI_ACTIVITY_KIND_MEMCPY", **row, **kinds, bytes=int(options["bytes"]))
    elif kind == "memset":
        story.add("CUPTI_ACTIVITY_KIND_MEMSET", **row, bytes=int(options["bytes"]), memKind=2)
    else:
        story.add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", **row, graphId=1, graphExecId=1)


def _event(story: Story, kind: str, words: list[str], options: dict[str, str], at: float) -> None:
    """What happens on a thread, or a sample."""
    process, thread = _ids(options)
    if kind in ("call", "os"):
        table, suffix = ("CUPTI_ACTIVITY_KIND_RUNTIME", "_v7000") if kind == "call" else ("OSRT_API", "")
        returned = int(options.get("returns", 0))
        more = {"returnValue": returned, "correlationId": -1, "eventClass": 0} if kind == "call" else {"eventClass": 27}
        name = story.text(words[0] + suffix)
        story.add(table, **_span(words[1], at), globalTid=thread, nameId=name, **more)
    elif kind == "mpi":
        table = "MPI_P2P_EVENTS" if "end" in words[0] or "ecv" in words[0] else "MPI_COLLECTIVES_EVENTS"
        story.add(table, **_span(words[1], at), globalTid=thread, textId=story.text(words[0]))
    elif kind == "range":
        story.add(
            "NVTX_EVENTS", **_span(words[1], at), eventType=59, globalTid=thread, domainId=0,
            textId=story.text(words[0].replace("#", f"{at:g}")),
        )  # fmt: skip
    elif kind == "off":
        _off(story, words[0], thread, options, at)
    elif kind == "sample":
        story.count += 1
        moment = round((at + float(words[1])) * 1000)
        story.add("COMPOSITE_EVENTS", id=story.count, start=moment, globalTid=thread)
        for depth, function in enumerate(filter(None, (words[0], options.get("caller")))):
            story.add(
                "SAMPLING_CALLCHAINS", id=story.count, stackDepth=depth, symbol=story.text(function),
                module=story.text(options.get("module", "/usr/bin/program")), unresolved=0, kernelMode=0,
            )  # fmt: skip
    elif kind == "overhead":
        story.add("PROFILER_OVERHEAD", **_span(words[0], at), globalTid=thread, nameId=story.text("CUDA profiling"))
    elif kind == "migration":
        of = {"up": (11, 4, 4), "down": (12, 4, 4)}[words[0]]
        kinds = {"copyKind": of[0], "srcKind": of[1], "dstKind": of[2], "migrationCause": int(options.get("cause", 3))}
        ids = {"correlationId": 0, "globalPid": process, "deviceId": 0, "contextId": 1, "streamId": 0}
        story.add("CUPTI_ACTIVITY_KIND_MEMCPY", **_span(words[1], at), **ids, **kinds, bytes=int(options["bytes"]))
    elif kind == "metric":
        moment = round((at + float(words[0])) * 1000)
        for name, value in options.items():
            known = {row["metricName"]: row["metricId"] for row in story.rows.get("TARGET_INFO_GPU_METRICS", ())}
            number = known.get(name, len(known))
            if name not in known:
                story.add("TARGET_INFO_GPU_METRICS", typeId=0, metricId=number, metricName=name)
            story.add("GPU_METRICS", timestamp=moment, typeId=0, metricId=number, value=int(value))
    elif kind == "thread":
        story.add("ThreadNames", nameId=story.text(words[0]), priority=0, globalTid=thread)
    else:
        raise ValueError(f"no such kind of line: {kind}")


def _off(story: Story, span: str, thread: int, options: dict[str, str], at: float) -> None:
    """The thread leaves its CPU and comes back; `taker` is the thread that runs there meanwhile."""
    times, cpu = _span(span, at), int(options.get("cpu", 1))
    taken = [(times["start"], 0, thread), (times["end"], 1, thread)]
    if "taker" in options:
        other = _ids({**options, "thread": options["taker"]})[1]
        taken += [(times["start"] + 1000, 1, other), (times["end"] - 1000, 0, other)]
    for moment, is_in, who in taken:
        story.add("SCHED_EVENTS", start=moment, cpu=cpu, isSchedIn=is_in, globalTid=who)
