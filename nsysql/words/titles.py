"""Titles of causes within sentences and tables."""

import re

UPPER = ("CUDA", "OS", "NVTX", "GPU", "MPI", "CPU", "I/O")  # first words that keep their capitals


def brief_title(title: str) -> str:
    """A title in a few words, its first letter small unless it begins with an abbreviation.

    >>> brief_title("Queued, cause unknown"), brief_title("CPU taken by another thread")
    ('queued', 'CPU taken by another thread')
    """
    text = title.partition(",")[0]
    return text if text.startswith(UPPER) else text[:1].lower() + text[1:]


def program(name: str | None) -> str:
    """A program without its folder."""
    return re.split(r"[/\\]", name or "")[-1]
