"""A flame graph as JSON that speedscope opens: one sampled profile, as its file-format-spec.ts says."""

import json
from typing import IO

import polars as pl

from nsysql import __version__
from nsysql.pages.flame import TITLES, Flame

SCHEMA = "https://www.speedscope.app/file-format-schema.json"  # an identifier; it is not fetched


def write(flame: Flame, file: IO[bytes]) -> None:
    """Write the profile: a sample per stack."""
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
