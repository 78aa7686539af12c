"""Two charts of horizontal bars: a GPU's accounts, and its gaps by length."""

from dataclasses import dataclass

from nsysql.capture.export import Export
from nsysql.errors import MissingData
from nsysql.pages.phrases import style
from nsysql.words.quantities import counted, time

SHOWN = 16  # accounts of a GPU; the others are one bar


@dataclass(frozen=True)
class Bar:
    """One bar: its name, its length in ns, the style of its color, and what is written behind it."""

    name: str
    value_ns: int
    style: str
    said: str


BarGroup = tuple[str, list[Bar]]  # a title, and the bars of one GPU


def accounts(run: Export, **window: int | str | None) -> list[BarGroup]:
    """What each GPU's window was spent on, the largest first; the bars of a GPU sum to its window."""
    rows = run.query("gpu_accounts", **window)
    if rows.is_empty():
        raise MissingData("The export has no GPU work to draw.")
    titles = run.cause_titles
    groups: list[BarGroup] = []
    for (gpu,), own in rows.group_by("gpu_id", maintain_order=True):
        bars = [_account(row, titles, run.kernel_names) for row in own.head(SHOWN).to_dicts()]
        if own.height > SHOWN:
            rest = int(own["total_ns"][SHOWN:].sum())
            bars.append(Bar(f"{own.height - SHOWN} others", rest, "other", time(rest)))
        groups.append((f"GPU {gpu}: {time(int(own['total_ns'].sum()))} by account", bars))
    return groups


def gap_lengths(run: Export, **window: int | str | None) -> list[BarGroup]:
    """The idle time of each GPU by the length of its gaps."""
    rows = run.query("idle_lengths", **window)
    if rows.is_empty():
        raise MissingData("The export has no gaps between GPU work.")
    groups: list[BarGroup] = []
    for (gpu,), own in rows.group_by("gpu_id", maintain_order=True):
        bars = [
            Bar(
                f"{time(row['at_least_ns'])} to {time(row['at_least_ns'] * 10)}", row["idle_ns"], "idle",
                f"{time(row['idle_ns'])} in {counted(row['gap_count'], 'gap')}",
            )
            for row in own.to_dicts()
        ]  # fmt: skip
        groups.append((f"GPU {gpu}: {time(int(own['idle_ns'].sum()))} idle, by length of gap", bars))
    return groups


def _account(row: dict[str, object], titles: dict[str, str], kernels: dict[str, str]) -> Bar:
    kind, name, total = str(row["kind"]), str(row["name"] or "(no name)"), int(str(row["total_ns"]))
    text = f"{time(total)}  {row['window_pct']:.1f}%"
    names = {"idle": f"idle: {titles.get(name)}", "computing": kernels.get(name, name)}
    return Bar(names.get(kind, name), total, style(kind, name), text)
