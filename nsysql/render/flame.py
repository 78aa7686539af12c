"""A flame graph as files: HTML that zooms and can be searched, SVG, collapsed stacks, JSON for speedscope."""

import json
from collections.abc import Callable
from typing import IO
from zlib import crc32

import polars as pl

from nsysql import __version__
from nsysql.pages.flame import TITLES, Flame
from nsysql.render.charts.frame import picture
from nsysql.render.timeline.palette import color, on_color, svg_text
from nsysql.words.kernel_names import Naming
from nsysql.words.quantities import safe, time
from nsysql.words.truncate import beginning

SEMICOLON = ";"


def boxes(stacks: pl.DataFrame, least: float) -> pl.DataFrame:
    """A box per beginning of stacks (stack, value) that has `least` of the value: level, first, value, name, is_last.

    `first` is what lies left of it; `is_last` where a stack ends in it. In order of level and first.
    """
    order = pl.col("stack").str.replace_all(SEMICOLON, "\x00", literal=True)  # what begins alike stays together
    rows = stacks.sort(order).select(
        "value", first=pl.col("value").cum_sum() - pl.col("value"), parts=pl.col("stack").str.split(SEMICOLON)
    )
    levels, level = [_level(rows, 0, least)], 0
    while levels[-1].height:
        level += 1
        rows = rows.filter(pl.col("parts").list.len() > level)
        levels.append(_level(rows, level, least))
    return pl.concat(levels)


def _level(rows: pl.DataFrame, level: int, least: float) -> pl.DataFrame:
    begin = pl.col("parts").list.head(level + 1).list.join(SEMICOLON)
    grouped = rows.group_by(begin.alias("begin")).agg(
        pl.col("first").min(),
        pl.col("value").sum(),
        name=pl.col("parts").list.get(level).first(),
        is_last=(pl.col("parts").list.len() == level + 1).any(),
    )
    drawn = grouped.filter(pl.col("value") >= least).sort("first")
    return drawn.select(pl.lit(level, pl.Int64).alias("level"), "first", "value", "name", "is_last")


ROW, HEADING, LETTER = 17, 22, 6.2  # heights; width of a letter
SHADES = ("#5b9a68", "#4f8c5c", "#6aa876", "#77b283", "#478253", "#639f80")  # of ranges and functions
WORK = {"[CUDA memcpy": "memcpy", "[CUDA memset": "memset", "[CUDA graph": "graph"}
LONGEST = 300  # characters of a name in a tooltip
STYLE = ".fl .g{font-weight:600}"


def svg(flame: Flame, width: int = 1200, finest: float = 0.5) -> str:
    """The picture, `width` pixels wide; boxes narrower than `finest` are left out."""
    total = flame.total
    rows = boxes(flame.stacks, total * finest / width)
    levels = rows["level"].n_unique()  # every level above one with boxes has boxes
    whole = _box(flame, width, 0, {"first": 0, "value": total, "name": "all", "is_last": False})
    boxes_drawn = (_box(flame, width, row["level"] + 1, row) for row in rows.iter_rows(named=True))
    name = f"{flame.title}: {TITLES[flame.weight]}, {_amount(flame, total)}"
    parts = f'<text class="g" x="0" y="14">{svg_text(name)}</text>', whole, *boxes_drawn
    return picture(name, width, HEADING + ROW * (levels + 1), parts, STYLE, "fl")


def _box(flame: Flame, width: int, level: int, row: dict[str, object]) -> str:
    """A box with as much of its name as fits; the HTML's script moves it by data-x and data-w."""
    first, value, name = int(str(row["first"])), int(str(row["value"])), str(row["name"])
    left, wide = (number / max(1, flame.total) for number in (first, value))
    fill = _fill(flame, name, bool(row["is_last"])) if level else "#8a8f98"
    y = HEADING + level * ROW
    place = f'x="{left * width:.2f}" y="{y}" width="{max(0.3, wide * width - 0.4):.2f}" height="{ROW - 1}"'
    about = f"{_shown(flame, name, LONGEST)}: {_amount(flame, value)}, {100 * wide:.2f}%"
    text = _shown(flame, name, int((wide * width - 6) / LETTER))
    inside = f'<text x="{left * width + 3:.2f}" y="{y + 12}" style="fill:{on_color(fill)}">{svg_text(text)}</text>'
    data = f'data-x="{left:.9f}" data-w="{wide:.9f}"'
    return f'<g {data}><title>{svg_text(about)}</title><rect {place} fill="{fill}"/>{inside}</g>'


def _fill(flame: Flame, name: str, is_last: bool) -> str:
    if name in flame.styles:
        return color(flame.styles[name])
    if is_last and flame.weight in ("gpu", "launches"):
        return color(next((kind for begin, kind in WORK.items() if name.startswith(begin)), "kernel"))
    return SHADES[crc32(name.encode("utf-8", "replace")) % len(SHADES)]


def _shown(flame: Flame, name: str, letters: int) -> str:
    short = Naming(known=lambda: flame.kernels).of_texts([name]).get(name, name)
    return beginning(short, letters) if letters > 2 or len(short) <= letters else ""


def _amount(flame: Flame, value: int) -> str:
    return time(value) if flame.is_time else f"{value:,}"


WIDTH, FINEST = 1200, 0.05  # pixels; width of the smallest box that is written, visible after zooming


def write_html(flame: Flame, file: IO[bytes]) -> None:
    """Write one self-contained page: click to zoom, search by name."""
    from markupsafe import Markup

    from nsysql.render.html.page import read_text, template

    text = template("flame.html.j2").render(
        title=safe(flame.title),
        weight=TITLES[flame.weight],
        notes=[safe(note) for note in flame.notes],
        picture=Markup(svg(flame, WIDTH, FINEST)),
        script=Markup(read_text("flame.js")),
    )
    file.write(text.encode("utf-8", "backslashreplace"))


def write_collapsed(flame: Flame, file: IO[bytes]) -> None:
    """Write a line per stack, frames between semicolons, then the value: flamegraph.pl and others read them.

    Line breaks in names become spaces.
    """
    line = pl.col("stack").str.replace_all(r"[\r\n\x{2028}\x{2029}]", " ") + " " + pl.col("value").cast(pl.String)
    for text in flame.stacks.select(line).to_series():
        file.write(f"{text}\n".encode("utf-8", "backslashreplace"))


SCHEMA = "https://www.speedscope.app/file-format-schema.json"  # an identifier; it is not fetched


def write_speedscope(flame: Flame, file: IO[bytes]) -> None:
    """Write JSON that speedscope opens: one sampled profile, as its file-format-spec.ts says; a sample per stack."""
    frames = flame.stacks.select(pl.col("stack").str.split(";").alias("frames"))
    names = frames.explode("frames")["frames"].unique(maintain_order=True)
    numbers = pl.int_range(names.len(), eager=True)
    samples = frames.select(pl.col("frames").list.eval(pl.element().replace_strict(names, numbers))).to_series()
    name = f"{flame.title}: {TITLES[flame.weight]}"
    profile = {
        "type": "sampled",
        "name": name,
        "unit": "nanoseconds" if flame.is_time else "none",
        "startValue": 0,
        "endValue": flame.total,
        "samples": samples.to_list(),
        "weights": flame.stacks["value"].to_list(),
    }
    document = {
        "$schema": SCHEMA,
        "name": name,
        "activeProfileIndex": 0,
        "exporter": f"nsysql {__version__}",
        "shared": {"frames": [{"name": name} for name in names]},
        "profiles": [profile],
    }
    file.write(json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")


WRITERS: dict[str, Callable[[Flame, IO[bytes]], object]] = {  # by the extension of a file
    "txt": write_collapsed,
    "json": write_speedscope,
    "svg": lambda flame, file: file.write(svg(flame).encode("utf-8", "backslashreplace")),
    "html": write_html,
}
