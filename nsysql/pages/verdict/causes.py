"""A cause of idle time in a sentence that names calls, functions, threads and work of this capture."""

import re
from collections.abc import Sequence

import polars as pl

from nsysql.pages.phrases import Row, counted, joined, percent, seconds
from nsysql.pages.verdict import drained
from nsysql.pages.verdict.facts import NOT_THEIRS, ON_GPU, Facts, Sentence, Stretch
from nsysql.pages.verdict.names import call, function, kernel, path, thread
from nsysql.pages.verdict.totals import of_idle
from nsysql.words.quantities import time

WORTH = 0.1  # of the idle time
READS = re.compile(r"^p?(read|recv|poll|ppoll|select|epoll|fread|fgets|getline|open|fopen|io_getevents|accept|mmap)")
PRINTS = re.compile(r"(fwrite|f?put[cs]|putchar|fflush|v?f?printf)(_unlocked)?$")  # calls of the C library's streams
LITTLE = 0.1  # of what the largest has: calls with less are not named
NAMED = 2
FEW, MOST = 3, 0.5  # gaps, and their share of the time: then they are named one by one
MANY = 1_000  # gaps: of so many a single one says nothing


def largest(facts: Facts, stretch: Stretch) -> list[str]:
    """The causes of a stretch that are worth a sentence, the longest first."""
    if stretch.ledger.is_empty():
        return []
    rows = stretch.ledger.group_by("cause").agg(pl.col("idle_ns").sum())
    rows = rows.filter(pl.col("idle_ns") >= WORTH * stretch.idle_ns, pl.col("cause") != NOT_THEIRS)
    return rows.sort("idle_ns", "cause", descending=[True, False])["cause"].to_list()


def sentence(facts: Facts, cause: str, over: str = "", most: str = "") -> Sentence:
    """How much a cause has, `over` what else that is counted, in what, where, what to do, and the `most` it saves."""
    what = of_idle(facts, facts.judged.by_cause(cause)) + over + _after(facts, cause)
    text = f"{_said(facts, cause, what)}{place(facts, cause)}. {_mend(facts, cause)}{most}"
    rows: list[Row] = [{"query": "idle_ledger", "cause": cause}]
    rows += [_row(piece) for piece in facts.of_cause(cause)[:NAMED] if piece["evidence_row_id"] is not None]
    return Sentence("", text, tuple(rows))


def _after(facts: Facts, cause: str) -> str:
    """After what the program's code comes: ', 278.1 ms of it after a Device-to-Host copy that the host waits for'."""
    if cause != "host_code" or not drained.is_code_after_copies(facts):
        return ""
    names = joined([call(name) for name in drained.waiting_calls(facts)][:NAMED])
    ns = drained.idle_ns(facts, cause, after_copy=True)
    return f", {time(ns)} of it after a Device-to-Host copy that the host waits for ({names})"


def _row(piece: Row) -> Row:
    return {"table": piece["evidence_table"], "row_id": piece["evidence_row_id"], "gap_id": piece["gap_id"]}


def _said(facts: Facts, cause: str, what: str) -> str:
    """Who did what in that time."""
    names = functions(facts, cause) or calls(facts, cause)
    whom = thread_of(facts, cause)
    if cause == "host_code":
        is_in = (
            f"runs code of the program, in {names}"
            if names
            else f"{'runs on a CPU,' if is_scheduled(facts) else 'is'} in no traced call{_around_calls(facts)}"
        )
        return f"While the GPU waits, {whom} {is_in}: {what}"
    if cause == "first_launch":
        first = list(dict.fromkeys(kernel(piece["next_name"]) for piece in facts.of_cause(cause)))[:NAMED]
        return f"First launches ({joined(first)}) take {what}"
    if cause in ON_GPU:
        return f"{facts.title(cause)}: {what}"
    inside = f" ({names})" if names else ""
    return f"{facts.title(cause)}{inside}, {whom}: {what}"


def is_scheduled(facts: Facts) -> bool:
    """Whether the thread of the longest code has scheduling events: what is code of it then ran on a CPU."""
    pieces = facts.of_cause("host_code")
    if not pieces or facts.longest.is_empty():
        return False
    rows = facts.longest.filter(evidence_table="SCHED_EVENTS", thread_id=pieces[0]["thread_id"])
    return rows.height > 0


def _around_calls(facts: Facts) -> str:
    """The OS calls that lie between the longest stretches of code, in words."""
    names = _between_code(facts)
    return f" around calls of {joined(names)}" if names else ""


def _between_code(facts: Facts) -> list[str]:
    """The OS calls that lie between the longest stretches of code, the longest first."""
    gaps = {piece["gap_id"] for piece in facts.of_cause("host_code")}
    rows = facts.longest.filter(pl.col("gap_id").is_in(gaps), pl.col("evidence_table") == "OSRT_API")
    return list(dict.fromkeys(rows["evidence_name"].drop_nulls()))[:NAMED]


def place(facts: Facts, cause: str) -> str:
    """Between which work it is, and the longest."""
    pieces = facts.of_cause(cause)
    if not pieces:
        return ""
    rows = facts.judged.ledger.filter(cause=cause)
    gaps, total = int(rows["gap_count"].sum()), int(rows["idle_ns"].sum())
    longest = pieces[0]
    few = sum(piece["dur_ns"] for piece in pieces[:FEW])
    if _is_in_few(facts, cause):
        return f", {percent(few, total)} of it in {_where(pieces[:FEW])}{_label(facts, longest['gap_id'])}"
    between = f"between {kernel(longest['previous_name'])} and {kernel(longest['next_name'])}"
    label = _label(facts, longest["gap_id"])
    if gaps == 1:
        return f", all of it {between} (in gap {longest['gap_id']}{label})"
    if gaps > MANY and longest["dur_ns"] < WORTH * total:
        return f", in {counted(gaps, 'gap')}"
    return f", in {counted(gaps, 'gap')}; the longest, {_at(longest)}, is {between}{label}"


def _is_in_few(facts: Facts, cause: str) -> bool:
    """Whether a few of many gaps have most of the time of a cause."""
    rows = facts.judged.ledger.filter(cause=cause)
    few = sum(piece["dur_ns"] for piece in facts.of_cause(cause)[:FEW])
    return int(rows["gap_count"].sum()) > FEW and few >= MOST * int(rows["idle_ns"].sum())


def _where(pieces: Sequence[Row]) -> str:
    """A few pieces of gaps by length, time and gap, and the work around the longest."""
    found = [_at(piece) for piece in pieces]
    around = f"{kernel(pieces[0]['previous_name'])} and {kernel(pieces[0]['next_name'])}"
    return f"{joined(found)}, the first between {around}"


def _at(piece: Row) -> str:
    """A piece of a gap, which can be shorter than the gap: '1.820 s at 9.277950 s (in gap 128)'."""
    return f"{time(piece['dur_ns'])} at {seconds(piece['start_ns'])} (in gap {piece['gap_id']})"


def _label(facts: Facts, gap_id: int) -> str:
    """The NVTX path of a gap, if it is one of the longest."""
    found = facts.gaps.filter(gap_id=gap_id)
    if found.is_empty() or not found["nvtx_path"][0]:
        return ""
    return f", in {path(found['nvtx_path'][0])}"


def calls(facts: Facts, cause: str) -> str:
    """The calls that a cause is evident from."""
    rows = facts.calls.filter(main_cause=cause).drop_nulls("name").sort("idle_ns", "name", descending=[True, False])
    if rows.is_empty():
        return ""
    much = rows.filter(pl.col("idle_ns") >= LITTLE * pl.col("idle_ns").max())["name"]
    return joined(list(dict.fromkeys(call(name) for name in much))[:NAMED])


def functions(facts: Facts, cause: str) -> str:
    """The functions that samples or call stacks find in a cause."""
    if facts.functions.is_empty():
        return ""
    rows = facts.functions.filter(main_cause=cause).drop_nulls("name")
    total = facts.judged.by_cause(cause)
    top = rows.filter(pl.col("idle_ns") >= LITTLE * total).sort("idle_ns", "name", descending=[True, False])
    return joined([f"{function(row['name'])} for {time(row['idle_ns'])}" for row in top.head(NAMED).to_dicts()] or [""])


def thread_of(facts: Facts, cause: str) -> str:
    """The thread of the longest piece."""
    pieces = facts.of_cause(cause)
    return thread(pieces[0]["thread_id"], pieces[0]["thread_name"]) if pieces else "the launching thread"


def _mend(facts: Facts, cause: str) -> str:
    """What to do about a cause in this capture; what nsysql advises in general, without what the capture has not."""
    names = calls(facts, cause)
    if cause == "host_code":
        return _host_code(facts)
    if cause == "memory_management" and "MallocAsync" in names:
        return (
            f"{_gives_back(facts)}Raise the release threshold of the memory pool (cudaMemPoolSetAttribute,"
            " cudaMemPoolAttrReleaseThreshold), so that a synchronization does not give its memory back."
        )
    if cause in ("first_launch", "module_load"):
        return build(facts, cause)
    if cause == "os_wait_io" and not READS.match(names):
        return "That is output: write it after the timed part, or in another thread."
    text = facts.advice(cause)
    if "NVTX_EVENTS" not in facts.has:
        text = re.sub(r" \(see --by nvtx\)", "", text)
    return text


def _gives_back(facts: Facts) -> str:
    """Why a memory pool allocates again and again."""
    if not drained.is_allocation(facts):
        return ""
    return "The synchronizations matter because they make the pool give its memory back. "


def _host_code(facts: Facts) -> str:
    todo = "Prepare the next data while the GPU works (in another thread, or after launching ahead)"
    todo += ", or move it out of the timed part."
    if drained.is_code_after_copies(facts) and not _is_in_few(facts, "host_code"):
        todo = (
            "Let that code work on the last results, or prepare the next data, while the next kernels run (two buffers)"
        )
        todo += ", or move it to the GPU."
    elif (names := _between_code(facts)) and all(PRINTS.match(name) for name in names):
        printed = "If it makes the output, write that after the timed part, or in another thread."
        todo = f"{printed} If not: {todo[0].lower()}{todo[1:]}"
    lacking = []
    if "SAMPLING_CALLCHAINS" not in facts.has:
        lacking.append("--sample=process-tree names the functions")
    if "OSRT_API" not in facts.has and "SCHED_EVENTS" not in facts.has:
        mpi = " (of an MPI program mpi,osrt)" if facts.in_mpi.is_empty() else ""
        lacking.append(f"--trace=osrt{mpi} and --cpuctxsw=process-tree tell whether it ran or waited")
    return f"{todo} Not recorded: {'; '.join(lacking)}." if lacking else todo


def build(facts: Facts, cause: str) -> str:
    """What to do about code that is loaded, or compiled, at run time."""
    found = _compiled(facts, cause)
    if found:
        target = architecture(facts)
        return (
            f"{found} lie in the compiler of PTX: build the program for this GPU{target}, so that nothing is compiled."
        )
    return (
        "Launch each kernel once before the timed part, or set CUDA_MODULE_LOADING=EAGER; it happens once per process."
    )


def architecture(facts: Facts) -> str:
    """The architecture to build for, where all GPUs have the same: ' (sm_75)'."""
    known = facts.gpus["compute_capability"].drop_nulls().unique().to_list() if facts.gpus.height else []
    return f" (sm_{known[0].replace('.', '')})" if len(known) == 1 else ""


def _compiled(facts: Facts, cause: str) -> str:
    """How many CPU samples of the longest piece are in the compiler of PTX; nothing if few."""
    pieces = facts.of_cause(cause)
    if not pieces or facts.compiling.is_empty():
        return ""
    start, end = pieces[0]["start_ns"], pieces[0]["start_ns"] + pieces[0]["dur_ns"]
    inside = facts.compiling.filter(pl.col("start_ns").is_between(start, end)).height
    return f"{counted(inside, 'CPU sample')} of the longest one" if inside >= NAMED else ""
