"""Colors and names of a timeline, and the round moments of its ruler.

Families of causes are eight colors that color-blind people tell apart (Okabe and Ito); the causes of a family are
shades of its color.
"""

import re
from collections.abc import Iterable, Mapping
from html import escape

from nsysql.analysis.nvtx.folded_ranges import COUNTERS
from nsysql.pages.timeline.model import CAUSE, CURVE, OWN
from nsysql.words.kernel_names import Naming
from nsysql.words.quantities import TIMES, safe

ORANGE, SKY, GREEN, YELLOW = "#e69f00", "#56b4e9", "#009e73", "#f0e442"
BLUE, VERMILION, PURPLE, GRAY = "#0072b2", "#d55e00", "#cc79a7", "#8a8f98"
PATHS = (GREEN, BLUE, ORANGE, SKY, VERMILION, PURPLE, YELLOW)  # of NVTX paths in charts, in their order

LOOKS = {  # colors and names of work and calls: compute is blue, copies are red by direction
    "kernel": ("#2b72c4", "kernel"),
    "communication": ("#6f4fb3", "communication kernel"),
    "graph": ("#1d4e89", "CUDA graph"),
    "h2d": ("#d5502f", "copy host to device"),
    "d2h": ("#f0937b", "copy device to host"),
    "d2d": ("#9c2f2f", "copy within device"),
    "p2p": ("#c65b86", "copy between devices"),
    "memcpy": ("#b0533c", "other copy"),
    "memset": ("#c9a227", "memset"),
    "nvtx": ("#5b9a68", "NVTX range"),
    "cuda": ("#7f8ea3", "CUDA call"),
    "mpi": ("#8e6bbf", "MPI call"),
    "os": ("#a8916c", "OS runtime call"),
    "off_cpu": ("#b9bcc2", "off the CPU"),
}
KINDS, LABELS = ({style: look[i] for style, look in LOOKS.items()} for i in (0, 1))
OWN_COLOR, OWN_COLORS = "NVTX range in its own color", "NVTX ranges in their own colors"
FAMILIES = {  # of causes: name, color and members, those next to each other in very different shades
    "host code": (ORANGE, ("host_code",)),
    "synchronization": (PURPLE, ("sync_return", "sync_wait")),
    "launching": (
        SKY, ("launch_call", "launch_latency", "first_launch", "blocked_launch", "graph_launch", "launch_batch",
        "graph_dependency"),
    ),
    "waiting on the CPU": (
        GREEN, ("os_wait_lock", "os_wait_io", "os_sleep", "os_other", "preempted", "blocked", "waiting_for_thread",
        "gil_wait"),
    ),
    "memory": (VERMILION, ("memory_management", "pageable_copy", "unified_memory")),
    "other streams": (BLUE, ("stream_wait",)),
    "set-up": (YELLOW, ("module_load", "context_setup", "stream_and_event_setup", "graph_build")),
    "profiler and unknown": (GRAY, ("profiler", "other_cuda_api", "queued_unexplained", "no_launch_recorded")),
}  # fmt: skip
SHADES = (0.0, 0.45, -0.35, 0.7, -0.6, 0.22, -0.18, 0.84)  # of a family's members: how far to white, or to black
CURVES = {CURVE + "metric": "#16919b", CURVE + "memory": "#9a66c4"}


def shade(color: str, how_far: float) -> str:
    """The color, so far on its way to white, or to black."""
    parts = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    end = 255 if how_far > 0 else 0
    return "#" + "".join(f"{round(part + (end - part) * abs(how_far)):02x}" for part in parts)


CAUSES = {
    CAUSE + cause: shade(color, how_far)
    for color, causes in FAMILIES.values()
    for cause, how_far in zip(causes, SHADES, strict=False)
}
FAMILY_OF = {CAUSE + cause: family for family, (_, causes) in FAMILIES.items() for cause in causes}


def color(style: str) -> str:
    """The color of a style; gray for one that is not known."""
    if style.startswith(OWN):
        return style.removeprefix(OWN)
    return KINDS.get(style) or CURVES.get(style) or CAUSES.get(style, GRAY)


def label(style: str, titles: dict[str, str]) -> str:
    """What a style is, for people."""
    if style.startswith(OWN):
        return LABELS["nvtx"]
    return LABELS.get(style) or titles.get(style.removeprefix(CAUSE), style.removeprefix(CAUSE))


def on_color(background: str) -> str:
    """Black or white, whichever is legible on it."""
    red, green, blue = (int(background[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 125 else "#ffffff"


def keys(styles: Iterable[str], titles: dict[str, str]) -> list[tuple[str, str]]:
    """What a legend says: styles with their labels; of colors that ranges have of their own the first alone."""
    made = [(style, label(style, titles)) for style in styles if not style.startswith(OWN)]
    own = sorted(style for style in styles if style.startswith(OWN))
    return [*made, (own[0], OWN_COLOR if len(own) == 1 else OWN_COLORS)] if own else made


def legend(styles: Iterable[str], titles: dict[str, str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Entries with their styles and labels: a family of causes with its members, anything else alone and unnamed."""
    made: dict[str, list[tuple[str, str]]] = {}
    for style, text in keys(styles, titles):
        made.setdefault(FAMILY_OF.get(style, style), []).append((style, text))
    return [(name if len(members) > 1 else "", members) for name, members in made.items()]


def shown_names(names: Iterable[str], kernels: Mapping[str, str]) -> dict[str, str]:
    """Of names that are long the short ones: those of `kernels`, PyTorch's operators without the counters.

    >>> shown_names(["aten::to, op_id = 990347"], {})
    {'aten::to, op_id = 990347': 'aten::to'}
    """
    short = Naming(known=lambda: kernels).of_texts(every := list(names))
    plain = {name: re.sub(COUNTERS, "", name) for name in every}
    return {name: made for name in every if (made := short.get(name, plain[name])) != name}


def svg_text(text: str) -> str:
    """A text in SVG: one line, escaped."""
    return escape(safe(text))


STEPS = (1, 2, 2.5, 5, 10)


def marks(start_ns: int, end_ns: int, most: int) -> list[tuple[int, str]]:
    """Moments between the two, at most about so many, each with its distance from the start as text.

    >>> marks(0, 1_000_000, 4)
    [(0, '0'), (250000, '+250 µs'), (500000, '+500 µs'), (750000, '+750 µs'), (1000000, '+1 ms')]
    """
    span = max(1, end_ns - start_ns)
    least = span / max(1, most)
    power = 10 ** max(0, len(str(int(least))) - 1)
    step = max(1, int(next(s * power for s in STEPS if s * power >= least)))
    return [(start_ns + at, f"+{short_time(at)}" if at else "0") for at in range(0, span + 1, step)]


def short_time(ns: int) -> str:
    """A round time without zeros at its end: 250 µs."""
    factor, unit = max((t for t in TIMES if ns >= t[0]), default=TIMES[0])
    return f"{ns / factor:.3f}".rstrip("0").rstrip(".") + f" {unit}"
