"""Colors of a timeline. Families of causes are eight colors that color-blind people tell apart (Okabe and Ito)."""

from collections.abc import Iterable

from nsysql.pages.timeline.model import CAUSE, CURVE, OWN

ORANGE, SKY, GREEN, YELLOW = "#e69f00", "#56b4e9", "#009e73", "#f0e442"
BLUE, VERMILION, PURPLE, GRAY = "#0072b2", "#d55e00", "#cc79a7", "#8a8f98"

KINDS = {  # of work and calls: compute is blue, copies are red by direction
    "kernel": "#2b72c4",
    "communication": "#62b6e8",
    "graph": "#1d4e89",
    "h2d": "#d5502f",
    "d2h": "#f0937b",
    "d2d": "#9c2f2f",
    "p2p": "#c65b86",
    "memcpy": "#b0533c",
    "memset": "#c9a227",
    "nvtx": "#5b9a68",
    "cuda": "#7f8ea3",
    "mpi": "#8e6bbf",
    "os": "#a8916c",
    "off_cpu": "#b9bcc2",
}
LABELS = {  # of kinds, for people
    "kernel": "kernel",
    "communication": "communication kernel",
    "graph": "CUDA graph",
    "h2d": "copy host to device",
    "d2h": "copy device to host",
    "d2d": "copy within device",
    "p2p": "copy between devices",
    "memcpy": "other copy",
    "memset": "memset",
    "nvtx": "NVTX range",
    "cuda": "CUDA call",
    "mpi": "MPI call",
    "os": "OS runtime call",
    "off_cpu": "off the CPU",
}
OWN_COLOR, OWN_COLORS = "NVTX range in its own color", "NVTX ranges in their own colors"
FAMILIES = {  # of causes
    ORANGE: ("host_code",),
    PURPLE: ("sync_return", "sync_wait"),
    SKY: (
        "launch_call", "launch_latency", "first_launch", "blocked_launch", "graph_launch", "launch_batch",
        "graph_dependency",
    ),
    GREEN: (
        "os_wait_lock", "os_wait_io", "os_sleep", "os_other", "preempted", "blocked", "waiting_for_thread", "gil_wait",
    ),
    VERMILION: ("memory_management", "pageable_copy", "unified_memory"),
    BLUE: ("stream_wait",),
    YELLOW: ("module_load", "context_setup", "stream_and_event_setup", "graph_build"),
    GRAY: ("profiler", "other_cuda_api", "queued_unexplained", "no_launch_recorded"),
}  # fmt: skip
CURVES = {CURVE + "metric": "#16919b", CURVE + "memory": "#9a66c4"}
CAUSES = {CAUSE + cause: color for color, causes in FAMILIES.items() for cause in causes}


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
