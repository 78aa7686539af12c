"""Open the captures that a server may read: below its folders only, few at a time, in bounded memory and time."""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path

import psutil

from nsysql.api.facade import Run
from nsysql.api.facade import open as open_run
from nsysql.capture.connection import memory_bytes
from nsysql.capture.files import exports_below, is_export
from nsysql.capture.forms.unchanged import Unchanged
from nsysql.catalog.packs import find_packs, query_paths
from nsysql.errors import ExportChanged, NsysqlError, UsageError
from nsysql.findings.engine import find
from nsysql.findings.finding import Findings

OPEN = 4  # captures that stay open
MEMORY, SECONDS = "4GB", 300.0  # limits: of the process; of one question
LISTED, LOOKED_AT = 50, 5_000  # captures that are listed, files that are examined for it
BESIDE = ("-wal", "-shm", "-journal")  # files that SQLite reads with an export


@dataclass
class Capture:
    """An open capture; findings are computed when first needed."""

    run: Run
    name: str

    @cached_property
    def findings(self) -> Findings:
        """What limits the run; the sentences quote texts of the capture."""
        return find(self.run, quoted=True)


class Captures:
    """Captures by name. Not thread-safe: `tools.Tools.call` serializes its calls."""

    def __init__(
        self,
        files: Sequence[Path],
        packs: tuple[Path, ...] = (),
        threads: int | None = None,
        memory_limit: str | None = None,
        seconds: float = SECONDS,
    ) -> None:
        """Raises UsageError if a file or folder does not exist, or the memory limit is not valid."""
        for path in files:
            if not path.exists():
                raise UsageError(f"{path} is not there; name files or folders of captures.")
        folders = [path for path in files if path.is_dir() and not is_export(path)]
        self._files = {path.absolute(): _real(path) for path in files if path not in folders}
        self._folders = [*map(_real, folders)]
        limit = memory_limit or os.environ.get("NSYSQL_MEMORY_LIMIT") or MEMORY
        self.queries = query_paths(find_packs(packs))
        self._packs, self._threads, self._memory, self._seconds = packs, threads, limit, seconds
        self._most = memory_bytes(limit)
        self._open: OrderedDict[Path, Capture] = OrderedDict()  # the most recently used one last
        self._states: dict[Path, Unchanged] = {}  # of all that were ever opened
        self._ends, self._stop = 0.0, threading.Event()

    def begin(self, stop: threading.Event) -> None:
        """Start the clock of one call, which ends early when `stop` is set."""
        self._ends, self._stop = time.monotonic() + self._seconds, stop

    def get(self, name: str | None) -> Capture:
        """Return the capture of that name, opened if necessary; without a name the only one.

        Raises UsageError if it may not be read, ExportChanged once if its files changed since it was opened.
        """
        path = self._only() if name is None else self.find(name)
        if path in self._states:
            try:
                self._states[path].refuse_changes()
            except ExportChanged:
                self._states.pop(path)
                if path in self._open:
                    self._open.pop(path).run.close()
                raise ExportChanged(
                    f"{path} changed after it was opened: earlier answers are about another file. Ask again."
                ) from None
        if path not in self._open:
            while len(self._open) >= OPEN or (self._open and psutil.Process().memory_info().rss > self._most / 2):
                self._open.popitem(last=False)[1].run.close()  # the least recently used
            run = open_run(path, packs=self._packs, threads=self._threads, memory_limit=self._memory)
            run.watch(self._look)
            self._open[path], self._states[path] = Capture(run, self.name(path)), run.unchanged
        self._open.move_to_end(path)
        return self._open[path]

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].run.close()

    def find(self, name: str) -> Path:
        """Return the file or folder of that name, links followed. Raises UsageError if not below the given ones."""
        refused = UsageError(f"{name} is not a capture below {self.places()}; open without a path lists them.")
        try:
            place = Path(name)
            places = [path for path in self._files if place in (path, self._files[path]) or name == path.name]
            places += [folder / place for folder in self._folders if (folder / place).exists()]
            paths = {_real(path) for path in places}
        except (OSError, ValueError):  # names that no file can have
            raise refused from None
        if len(paths) > 1:
            raise UsageError(f"{name} is the name of {len(paths)} captures; give the whole path.")
        if not paths or not all(self._is_inside(path) for path in (*paths, *_linked(*paths))):
            raise refused
        return paths.pop()

    def name(self, path: Path) -> str:
        """Return the name of a capture: below the only folder, else the whole path."""
        if len(self._files) + len(self._folders) > 1:
            return str(path)
        return (
            path.relative_to(self._folders[0]).as_posix() if self._folders and path != self._folders[0] else path.name
        )

    def places(self) -> str:
        return ", ".join(map(str, (*self._files, *self._folders)))

    def known(self) -> list[str]:
        """Return the names of captures that can be opened, at most LISTED."""
        below = chain.from_iterable(exports_below(folder, LOOKED_AT) for folder in self._folders)
        inside = (path for path in below if path.exists() and self._is_inside(_real(path)))
        return [self.name(path) for path in islice(chain(self._files.values(), inside), LISTED)]

    def opened(self) -> list[str]:
        return [capture.name for capture in self._open.values()]

    def _only(self) -> Path:
        every = [*self._files.values()] if self._files and not self._folders else [*self._states]
        if len(every) != 1:
            why = "several captures are open" if every else "no capture is open"
            raise UsageError(f"{why}; give capture, one of: {', '.join(map(self.name, every)) or 'those of open()'}.")
        return every[0]

    def _is_inside(self, path: Path) -> bool:
        return path in self._files.values() or any(path.is_relative_to(folder) for folder in self._folders)

    def _look(self) -> None:
        """End the running question if its caller is gone or its time is up."""
        if self._stop.is_set():
            raise NsysqlError("the caller is gone.")
        if time.monotonic() > self._ends:
            raise NsysqlError(
                f"the question takes more than {self._seconds:g} s; narrow it (start_ns, end_ns, top), or start the "
                "server with a larger --seconds."
            )


def _linked(path: Path) -> Iterator[Path]:
    """Yield the targets of links among the files that are read with an export."""
    beside = path.iterdir() if path.is_dir() else (path.with_name(path.name + end) for end in BESIDE)
    for file in (*beside, path.with_suffix(".sqlite")):
        if file.is_symlink():
            yield _real(file)


def _real(path: Path) -> Path:
    """Return the path with links followed; a link in a cycle stays as it is."""
    return Path(os.path.realpath(path))
