"""The comparison as a page: the verdict, then the waterfall from A's unit to B's, then details."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from nsysql.analysis.compare import sentences
from nsysql.analysis.compare.changes import AccountChange
from nsysql.analysis.compare.compare import Comparison
from nsysql.analysis.compare.matching import KERNELS, NAME
from nsysql.analysis.compare.noise import RESAMPLES, SEED
from nsysql.pages.elements import Cell, Column, Page, Section
from nsysql.pages.phrases import counted, gpu_number, percent
from nsysql.words.naming import Names
from nsysql.words.quantities import size, tenths, time

LABEL, PROSE = Column(right=False), Column(right=False, wrap=True)
KINDS = {
    "computing": "kernel",
    "graph": "CUDA graph",
    "communication": "communication",
    "copy": "copy",
    "memset": "memset",
    "idle": "idle",
    "lead_in": "lead-in",
    "tail": "tail",
    "cpu": "CPU",
}
CERTAIN = "*"


def page(found: Comparison, top: int | None) -> Page:
    """The page, with at most `top` rows in sections that list names."""
    fairness = [Section("Comparability", columns=(PROSE,), rows=tuple((r.text,) for r in found.remarks))]
    first = [_verdict(found), *fairness] if found.is_fair else [*fairness, _verdict(found)]
    sections = [
        *first,
        _waterfall(found, top),
        _kernels(found, top),
        _gpus(found),
        _calls(found, top),
        _ranges(found, top),
        _launches(found, top),
        _method(found),
    ]
    return Page(f"A and B compared {sentences.per(found)}", tuple(s for s in sections if s.rows))


def _verdict(found: Comparison) -> Section:
    texts = {
        "verdict": sentences.sentence(found),
        "certain": sentences.certain(found),
        "GPU": sentences.gpu_part(found),
        "kernels": sentences.kernels(found),
        "whole run": None if found.whole_run is None else sentences.change(found.whole_run),
    }
    return Section("Verdict", columns=(LABEL, PROSE), rows=tuple((k, v) for k, v in texts.items() if v))


def _waterfall(found: Comparison, top: int | None) -> Section:
    changed = [account for account in found.accounts if account.delta_ns]
    shown = changed[:top]
    rows: list[tuple[Cell, ...]] = [("A", "", time(float(found.a_ns)), "", "", "", "")]
    for account in shown:
        rows.append(
            (
                *(KINDS.get(account.kind, account.kind), _name(account)),
                *(_time(account.a_ns), _time(account.b_ns), _signed(account.delta_ns) + _mark(account)),
                *(_share(account.delta_ns, found.a_ns), "" if account.matched_by == NAME else account.matched_by),
            )
        )
    rest = changed[len(shown) :]
    if rest:
        rows.append(_rest(rest, found))
    delta = found.delta_ns
    rows.append(("B", "", "", time(float(found.b_ns)), _signed(delta), _share(delta, found.a_ns), ""))
    columns = (
        *(LABEL, Column("account", right=False), Column("A"), Column("B"), Column("difference")),
        *(Column("of A"), Column("matched by", right=False)),
    )
    unit = {"step": "a steady step", "window": "the whole run"}.get(found.per, found.per)
    after = [f"{CERTAIN} beyond the scatter of the samples, corrected for the number of accounts."]
    has_marks = any(account.is_certain for account in shown)
    meaning = f"mean time of {unit}, and what each account adds to it; the differences sum up exactly"
    return Section("From A to B", meaning, (), columns, tuple(rows), tuple(after) if has_marks else ())


def _rest(rest: Sequence[AccountChange], found: Comparison) -> tuple[Cell, ...]:
    a, b = (sum((getattr(account, name) for account in rest), Fraction(0)) for name in ("a_ns", "b_ns"))
    return (
        "",
        counted(len(rest), "smaller difference"),
        _time(a),
        _time(b),
        _signed(b - a),
        _share(b - a, found.a_ns),
        "",
    )


def _mark(account: AccountChange) -> str:
    return CERTAIN if account.is_certain else ""


def _name(account: AccountChange) -> Cell:
    if account.kind not in KERNELS:
        name = account.name if account.kind == "cpu" else account.title
        return f"{name} replaced by {account.b_name}" if account.b_name else name
    if account.b_name:
        return Names((account.name, account.b_name), "{} replaced by {}")
    return Names((account.name,))


def _kernels(found: Comparison, top: int | None) -> Section:
    """The differences of kernels and copies, split by count and duration."""
    rows = tuple(
        (
            *(_name(account), _count(account.a_count), _count(account.b_count)),
            *(_each(account.a_ns, account.a_count), _each(account.b_ns, account.b_count)),
            *(_signed(account.count_effect_ns), _signed(account.per_call_effect_ns)),
        )
        for account in found.accounts
        if account.kind in (*KERNELS, "graph", "copy", "memset") and account.delta_ns
    )
    headings = ("count A", "count B", "each in A", "in B", "by count", "by length")
    columns = (Column("work", right=False), *map(Column, headings))
    meaning = (
        "how often and how long it runs: both effects sum to the difference; time that other work hides is not in it"
    )
    return Section("Work", meaning, (), columns, rows[:top])


def _gpus(found: Comparison) -> Section:
    """The difference on each of several GPUs."""
    a, b = found.a.per_gpu_ns(), found.b.per_gpu_ns()
    ids = sorted({*a, *b}, key=lambda gpu_id: gpu_id or 0)
    rows = tuple((gpu_number(i), _time(a.get(i)), _time(b.get(i)), _signed(b.get(i, 0) - a.get(i, 0))) for i in ids)
    columns = tuple(map(Column, ("GPU", "A", "B", "difference")))
    return Section("GPUs", "the same on each; above is their mean", (), columns, rows if len(ids) > 1 else ())


def _calls(found: Comparison, top: int | None) -> Section:
    meaning = "the threads that launch: CUDA and OS calls, each nanosecond once"
    return _of_threads(found, "calls", Section("CPU", meaning), ("call", "calls A", "calls B"), top)


def _ranges(found: Comparison, top: int | None) -> Section:
    meaning = "the thread that marks the steps: time in these NVTX ranges and in none within, each nanosecond once"
    return _of_threads(found, "ranges", Section("CPU by NVTX range", meaning), ("range", "count A", "count B"), top)


def _of_threads(
    found: Comparison, totals: str, section: Section, headings: tuple[str, str, str], top: int | None
) -> Section:
    """Differences in what threads did, the largest first."""
    rows: list[tuple[Cell, ...]] = []
    a, b = found.a.totals(totals), found.b.totals(totals)
    zero = Fraction(0), Fraction(0)
    for kind, name in sorted({*a, *b}, key=lambda key: (-abs(b.get(key, zero)[0] - a.get(key, zero)[0]), key)):
        (ours, count), (theirs, other) = a.get((kind, name), zero), b.get((kind, name), zero)
        if ours != theirs:
            rows.append((name, _time(ours), _time(theirs), _signed(theirs - ours), _count(count), _count(other)))
    numbers = map(Column, ("A", "B", "difference", *headings[1:]))
    return replace(section, columns=(Column(headings[0], right=False), *numbers), rows=tuple(rows[:top]))


def _launches(found: Comparison, top: int | None) -> Section:
    a, b = found.a.totals("launches"), found.b.totals("launches")
    zero = Fraction(0), Fraction(0)
    sums = {side: sum((n for _, n in totals.values()), Fraction(0)) for side, totals in (("A", a), ("B", b))}
    rows: list[tuple[Cell, ...]] = []
    if sums["A"] or sums["B"]:
        rows.append(("launched pieces of GPU work", _count(sums["A"]), _count(sums["B"])))
    for key in sorted(key for key in {*a, *b} if key[0] in ("memcpy", "memset")):
        ours, theirs = a.get(key, zero)[0], b.get(key, zero)[0]
        rows.append((key[1], size(float(ours)), size(float(theirs))))
    columns = (Column("", right=False), Column("A"), Column("B"))
    return Section("Launches and bytes", "", (), columns, tuple(rows[:top]))


def _method(found: Comparison) -> Section:
    return Section("Notes", columns=(PROSE,), rows=tuple((text,) for text in _method_texts(found)))


def _method_texts(found: Comparison) -> Iterator[str]:
    a, b = found.samples
    steps = not found.are_captures and found.per != "window"
    what = "steady steps" if steps else "captures"
    captures = f" in {len(found.a.units)} and {len(found.b.units)} captures" if steps else ""
    yield f"Samples: {a:,} and {b:,} {what}{captures}."
    if found.evidence is not None:
        yield (
            f"Intervals: circular block bootstrap, block round(sqrt(samples)), {RESAMPLES:,} resamples, seed {SEED}; "
            f"Mann-Whitney p = {found.evidence.p_value:.3g} of the whole; those of the accounts are corrected by Holm."
        )
        yield (
            f"A verdict needs more than {100 * found.options.threshold:g} % of A (--threshold)"
            + (
                f" and {100 * found.run_noise:.3g} %, by which runs may differ (--run-noise)."
                if found.run_noise
                else "."
            )
        )
    yield "No difference shown does not mean that there is none."


def _time(ns: Fraction | None) -> str:
    return time(float(ns)) if ns else ""


def _signed(ns: Fraction | int) -> str:
    return "0 ns" if not ns else ("+" if ns > 0 else "") + time(float(ns))


def _share(ns: Fraction, whole: Fraction) -> str:
    return f"{'+' if ns >= 0 else ''}{tenths(float(100 * ns / whole))}%" if whole else percent(None, 0)


def _count(count: Fraction) -> str:
    return f"{int(count):,}" if count.denominator == 1 else f"{float(count):,.2f}"


def _each(ns: Fraction, count: Fraction) -> str:
    return time(float(ns / count)) if count else ""
