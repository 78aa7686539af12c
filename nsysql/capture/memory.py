"""The bound on the memory of the process, where the user gives one: DuckDB, polars and Python together.

DuckDB gets a part of it and writes the rest to disk. What polars computes has no bound of its own, so the process is
looked at while a question runs, and the question ends where it needs more.
"""

from pathlib import Path

from nsysql.errors import NsysqlError

LOOK_SECONDS = 0.02  # between two looks: what is got in this time can be more than the bound
LIBRARIES = 150_000_000  # bytes that Python and the libraries need without any rows


class MemoryBound:
    """A bound in bytes, as the user spelled it."""

    def __init__(self, limit: float, spelled: str) -> None:
        import psutil  # only where a bound is given

        self._process = psutil.Process()
        self._spelled = spelled
        self._most = max(limit, self._process.memory_info().rss + max(limit / 2, LIBRARIES))

    def is_exceeded(self) -> bool:
        """Whether the process has more memory now, by the operating system's count of resident memory."""
        return bool(self._process.memory_info().rss > self._most)

    def error(self, path: Path) -> NsysqlError:
        """What to say of a question to the export at `path` that needs more."""
        return NsysqlError(
            f"{path}: the answer needs more memory than the limit of {self._spelled}; give more with --memory-limit "
            f"or NSYSQL_MEMORY_LIMIT, or narrow the question to a stretch of time."
        )
