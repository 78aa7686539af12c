"""Make the allocators return freed memory to the system: by default they keep up to a third of the peak."""

import os
import sys
from contextlib import suppress

POLARS = ("_RJEM_MALLOC_CONF", "narenas:2,dirty_decay_ms:100,muzzy_decay_ms:0")
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
RETURNED_BLOCK = (
    2**20
)  # bytes from which a freed block is returned at once; by default glibc raises this threshold with each such block


def tune_allocators() -> None:
    """Configure the allocators of polars and of glibc, early in the process; macOS and musl do it by default."""
    os.environ.setdefault(*POLARS)
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with suppress(OSError, AttributeError):  # a C library without mallopt()
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, RETURNED_BLOCK)
        mallopt(M_TRIM_THRESHOLD, RETURNED_BLOCK)
