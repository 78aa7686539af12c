"""Predict what a change of the program would save by a replay of the capture's graph."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars

from nsysql.analysis.intervals import LENGTH
from nsysql.analysis.replay import beside, changes, copies
from nsysql.analysis.replay.changes import Waits
from nsysql.analysis.replay.gpu_edges import COLLECTIVE
from nsysql.analysis.replay.graph import Array, Edge, Graph, most_of, path_within, replay, span, windows
from nsysql.capture.export import Export
from nsysql.capture.replay_graph import MOST_WORK, read_graph, unexplained
from nsysql.errors import MissingData, UsageError
from nsysql.findings import savings
from nsysql.findings.engine import find, rules
from nsysql.findings.finding import ROW, Finding
from nsysql.findings.sentences import numbered, part_titles
from nsysql.words.quantities import counted
from nsysql.words.sql_text import literal

APPLIED_FINDINGS = 5  # findings whose advice is tried
HALVED = 4  # kernels whose halving is tried
SMALL = 0.01  # share of the window: smaller savings are not shown
FACTOR = 0.5
SIZE = re.compile(r"([\d.]+)\s*([kMGT]?)i?B?(/s)?", re.IGNORECASE)
SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


@dataclass(frozen=True)
class Change:
    """One change: `how` (apply, remove, scale, once, graph, rate, floor, fuse, overlap, durations_from), of `what`."""

    how: str
    what: str = ""


@dataclass(frozen=True)
class Prediction:
    """The time from first to last GPU work after a change (ns): likely, lowest, highest; and what limits then."""

    label: str  # {} in it is the kernel
    kernel: str | None
    before_ns: int
    after_ns: int
    low_ns: int
    high_ns: int
    limit: str
    gpus: tuple[tuple[int, int, int], ...]  # gpu_id, before_ns, after_ns

    @property
    def saves_ns(self) -> int:
        return self.before_ns - self.after_ns


@dataclass(frozen=True)
class Concerned:
    """What a change such as `remove kernel:NAME` is about: calls, or work of a kind, with these names."""

    what: str
    kind: str  # kernel, copy, call
    names: tuple[str, ...]
    count: int
    dur_ns: int


@dataclass(frozen=True)
class WhatIf:
    """Predictions, largest saving first, and how well the graph explains the capture."""

    file: str
    scope: str
    slack: float
    active_share: float  # as the graph has it
    met_ns: int  # up to the last collective with ranks that the capture lacks
    spins: int  # calls whose host code may be a wait for the GPU
    predictions: tuple[Prediction, ...]
    path: polars.DataFrame  # critical path as measured: kind, name, dur_ns, count
    concerned: tuple[Concerned, ...]


HOST_CODE = Change("remove", "host_code")
LABELS = {  # labels of changes that have no subject
    "graph": "launches as CUDA graphs",
    "fuse": "elementwise kernels fused",
    "rate": "pinned memory",
    "overlap": "copies beside kernels",
    "once": "large copies once",
}
OFTEN = {  # changes that are often possible
    "no host code between calls": HOST_CODE,
    "no synchronization at all": Change("remove", "synchronization"),
    "no allocation or free": Change("remove", "memory_management"),
    **{LABELS[how]: Change(how) for how in ("graph", "fuse", "rate", "overlap")},
}
PINNED = ("", "pinned")  # the rate of pinned copies
GRAPHED = ("unfused-elementwise",)  # by its code (torch.compile): what it fuses is launched as a graph, too
SAME = {  # rows of OFTEN that findings of these codes already have, in their part
    "no allocation or free": ("allocation-per-step",),
    LABELS["graph"]: ("launch-bound", "graph-candidate", "host-paced"),
    LABELS["rate"]: ("pageable-copies",),
    LABELS["overlap"]: ("exposed-copies", "one-copy-engine"),
    LABELS["fuse"]: ("unfused-elementwise",),
}


def collect(
    run: Export, wanted: Sequence[Change] = (), steps: str | None = None, step_range: str | None = None
) -> WhatIf:
    """Predict what these changes save together; without any, make one row for each change that is often possible.

    With `steps` the time is that of the work of these steps, from first to last. Raises MissingData if the graph does
    not explain the capture, UsageError for a change that is unknown or concerns nothing.
    """
    numbers = any(change.how == "apply" and change.what.isdecimal() for change in wanted)
    # before the graph is in memory, because idle time needs the most
    findings = [f for f in find(run).findings if f.shown] if numbers or not wanted else []
    graph = read_graph(run, MOST_WORK)
    whole = graph.works.height
    works = counted(whole, "kernel, copy or memset", "kernels, copies and memsets")
    scope = f"first to last of {works}" + (" (the first ones)" if whole >= MOST_WORK else "")
    chosen = None
    if steps is not None:
        chosen_steps = run.find_steps(steps, step_range)
        start = graph.works["start_ns"].to_numpy()
        chosen = (start >= chosen_steps.start_ns) & (start < chosen_steps.end_ns)
        scope = f"first to last work of {chosen_steps}"
        if not chosen.any():
            raise MissingData(f"what-if: {chosen_steps} launched no GPU work.")
    if steps is None and not wanted:
        chosen, scope = _steady(run, graph, scope)
    if chosen is not None and whole >= MOST_WORK:
        scope += f" (of the first {works})"
    if why := unexplained(graph):
        raise MissingData(f"what-if: not answered, because {why}.")
    predictor = _Predictor(run, graph, chosen, findings)
    label = ", ".join(map(_label, wanted))
    predictions = tuple([predictor.predict(label, wanted)] if wanted else predictor.table())
    path = path_within(graph, replay(graph), chosen)
    sums = path.group_by("kind", "name").agg(polars.col("dur_ns").sum(), polars.len().alias("count"))
    ordered = sums.sort("dur_ns", "kind", "name", descending=[True, False, False])
    spins = int((graph.kind == Edge.SPIN).sum())
    measured = run.path.name, scope, predictor.slack, graph.active_share, predictor.met_ns, spins
    return WhatIf(*measured, predictions, ordered, tuple(predictor.concerned))


def _label(change: Change) -> str:
    if change.what in PINNED:
        return LABELS.get(change.how, change.how)
    is_code = change.how == "apply" and not change.what.isdecimal()
    return f"{change.how.replace('_', ' ')} {change.what}{' in all of the capture' if is_code else ''}"


def _steady(run: Export, graph: Graph, scope: str) -> tuple[Array | None, str]:
    """Return the mask and the title of the work of the longest series of steps; of all work if there is no series."""
    parts = run.query("part")
    series = parts.filter(polars.col("kind") == "series").sort("length_ns", "part_id", descending=[True, False])
    if series.is_empty():
        return None, scope
    part_id = series["part_id"][0]
    chosen = savings.in_part(graph, savings.part_spans(run), part_id)
    return (chosen, f"first to last work of {part_titles(numbered(parts))[part_id]}") if chosen.any() else (None, scope)


class _Predictor:
    """Predicts changes of one capture's graph; has the findings that `nsysql findings` shows, in its order."""

    def __init__(self, run: Export, graph: Graph, chosen: Array | None, findings: list[Finding]) -> None:
        self.run, self.graph, self.chosen, self.findings = run, graph, chosen, findings
        self.spans = savings.part_spans(run)
        window = sum(windows(graph, graph.measured).values())
        self.slack = graph.slack_ns / window if window else 0.0
        self.before = self._spans(graph.measured)
        own = graph.works if chosen is None else graph.works.filter(chosen)
        begin, end = own["start_ns"].to_numpy().min(), own["end_ns"].to_numpy().max()
        self.concerned: list[Concerned] = []
        self.met_ns = int(graph.met_ns[graph.met_ns <= end].max(initial=begin) - begin)

    def _spans(self, times: Array) -> dict[int, int]:
        """Return the time from first to last work of each GPU, and under -1 of all of them."""
        return {-1: span(self.graph, times, self.chosen)} | windows(self.graph, times, self.chosen)

    def table(self) -> list[Prediction]:
        """Predict each finding's advice and each change that is often possible, alone; leave out savings below 1 %."""
        kernels = self.graph.works.filter(polars.col("kind") == "kernel")
        if self.met_ns:  # the time of collectives has the wait for ranks that are not there
            kernels = kernels.filter(~polars.col("name").str.contains(COLLECTIVE))
        by_name = kernels.drop_nulls("name").group_by("name").agg(dur=LENGTH.sum())
        largest = by_name.sort("dur", "name", descending=[True, False])["name"].head(HALVED).to_list()
        numbers: dict[str, list[str]] = {}
        for number, f in enumerate(self.findings, 1):
            if savings.is_replayed(f) and self._concerned(f):
                numbers.setdefault(f.code, []).append(str(number))
        if "launch-bound" in numbers:
            numbers.pop("graph-candidate", None)  # another way to save the same time
        first = [*numbers.items()][:APPLIED_FINDINGS]
        tried = [(f"finding {code}", (Change("apply", ",".join(own)),)) for code, own in first]
        tried += [(label, (change,)) for label, change in OFTEN.items() if not numbers.keys() & SAME.get(label, ())]
        tried += [("{} in half the time", (Change("scale_exact", name),)) for name in largest]
        predictions = []
        for label, wanted in tried:
            try:
                predictions.append(self.predict(label, wanted))
            except UsageError:
                continue  # the capture has nothing of the kind
        large = [p for p in predictions if p.before_ns - p.low_ns >= SMALL * p.before_ns]
        return sorted(large, key=lambda p: (-p.saves_ns, p.low_ns, p.label))

    def _concerned(self, finding: Finding) -> bool:
        """Tell whether a finding is about some of the chosen work."""
        parts = (savings.in_part(self.graph, self.spans, part_id) for part_id in finding.part_ids)
        return self.chosen is None or any((inside & self.chosen).any() for inside in parts)

    def predict(self, label: str, wanted: Sequence[Change]) -> Prediction:
        """Replay all of these changes; what findings advise saves no more than the findings say."""
        waits = Waits.all(self.graph.wait)
        for change in sorted(wanted, key=lambda c: c.how == "overlap"):  # last: engines take the changed copies' time
            waits = self._changed(waits, change)
        exchanged = any(change.how == "durations_from" for change in wanted)  # these ran beside others already
        waits = changes.paced(self.graph, waits) if exchanged else beside.settled(self.graph, waits)
        graph = self.graph.with_waits(waits.likely)
        likely = replay(graph)
        after = self._spans(likely.times)
        low = after if waits.low is waits.likely else self._spans(replay(graph.with_waits(waits.low)).times)
        high = after if waits.high is waits.likely else self._spans(replay(graph.with_waits(waits.high)).times)
        most = most_of(path_within(graph, likely, self.chosen))
        limit = f"{most[0]} {100 * most[1]:.0f}%" if most else ""
        kernel = next((c.what for c in wanted if c.how == "scale_exact"), None)
        if len(wanted) == 1 and wanted[0].how == "apply" and (stated := self._stated(wanted[0].what)) is not None:
            least = {gpu: ns - stated for gpu, ns in self.before.items()}
            low, after, high = ({gpu: max(end, least[gpu]) for gpu, end in one.items()} for one in (low, after, high))
        gpus = tuple((gpu, self.before[gpu], after[gpu]) for gpu in sorted(self.before) if gpu >= 0)
        fed = min(self.before[-1], max(self.met_ns, round(graph.active_share * self.before[-1])))
        spinning = [changes.spinning(graph, wait) for wait in (waits.low, waits.high)]
        if_spinning = [self._spans(replay(graph.with_waits(wait)).times)[-1] for wait in spinning if wait is not None]
        ends = sorted((low[-1], after[-1], max(high[-1], fed), *if_spinning))
        return Prediction(label, kernel, self.before[-1], after[-1], ends[0], ends[-1], limit, gpus)

    def _changed(self, waits: Waits, change: Change) -> Waits:
        graph = self.graph
        what, _, nvtx = change.what.partition("@")
        if change.how in ("scale", "floor") and "=" not in what:  # WHAT@NAME=VALUE
            nvtx, _, value = nvtx.rpartition("=")
            what = f"{what}={value}"
        ranges = self._ranges(nvtx) if nvtx else None
        inside = None if ranges is None else savings.starting_in(graph.calls, ranges)
        match change.how:
            case "apply":
                return self._applied(waits, change.what)
            case "once":
                return copies.once(graph, waits, inside)
            case "graph":
                return changes.graphed(graph, waits, inside)
            case "fuse":
                return changes.fused(graph, waits, inside)
            case "overlap":
                return copies.overlapped(graph, waits, inside)
            case "rate":
                return copies.rate(graph, waits, inside, None if what in PINNED else quantity(what))
            case "durations_from":
                with Export(Path(change.what)) as other:
                    return changes.durations_from(graph, waits, read_graph(other, MOST_WORK))
            case "scale_exact":
                works = (graph.works["name"] == change.what).to_numpy()
                own = changes.Selection(changes.nothing(graph).calls, works)
                return changes.scale(graph, waits, "kernel", own, FACTOR)
        text, _, value = what.rpartition("=") if change.how in ("scale", "floor") else (what, "", "0")
        if not text:
            raise UsageError(f"what-if: --{change.how} takes WHAT=VALUE, not {change.what!r}.")
        kind, chosen = changes.select(graph, text)
        if ranges is not None and inside is not None:
            share = savings.host_code_in(graph, ranges) if kind == "host_code" else inside
            chosen = changes.within(graph, chosen, share > 0)
            if not (chosen.calls.any() or chosen.works.any()):
                raise UsageError(f"what-if: no {text} is within the NVTX ranges {nvtx!r} of threads that call CUDA.")
            if kind == "host_code":
                return changes.host_code(graph, waits, _factor(value), share)
        if text.startswith(("kernel:", "copy:", "call:")):
            self._note(text, kind, chosen)
        if change.how == "floor":
            return changes.floor(graph, waits, chosen, round(quantity(value)), self._bandwidth())
        return changes.scale(graph, waits, kind, chosen, _factor(value))

    def _note(self, what: str, kind: str, chosen: changes.Selection) -> None:
        """Note what a name stands for: it may be more than was meant."""
        graph = self.graph
        rows = graph.calls.filter(chosen.calls) if kind == "call" else graph.works.filter(chosen.works)
        names = tuple(rows["name"].drop_nulls().unique().sort())
        dur_ns = int((rows["end_ns"] - rows["start_ns"]).sum())
        self.concerned.append(Concerned(what, kind, names, rows.height, dur_ns))

    def _stated(self, numbers: str) -> int | None:
        """Sum what the findings of these numbers say they save, at most; None for a code, or if one does not say.

        Copies save no more than they take.
        """
        findings = self._numbered(numbers)
        known = [f.total_ns if f.saves_ns is None and f.claims == "copy" else f.saves_ns for f in findings]
        saves = [ns for ns in known if ns is not None]
        return sum(saves) if saves and len(saves) == len(findings) else None

    def _numbered(self, numbers: str) -> list[Finding]:
        """Return the findings of numbers such as 1,3; none for a code. Raises UsageError for unknown numbers."""
        if not numbers.replace(",", "").isdecimal():
            return []
        count = len(self.findings)
        for number in map(int, numbers.split(",")):
            if not 0 < number <= count:
                raise UsageError(f"what-if: there is no finding {number}; `nsysql findings` shows {count}.")
        return [self.findings[int(number) - 1] for number in numbers.split(",")]

    def _applied(self, waits: Waits, what: str) -> Waits:
        """Follow findings' advice: by numbers in their parts; by a code in the whole capture, below thresholds, too.

        Kernels take the share of their time that the rule counts on.
        """
        findings = self._numbered(what)
        for finding in findings:
            if not savings.is_replayed(finding):
                raise self._unknown(finding.code)
            waits = savings.advised(self.graph, waits, finding, self.run, self.spans)
        if findings:
            return waits
        if what in savings.IDLE_CAUSES:
            return self._changed(waits, HOST_CODE)
        if what in savings.ADVICE:
            advice = (*savings.ADVICE[what], changes.graphed) if what in GRAPHED else savings.ADVICE[what]
            return savings.followed(self.graph, waits, advice, None)
        rule = rules(self.run.paths).get(what)
        if rule is None:
            raise self._unknown(what)
        # a rule's parameters are its thresholds
        rows = self.run.query(rule.name, **{p.name: 0 for p in rule.parameters})
        if rows.is_empty():
            raise UsageError(f"what-if: {what} finds nothing in this capture.")
        rows = rows.filter(polars.col("claims").is_in(savings.OF_KERNELS) & (polars.col("bound") != "unknown"))
        if rows.is_empty():
            raise self._unknown(what)
        return savings.faster(self.graph, waits, rows.select(ROW).drop_nulls().rows(), self.run, self.spans)

    def _unknown(self, code: str) -> UsageError:
        known = f"{', '.join(sorted({*savings.ADVICE, *savings.IDLE_CAUSES}))}, and those on kernels that get faster"
        return UsageError(f"what-if: {code!r} is no finding that can be replayed; these are: {known}.")

    def _ranges(self, nvtx: str) -> polars.DataFrame:
        """Return the ranges of that name: thread_id, start_ns, end_ns. Raises UsageError if there is none."""
        ranges = self.run.select("nvtx_range", "thread_id, start_ns, end_ns", f"WHERE text = {literal(nvtx)}")
        if not ranges.height:
            raise UsageError(f"what-if: there is no NVTX range {nvtx!r}.")
        return ranges

    def _bandwidth(self) -> float:
        known = self.run.query("gpu")["memory_bandwidth_bytes_per_s"].drop_nulls()
        if not known.len() or not known.max():
            raise MissingData("what-if: --floor needs the GPU's memory bandwidth, which this export does not have.")
        return float(known.max())  # type: ignore[arg-type]


def quantity(text: str) -> float:
    """Parse bytes, or bytes per second: '12.5GB/s', '536870912'. Raises UsageError."""
    match = SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"what-if: {text!r} is no size or rate such as 512MB or 12.5GB/s.")
    return float(match[1]) * SCALES[match[2].lower()]


def _factor(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1e6:
        raise UsageError(f"what-if: a factor is a number of 0 or more, such as 0.5, not {text!r}.")
    return value
