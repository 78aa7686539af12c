"""A timeline for the terminal: rows of blocks, whose height says how much of a column is covered.

Idle time has a letter for each cause, so that the picture says the same without colors.
"""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import IO, Any

import polars as pl
from rich.text import Text

from nsysql.pages.phrases import gpu_number, percent, seconds
from nsysql.pages.timeline.curves import MEMORY, amount, in_order
from nsysql.pages.timeline.model import CAUSE, Timeline
from nsysql.render.table import styled
from nsysql.render.timeline.palette import CAUSES, color, keys, label, marks, shown_names
from nsysql.words.quantities import columns_of, counted, safe, time
from nsysql.words.truncate import cut


def columns(events: pl.DataFrame, start_ns: int, end_ns: int, count: int) -> pl.DataFrame:
    """Of each track's lane the columns in which something ran: track, lane, column, share of it, style and name.

    Style, name and `begun`, when it begins, are those of what has most of the column. `events` do not overlap in a
    lane; those that are merged cover as much as took their time.
    """
    span, covered = max(1, end_ns - start_ns), pl.lit(1.0)
    if "busy_ns" in events.columns:
        length = pl.col("end_ns") - pl.col("start_ns")
        covered = pl.when(length > 0).then((pl.col("busy_ns") / length).clip(0.0, 1.0)).otherwise(1.0)
    clipped = events.select(
        "track", "lane", "style", "name", covered=covered, begun="start_ns",
        a=pl.col("start_ns").clip(start_ns, end_ns) - start_ns,
        b=pl.max_horizontal("end_ns", pl.col("start_ns") + 1).clip(start_ns, end_ns) - start_ns,
    ).filter(pl.col("b") > pl.col("a"))  # fmt: skip
    wide = [pl.col(name).cast(pl.Float64) * count / span for name in "ab"]
    placed = clipped.with_columns(from_column=wide[0], to_column=wide[1]).with_columns(
        column=pl.int_ranges(
            pl.col("from_column").floor().cast(pl.Int64).clip(0, count - 1),
            pl.col("to_column").ceil().cast(pl.Int64).clip(1, count),
        )
    )
    cells = placed.explode("column", empty_as_null=False).with_columns(
        share=(pl.min_horizontal("to_column", pl.col("column") + 1) - pl.max_horizontal("from_column", "column"))
        * pl.col("covered")
    )
    by_style = cells.group_by("track", "lane", "column", "style").agg(
        pl.col("name", "begun").get(pl.col("share").arg_max()), pl.col("share").sum()
    )
    order = by_style.sort("track", "lane", "column", "share", "style", descending=[False, False, False, True, False])
    return order.group_by("track", "lane", "column", maintain_order=True).agg(
        pl.col("share").sum().clip(0.0, 1.0), pl.col("style", "name", "begun").first()
    )


EIGHTHS = "▁▂▃▄▅▆▇█"
GUTTER = 14, 26  # least and most columns of the rows' names
LEAST = 24  # columns of the picture
LANES = 4  # of a row that are shown
TEXTS = ("nvtx", "nvtx_start_end")  # rows in which a name is shown where it has room
SEEN = 0.2  # of a column from which on idle time has its letter there
NAMED = 4  # columns from which on a name is shown
Line = list[tuple[str, str]]  # texts with their colors, "" for that of the terminal


def write(timeline: Timeline, file: IO[str], width: int, threads: int | None = None) -> None:
    """Write the picture in so many columns, with so many threads at most; colors only where `file` is a terminal."""
    for line in lines(timeline, width, threads):
        file.write(styled(Text.assemble(*line), file).rstrip() + "\n")


def lines(timeline: Timeline, width: int, threads: int | None) -> list[Line]:
    """The picture's lines below what it shows; rows of at most so many threads."""
    named = [columns_of(safe(str(track["label"]))) + 2 for track in in_order(timeline) if track["kind"] != "idle"]
    gutter = min(max([GUTTER[0], *named]), GUTTER[1], max(GUTTER[0], width // 4))
    room = max(LEAST, width - gutter)
    events = timeline.events
    if "count" in events.columns:  # those that are merged are without the name of one of them
        events = events.with_columns(name=pl.when(pl.col("count") == 1).then("name").otherwise(pl.lit("")))
    cells = columns(events, timeline.start_ns, timeline.end_ns, room)
    idle = _idle(timeline)
    letters = dict(zip(idle, [*ascii_uppercase, *ascii_uppercase.lower()], strict=False))
    span = f"{seconds(timeline.start_ns)} to {seconds(timeline.end_ns)} ({time(timeline.end_ns - timeline.start_ns)})"
    title = cut(f"{safe(timeline.title)}: {span}", width)
    made: list[Line] = [[(title, "bold")], _ruler(timeline, room, gutter)]
    group, seen = None, 0
    rows = {key: frame for (key,), frame in cells.partition_by("track", as_dict=True).items()}
    drawn = timeline.curve_columns(room)
    for track in in_order(timeline):
        if track["group"] != group:
            group = track["group"]
            seen += track["thread_id"] is not None
            if threads is None or seen <= threads:
                made.append([(cut(safe(group), width), "bold")])
        if track["kind"] == "curve":
            made.append(_curve(track, drawn[track["curve"]], room, gutter))
        elif (threads is None or seen <= threads) and track["track"] in rows:
            made += _row(track, rows[track["track"]], room, letters, gutter)
    if threads is not None and seen > threads:
        made.append([(f"{counted(seen - threads, 'more thread')}; --top 0 shows all.", "")])
    return [*made, *_legend(timeline, idle, letters, width), *_scales(timeline, width)]


def _curve(curve: dict[str, Any], cells: pl.DataFrame, room: int, gutter: int) -> Line:
    """A block for each column: of a metric its mean, of memory the most in use; a dot for hardly anything."""
    line = [" "] * room
    value = "high" if curve["family"] == MEMORY else "mean"
    for column, height in cells.select("column", pl.col(value).cast(pl.Float64) / curve["top"]).rows():
        eighths = round(min(1.0, height) * 8)
        line[column] = EIGHTHS[eighths - 1] if eighths > 0 else "·" if height > 0 else " "
    return [(_label(str(curve["label"]), gutter), ""), ("".join(line), color(curve["style"]))]


def _label(text: str, gutter: int) -> str:
    """The name of a row in so many columns."""
    name = cut(safe(text), gutter - 2)
    return f" {name}".ljust(gutter - columns_of(name) + len(name))


def _scales(timeline: Timeline, width: int) -> list[Line]:
    """What the height of a full block is, and which curves are not shown."""
    if timeline.curves is None:
        return []
    rows = timeline.curves.rows
    shown = rows.filter("is_main")
    several = shown["gpu_id"].n_unique() > 1
    parts = []
    for row in shown.filter((pl.col("unit") != "%") | (pl.col("top") != 100)).to_dicts():
        place = f" of GPU {gpu_number(row['gpu_id'])}" if several else ""
        parts.append((f"█ {safe(row['label'])}{place} {amount(row['top'], row['unit'])}", color(row["style"])))
    if (shown["unit"] == "%").any():
        parts.insert(0, ("█ metrics 100%", color("curve:metric")))
    made = _wrapped("full", parts, width)
    if rest := rows.height - shown.height:
        made.append([(f"      {counted(rest, 'more metric')}: nsysql metrics, nsysql report", "")])
    return made


def _idle(timeline: Timeline) -> dict[str, int]:
    """The time of each cause of idle time that there is, the longest first."""
    idle = timeline.events.filter(pl.col("style").str.starts_with(CAUSE))
    clipped = pl.min_horizontal("end_ns", timeline.end_ns) - pl.max_horizontal("start_ns", timeline.start_ns)
    sums = idle.group_by("style").agg(clipped.sum().alias("ns")).sort("ns", "style", descending=[True, False])
    return dict(sums.rows())


def _ruler(timeline: Timeline, room: int, gutter: int) -> Line:
    line, end = [" "] * room, -1
    span = max(1, timeline.end_ns - timeline.start_ns)
    for at, text in marks(timeline.start_ns, timeline.end_ns, room // 14):
        place = (at - timeline.start_ns) * room // span
        if place > end and place + len(text) < room:
            line[place : place + len(text) + 1] = ["╵", *text]
            end = place + len(text)
    return [(" " * gutter, ""), ("".join(line), "")]


def _row(track: dict[str, object], cells: pl.DataFrame, room: int, letters: dict[str, str], gutter: int) -> list[Line]:
    """A row's lanes: letters of causes, names of ranges, or blocks."""
    made: list[Line] = []
    name = "idle because" if track["kind"] == "idle" else str(track["label"])
    lanes = int(str(track["lanes"]))
    more = f"+{counted(lanes - LANES, 'lane')}" if lanes > LANES else ""
    for lane in range(min(LANES, lanes)):
        line = [(" ", "")] * room
        runs = cells.filter(pl.col("lane") == lane).sort("column")
        for column, share, style in runs.select("column", "share", "style").rows():
            block = EIGHTHS[min(7, int(share * 8))]
            mark = letters.get(style, block)
            line[column] = (mark if share >= SEEN or style not in letters else "·", color(style))
        if track["kind"] in TEXTS:
            _put_names(line, runs)
        title = name if lane == 0 else more if lane == LANES - 1 else ""
        made.append([(_label(title, gutter), ""), *_joined(line)])
    return made


def _put_names(line: list[tuple[str, str]], cells: pl.DataFrame) -> None:
    """Names in runs of columns that one range covers, in brackets that show its ends."""
    full = cells.filter(pl.col("share") > 0.5)
    is_new = (full["begun"] != full["begun"].shift()) | (full["column"] != full["column"].shift() + 1)
    runs = full.with_columns(run=is_new.fill_null(True).cum_sum()).group_by("run", maintain_order=True)
    names = runs.agg(pl.col("name", "column").first(), size=pl.len()).select("name", "column", "size").rows()
    short = shown_names((name for name, _, _ in names), {})
    for name, first, size in names:
        text = safe(short.get(name, name))
        if text and size >= NAMED and columns_of(text) == len(text):
            shown = f"[{cut(text, size - 2).ljust(size - 2, '─')}]"
            for i, letter in enumerate(shown):
                line[first + i] = (letter, line[first + i][1])


def _joined(line: Sequence[tuple[str, str]]) -> Line:
    """Neighbors of one color as one text."""
    made: Line = []
    for text, style in line:
        if made and made[-1][1] == style:
            made[-1] = (made[-1][0] + text, style)
        else:
            made.append((text, style))
    return made


def _legend(timeline: Timeline, idle: dict[str, int], letters: dict[str, str], width: int) -> list[Line]:
    """What letters and colors mean, in lines of that width."""
    total = sum(idle.values())
    parts = [
        (f"{letter} {label(style, timeline.titles)} {percent(idle[style], total)}", CAUSES.get(style, ""))
        for style, letter in letters.items()
    ]
    kinds = [s for s in timeline.events["style"].unique().sort() if not s.startswith(CAUSE)]
    return [
        *_wrapped("idle", parts, width),
        *_wrapped("work", [(f"█ {parts}", color(s)) for s, parts in keys(kinds, {})], width),
    ]


def _wrapped(title: str, entries: list[tuple[str, str]], width: int) -> list[Line]:
    made: list[Line] = []
    used = 0
    for text, style in entries:
        if not made or used + 2 + columns_of(text) > width:
            made.append([(title.ljust(6) if not made else " " * 6, "bold")])
            used = 6
        made[-1] += [(text, style), ("  ", "")]
        used += columns_of(text) + 2
    return made
