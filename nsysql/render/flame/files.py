"""A flame graph as files: HTML that zooms and can be searched, SVG, collapsed stacks, JSON for speedscope."""

import json
from collections.abc import Callable
from importlib.resources import files
from typing import IO

import polars as pl

from nsysql import __version__
from nsysql.pages.flame import TITLES, Flame
from nsysql.render.flame.svg import svg
from nsysql.words.quantities import safe

FOLDER = files("nsysql.render.flame")
WIDTH, FINEST = 1200, 0.05  # pixels; width of the smallest box that is written, visible after zooming


def write_html(flame: Flame, file: IO[bytes]) -> None:
    """Write one self-contained page: click to zoom, search by name."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(_read("flame.html.j2"))
    text = template.render(
        title=safe(flame.title),
        weight=TITLES[flame.weight],
        notes=[safe(note) for note in flame.notes],
        picture=Markup(svg(flame, WIDTH, FINEST)),
        script=Markup(_read("flame.js")),
    )
    file.write(text.encode("utf-8", "backslashreplace"))


def _read(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding="utf-8")


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
    file.write(json.dumps(document(flame), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")


def document(flame: Flame) -> dict[str, object]:
    """The profile as dictionaries and lists."""
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
    return {
        "$schema": SCHEMA,
        "name": name,
        "activeProfileIndex": 0,
        "exporter": f"nsysql {__version__}",
        "shared": {"frames": [{"name": name} for name in names]},
        "profiles": [profile],
    }


def write_svg(flame: Flame, file: IO[bytes]) -> None:
    """Write the picture."""
    file.write(svg(flame).encode("utf-8", "backslashreplace"))


WRITERS: dict[str, Callable[[Flame, IO[bytes]], None]] = {  # by the extension of a file
    "txt": write_collapsed,
    "json": write_speedscope,
    "svg": write_svg,
    "html": write_html,
}
