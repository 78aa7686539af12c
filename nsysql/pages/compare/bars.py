"""The comparison as a chart: the time of A and B by account, and the differences between them."""

from dataclasses import dataclass

from nsysql.analysis.compare import sentences
from nsysql.analysis.compare.compare import AccountChange, Comparison
from nsysql.analysis.compare.side import KERNELS
from nsysql.pages.phrases import counted
from nsysql.pages.timeline.model import CAUSE

STYLES = {"computing": "kernel", "copy": "memcpy", "cpu": "cuda"}
TITLES = {
    "computing": "kernels", "communication": "communication", "graph": "CUDA graphs", "copy": "copies",
    "memset": "memory sets", "lead_in": "before the first GPU work", "tail": "after the last GPU work", "cpu": "CPU",
}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """The difference of an account from A to B; is_certain if it exceeds the scatter of the samples."""

    name: str
    style: str
    a_ns: float
    b_ns: float
    delta_ns: float
    is_certain: bool


@dataclass(frozen=True)
class ComparisonBars:
    """A chart. `a` and `b` are ns by style, `styles` the titles of styles, those with most time first.

    The differences, the largest first, sum to B minus A; the last one is the sum of all not shown.
    """

    title: str
    sentence: str
    warnings: tuple[str, ...]
    a_ns: float
    b_ns: float
    a: dict[str, float]
    b: dict[str, float]
    styles: dict[str, str]
    differences: tuple[Difference, ...]


def bars(found: Comparison, top: int | None) -> ComparisonBars:
    """The chart, with at most `top` differences by name."""
    a: dict[str, float] = {}
    b: dict[str, float] = {}
    titles: dict[str, str] = {}
    for account in found.accounts:
        style = _style(account)
        a[style] = a.get(style, 0) + float(account.a_ns)
        b[style] = b.get(style, 0) + float(account.b_ns)
        titles[style] = account.title if account.kind == "idle" else TITLES.get(account.kind, account.kind)
    order = sorted(titles, key=lambda style: (-(a[style] + b[style]), style))
    return ComparisonBars(
        f"A and B compared: {sentences.unit(found)}",
        sentences.sentence(found),
        tuple(remark.text for remark in found.remarks if remark.is_unfair),
        float(found.a_ns),
        float(found.b_ns),
        a,
        b,
        {style: titles[style] for style in order},
        _differences(found, top),
    )


def _differences(found: Comparison, top: int | None) -> tuple[Difference, ...]:
    changed = [account for account in found.accounts if account.delta_ns]
    made = [
        Difference(
            _name(one, found), _style(one), float(one.a_ns), float(one.b_ns), float(one.delta_ns), one.is_certain
        )
        for one in changed[:top]
    ]
    rest = changed[len(made) :]
    if rest:
        a, b = (float(sum(getattr(one, side) for one in rest)) for side in ("a_ns", "b_ns"))
        made.append(Difference(counted(len(rest), "smaller difference"), "other", a, b, b - a, False))
    return tuple(made)


def _style(account: AccountChange) -> str:
    return CAUSE + account.name if account.kind == "idle" else STYLES.get(account.kind, account.kind)


def _name(account: AccountChange, found: Comparison) -> str:
    if account.kind in KERNELS:
        names = [found.kernel_names[name] for name in (account.name, account.b_name) if name]
        return " replaced by ".join(names)
    kind = "idle: " if account.kind == "idle" else ""
    return kind + (account.name if account.kind == "cpu" else account.title)
