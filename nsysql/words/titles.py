"""Titles of causes within sentences and tables."""

UPPER = ("CUDA", "OS", "NVTX", "GPU", "MPI", "CPU", "I/O")  # first words that keep their capitals


def lower(title: str) -> str:
    """A title within a sentence: its first letter is small unless it is an abbreviation.

    >>> lower("Waiting for I/O"), lower("CPU taken by another thread")
    ('waiting for I/O', 'CPU taken by another thread')
    """
    return title if title.startswith(UPPER) else title[:1].lower() + title[1:]


def brief_title(title: str) -> str:
    """A cause in a few words.

    >>> brief_title("Queued, cause unknown")
    'queued'
    """
    return lower(title.partition(",")[0])
