"""`nsysql timeline` and `nsysql flame`: what ran on GPUs and threads, and in which stacks, as pictures."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.cli.options import EXPORT, NARROWING, OF_FILES, choice, formats, gpu, option
from nsysql.cli.output import opened, text_file, text_width
from nsysql.cli.rows import Call, command
from nsysql.errors import UsageError

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.pages.scope import PageScope
    from nsysql.pages.timeline.model import Timeline

PIPED = 100  # columns if the output is not a terminal
TOP = "Threads to show, those that launch most first; 0 for all."
GAP = "Show the time around this gap of idle-gaps, its GPU, and the thread whose launch ended it."


@command(OF_FILES)
def timeline(
    call: Call,
    export: Path = EXPORT,
    gap: int | None = option(None, "--gap", metavar="GAP", help=GAP),
    gpu: int | None = gpu("Only this GPU; all threads stay."),
    top: int = option(3, "--top", metavar="THREADS", min=0, help=TOP),
    scope: "PageScope" = NARROWING,
    format: Any = formats(("text", "svg"), "text"),
) -> None:
    """What ran on GPUs and threads, and why GPUs were idle: rows of blocks in the terminal, or an SVG.

    A block's height says how much of its column of time is covered. Idle time has a letter for each cause; a legend has
    their meaning and share of the idle time. Times are relative to the left end; --start, --end, --nvtx, --steps and
    --gap select a time.
    """
    form = format or ("svg" if call.output.endswith(".svg") else "text")
    with opened(call.output, export) as file:
        with call.open(export, for_page=True) as run:
            timeline = _found(run, gap, replace(scope, gpu=gpu))
        if form == "svg":
            from nsysql.render.timeline.svg import svg

            file.write(svg(timeline).encode("utf-8", "backslashreplace"))
        else:
            from nsysql.render.timeline.terminal import write

            with text_file(call.output, file) as text:
                write(timeline, text, text_width(call.output) or PIPED, top or None)
    call.note(*(f"{text}." for text in timeline.notes))


def _found(run: "Export", gap: int | None, scope: "PageScope") -> "Timeline":
    """The requested timeline. Raises UsageError if there is no such gap."""
    from nsysql.pages.scope import PageScope
    from nsysql.pages.timeline.curves import with_curves
    from nsysql.pages.timeline.gather import LEFT_OF_STILL, around_gap, collect

    if gap is None:
        return with_curves(collect(run, scope, left=LEFT_OF_STILL), run, scope.gpu)
    if scope != PageScope():
        raise UsageError("--gap selects the time; give it without --start, --end, --nvtx, --steps and --gpu.")
    return around_gap(run, gap)


FORMS = ("txt", "json", "svg", "html")
WEIGHTS = ("gpu", "cpu", "idle", "launches", "samples")
WEIGHT = "What is counted: time of GPU work, CPU time, idle time, launching calls, or CPU samples."


@command(OF_FILES)
def flame(
    call: Call,
    export: Path = EXPORT,
    weight: Any = choice(WEIGHTS, "gpu", "--weight", help=WEIGHT),
    scope: "PageScope" = NARROWING,
    format: Any = formats(FORMS, "txt"),
) -> None:
    """A flame graph of NVTX ranges and what ran inside, as HTML, SVG, JSON for speedscope, or collapsed stacks.

    The rows of `nsysql stacks`. An .html zooms and can be searched, an .svg is for documents; both are self-contained.
    A .json opens in speedscope, a .txt in flamegraph.pl and the like.
    """
    from nsysql.pages.flame import collect
    from nsysql.render.flame import WRITERS

    ending = Path(call.output).suffix.lower().removeprefix(".")
    form = format or ending or "txt"
    if form not in FORMS:
        raise UsageError(f"{call.output} ends in none of .{', .'.join(FORMS)}; choose what to write with --format.")
    with opened(call.output, export) as file:
        with call.open(export) as run:
            stacks = collect(run, weight, **scope.filters)
        WRITERS[form](stacks, file)
    call.note(*(f"{text}." for text in stacks.notes))
