"""The command line: one command per query, generated from its header, and some more.

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
    """Run the command line and exit with its code. From here on Ctrl-C ends quietly, also while modules load."""
    try:
        _load()(arguments)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _load() -> "Callable[[list[str] | None], None]":
    """Import the command line. An interrupt during the import ends the process, as modules could swallow it."""
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
