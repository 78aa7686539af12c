"""The options that narrow a page to a time interval, an NVTX range or steps."""

from inspect import Parameter as Argument

from nsysql.cli.options import option
from nsysql.cli.query_command import UNITS, as_ns


def time(name: str, spelled: str, help: str) -> Argument:
    """An option that takes a time with its unit."""
    return option(name, str, None, spelled, metavar="TIME", callback=as_ns, help=f"{help} {UNITS}")


NARROWING = [
    time("start", "--start", "Narrow the page to what is in progress at this time or later."),
    time("end", "--end", "Narrow the page to what starts before this time."),
    option(
        "nvtx", str, None, "--nvtx", metavar="TEXT",
        help="Narrow the page to an NVTX range: NAME[@DOMAIN][/INDEX]; the first is 0. Busy and idle time stay those "
        "of the whole GPU; calls, kernels and copies are those of the range's process.",
    ),
    option(
        "steps", str, None, "--steps", metavar="TEXT",
        help="Narrow the page to steps of the program: steady, 5, or 5:10 with both. See nsysql steps.",
    ),
    option("step_range", str, None, "--step-range", metavar="TEXT", help="The NVTX range that marks the steps."),
]  # fmt: skip
