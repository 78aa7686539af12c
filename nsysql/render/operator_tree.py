"""Draw the rows of `operators` by path as a tree for the terminal, with bars for total and own time."""

from typing import IO

import polars as pl
from rich.text import Text

from nsysql.render.table import styled
from nsysql.words.quantities import cell, columns_of, heading, safe
from nsysql.words.truncate import cut_names

BETWEEN = " > "
OUTSIDE = "(no range)"
BAR = 10  # columns of a full bar
SELF, WITHIN = "█", "░"
GAP = "  "
INDENT = 2
LEAST_NAME = 16  # columns for a name; with fewer, a path gives up its indent, and a row its bar and own part
SHARE = 6  # columns of the percentage, before its bar
FURTHER = {80: "count", 95: "cpu_total_ns", 108: "idle_ns"}  # further columns, by the terminal width that shows them


def write(frame: pl.DataFrame, file: IO[str], width: int, sort: str, top: int | None) -> None:
    """Draw the first `top` rows, in the order of `sort`, with their enclosing paths, within the width.

    Color and bold appear only where `file` is a terminal.
    """
    total, own = _measure(frame, sort)
    whole = int(frame[own].fill_null(0).sum())
    names = frame["name"].to_list()
    shown = _tree(names, range(frame.height if top is None else min(top, frame.height)))
    fitting = [n for least, n in FURTHER.items() if width >= least and n != total]
    besides = [n for n in fitting if frame[n].null_count() < len(names)]
    columns, long = [*besides, total, own], BAR
    texts = {n: [heading(n), *(cell(n, frame[n][place]) for _, place, _ in shown)] for n in columns}
    wide = {n: max(map(columns_of, texts[n])) for n in columns}
    room = width - sum(w + len(GAP) for w in wide.values()) - len(GAP) - SHARE - 1 - BAR
    if room < LEAST_NAME:
        room, long = room + 1 + BAR, 0
    if room < LEAST_NAME:
        room += wide.pop(own) + len(GAP)
        del texts[own]
    labels = ["path", *_labels(shown, max(room, 1))]
    bars = ["", *(_bar(frame[total][place], frame[own][place], whole, long) for _, place, _ in shown)]
    longest = max(map(columns_of, labels))
    lines = []
    for label, bar, *values in zip(labels, bars, *texts.values(), strict=True):
        cells = [" " * (w - columns_of(v)) + v for v, w in zip(values, wide.values(), strict=True)]
        lines.append(GAP.join([label + " " * (longest - columns_of(label)), *cells, bar]).rstrip())
    file.writelines([styled(Text(lines[0], "bold"), file), *(f"{line}\n" for line in lines[1:])])


def _measure(frame: pl.DataFrame, sort: str) -> tuple[str, str]:
    """The columns of total and own time: those sorted by, else GPU or CPU time."""
    of_sort = {"idle": ("idle_ns", "idle_self_ns"), "cpu": ("cpu_total_ns", "cpu_self_ns")}
    columns = of_sort.get(sort.partition("_")[0], ("gpu_total_ns", "gpu_self_ns"))
    return columns if frame[columns[0]].null_count() < frame.height else of_sort["cpu"]


def _tree(names: list[str | None], chosen: range) -> list[tuple[int, int, str]]:
    """The chosen rows and those of the paths around them, as a tree in order of first occurrence: depth, row, name."""
    places = {name: place for place, name in reversed(list(enumerate(names)))}

    def chain(place: int) -> list[int]:
        """The row, after those of the paths around it from the outermost on."""
        around = _enclosing(names[place], places)
        return [place] if around is None else [*chain(places[around]), place]

    order: dict[int, int] = {}
    for place in chosen:
        for at in reversed(chain(place)):
            order.setdefault(at, len(order))
    rows = []
    for *around, at in sorted(map(chain, order), key=lambda path: [order[place] for place in path]):
        begin = f"{names[around[-1]]}{BETWEEN}" if around else ""
        name = names[at]
        rows.append((len(around), at, OUTSIDE if name is None else name[len(begin) :]))
    return rows


def _enclosing(name: str | None, places: dict[str | None, int]) -> str | None:
    """The enclosing path: the longest prefix of a path that is a path itself."""
    beginning = name
    while beginning and BETWEEN in beginning:
        beginning = beginning.rpartition(BETWEEN)[0]
        if beginning in places:
            return beginning
    return None


def _labels(shown: list[tuple[int, int, str]], room: int) -> list[str]:
    """The indented names, cut to the width; names of the same depth stay distinct."""
    labels = [""] * len(shown)
    for depth in {depth for depth, _, _ in shown}:
        indent = min(INDENT * depth, max(room - LEAST_NAME, 0))
        places = [place for place, (own, _, _) in enumerate(shown) if own == depth]
        for place, name in zip(places, cut_names([safe(shown[p][2]) for p in places], room - indent), strict=True):
            labels[place] = " " * indent + name
    return labels


def _bar(total: int | None, own: int | None, whole: int, long: int) -> str:
    """The share of the total as a percentage and as a bar so long, whose solid part is the own time."""
    if total is None or not whole:
        return ""
    drawn = round(long * total / whole)
    full = min(round(long * (own or 0) / whole), drawn)
    return f"{cell('_pct', 100 * total / whole):>5}% {SELF * full}{WITHIN * (drawn - full)}"
