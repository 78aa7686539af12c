"""The first screen of the report: what each GPU's time is, how much of it can be saved, and the findings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from nsysql.findings.finding import Finding, Findings
from nsysql.pages import first_screen
from nsysql.pages.phrases import TITLES, gpu_number, whole_percent
from nsysql.pages.phrases import style as style_of
from nsysql.pages.timeline.model import CAUSE

FINDINGS, GPUS = 4, 8  # that are shown
NAMED = 0.01  # of the time of all GPUs: what has more is named below the bars
SHOWS = {"memcpy": "h2d,d2h,d2d,p2p,memcpy"}  # styles in the timeline, if not that of the account


@dataclass(frozen=True)
class Segment:
    """A part of a bar: its style, what it is, its time and share, and the styles that a click shows in the timeline."""

    style: str
    title: str
    ns: int
    share: float
    shows: str

    @property
    def is_idle(self) -> bool:
        """Whether the GPU did nothing."""
        return self.style.startswith(CAUSE)


@dataclass(frozen=True)
class Line:
    """A finding: what it saves, in words, of its part, and as a share of the window; its link into the timeline."""

    says: str
    do: str
    code: str
    saves: str
    of_part: str
    share: float
    link: str


@dataclass(frozen=True)
class Overview:
    """What a GPU's window is made of, by its name; the segments of all GPUs together; sentences and findings."""

    headline: str
    bars: tuple[tuple[str, tuple[Segment, ...]], ...]
    together: tuple[Segment, ...]
    mean: str
    savable: str
    lines: tuple[Line, ...]
    left_out: str


def overview(
    accounts: pl.DataFrame, titles: dict[str, str], known: Findings, names: pl.Series, left_ns: int
) -> Overview:
    """The first screen from rows of gpu_accounts.

    `names` are those in the timeline, `left_ns` the time of GPU work before or after that of the accounts.
    """
    by_gpu = accounts.partition_by("gpu_id", as_dict=True, maintain_order=True)
    ordered = sorted(by_gpu.items(), key=lambda one: (one[0][0] is None, one[0]))
    bars = tuple((f"GPU {gpu_number(gpu)}", tuple(_segments(rows, titles))) for (gpu,), rows in ordered[:GPUS])
    worked = pl.lit(True), pl.col("kind").is_in(["computing", "graph"])
    window, computing = (int(accounts.filter(which)["total_ns"].sum()) // len(by_gpu) for which in worked)
    left, whole = first_screen.time_of(window - computing), first_screen.time_of(window)
    mean = f", mean of {len(by_gpu)} GPUs" if len(by_gpu) > 1 else ""
    part = whole_percent((window - computing) / max(1, window))
    savable = f"At most {left} of {whole} ({part}) can be saved without faster kernels{mean}."
    if window == computing:
        savable = f"Kernels run in all of {whole}{mean}: only faster kernels can save time there."
    if left_ns:
        savable += f" What comes before or after, with {first_screen.time_of(left_ns)} of GPU work, is not in it."
    told = first_screen.worth_telling([one for one in known.findings if one.shown], known.parts)[:FINDINGS]
    more = len(by_gpu) - GPUS
    return Overview(
        first_screen.sentence(known.headline),
        bars,
        tuple(one for one in _segments(accounts, titles) if one.share >= NAMED),
        f"Mean of {len(by_gpu)} GPUs:" if len(by_gpu) > 1 else "",
        savable,
        tuple(_line(one, window, known.parts, names) for one in told),
        f"{more} more GPUs: nsysql gpu-accounts." if more > 0 else "",
    )


def _segments(accounts: pl.DataFrame, titles: dict[str, str]) -> Iterator[Segment]:
    """Work first, then idle time by cause; the longest of both first."""
    whole = int(accounts["total_ns"].sum())
    sums: dict[tuple[bool, str, str], int] = {}
    for kind, name, ns in accounts.select("kind", "name", "total_ns").rows():
        is_idle = kind == "idle"
        style = style_of(kind, name)
        title = titles.get(name, name) if is_idle else TITLES.get(kind, kind)
        key = is_idle, style, title
        sums[key] = sums.get(key, 0) + ns
    for (_, style, title), ns in sorted(sums.items(), key=lambda one: (one[0][0], -one[1], one[0])):
        yield Segment(style, title, ns, ns / max(1, whole), SHOWS.get(style, style))


def _line(one: Finding, window_ns: int, parts: pl.DataFrame, names: pl.Series) -> Line:
    saves, of_part = first_screen.saving(one)
    if saves and not one.once:
        of_part = f"{of_part} of {one.place}"
    share = min(1.0, (one.saves_ns or 0) / max(1, window_ns))
    certainty = "Perhaps: " if one.certainty == "possible" else ""
    says = f"{first_screen.gpu_of(one, parts)}{certainty}{one.says}"
    return Line(says, one.do, one.code, saves, of_part, share, _link(one, parts, names))


def _link(one: Finding, parts: pl.DataFrame, names: Sequence[str] | pl.Series) -> str:
    """What it is about: events that have its subject in their name, or the time of its part."""
    for words in dict.fromkeys([one.subject, *reversed(one.subject.split(" > "))]) if one.subject else ():
        if pl.Series(names, dtype=pl.String).str.to_lowercase().str.contains(words.lower(), literal=True).any():
            return f"find={words}"
    part = parts.filter(part_id=one.part_id).select("start_ns", "end_ns").rows()
    return f"t={part[0][0]},{part[0][1]}" if part and None not in part[0] else ""
