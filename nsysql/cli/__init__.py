"""The command line: one command per query, made from its header, and a few of its own.

The only place that prints a message or exits: 0 done, 1 could not, 2 wrong usage, 130 interrupted, 143 terminated.
"""

from nsysql.cli.run import main

__all__ = ["main"]
