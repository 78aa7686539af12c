"""The command line: one command per query, made from its header, and a few of its own.

The only place that prints a message or exits: 0 done, 1 could not, 2 wrong usage, 130 interrupted, 143 terminated.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

INTERRUPTED = 130
__all__ = ["main"]


def main(arguments: "list[str] | None" = None) -> None:
    """Run the command line and leave with its exit code. Ctrl-C is quiet from here on, while modules load as well."""
    try:
        _load()(arguments)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _load() -> "Callable[[list[str] | None], None]":
    """What runs the command line. An interrupt meanwhile ends the process, for what loads can take it for an error."""
    import signal

    default = signal.getsignal(signal.SIGINT)
    is_first_thread = default is signal.default_int_handler
    try:
        if is_first_thread:
            signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    except ValueError:
        is_first_thread = False
    from nsysql.cli.entry import main as run

    if is_first_thread:
        signal.signal(signal.SIGINT, default)
    return run
