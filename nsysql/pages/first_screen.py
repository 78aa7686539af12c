"""What a person reads first: the parts of a capture, what to do, what is not known; at most 25 lines of 100 columns."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

import polars as pl

from nsysql.capture.export import Export
from nsysql.findings.sentences import ALIKE, WORKED, numbered, part_titles, uneven
from nsysql.pages.elements import LABEL, PROSE, Bar, Cell, Column, Section
from nsysql.pages.phrases import gpu_number, short_name, whole_percent
from nsysql.words.kernel_names import TIED
from nsysql.words.quantities import brief_title, counted, safe

if TYPE_CHECKING:
    from nsysql.findings.finding import Finding, Findings

LINES, COLUMNS, WORDS = 25, 100, 220  # of a first screen
WORTH = 0.01  # of a part or of the capture: nothing is said of less
MOSTLY = 0.98  # of the idle time: the cause stands without a time
RARELY = 0.01  # of a part: the GPU worked so little that its share would mislead
NAMED = 0.1  # of the capture: parts that do not fit are named by the longest
CLOSE = 0.1  # difference in busy shares of GPUs that are shown as one
ALL_GPUS = "GPUs"  # subject of findings about several together
EACH = 0.9  # share of a finding's most time on a GPU from which other GPUs have about as much
FITS = (  # findings, parts and notes that are shown, until they fit
    *((5, 7, 2), (5, 5, 2), (4, 5, 1), (3, 5, 1), (3, 4, 1), (2, 4, 1), (2, 3, 1), (2, 2, 1), (2, 1, 1), (1, 3, 1)),
    (1, 2, 1),
)
ON_GPUS = re.compile(r" on (GPU \S+|\d+ of \d+ GPUs)$")  # ends the title of a part that not all have
SAYS_WHERE = (  # named by findings
    ("startup", "startup"), ("startup", "before"), ("gpu-idle-after-work", "after"), ("outlier-pause", "pause"),
)  # fmt: skip
STANDS_ON = ("idle_gaps", "launch_pace", "cuda_gpu_kern_sum", "nvtx_sum", "osrt_sum")  # they read what the page reads


@dataclass(frozen=True)
class PartRow:
    """A part of one GPU, or of several alike; times are means over them."""

    kind: str
    title: str
    length_ns: int
    busy: tuple[float, float] | None  # least and most share; None if the part has no GPU work by definition
    busy_ns: int
    idle_ns: int
    causes: tuple[tuple[str, int], ...]  # titles with their idle time, the longest first
    uneven: str = ""  # what its steps take if these differ
    part_ids: tuple[int, ...] = ()


def part_rows(parts: pl.DataFrame, causes: pl.DataFrame) -> list[PartRow]:
    """The parts in order of time, those of several GPUs together that are alike."""
    known = numbered(parts)
    gpus, titles = parts["gpu_id"].n_unique(), part_titles(known)
    in_order = known.sort("start_ns", "part_id", nulls_last=True, maintain_order=True)
    alike = in_order.partition_by(ALIKE, maintain_order=True)
    return [_merged(rows, causes, gpus, titles[rows["part_id"][0]]) for rows in alike]


def _merged(parts: pl.DataFrame, causes: pl.DataFrame, gpus: int, title: str) -> PartRow:
    """The parts of several GPUs as one, with the mean of their times."""
    count, rows = parts.height, parts.to_dicts()
    on_gpus = f"{count} of {gpus} GPUs" if count > 1 else f"GPU {gpu_number(parts['gpu_id'][0])}"
    own = causes.join(parts.select("part_id", "gpu_id"), on=["part_id", "gpu_id"], nulls_equal=True)
    sums = own.group_by("title").agg(pl.col("idle_ns").sum() // count)
    worked = parts.filter(pl.col("idle_ns").is_not_null() & (pl.col("length_ns") > 0))
    shares = (worked["busy_ns"] / worked["length_ns"]).to_list()
    return PartRow(
        rows[0]["kind"],
        title if count == gpus else f"{title} on {on_gpus}",
        int(parts["length_ns"].sum()) // count,
        (min(shares), max(shares)) if shares else None,
        int(parts["busy_ns"].sum()) // count,
        int(parts["idle_ns"].sum()) // count,
        tuple(sums.sort("idle_ns", "title", descending=[True, False]).select("title", "idle_ns").rows()),
        uneven(max(rows, key=lambda row: row.get("longest_step_ns") or 0)),
        tuple(parts["part_id"]),
    )


def why_idle(part: PartRow) -> str:
    """The causes over a hundredth of the part, at most two; a cause of all idle time stands without its time."""
    worth = [(title, ns) for title, ns in part.causes if ns >= WORTH * part.length_ns]
    if worth and part.idle_ns and worth[0][1] >= MOSTLY * part.idle_ns:
        return brief_title(worth[0][0])
    return ", ".join(f"{brief_title(title)} {time_of(ns)}".replace(" ", TIED) for title, ns in worth[:2])


def time_of(ns: int) -> str:
    """A time with three digits.

    >>> time_of(1_387_000_000), time_of(64_320_000), time_of(2_553)
    ('1.39 s', '64.3 ms', '2.55 µs')
    """
    if ns < 1000:
        return f"{ns} ns"
    factor, unit = (1000, "µs") if ns < 999_500 else (10**6, "ms") if ns < 999_500_000 else (10**9, "s")
    value = ns / factor
    decimals = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:,.{decimals}f} {unit}"


def parts_section(
    rows: Sequence[PartRow], headline: str, most: int, gpus: int = 1, first: PartRow | None = None
) -> Section:
    """The table of parts: `first` and the longest up to `most` in order of time; a row names the longest other."""
    total = sum(row.length_ns for row in rows)
    worked = sum(row.length_ns for row in rows if row.kind in WORKED)
    wholes = dict.fromkeys(WORKED, worked)  # a short run in a long capture is still what the page is about
    worth = [row for row in rows if row.length_ns >= WORTH * wholes.get(row.kind, total)]
    steps_first = sorted(worth, key=lambda row: (row.kind != "series", row.kind != "work", -row.length_ns))
    kept = sorted(steps_first, key=lambda row: row is not first)[:most]  # as the headline is about steps
    shown = [row for row in rows if row in kept]
    cells = [_part_cells(row) for row in shown]
    if left := [row for row in worth if row not in kept]:
        length, longest = sum(row.length_ns for row in left), max(left, key=lambda row: row.length_ns)
        what = f"{'longest: ' if len(left) > 1 else ''}{longest.title}" if length >= NAMED * total else ""
        what = what.replace("GPU ", f"GPU{TIED}")
        cells.append((counted(len(left), "more part"), time_of(length), "", "", "", what))
    if not any("".join(map(str, row[2:])) for row in cells):  # no GPU worked: the parts are but their length
        cells = [row[:2] for row in cells] if len(cells) > 1 else []
    heading = "part" if gpus < 2 else f"part (mean of {gpus} GPUs)"
    columns = (
        Column(heading, right=False), Column("length"), Column("busy"), Column(), Column("idle"),
        Column("why idle", right=False, wrap=True),
    )  # fmt: skip
    notes = tuple(f"The {ON_GPUS.sub('', row.title)}: {row.uneven}." for row in shown if row.uneven)
    section = Section("", "", (headline,), columns[: len(cells[0])] if cells else (), tuple(cells), notes)
    return section if any(str(row[i]) for row in section.rows for i in section.bars) else section.without(section.bars)


def _part_cells(row: PartRow) -> tuple[Cell, ...]:
    if row.busy is None:
        return row.title, time_of(row.length_ns), "", "", "", why_idle(row)
    low, high = row.busy
    text = f"{whole_percent(low)} to {whole_percent(high)}" if high - low > CLOSE else whole_percent((low + high) / 2)
    if high < RARELY:
        text = time_of(row.busy_ns) if row.busy_ns else "0"
    return (
        row.title, time_of(row.length_ns), text, Bar((low + high) / 2 if high >= RARELY else 0.0),
        time_of(row.idle_ns) if row.idle_ns >= WORTH * row.length_ns else "", why_idle(row),
    )  # fmt: skip


def findings_section(findings: Sequence["Finding"], most: int, parts: pl.DataFrame | None = None) -> Section:
    """The most important findings in two lines each, with what they save; of which GPU, if `parts` are of several.

    Shares are of the part in the heading, or of the part that the finding begins with, whose length follows it.
    """
    title, shown = "What to do, and what it saves", findings[:most]
    if not shown:
        return Section(title, before=("Nothing that nsysql can name takes a hundredth of the time.",))
    first = shown[0]
    rows = tuple(_finding(i, one, first, parts) for i, one in enumerate(shown, 1))
    columns = (Column(), PROSE, Column(), Column())
    length = _length(first, parts)
    return Section(title, f"{_in(first)}, {time_of(length)}" if length else _in(first), (), columns, rows)


def _length(one: "Finding", parts: pl.DataFrame | None) -> int:
    """The length of its parts, each the mean over the GPUs that have a similar one, as in the table of parts."""
    if parts is None:
        return one.part_ns
    length = 0
    for key in one.parts:
        alike = parts.filter(pl.col(name).eq_missing(pl.lit(value)) for name, value in zip(ALIKE, key, strict=True))
        length += int(alike["length_ns"].sum()) // max(alike.height, 1)
    return length


def _in(one: "Finding") -> str:
    """Where it is: 'in start-up', 'after last GPU work'."""
    return one.place if one.part_kind in ("outside", "before", "after") else f"in {one.place}"


def says_where(one: "Finding") -> str:
    """Where it is, if it does not say that itself."""
    return "" if (one.code, one.part_kind) in SAYS_WHERE else _in(one)


def gpu_of(one: "Finding", parts: pl.DataFrame) -> str:
    """Which of several GPUs it is about, how many have about as much of it, or which has most: 'GPU 1'."""
    own = parts.filter(part_id=one.part_id)["gpu_id"]
    if parts["gpu_id"].n_unique() < 2 or own.is_empty() or own[0] is None or one.subject == ALL_GPUS:
        return ""
    gpus, alike = parts["gpu_id"].drop_nulls().n_unique(), sum(ns >= EACH * max(one.totals) for ns in one.totals)
    most = "most on " if one.gpu_id is None and alike < len(one.totals) else ""
    if alike > 1:
        return "each GPU" if alike == gpus else f"{most}{alike} of {gpus} GPUs"
    return f"{most}GPU {gpu_number(own[0])}"


def says(one: "Finding", *where: str) -> str:
    """What it says, after the part and GPU that it is about and how sure it is: 'GPU 1, perhaps: ...'."""
    words = ", ".join(word for word in (*where, "perhaps" if one.certainty == "possible" else "") if word)
    return f"{words[0].upper()}{words[1:]}: {one.says}" if words else one.says


def _finding(number: int, one: "Finding", first: "Finding", parts: pl.DataFrame | None) -> tuple[Cell, ...]:
    place = "" if one.parts == first.parts else says_where(one)
    saves, share = saving(one)
    if place and share and not one.once:
        place += f" ({time_of(_length(one, parts))})"
    gpu = "" if parts is None else gpu_of(one, parts)
    return str(number), f"{says(one, place, gpu)} {one.do} [{one.code}]", saves, share


def saving(one: "Finding") -> tuple[str, str]:
    """What it saves, and which share of its part that is, or that it happens once."""
    if one.saves_ns is None:
        return "", "once" if one.once else ""
    bound = "" if one.bound == "unknown" else f"{one.bound} "
    share = "once" if one.once else whole_percent(min(one.saves_ns / one.part_ns, 1.0))
    return f"{bound}{time_of(one.saves_ns)}", share


def problems(run: Export) -> list[str]:
    """What is wrong with the export, in one text: what the page was computed without, or cells that are no numbers."""
    texts = [*_backwards(run), *_endless(run), *run.data_problems(*STANDS_ON)]
    more = f"; {counted(len(texts) - 1, 'more problem')}: nsysql doctor" if len(texts) > 1 else ""
    return [f"{texts[0]}{more}"] if texts else []


def _backwards(run: Export) -> list[str]:
    """GPU work that ends before it starts."""
    if not run.has("_gpu_work_ids"):
        return []
    count = int(run.select("_gpu_work_ids", "count(*) AS count", "WHERE end_ns < start_ns")["count"][0])
    pieces = counted(count, "piece of GPU work ends", "pieces of GPU work end")
    return [f"{pieces} before it starts: left out"] if count else []


def _endless(run: Export) -> list[str]:
    """Kernels that end far beyond the capture."""
    rows = run.query("endless_work").rows() if run.has("_kernel_ids") else []
    name = f" ({short_name(rows[0][0])}{', ...' if len(rows) > 1 else ''})" if rows else ""
    count = counted(sum(launches for _, launches in rows), "kernel")
    return [f"{count}{name} ended after the capture: counted up to its end"] if rows else []


def closing(unsure: Sequence[str], more: str) -> Section:
    """What is not known, and where to look next."""
    rows: list[tuple[Cell, ...]] = [("Not sure" if i == 0 else "", text) for i, text in enumerate(unsure)]
    return Section("", columns=(LABEL, PROSE), rows=(*rows, ("More", more)))


def screen(
    title: str, every: "Findings", findings: Sequence["Finding"], more: str, middle: Sequence[Section],
) -> tuple[Section, ...]:  # fmt: skip
    """The sections of a first screen with as many findings and parts as fit."""
    causes = pl.concat([every.causes.select(every.calls.columns), every.calls])
    rows, gpus = part_rows(every.parts, causes), every.parts["gpu_id"].n_unique()
    worth = worth_telling(findings, every.parts)
    has_findings = bool(worth or every.parts["busy_ns"].sum())

    def layout(most: int, parts: int, unsure: int) -> tuple[Section, ...]:
        left = len(findings) - min(most, len(worth))
        of_findings = [findings_section(worth, most, every.parts)] if has_findings else []
        last = closing(every.unsure[:unsure], f"nsysql {f'findings ({left} more) | ' if left > 0 else ''}{more}")
        return parts_section(rows, sentence(every.headline), parts, gpus), *middle, *of_findings, last

    return first_that_fits(title, (layout(*most) for most in FITS))


def worth_telling(findings: Sequence["Finding"], parts: pl.DataFrame) -> list["Finding"]:
    """The findings over a hundredth of the parts in which GPUs worked; of one rule and subject only the first.

    If none saves as much, the first about as much time: it names what limits the run.
    """
    worked = parts.filter(pl.col("kind").is_in(WORKED)).group_by("gpu_id").agg(pl.col("length_ns").sum())
    least = WORTH * max(worked["length_ns"], default=0)
    kept: dict[tuple[str, str], Finding] = {}
    for one in findings:
        if (one.total_ns if one.saves_ns is None else one.saves_ns) >= least:
            kept.setdefault((one.code, one.subject), one)
    return list(kept.values()) or [one for one in findings if one.total_ns >= least][:1]


def sentence(text: str) -> str:
    """The text with a full stop."""
    return text if text.endswith((".", "?")) else f"{text}."


def first_that_fits(title: str, layouts: Iterable[tuple[Section, ...]], columns: int = COLUMNS) -> tuple[Section, ...]:
    """The first of the layouts, each shorter than the one before, that fits; the last if none does."""
    for sections in layouts:
        if fits(title, sections, columns):
            break
    return sections


def fits(title: str, sections: Sequence[Section], columns: int = COLUMNS) -> bool:
    """Whether a page stays within LINES of `columns`, and WORDS; bars are not words."""
    texts = [title]
    for section in sections:
        texts += (section.title, section.meaning, *section.before, *section.after)
        texts += (column.heading for column in section.columns)
        texts += (str(cell) for row in section.rows for cell in row if not isinstance(cell, Bar))
    return (
        1 + sum(_height(section, columns) for section in sections) <= LINES
        and sum(len(text.split()) for text in texts) <= WORDS
    )


def _height(section: Section, columns: int) -> int:
    """The lines of a section on a terminal of this width."""
    prose = sum(len(wrap(safe(text), columns - 4)) for text in (*section.before, *section.after))
    lines = 1 + bool(section.title) + prose
    if not section.rows:
        return lines
    wrapped = next((i for i, column in enumerate(section.columns) if column.wrap), None)
    lines += any(column.heading for column in section.columns)
    cells = zip(*section.rows, strict=True)
    widths = [max(len(column.heading), *map(_width, of)) for column, of in zip(section.columns, cells, strict=True)]
    if wrapped is None:
        return lines + len(section.rows)
    room = max(12, columns - 2 - sum(width + 2 for i, width in enumerate(widths) if i != wrapped))
    return lines + sum(max(1, len(wrap(safe(str(row[wrapped])), room, break_on_hyphens=False))) for row in section.rows)


def _width(cell: Cell) -> int:
    return cell.columns if isinstance(cell, Bar) else len(str(cell))
