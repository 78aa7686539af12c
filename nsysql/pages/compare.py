"""The comparison as a page: the verdict, a short table of what changed, and behind --all everything else; as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import polars as pl

from nsysql.analysis.compare import sentences
from nsysql.analysis.compare.compare import NOTABLE, AccountChange, Comparison, sums
from nsysql.analysis.compare.main_change import shown, signed, spread
from nsysql.analysis.compare.matching import NAME, without_numbers
from nsysql.analysis.compare.noise import NORMAL, REPEATED
from nsysql.analysis.compare.side import Side
from nsysql.analysis.digest import BUSY, KERNELS, STEP, Shape
from nsysql.pages import first_screen
from nsysql.pages.elements import LABEL, PROSE, Cell, Column, Page, Section
from nsysql.pages.phrases import gpu_number, percent
from nsysql.words.kernel_names import Names
from nsysql.words.quantities import counted, size, tenths, time
from nsysql.words.truncate import cut

KINDS = {
    "computing": "kernel", "graph": "CUDA graph", "communication": "communication", "copy": "copy",
    "memset": "memset", "idle": "idle", "lead_in": "lead-in", "tail": "tail", "cpu": "CPU",
}  # fmt: skip
SHOWN = 7  # accounts of the first screen: with the others, the total and a heading at most ten lines
SMALL = 0.005  # share of the unit under which a difference is one of the others
BAR = 12  # signs of the longest bar
LABELS = 36  # letters of a name on the first screen
TO = " -> "  # between two names
SHAPES, NOTED, FOUND = 3, 5, 4  # launch shapes, notes and findings of the first screen
FEWEST = 3  # accounts, before notes are left out, or if all differences are small
NARROW = 80  # columns of the terminal that the first screen fits
CERTAIN = "*"


def page(comparison: Comparison, top: int | None, everything: bool = False) -> Page:
    """The first screen; with `everything` all sections, with at most `top` rows in those that list names."""
    titles = (f"A {_steps(comparison, comparison.a)}", f"B {_steps(comparison, comparison.b)}")
    title = f"Compared: {', '.join(titles)}"
    if not everything:
        return Page(title, first_screen.first_that_fits(title, _screens(comparison, top), NARROW), first_screen.COLUMNS)
    verdict, notes, findings = _said(comparison)
    sections = [Section("Verdict", "", (verdict, *notes, *findings)), changes(comparison, top and min(top, SHOWN))]
    sections += [_shapes(comparison)]
    sections += [_waterfall(comparison, top), _work(comparison, top), _gpus(comparison)]
    sections += [_of_threads(comparison, *totals, top) for totals in THREADS]
    method = Section("Method", columns=(PROSE,), rows=tuple((text,) for text in _method(comparison)))
    sections += [_launches(comparison, top), method]
    return Page(title, tuple(section for section in sections if section.rows or section.before))


def _screens(comparison: Comparison, top: int | None) -> Iterator[tuple[Section, ...]]:
    """First screens, each shorter than the one before: with fewer launch shapes, then accounts, then notes."""
    (verdict, notes, findings), shapes = _said(comparison), _shapes(comparison)
    tables = [changes(comparison, top and min(top, rows)) for rows in range(SHOWN + 1)]
    for noted, rows in product(range(NOTED, 0, -1), range(SHOWN + len(shapes.rows), FEWEST - 1, -1)):
        said = Section("Verdict", "", (verdict, *notes[:noted], *findings))
        sections = said, tables[min(rows, SHOWN)], replace(shapes, rows=shapes.rows[: max(0, rows - SHOWN)])
        shown = [section for section in sections if section.rows or section.before]
        shown[-1] = replace(shown[-1], after=(*shown[-1].after, "Every account, CPU calls, launches, method: --all"))
        yield tuple(shown)


def _steps(comparison: Comparison, side: Side) -> str:
    captures = f"{counted(len(side.units), 'capture')}, " if len(side.units) > 1 else ""
    steps = counted(side.steps, "step") if comparison.per == STEP else sentences.unit(comparison).removeprefix("the ")
    return f"({captures}{steps})"


def _said(comparison: Comparison) -> tuple[str, list[str], list[str]]:
    """The verdict, its notes, and how findings changed."""
    verdict = sentences.sentence(comparison)
    remarks = (
        r.text for r in comparison.remarks if r.text.rstrip(".").removesuffix(" or another mapping") not in verdict
    )
    uneven = None if "the median" in verdict else spread(comparison)
    texts = [text for text in (*sentences.notes(comparison), uneven, *remarks) if text]
    return verdict, texts, [*_findings(comparison)] if comparison.is_fair else []  # else findings differ anyway


def changes(comparison: Comparison, top: int | None = SHOWN) -> Section:
    """At most `top` of the largest differences with bars, then the others and the total."""
    least = SMALL * float(max(comparison.a_ns, comparison.b_ns))
    changed = [account for account in comparison.accounts if account.delta_ns]
    large = ([account for account in changed if abs(account.delta_ns) >= least] or changed[:FEWEST])[:top]
    if not changed:
        return Section("")
    longest = float(max(abs(account.delta_ns) for account in changed))
    rows: list[tuple[Cell, ...]] = []
    for one in large:
        length = max(1, round(BAR * abs(float(one.delta_ns)) / longest))
        sign = "+" if one.delta_ns > 0 else "#"
        is_small = max(one.a_ns, one.b_ns) < NOTABLE * float(max(comparison.a_ns, comparison.b_ns))
        noise = "" if one.is_certain or is_small else "within noise"
        times = _time(one.a_ns), _time(one.b_ns), signed(one.delta_ns)
        rows.append((_labelled(one, comparison), *times, sign * length, noise))
    rest = [account for account in comparison.accounts if account not in large]
    if rest:
        a, b = sums(rest)
        rows.append((counted(len(rest), "other"), _time(a), _time(b), signed(b - a), "", ""))
    whole = time(float(comparison.a_ns)), time(float(comparison.b_ns))
    rows.append(("total", *whole, signed(comparison.delta_ns), "", ""))
    columns = (Column(sentences.unit(comparison), right=False), *map(Column, ("A", "B", "change")), LABEL, LABEL)
    return Section("What changed", "the changes sum up exactly", (), columns, tuple(rows))


def _labelled(account: AccountChange, comparison: Comparison) -> str:
    name = shown(account, comparison)
    theirs = account.b_name and comparison.kernel_names.get(account.b_name, account.b_name)
    if theirs and theirs != name:
        half = (LABELS - len(TO)) // 2
        return f"{cut(name, half)}{TO}{cut(theirs, half)}"
    kind = "" if account.kind in (*KERNELS, "cpu") else f"{KINDS.get(account.kind, account.kind)}: "
    return cut(f"{kind}{name}", LABELS)


def _shapes(comparison: Comparison) -> Section:
    """Kernels whose launch shape changed, with time, grid, block and occupancy."""
    shapes = [_by_name(side) for side in (comparison.a, comparison.b)]
    rows: list[tuple[Cell, ...]] = []
    for account in comparison.accounts:
        ours = shapes[0].get(without_numbers(account.name))
        theirs = shapes[1].get(without_numbers(account.b_name or account.name))
        if account.kind not in KERNELS or not ours or not theirs or not account.delta_ns:
            continue
        if (ours.grid, ours.block) != (theirs.grid, theirs.block):
            full = percent(ours.occupancy_pct, 100), percent(theirs.occupancy_pct, 100)
            pairs = (ours.block, theirs.block), (ours.grid, theirs.grid), full
            rows.append((comparison.kernel_names[account.name], *(f"{a} -> {b}" if a != b else a for a, b in pairs)))
    columns = (Column("kernel", right=False), *map(Column, ("block", "grid", "occupancy")))
    return Section("Launch shapes", "other threads: their times are not speeds", (), columns, tuple(rows[:SHAPES]))


def _by_name(side: Side) -> dict[str, Shape]:
    """The only shape of each kernel that has one."""
    shapes: dict[str, list[Shape]] = {}
    for shape in side.captures[0].shapes:
        shapes.setdefault(without_numbers(shape.name), []).append(shape)
    return {name: alike[0] for name, alike in shapes.items() if len(alike) == 1 and name}


def _findings(comparison: Comparison) -> Iterator[str]:
    """Findings that only one side has, and those that both have, as a sentence; nothing if they have the same.

    Nothing either if the captures recorded other things: what one of them cannot show is not gone.
    """
    sides = comparison.a.captures[0], comparison.b.captures[0]
    if {*sides[0].facts.traces} != {*sides[1].facts.traces}:
        return
    a, b = (dict.fromkeys(f.code for f in one.findings) for one in sides)
    if ("graph-traced-whole" in a) != ("graph-traced-whole" in b):  # one side's kernels are not seen
        side = "A" if "graph-traced-whole" in a else "B"
        yield f"Findings cannot be compared: the kernels in the CUDA graphs of {side} are not recorded."
    elif a.keys() != b.keys():
        lists = {"gone": a.keys() - b.keys(), "new": b.keys() - a.keys(), "left": a.keys() & b.keys()}
        parts = (f"{name}: {_codes([code for code in (*a, *b) if code in some])}" for name, some in lists.items())
        yield f"Findings {'; '.join(parts)}."


def _codes(some: Sequence[str]) -> str:
    codes = list(dict.fromkeys(some))
    rest = f" and {len(codes) - FOUND} more" if len(codes) > FOUND else ""
    return ", ".join(codes[:FOUND]) + rest if codes else "none"


def _waterfall(comparison: Comparison, top: int | None) -> Section:
    changed = [account for account in comparison.accounts if account.delta_ns]
    shown = changed[:top]
    rows: list[tuple[Cell, ...]] = [("A", "", time(float(comparison.a_ns)), "", "", "", "")]
    for account in shown:
        how = "" if account.matched_by == NAME else account.matched_by
        delta = signed(account.delta_ns) + (CERTAIN if account.is_certain else "")
        times = _time(account.a_ns), _time(account.b_ns), delta, _share(account.delta_ns, comparison.a_ns)
        rows.append((KINDS.get(account.kind, account.kind), _name(account), *times, how))
    if rest := changed[len(shown) :]:
        a, b = sums(rest)
        numbers = _time(a), _time(b), signed(b - a), _share(b - a, comparison.a_ns)
        rows.append(("", counted(len(rest), "smaller difference"), *numbers, ""))
    of_a = _share(comparison.delta_ns, comparison.a_ns)
    rows.append(("B", "", "", time(float(comparison.b_ns)), signed(comparison.delta_ns), of_a, ""))
    headings = (*map(Column, ("A", "B", "difference", "of A")), Column("matched by", right=False))
    after = [f"{CERTAIN} beyond noise."] if any(account.is_certain for account in shown) else []
    columns = (LABEL, Column("account", right=False), *headings)
    return Section("From A to B", "every account", (), columns, tuple(rows), tuple(after))


def _name(account: AccountChange) -> Cell:
    if account.kind not in KERNELS:
        name = account.name if account.kind == "cpu" else account.title
        return f"{name} replaced by {account.b_name}" if account.b_name else name
    return Names((account.name, account.b_name), "{} replaced by {}") if account.b_name else Names((account.name,))


def _work(comparison: Comparison, top: int | None) -> Section:
    """The differences of kernels and copies, split by count and duration."""
    rows = tuple(
        (
            *(_name(account), _count(account.a_count), _count(account.b_count)),
            *(_each(account.a_ns, account.a_count), _each(account.b_ns, account.b_count)),
            *(signed(account.count_effect_ns), signed(account.per_call_effect_ns)),
        )
        for account in comparison.accounts
        if account.kind in BUSY and account.delta_ns
    )
    headings = ("count A", "count B", "each in A", "in B", "by count", "by length")
    meaning = "how often and how long it runs; time that other work hides is excluded"
    return Section("Work", meaning, (), (Column("work", right=False), *map(Column, headings)), rows[:top])


def _gpus(comparison: Comparison) -> Section:
    """The difference on each of several GPUs."""
    a, b = comparison.a.per_gpu_ns(), comparison.b.per_gpu_ns()
    ids = sorted({*a, *b}, key=lambda gpu_id: gpu_id or 0)
    rows = tuple((gpu_number(i), _time(a.get(i)), _time(b.get(i)), signed(b.get(i, 0) - a.get(i, 0))) for i in ids)
    columns = tuple(map(Column, ("GPU", "A", "B", "difference")))
    return Section("GPUs", "above is their mean", (), columns, rows if len(ids) > 1 else ())


THREADS = (
    ("calls", Section("CPU", "the threads that launch: CUDA and OS calls, each nanosecond once"), "call"),
    ("samples", Section("CPU samples", "the threads that launch: functions of host code by family"), "function"),
    ("ranges", Section("CPU by NVTX range", "time of the marking thread directly in each range"), "range"),
)


def _of_threads(comparison: Comparison, totals: str, section: Section, heading: str, top: int | None) -> Section:
    """Differences in what threads did, the largest first."""
    rows = tuple(
        (
            f"{kind}: {name}" if totals == "samples" else name,
            *(_time(a), _time(b), signed(b - a), _count(a_count), _count(b_count)),
        )
        for (kind, name), (a, a_count), (b, b_count) in comparison.totals(totals)
        if a != b
    )
    numbers = map(Column, ("A", "B", "difference", "count A", "count B"))
    return replace(section, columns=(Column(heading, right=False), *numbers), rows=rows[:top])


def _launches(comparison: Comparison, top: int | None) -> Section:
    every = comparison.totals("launches")
    sums = [sum((amounts[side][1] for _, *amounts in every), Fraction(0)) for side in (0, 1)]
    rows = [("launched pieces of GPU work", *map(_count, sums))] if any(sums) else []
    rows += [
        (name, size(float(a)), size(float(b)))
        for (kind, name), (a, _), (b, _) in sorted(every)
        if kind in ("memcpy", "memset")
    ]
    return Section("Launches and bytes", "", (), (LABEL, Column("A"), Column("B")), tuple(rows[:top]))


def _method(comparison: Comparison) -> Iterator[str]:
    a, b = comparison.samples
    proof = comparison.evidence
    yield f"Samples: {a:,} and {b:,} {'captures' if comparison.are_captures or comparison.per == 'work' else 'steps'}."
    if proof.within_ns:
        yield f"Standard error from the scatter of samples: {time(proof.within_ns)} ({proof.freedom + 2} samples)."
    if proof.between_ns:
        yield (
            f"Between runs of one program: {time(proof.between_ns)}, a prior by what the time is made of "
            f"(kernels launched often {100 * REPEATED:g}%); it needs {NORMAL:.2f} times that. --run-noise sets it."
        )
    yield f"A verdict needs a difference of {time(comparison.smallest_ns)}."
    yield "No difference shown does not mean that there is none."


def _time(ns: Fraction | None) -> str:
    return time(float(ns)) if ns else ""


def _share(ns: Fraction, whole: Fraction) -> str:
    return f"{'+' if ns >= 0 else ''}{tenths(float(100 * ns / whole))}%" if whole else percent(None, 0)


def _count(count: Fraction) -> str:
    return f"{int(count):,}" if count.denominator == 1 else f"{float(count):,.2f}"


def _each(ns: Fraction, count: Fraction) -> str:
    return time(float(ns / count)) if count else ""


SCHEMA = "nsysql.compare/2"  # adding a key does not change the number; removing or changing one does
COLUMNS = {
    "gpu_id": pl.Int64, "kind": pl.String, "name": pl.String, "b_name": pl.String, "matched_by": pl.String,
    "a_ns": pl.Float64, "b_ns": pl.Float64, "delta_ns": pl.Float64, "interval_low_ns": pl.Float64,
    "interval_high_ns": pl.Float64, "is_certain": pl.Boolean, "a_count": pl.Float64, "b_count": pl.Float64,
    "count_effect_ns": pl.Float64, "per_call_effect_ns": pl.Float64,
}  # fmt: skip


def document(comparison: Comparison) -> dict[str, Any]:
    a, b = comparison.a.per_gpu_ns(), comparison.b.per_gpu_ns()
    ids = sorted({*a, *b}, key=lambda gpu_id: (gpu_id is None, gpu_id or 0))
    return {
        "schema": SCHEMA,
        "unit": comparison.per,
        "name": comparison.a.units[0].name,
        "captures": {"a": len(comparison.a.units), "b": len(comparison.b.units)},
        "samples": dict(zip(("a", "b"), comparison.samples, strict=True)),
        "is_paired": comparison.is_paired,
        "verdict": comparison.verdict,
        "sentence": sentences.sentence(comparison),
        "notes": [*sentences.notes(comparison)],
        **_times(comparison),
        "smallest_pct": 100 * comparison.smallest_ns / float(comparison.a_ns) if comparison.a_ns else None,
        "is_fair": comparison.is_fair,
        "comparability": [remark.text for remark in comparison.remarks],
        "accounts": _accounts(comparison),
        "gpus": [{"gpu_id": i, "a_ns": number(a.get(i)), "b_ns": number(b.get(i))} for i in ids if i is not None],
        "work": _whole(comparison.work),
        "window": _whole(comparison.window),
        "calls": _totals(comparison, "calls", "ns"),
        "ranges": _totals(comparison, "ranges", "ns"),
        "functions": _totals(comparison, "samples", "ns"),
        "launches": _totals(comparison, "launches", "bytes"),
        "method": {
            "threshold_pct": 100 * comparison.options.threshold,
            "run_noise_pct": None if comparison.options.run_noise is None else 100 * comparison.options.run_noise,
            "within_ns": comparison.evidence.within_ns,
            "between_ns": comparison.evidence.between_ns,
            "degrees_of_freedom": comparison.evidence.freedom,
        },
    }


def _times(comparison: Comparison) -> dict[str, Any]:
    interval = comparison.interval_pct
    return {
        **_numbers(comparison, "a_ns", "b_ns", "delta_ns"),
        "change_pct": None if comparison.change is None else 100 * comparison.change,
        "interval_pct": None if interval is None else list(interval),
    }


def _whole(comparison: Comparison | None) -> dict[str, Any] | None:
    """The whole work, or the time from first to last CUDA call."""
    return {**_times(comparison), "accounts": _accounts(comparison)} if comparison else None


def _accounts(comparison: Comparison) -> list[dict[str, Any]]:
    return [
        {
            "gpu_id": comparison.a.gpu,
            **{name: getattr(one, name) for name in ("kind", "name", "title", "b_name", "matched_by")},
            **_numbers(one, "a_ns", "b_ns", "delta_ns"),
            "interval_ns": one.evidence and list(one.evidence.interval(float(one.delta_ns))),
            "is_certain": one.is_certain,
            **_numbers(one, "a_count", "b_count", "count_effect_ns", "per_call_effect_ns"),
        }
        for one in comparison.accounts
    ]


def _numbers(of: Comparison | AccountChange, *names: str) -> dict[str, int | float | None]:
    return {name: number(getattr(of, name)) for name in names}


def _totals(comparison: Comparison, name: str, unit: str) -> list[dict[str, Any]]:
    """Totals other than accounts, per unit, the largest difference first."""
    amounts = (f"a_{unit}", f"b_{unit}", "a_count", "b_count")
    return [
        {"kind": kind, "name": called, **dict(zip(amounts, map(number, (a, b, a_count, b_count)), strict=True))}
        for (kind, called), (a, a_count), (b, b_count) in comparison.totals(name)
    ]


def frame(comparison: Comparison) -> pl.DataFrame:
    """The waterfall: one row per account, the largest difference first."""
    ends = ("interval_low_ns", "interval_high_ns")
    accounts = _accounts(comparison)
    rows = [{**row, **dict(zip(ends, row["interval_ns"] or (None, None), strict=True))} for row in accounts]
    return pl.DataFrame({name: [row[name] for row in rows] for name in COLUMNS}, schema=COLUMNS, strict=False)


def number(value: Fraction | None) -> int | float | None:
    """Whole numbers as int, others as the nearest float."""
    return value if value is None else value.numerator if value.denominator == 1 else float(value)
