"""The verdict in sentences: how much, how certain, which accounts, and what limits both sides."""

from nsysql.analysis.compare.changes import AccountChange
from nsysql.analysis.compare.compare import Comparison
from nsysql.analysis.compare.matching import KERNELS
from nsysql.analysis.compare.verdict import FASTER, NO_DIFFERENCE, SLOWER, change_pct, interval_pct, word
from nsysql.words.kernel_names import short
from nsysql.words.quantities import rounded, tenths, time

MAIN = 0.3  # share of the difference from which an account is named as its main part
BOUND = 0.5  # share of the GPU's time from which a kind of account limits it
BOUNDS = {
    "computing": "GPU-bound: kernels run for",
    "graph": "GPU-bound: CUDA graphs run for",
    "communication": "communication-bound: communication that nothing hides takes",
    "copy": "copy-bound: copies that nothing hides take",
    "idle": "bound by what the GPU waits for: it is idle for",
}
WORDS = {  # kinds of accounts in a sentence
    "computing": "kernels",
    "graph": "CUDA graphs",
    "communication": "communication that nothing hides",
    "copy": "copies that nothing hides",
    "memset": "memory sets",
    "idle": "idle time",
    "lead_in": "time before the first GPU work",
    "tail": "time after the last GPU work",
    "cpu": "CPU time",
}
EDGES = ("lead_in", "tail")
OFFSET = 1.2  # times the difference: an account so large that another must offset it
ALIKE = 0.7  # ratio from which two opposite differences cancel out
NOTICEABLE = 0.05  # share of a unit from which a moved cost is reported
NAMED = 3  # accounts named in a sentence
NOTABLE = 1.5  # factor in time from which kernels are mentioned even if they matter little


def per(found: Comparison) -> str:
    """The unit in a sentence."""
    return {"step": "per step", "window": "over the whole run"}.get(found.per, f"per {found.per}")


def sentence(found: Comparison) -> str:
    """The verdict in a sentence."""
    verdict, change = word(found), change_pct(found)
    if all(account.delta_ns == 0 for account in found.accounts):
        return f"No difference shown: every account {per(found)} is the same in A and B."
    less = "less" if found.delta_ns < 0 else "more"
    size = f"{tenths(abs(change or 0))} % {less} time {per(found)}{_interval(found)}"
    if verdict in (FASTER, SLOWER):
        scope = "" if found.are_captures else " between these captures"
        return f"B is {tenths(abs(change or 0))} % {verdict} {per(found)}{_interval(found)}{scope}{_mostly(found)}."
    if verdict == NO_DIFFERENCE:
        return f"No difference shown: B took {size}, {_why_not(found)}{_mostly(found)}."
    if not found.is_fair:
        unfair = next(remark.text for remark in found.remarks if remark.is_unfair)
        return f"Not to be judged, the comparison is unfair. {unfair} B took {size}{_mostly(found)}."
    return f"B took {size}{_mostly(found)}; with one sample a side nothing says whether that is more than noise."


def change(found: Comparison) -> str | None:
    """A sentence on how much the unit's time changed, without a verdict."""
    if not found.delta_ns and not found.accounts[0].delta_ns:
        return None
    amount, less = abs(change_pct(found) or 0), "less" if found.delta_ns < 0 else "more"
    return f"B took {tenths(amount)} % {less} time {per(found)}{_interval(found)}{_mostly(found)}."


def _interval(found: Comparison) -> str:
    ends = interval_pct(found)
    if ends is None:
        return ""
    low, high = ends
    if high < 0:
        return f" (95 %: {tenths(-high)} to {tenths(-low)} %)"
    if low > 0:
        return f" (95 %: {tenths(low)} to {tenths(high)} %)"
    return f" (95 %: {low:+.1f} to {high:+.1f} %)"


def _why_not(found: Comparison) -> str:
    delta, whole = abs(float(found.delta_ns)), float(found.a_ns)
    if found.evidence is None or not found.evidence.shows(float(found.delta_ns)):
        what = "captures" if found.are_captures else "steps"
        return f"within the scatter of the {what}"
    if delta <= found.options.threshold * whole:
        return f"under the threshold of {100 * found.options.threshold:g} %"
    return f"and runs of the same program may differ by {100 * found.run_noise:.3g} %"


def _mostly(found: Comparison) -> str:
    """The main account of the difference."""
    delta = found.delta_ns
    same_sign = [account for account in found.accounts if account.delta_ns * delta > 0]
    if not same_sign or not delta:
        return ""
    main = same_sign[0]
    moved = _moved(found, main)
    if moved:
        return f"; {moved}"
    if main.delta_ns / delta < MAIN:
        return ""
    less = "less" if main.delta_ns < 0 else "more"
    against = next((a for a in found.accounts if a.delta_ns * delta < 0), None)
    whole = f"of {_signed(delta)}"
    if against is not None and main.delta_ns / delta > OFFSET:
        whole = f"against {shown(against)} {signed(against)}"
    return f", mostly {less} {WORDS.get(main.kind, main.kind)}: {shown(main)} {signed(main)} {whole}"


def _moved(found: Comparison, main: AccountChange) -> str:
    """Two large differences that cancel out: a cost that moved from one account to the other."""
    other = next((a for a in found.accounts if a.delta_ns * main.delta_ns < 0), None)
    if other is None:
        return ""
    small, large = sorted((abs(float(other.delta_ns)), abs(float(main.delta_ns))))
    if small < large * ALIKE or abs(found.delta_ns) > small / 2 or large < NOTICEABLE * float(found.a_ns):
        return ""
    down, up = sorted((main, other), key=lambda account: account.delta_ns)
    return (
        f"cost moved: {WORDS.get(down.kind, down.kind)}, {shown(down)} {signed(down)}, against "
        f"{WORDS.get(up.kind, up.kind)}, {shown(up)} {signed(up)}"
    )


def shown(account: AccountChange) -> str:
    """An account's name as sentences show it."""
    return short(account.name) if account.kind in KERNELS else account.title


def signed(account: AccountChange) -> str:
    """An account's difference as text with a sign."""
    return _signed(account.delta_ns)


def _signed(ns: object) -> str:
    text = time(float(ns))  # type: ignore[arg-type]
    return text if text.startswith("-") else f"+{text}"


def gpu_part(found: Comparison) -> str | None:
    """A sentence on the GPU's own time if the unit is the whole run, and what limits it."""
    if not any(account.kind in EDGES for account in found.accounts):
        return bound(found)
    a, b = (sum(float(getattr(c, name)) for c in found.accounts if c.kind not in EDGES) for name in ("a_ns", "b_ns"))
    change = f" ({100 * (b - a) / a:+.1f} %)" if a else ""
    return " ".join(filter(None, (f"From first to last GPU work: {time(a)}, then {time(b)}{change}.", bound(found))))


def bound(found: Comparison) -> str | None:
    """What limits the GPU's time, if in both sides a kind of account takes at least half of it."""
    shares = []
    for name in ("a_ns", "b_ns"):
        kinds = dict.fromkeys(BOUNDS, 0.0)
        for account in found.accounts:
            if account.kind in kinds:
                kinds[account.kind] += float(getattr(account, name))
        whole = sum(kinds.values())
        kind, most = max(kinds.items(), key=lambda kind: kind[1])
        shares.append((kind, most / whole if whole else 0.0))
    (ours, a), (theirs, b) = shares
    if min(a, b) < BOUND:
        return None
    if ours == theirs:
        return f"Both are {BOUNDS[ours]} {rounded(100 * a)}% of it in A and {rounded(100 * b)}% in B."
    return f"A is {BOUNDS[ours]} {rounded(100 * a)}% of it. B is {BOUNDS[theirs]} {rounded(100 * b)}% of it."


def kernels(found: Comparison) -> str | None:
    """A sentence on the time of all kernels, if it became much longer or shorter."""
    a, b = (sum(float(getattr(c, name)) for c in found.accounts if c.kind in KERNELS) for name in ("a_ns", "b_ns"))
    if not a or not b or max(a / b, b / a) < NOTABLE:
        return None
    factor = f"{b / a:.3g} times as long" if b > a else f"{a / b:.3g} times as fast"
    return f"Kernels: {time(a)}, then {time(b)}, {factor}."


def certain(found: Comparison) -> str | None:
    """A sentence on the accounts beyond noise, if the unit as a whole is not judged faster or slower."""
    sure = [account for account in found.accounts if account.is_certain]
    if not sure or not found.is_fair or word(found) in (FASTER, SLOWER):
        return None
    named = [f"{WORDS.get(a.kind, a.kind)}, {shown(a)} {signed(a)}" for a in sure[:NAMED]]
    rest = f" and {len(sure) - NAMED} more" if len(sure) > NAMED else ""
    return f"Beyond noise all the same: {'; '.join(named)}{rest}."
