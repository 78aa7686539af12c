"""The most memory that a process of its own had, by the operating system's count."""

import resource
import sys
from pathlib import Path


def peak_mb() -> int:
    """Megabytes of memory at the peak of this process; getrusage counts the process before exec too."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "linux" else 2**20)
