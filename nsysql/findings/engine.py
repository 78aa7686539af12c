"""The parts of a capture with their causes of idle time, what limits it, and findings, the most important first."""

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData

WORTH = 0.02  # of a part: less is not shown
ONCE = ("module_load", "context_setup", "first_launch", "stream_and_event_setup", "graph_build")
KIND_SHARE = 0.8  # of a part: what has as much gives the headline its name
PART = pl.Schema(
    {
        "part_id": pl.Int64(), "gpu_id": pl.Int64(), "process_id": pl.Int64(), "kind": pl.String(), "name": pl.String(),
        "start_ns": pl.Int64(), "end_ns": pl.Int64(), "length_ns": pl.Int64(), "busy_ns": pl.Int64(),
        "idle_ns": pl.Int64(), "step_count": pl.Int64(), "step_ns": pl.Int64(), "window_ns": pl.Int64(),
    }
)  # fmt: skip
CAUSE = pl.Schema(
    {
        "part_id": pl.Int64(), "gpu_id": pl.Int64(), "cause": pl.String(), "title": pl.String(), "idle_ns": pl.Int64(),
        "gap_count": pl.Int64(),
    }
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """What a rule found in a part."""

    code: str
    part_id: int
    part_kind: str
    part_name: str | None
    gpu_id: int | None
    subject: str
    subjects: tuple[str, ...]
    total_ns: int
    saves_ns: int | None
    bound: str
    certainty: str
    once: bool
    share: float | None
    part_ns: int
    step_count: int | None
    says: str
    do: str
    docs: str
    evidence: dict[str, Any]
    shown: bool


@dataclass(frozen=True)
class Findings:
    """Parts, causes of their idle time, findings, and what is not known."""

    parts: pl.DataFrame
    causes: pl.DataFrame
    findings: list[Finding]
    unsure: list[str]
    missing: dict[str, str]
    headline: str

    def document(self, all: bool = False) -> dict[str, Any]:
        """Parts, findings and what is not known, for programs."""
        shown = [asdict(one) for one in self.findings if all or one.shown]
        return {"parts": self.parts.to_dicts(), "findings": shown, "unsure": self.unsure}


def find(run: Export) -> Findings:
    """The findings of an export."""
    if not run.has("_gpu_work_ids"):
        part = {
            **dict.fromkeys(PART),
            "part_id": 1,
            "kind": "work",
            "start_ns": 0,
            "length_ns": run.info.duration_ns or 0,
        }
        return Findings(pl.DataFrame([part], schema=PART), pl.DataFrame(schema=CAUSE), [], [], {}, "No GPU work")
    parts: list[dict[str, Any]] = []
    causes: list[pl.DataFrame] = []
    steady = _steady(run)
    titles = run.query("idle_causes").select("cause", "title")
    for gpu in run.query("gpu_time").to_dicts():
        for part in _parts(run, gpu, steady.get(gpu["gpu_id"])):
            parts.append({**dict.fromkeys(PART), **part, "part_id": len(parts) + 1, "gpu_id": gpu["gpu_id"]})
            if part.get("idle_ns"):
                window = {"start_ns": part["start_ns"], "end_ns": part["end_ns"], "gpu": gpu["gpu_id"]}
                rows = run.query("idle_ledger", **window).join(titles, on="cause").sort("idle_ns", descending=True)
                causes.append(rows.with_columns(part_id=pl.lit(len(parts), pl.Int64)).select(CAUSE.names()).cast(CAUSE))
    frame = pl.DataFrame(parts, schema=PART)
    found = pl.concat(causes) if causes else pl.DataFrame(schema=CAUSE)
    return Findings(frame, found, _of_causes(run, frame, found), [], {}, _headline(frame, found))


def _of_causes(run: Export, parts: pl.DataFrame, causes: pl.DataFrame) -> list[Finding]:
    """A finding for each cause of idle time, the most important first, those of what happens once last."""
    advice = dict(run.query("idle_causes").select("cause", "advice").iter_rows())
    rows = causes.join(parts, on=["part_id", "gpu_id"], nulls_equal=True, suffix="_of_part")
    found = []
    for row in rows.filter(pl.col("cause") != "profiler").to_dicts():
        share = row["idle_ns"] / row["length_ns"]
        gaps = f"{row['gap_count']:,} gap{'' if row['gap_count'] == 1 else 's'}"
        found.append(
            Finding(
                code=row["cause"].replace("_", "-"), part_id=row["part_id"], part_kind=row["kind"],
                part_name=row["name"], gpu_id=row["gpu_id"], subject=row["title"], subjects=(row["title"],),
                total_ns=row["idle_ns"], saves_ns=row["idle_ns"], bound="at most", certainty="likely",
                once=row["kind"] == "startup" or row["cause"] in ONCE, share=share, part_ns=row["length_ns"],
                step_count=row["step_count"], says=f"{row['title']}, in {gaps}.", do=advice[row["cause"]], docs="",
                evidence={"query": "idle_ledger", "cause": row["cause"]}, shown=share >= WORTH,
            )
        )  # fmt: skip
    return sorted(found, key=lambda one: (one.once, -one.total_ns))


def _steady(run: Export) -> dict[int | None, dict[str, Any]]:
    """Of each GPU its steady steps."""
    try:
        series = run.query("step_series").filter("is_chosen")
        times = run.query("step_times").filter("is_steady").drop_nulls("gpu_start_ns")
    except MissingData:
        return {}
    if series.is_empty():
        return {}
    name = None if series["found_by"][0] == "launches" else series["name"][0]
    sums = times.group_by("gpu_id").agg(
        start=pl.col("gpu_start_ns").min(), end=pl.col("gpu_end_ns").max(), step_count=pl.len(),
        step_ns=pl.col("period_ns").median().cast(pl.Int64),
    )  # fmt: skip
    return {row["gpu_id"]: {**row, "name": name} for row in sums.to_dicts()}


def _parts(run: Export, gpu: dict[str, Any], steady: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The parts of a GPU, in order of time, without empty ones."""
    first, last = gpu["window_start_ns"], gpu["window_end_ns"]
    lead, tail = gpu["lead_in_ns"] or 0, gpu["tail_ns"] or 0
    before = {"kind": "before", "start_ns": first - lead, "end_ns": first, "length_ns": lead}
    after = {"kind": "after", "start_ns": last, "end_ns": last + tail, "length_ns": tail}
    if steady is None:
        worked = [_worked(run, gpu, "work", first, last)]
    else:
        start, end = max(first, steady["start"]), min(last, steady["end"])
        series = _worked(run, gpu, "series", start, end) | {k: steady[k] for k in ("name", "step_count", "step_ns")}
        worked = [_worked(run, gpu, "startup", first, start), series, _worked(run, gpu, "rest", end, last)]
    parts = [part for part in (before, *worked, after) if part["length_ns"] > 0]
    outside = (run.info.duration_ns or 0) - sum(part["length_ns"] for part in parts)
    return [*([{"kind": "outside", "start_ns": 0, "end_ns": 0, "length_ns": outside}] if outside > 0 else []), *parts]


def _worked(run: Export, gpu: dict[str, Any], kind: str, start: int, end: int) -> dict[str, Any]:
    """A part with GPU work: the GPU is idle where it does not work."""
    part = {"kind": kind, "start_ns": start, "end_ns": end, "length_ns": end - start, "busy_ns": 0, "idle_ns": 0}
    if end <= start:
        return part
    is_whole = (start, end) == (gpu["window_start_ns"], gpu["window_end_ns"])
    rows = [gpu] if is_whole else run.query("gpu_time", start_ns=start, end_ns=end, gpu=gpu["gpu_id"]).to_dicts()
    busy = rows[0]["busy_ns"] if rows else 0
    return part | {"busy_ns": busy, "idle_ns": end - start - busy, "window_ns": gpu["window_ns"]}


def _headline(parts: pl.DataFrame, causes: pl.DataFrame) -> str:
    """What limits the longest part with steady steps, or all GPU work."""
    worked = parts.drop_nulls("idle_ns")
    main = worked.filter(kind="series") if "series" in worked["kind"] else worked
    length, busy = int(main["length_ns"].sum()), int(main["busy_ns"].sum())
    where = " in its steps" if "series" in worked["kind"] else ""
    if not length:
        return "The GPU worked for no time"
    share = busy / length
    if share >= KIND_SHARE:
        return f"GPU-bound{where}: busy for {share:.0%} of the time"
    own = causes.join(main.select("part_id", "gpu_id"), on=["part_id", "gpu_id"], how="semi", nulls_equal=True)
    sums = own.group_by("title").agg(pl.col("idle_ns").sum()).sort("idle_ns", "title", descending=[True, False])
    named = [
        f"{title[:1].lower()}{title[1:]} {idle / length:.0%}"
        for title, idle in sums.head(2).select("title", "idle_ns").rows()
    ]
    if share < 0.01:
        return f"The GPU hardly worked{where}; idle time: {', '.join(named)}"
    return f"The GPU is idle for {1 - share:.0%} of the time{where}: {', '.join(named)}"
