"""Causes of idle time in words."""

import re

import polars as pl

from nsysql.pages.phrases import Row, percent, short_name
from nsysql.words.naming import Names

SPLIT = 3  # causes that a gap's split names
COPIES = ("copy ", "UM ")


class Causes:
    """The causes by name: title and advice."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._rows = {row["cause"]: row for row in frame.to_dicts()}
        self.names = tuple(self._rows)

    def title(self, cause: str) -> str:
        """The cause's name for people."""
        return str(self._rows[cause]["title"])

    def advice(self, cause: str) -> str:
        """What to do about it."""
        return str(self._rows[cause]["advice"])


def activity(name: str | None) -> str:
    """A piece of GPU work in few columns.

    >>> activity("[CUDA memcpy Host-to-Device]"), activity("void f<int>(int *)")
    ('copy HtoD', 'f<int>')
    """
    text = short_name(name)
    return re.sub(r"\b([A-Z])[a-z]+-to-([A-Z])[a-z]+$", r"\1to\2", text) if text.startswith(COPIES) else text


def activities(text: str, *names: str | None) -> Names:
    """A text with pieces of GPU work in it: copies in few columns, kernels as the page shows them."""
    kernels = (name if name and not name.startswith("[CUDA ") else activity(name) for name in names)
    return Names(tuple(kernels), text)


def split(gap: Row, causes: Causes) -> str:
    """A gap's causes by their share: 'Host code 97.2%, Launch latency 2.8%'."""
    parts = sorted(((ns, cause) for cause in causes.names if (ns := gap[f"{cause}_ns"])), key=lambda part: -part[0])
    shown = [f"{causes.title(cause)} {percent(ns, gap['dur_ns'])}" for ns, cause in parts[:SPLIT]]
    return ", ".join(shown) + (", ..." if len(parts) > SPLIT else "")
