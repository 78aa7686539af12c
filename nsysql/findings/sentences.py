"""Write the sentences of findings: templates of rules filled with values, the headline, what remains unknown."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from nsysql.analysis.parts.parts import SETUP
from nsysql.analysis.steps.step_series import CLOSE, loops_alike
from nsysql.capture.export import Export
from nsysql.catalog.query import Query
from nsysql.findings.finding import Finding
from nsysql.words.kernel_names import is_kernel, short_names
from nsysql.words.quantities import brief_title, cell, counted, rounded, time
from nsysql.words.sql_text import HOW_TO_EXPORT
from nsysql.words.truncate import cut, cut_name, marker

MOST = 0.8  # share of a part: only with as much is it bound by one thing
UNKNOWN = {
    "host_code": "what the host code is: --sample=process-tree would name it",
    "blocked": "what the thread waits for: --trace=osrt would tell",
    "queued_unexplained": "why queued work did not start: no row of the export says",
    "no_launch_recorded": "who launched the work: the capture began later",
}
HOST_FUNCTIONS = "^(cu|cuda)(LaunchHostFunc|StreamAddCallback)"
HELD = "whether queued work waited for the {:,} host functions in its streams (cudaLaunchHostFunc)"
SHARED = "whether queued work waited for another process: {} processes share a GPU"
LOST = "what the GPU did at the end: the records of {} were lost"
CLOCKS = (
    "the causes of up to {}% of the idle time: GPU work starts {} before its own call, so the clocks of GPU and CPU"
    " differ by at least that"
)
UNTRACED = "why the GPU is idle: the export has no CUDA calls; --trace=cuda records them"
COUNTED = re.compile(r"\{(\w+)\} ([\w-]+?)(?:(?<=ch)es|s)\b")  # a number and what it counts
UNNAMED = "whether kernels fill the GPU (few-blocks, tail-wave, low-occupancy): the export does not name it"
LAUNCHES = "^cu(da)?(Launch(Cooperative)?Kernel|GraphLaunch)"
RECORDED = "--trace=cuda records kernels, and nsysql doctor has the messages of nsys"
KERNELS, TIMES = "CUPTI_ACTIVITY_KIND_KERNEL", ("start", "end")
LETTERS = 80  # of a name within a sentence
NESTED = 48  # of nested NVTX ranges within a sentence, and of the name of a step
PLACES = {"series": "in its steps", "startup": "in start-up"}  # texts for the kinds of parts
MATTERS = 0.2  # share of the parts after start-up: more idle time is mentioned even if no rule fits
OF_IDLE = (  # claims of findings about idle time
    "long", "short", "sync", "allocation", "once", "profiler", "queued", "managed", "turns", "launch", "copy",
    "staging",
)  # fmt: skip
SHARE = 0.1  # share of the idle time from which an unknown cause is mentioned
WORTH = 0.05  # share of the parts with GPU work and pauses: less is not worth another capture
ALIKE = ("kind", "name", "nth")  # columns in which the same part of several GPUs agrees
JUDGED = ("series", "rest", "work")  # kinds of parts that most rules are about
WORKED = ("startup", *JUDGED)  # kinds of parts in which GPUs worked
KINDS = {
    "outside": "outside of CUDA calls",
    "before": "before first GPU work",
    "startup": "start-up",
    "pause": "pause",
    "rest": "other GPU work",
    "after": "after last GPU work",
    "work": "GPU work",
}
WITHOUT_GPU = {"work": "the capture", "rest": "outside of steps", "pause": "nothing recorded"}
BY_LAUNCHES = re.compile(r"(\d+ to )?\d+ launches")  # the name of steps that no range marks
FEW = 0.5  # share of the SMs: with blocks for fewer, a busy GPU is no limit
EVEN = 1.5  # longest to median step: above it, the longest is named
FEW_LONG = 1.1  # mean to median step, either way round: beyond it, the median says little about the other steps
BETWEEN = 0.1  # share of a series' time that is between its steps


def filled(rule: Query, row: Mapping[str, Any], kernels: Mapping[str, str], quoted: bool = False) -> tuple[str, str]:
    """Fill what a rule says and what to do with a row's values by their units; texts in quotes if `quoted`.

    `kernels` are the short names of the capture's kernels.
    """
    signatures = (text for text in row.values() if isinstance(text, str) and is_kernel(text))
    kernels = short_names(signatures, known=kernels)
    values = {name: _value(name, value, kernels, quoted) for name, value in row.items()}
    texts = dict(rule.finding)

    def line(kind: str) -> str:
        keys = (key for key in texts if key.startswith(f"{kind} if ") and row.get(key.removeprefix(f"{kind} if ")))
        return _fill(texts.get(next(keys, kind), ""), values)

    return line("says"), line("do")


def _value(name: str, value: Any, kernels: Mapping[str, str], quoted: bool) -> str:
    if not isinstance(value, str):
        return cell(name, value)
    text = cell(name, kernels.get(value) or brief(value))
    return "'{}'".format(text.replace("'", '"')) if quoted else text


def brief(text: str) -> str:
    """Shorten a text: nested NVTX ranges to the innermost that fit, other texts in the middle."""
    ranges = [marker(part) for part in text.split(" > ")]
    while len(ranges) > 1 and len(" > ".join(ranges)) > NESTED:
        ranges = ranges[1:]
    left = "… > " if len(ranges) <= text.count(" > ") else ""
    return left + cut_name(" > ".join(ranges), LETTERS)


def _fill(template: str, values: Mapping[str, str]) -> str:
    one = re.sub(COUNTED, lambda of: f"{{{of[1]}}} {of[2]}" if values.get(of[1]) == "1" else of[0], template)
    return re.sub(r"\{(\w+)\}", lambda name: values.get(name[1], name[0]), one)


def numbered(parts: pl.DataFrame) -> pl.DataFrame:
    """Add `nth` to the parts: the number of each, from 0, among those of the same kind and name on its GPU.

    Parts of several GPUs are alike if these three agree.
    """
    ordered = _named_alike(parts.sort("gpu_id", "start_ns", "part_id"))
    return ordered.with_columns(nth=pl.int_range(pl.len()).over("gpu_id", "kind", "name"))


def _named_alike(parts: pl.DataFrame) -> pl.DataFrame:
    """Give steps that no range marks one name on GPUs on which they differ little: '2620 to 2648 launches'."""
    loops = loops_alike(parts, "gpu_id")
    ends = [getattr(pl.col("launches", "step_ns"), end)().name.prefix(f"{end}_") for end in ("min", "max")]
    groups = loops.group_by("group").agg(*ends).filter(pl.col("max_launches") > pl.col("min_launches"))
    close = groups.filter(pl.col("max_step_ns") <= CLOSE * pl.col("min_step_ns"))
    one_name = pl.format("{} to {} launches", "min_launches", "max_launches")
    named = loops.join(close, on="group").select("part_id", "gpu_id", one_name=one_name)
    known = parts.join(named, on=["part_id", "gpu_id"], how="left", maintain_order="left")
    return known.with_columns(name=pl.coalesce("one_name", "name")).drop("one_name")


def part_title(part: Mapping[str, Any], *others: Mapping[str, Any]) -> str:
    """Name the part, or several alike, in a few words: 'start-up', 'Step #, 100 times', '34 repeats of 2.55 ms'."""
    kind, name, parts = part["kind"], cut(part["name"] or "", NESTED), (part, *others)
    if kind in WITHOUT_GPU and part.get("busy_ns", 0) is None:
        return WITHOUT_GPU[kind]
    if kind != "series":
        return f"{KINDS[kind]}: {name}" if name else KINDS[kind]
    counts = [one["step_count"] or 0 for one in parts]
    count = " to ".join(f"{ends:,}" for ends in sorted({min(counts), max(counts)}))
    if name and not BY_LAUNCHES.fullmatch(name):
        return f"{name}, {count} times" if part["step_count"] else name
    if not part["step_count"] or not part["step_ns"]:
        return f"{count} repeats"
    if any(map(_is_uneven, parts)):
        return f"{count} uneven repeats"
    shortest, longest = min(one["step_ns"] for one in parts), max(one["step_ns"] for one in parts)
    return f"{count} repeats of {f'{time(shortest)} to ' if longest > CLOSE * shortest else ''}{time(longest)}"


def part_titles(parts: pl.DataFrame) -> dict[int, str]:
    """Name each part by its id, those of several GPUs that are alike as one; equal names tell their launches."""
    alike: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in parts.to_dicts():
        alike.setdefault(tuple(row[name] for name in ALIKE), []).append(row)
    titles = {key: part_title(*rows) for key, rows in alike.items()}
    equal = {title for title, count in Counter(titles.values()).items() if count > 1}
    for key, (first, *_) in alike.items():
        if titles[key] in equal and BY_LAUNCHES.fullmatch(first["name"] or ""):
            titles[key] += f" ({first['name']})"
    return {row["part_id"]: titles[key] for key, rows in alike.items() for row in rows}


def uneven(part: Mapping[str, Any]) -> str:
    """Say what its steps take if they differ, and what is between them: 'median 29 ms, longest 186 ms'."""
    if not part["step_ns"]:
        return ""
    texts, between = [], part["length_ns"] - part["steps_ns"]
    if part["longest_step_ns"] > EVEN * part["step_ns"]:
        if _is_uneven(part) or not BY_LAUNCHES.fullmatch(part["name"] or "1 launches"):  # else the title has it
            texts.append(f"median {time(part['step_ns'])}")
        texts.append(f"longest {time(part['longest_step_ns'])}")
    if between > BETWEEN * part["length_ns"]:
        texts.append(f"{time(between)} between them")
    return ", ".join(texts)


def _is_uneven(part: Mapping[str, Any]) -> bool:
    """Tell whether so many steps are longer or shorter that the median is not what they take."""
    ends = part["steps_ns"], part["step_ns"] * part["step_count"]
    return bool(part["longest_step_ns"] > EVEN * part["step_ns"] and max(ends) > FEW_LONG * min(ends))


def headline(parts: pl.DataFrame, causes: pl.DataFrame, run: Export) -> str:
    """Say in one sentence what limits the part with most time on all its GPUs: GPU work, or causes of idle time."""
    worked = parts.filter(pl.col("kind").is_in(WORKED))
    if worked.is_empty() or not worked["busy_ns"].sum():
        return "No GPU work was recorded"
    series = worked.filter(kind="series")
    longest = (series if series.height else worked).sort("length_ns", "part_id", descending=[True, False])
    main = longest.row(0, named=True)
    alike = worked.filter(pl.col(name).eq_missing(pl.lit(main[name])) for name in ALIKE)
    loops = series.filter(pl.col("gpu_id").eq_missing(pl.lit(main["gpu_id"]))).height
    where = "in its longest loop" if loops > 1 else PLACES.get(main["kind"], "in its work")
    if where == "in its work" and worked.height == worked["gpu_id"].n_unique():
        where = "from first to last work"
    between = worked.filter(pl.col("kind") == "rest")
    if series.height and between["length_ns"].sum() > series["length_ns"].sum():
        alike, where = pl.concat([series, between]), "in and between its steps"
    busy, length = int(alike["busy_ns"].sum()), int(alike["length_ns"].sum()) or 1
    if busy < length / 100:
        gpus = alike["gpu_id"].n_unique()
        return f"The GPU worked {time(busy / gpus)} of {time(length / gpus)} {where}"
    if busy >= MOST * length:
        copied, set_ns = _copied(run, alike["part_id"])
        share, copied = _percent(busy / length), min(busy, copied + set_ns)
        if copied >= MOST * length:
            what = "memsets" if set_ns > MOST * copied else "copies"
            return f"Copy-bound {where}: {what} take {_percent(copied / length)} of the time while no kernel runs"
        sent = min(busy - copied, _communicated(run, alike["part_id"]))
        if sent >= MOST * length:
            share = _percent(sent / length)
            return f"Communication-bound {where}: communication without compute takes {share} of the time"
        if busy - copied - sent >= MOST * length:
            filled = _filled(run, alike["part_id"]) / busy
            if filled < FEW:
                few = f"its kernels have blocks for at most {_percent(filled)} of its SMs"
                return f"The GPU is busy {share} of the time {where}, but {few}"
            if (moved := _migrated(run, alike["part_id"])) >= MATTERS * length:
                pages = f"for {_percent(moved / length)} of it pages of unified memory move while kernels run"
                return f"The GPU is busy {share} of the time {where}, but {pages}"
            sharing = _sharing(run, alike["gpu_id"])
            return f"GPU-bound {where} ({share} busy{f', shared by {sharing} processes' if sharing > 1 else ''})"
        kinds = ("copies and no kernel", "memsets and no kernel", "communication and no compute")
        apart = zip((copied - set_ns, set_ns, sent), kinds, strict=True)
        with_what = " and ".join(f"{_percent(ns / length)} with {what}" for ns, what in apart if ns >= length / 100)
        return f"The GPU is busy {share} of the time {where}, {with_what}"
    of_alike = causes.filter(pl.col("part_id").is_in(alike["part_id"].implode())).group_by("cause", "title")
    sums = of_alike.agg(pl.col("idle_ns").sum()).sort("idle_ns", "cause", descending=[True, False])
    own = sums.filter(pl.col("idle_ns") >= length / 100).head(2)
    shares = [
        f"{brief_title(title)} {rounded(100 * ns / length)}%{_in_one_gap(run, alike['part_id'], cause, ns)}"
        for cause, title, ns in own.select("cause", "title", "idle_ns").rows()
    ]
    why = f"; idle: {', '.join(shares)}" if shares else ""
    if not run.has("_api_call_ids") and busy < (1 - SHARE) * length:
        why = "; why it is idle is not known: the export has no CUDA calls"
    return f"The GPU is busy {rounded(100 * busy / length)}% of the time {where}{why}"


def _copied(run: Export, part_ids: pl.Series) -> tuple[int, int]:
    """Sum the time of the parts' copies, and of their memsets, without a kernel beside them."""
    if not (run.has("memcpy") or run.has("memset")):
        return 0, 0
    own = run.query("part_copy").filter(pl.col("part_id").is_in(part_ids.implode()))
    set_ns = int(own.filter(direction="Memset")["exposed_ns"].sum())
    return int(own["exposed_ns"].sum()) - set_ns, set_ns


def _migrated(run: Export, part_ids: pl.Series) -> int:
    """Sum the time in which pages of unified memory migrate beside the parts' kernels, not by prefetch."""
    if not run.has("memcpy"):
        return 0
    moved = run.query("part_copy").filter("is_migration", ~pl.col("is_prefetch"))
    own = moved.filter(pl.col("part_id").is_in(part_ids.implode()))
    return int((own["total_ns"] - own["exposed_ns"]).sum())


def _in_one_gap(run: Export, part_ids: pl.Series, cause: str, idle_ns: int) -> str:
    """Say so if one gap of each part has most of the idle time of a cause."""
    of_cause = pl.col("part_id").is_in(part_ids.implode()) & (pl.col("cause") == cause)
    longest = run.query("part_idle").filter(of_cause).group_by("part_id").agg(pl.col("longest_ns").max())
    return " (one gap)" if longest["longest_ns"].sum() >= MOST * idle_ns else ""


def _communicated(run: Export, part_ids: pl.Series) -> int:
    """Sum the time of the parts' communication kernels while nothing computes."""
    if not run.has("_kernel_ids"):
        return 0
    own = run.select("_part_communication", "part_id, exposed_ns", "SEMI JOIN part USING (part_id, gpu_id)")
    return int(own.filter(pl.col("part_id").is_in(part_ids.implode()))["exposed_ns"].sum())


def _filled(run: Export, part_ids: pl.Series) -> float:
    """Sum the time that kernels would take on all SMs, by their blocks; infinite if not known."""
    if not run.has("_kernel_ids") or run.has("CUPTI_ACTIVITY_KIND_GRAPH_TRACE"):
        return math.inf
    own = run.select("_judged_kernel", "part_id, sum(coalesce(filled_ns, total_ns)) AS ns", "GROUP BY part_id")
    return float(own.filter(pl.col("part_id").is_in(part_ids.implode()))["ns"].sum())


def _sharing(run: Export, gpu_ids: pl.Series) -> int:
    """Count the processes that share one of the GPUs, each with a tenth of its work; the most of any."""
    if not run.has("_gpu_work_ids"):
        return 0
    own = run.select("_gpu_process", "gpu_id, process_id, activities")
    own = own.filter(pl.col("gpu_id").is_in(gpu_ids.implode(), nulls_equal=True))
    own = own.filter(pl.col("activities") >= SHARE * pl.col("activities").sum().over("gpu_id"))
    most = own.group_by("gpu_id").agg(pl.col("process_id").n_unique())["process_id"].max()
    return most if isinstance(most, int) else 0


def _percent(share: float) -> str:
    """Write a share as whole percent; less than all never becomes 100%."""
    return ">99%" if 0.995 <= share < 1 else f"{rounded(100 * share)}%"


def unexplained(parts: pl.DataFrame, causes: pl.DataFrame, findings: Sequence[Finding]) -> list[str]:
    """Name the cause of most idle time after start-up that the findings shown leave unexplained.

    Set-up counts as start-up wherever it happens; `unsure` names causes that the export leaves open.
    """
    every = [f for whole in findings for f in whole.each or (whole,) if f.shown and f.claims in OF_IDLE]
    rows = [(f.part_kind, f.part_name, max(f.total_ns, f.saves_ns or 0)) for f in every]
    known = pl.DataFrame(rows, {"kind": pl.String, "name": pl.String, "known_ns": pl.Int64}, orient="row")
    known = known.group_by("kind", "name").agg(pl.col("known_ns").sum())
    judged = parts.filter(pl.col("kind").is_in(JUDGED))
    worked = judged.select("part_id", "kind", "name", "length_ns", all_ns=pl.col("length_ns").sum().over("gpu_id"))
    left = (
        causes.join(worked, on="part_id")
        .join(known, on=["kind", "name"], how="left", nulls_equal=True)
        .with_columns(left_ns=pl.col("idle_ns") - pl.col("known_ns").fill_null(0))
        .filter(pl.col("left_ns") >= MATTERS * pl.col("all_ns"), ~pl.col("cause").is_in([*UNKNOWN, *SETUP]))
        .sort("idle_ns", "part_id", "cause", descending=[True, False, False])
    )
    return [
        f"how to avoid {brief_title(row['title'])} ({rounded(100 * row['idle_ns'] / row['length_ns'])}% of the time "
        f"{PLACES.get(row['kind'], 'in its work')}): no rule fits; nsysql idle-gaps has the gaps"
        for row in left.head(1).to_dicts()
    ]


def unsure(parts: pl.DataFrame, causes: pl.DataFrame, run: Export) -> list[str]:
    """Name what the export leaves open about idle time that matters, each with the option that would record it."""
    worked = int(parts.filter(pl.col("kind").is_in([*WORKED, "pause"]))["length_ns"].sum())
    at_end = parts.filter(kind="after")["part_id"]  # the host holds up no GPU after the last work
    causes = causes.filter(~pl.col("part_id").is_in(at_end.implode()))
    total = int(causes["idle_ns"].sum())
    sums = causes.group_by("cause").agg(pl.col("idle_ns").sum()).sort("idle_ns", "cause", descending=[True, False])
    known = run.query("part_idle").filter(claim="once", cause="host_code")["idle_ns"].sum() if total else 0
    texts = []
    for cause, ns in sums.rows():
        ns -= known if cause == "host_code" else 0  # a compiler's, or a library's
        sampled = cause == "host_code" and run.has("SAMPLING_CALLCHAINS")
        why = UNKNOWN.get(cause) if run.has("_api_call_ids") else UNTRACED
        if why and ns > max(SHARE * total, WORTH * worked) and not sampled:
            texts.append(f"{why} ({rounded(100 * ns / total)}% of the idle time)")
    offset, doubtful = 0, 0
    if total and run.has("_api_call_ids"):
        sums_of = "coalesce(max(offset_ns), 0), coalesce(sum(doubtful_ns), 0)::BIGINT"
        offset, doubtful = run.select("_clock_offset", sums_of).row(0)
    if doubtful > max(SHARE * total, WORTH * worked):
        texts.insert(0, CLOCKS.format(rounded(100 * min(doubtful / total, 1)), time(offset)))
    calls = run.query("part_call") if run.has("_api_call_ids") else None
    held = int(calls.filter(pl.col("name").str.contains(HOST_FUNCTIONS))["count"].sum()) if calls is not None else 0
    if held:
        texts = [text.replace(UNKNOWN["queued_unexplained"], HELD.format(held)) for text in texts]
    if (sharing := _sharing(run, parts["gpu_id"])) > 1:
        texts = [text.replace(UNKNOWN["queued_unexplained"], SHARED.format(sharing)) for text in texts]
    if calls is not None:
        last = parts.filter(kind="after").sort("start_ns")["part_id"].tail(1)
        of_last = pl.col("part_id").is_in(last.implode())
        lost = int(calls.filter(of_last, pl.col("name").str.contains(LAUNCHES))["count"].sum())
        texts += [LOST.format(counted(lost, "launched kernel"))] if lost else []
    if run.has("_kernel_ids") and run.query("gpu")["sm_count"].drop_nulls().is_empty():
        texts.insert(1, UNNAMED)
    return texts


def without_kernels(run: Export) -> tuple[str, str] | None:
    """Say why the GPU's time is unknown, and the mend, if kernels have no times, or were launched and are missing."""
    known = {name.lower() for name in run.tables.get(KERNELS, TIMES)}
    if lost := [name for name in TIMES if name not in known]:
        return f"{KERNELS} lacks the column {' and '.join(lost)}, which every nsys writes", HOW_TO_EXPORT
    if not run.has("_api_call_ids") or not run.has("_gpu_work_ids"):
        return None
    if run.has("_kernel_ids") or run.has("CUPTI_ACTIVITY_KIND_GRAPH_TRACE"):
        return None
    calls = run.query("cuda_api_sum").filter(pl.col("name").str.contains(LAUNCHES))
    count = int(calls["num_calls"].sum())
    return (f"the export has {count:,} kernel launches and no kernel", RECORDED) if count else None
