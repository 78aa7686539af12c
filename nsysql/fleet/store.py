"""The folder of results: a Parquet file per query and run, a digest per run, and the state.

    FOLDER/cuda_gpu_kern_sum/run=rank_0/part.parquet    the rows of a query for one run
    FOLDER/digests/rank_0.digest                        what `nsysql compare` reads
    FOLDER/status.csv                                   the outcome of each file in the last command
    FOLDER/.nsysql-runs/finished/rank_0.json            which results are stored, and for which file and query

A run's name is escaped as in a URL if it cannot be a file name. Files appear only when complete: they are written below
.nsysql-runs/parts and then moved.
"""

import json
import shutil
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nsysql.capture.files import OWN
from nsysql.errors import UsageError
from nsysql.words import modes

SCHEMA = "nsysql.runs/1"
ABANDONED = 86_400  # seconds after which parts are left over from killed processes
PLAIN = " +,@()"  # characters that are not escaped, in addition to letters, digits and _.-~


@dataclass(frozen=True)
class Finished:
    """The results for one state of a file: key, rows and seconds of each question, or why there are none."""

    identity: str
    answers: Mapping[str, Mapping[str, Any]]


class Store:
    """A folder of results; `token` lets a worker check that it sees this folder, and not another at the same path.

    `command` identifies the command that writes: several can write at once, and each removes its own partial files.
    Nobody can read its files who cannot read the exports, `sources`.
    """

    def __init__(
        self, folder: Path, token: str | None = None, command: str = "", sources: tuple[Path, ...] = ()
    ) -> None:
        self.folder = folder
        self._own = folder / OWN
        self._sources = sources
        self._is_new = False
        self.token = token
        self.command = command or uuid.uuid4().hex

    def remove_unused(self) -> None:
        """Remove the folder if this command made it and stored nothing in it."""
        if self._is_new and not any((self._own / "finished").iterdir()) and not self.status.exists():
            shutil.rmtree(self.folder, ignore_errors=True)

    def create(self) -> "Store":
        """Create the folder, or reuse an existing one. Raises UsageError if it is something else."""
        state_file = self._own / "store.json"
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"{self.folder} is a file; --output takes a folder for the results.")
        if not state_file.exists():
            if self.folder.is_dir() and any(self.folder.iterdir()):
                raise UsageError(
                    f"{self.folder} has files that are not results of nsysql runs; give a new folder, or an empty one."
                )
            self._is_new = not self.folder.exists()
            (self._own / "finished").mkdir(parents=True, exist_ok=True)
            with self.part(state_file) as part:
                part.write_text(json.dumps({"schema": SCHEMA, "token": uuid.uuid4().hex}) + "\n", encoding="utf-8")
        self.token = self._token()
        if self.token is None:
            raise UsageError(
                f"{self.folder} has results of another nsysql version, or damaged ones; give another folder."
            )
        return self

    def _token(self) -> str | None:
        try:
            found = json.loads((self._own / "store.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return str(found.get("token")) if isinstance(found, dict) and found.get("schema") == SCHEMA else None

    def is_visible(self) -> bool:
        """Whether this is the folder that was created, as seen from this machine."""
        return self._token() == self.token

    @property
    def status(self) -> Path:
        """The path of the table of outcomes."""
        return self.folder / "status.csv"

    def rows(self, question: str, run: str) -> Path:
        """The path of the rows of a question."""
        return self.folder / question / f"run={_spelled(run)}" / "part.parquet"

    def digest(self, run: str) -> Path:
        """The path of the digest of a run."""
        return self.folder / "digests" / f"{_spelled(run)}.digest"

    def checksums(self, names: Iterable[str], run: str) -> dict[str, int]:
        """Checksums of the rows of these questions; of those that cannot be read there is none."""
        found = {}
        for name in names:
            with suppress(OSError):
                found[name] = zlib.crc32(self.rows(name, run).read_bytes())
        return found

    @contextmanager
    def part(self, target: Path) -> Iterator[Path]:
        """A temporary file that replaces `target` at the end, or is removed on failure."""
        part = self._parts / uuid.uuid4().hex
        try:
            self._parts.mkdir(parents=True, exist_ok=True)
            modes.create(part, *self._sources)
            yield part
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)

    def finished(self, run: str) -> Finished | None:
        """The stored results of a run; None if there are none, or their state file is damaged."""
        try:
            found = json.loads(self._finished(run).read_text(encoding="utf-8"))
            return Finished(str(found["identity"]), dict(found["answers"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def finish(self, run: str, done: Finished) -> None:
        """Record what is done for a run."""
        with self.part(self._finished(run)) as part:
            part.write_text(json.dumps({"run": run, **vars(done)}) + "\n", encoding="utf-8")

    def _finished(self, run: str) -> Path:
        return self._own / "finished" / f"{_spelled(run)}.json"

    @property
    def _parts(self) -> Path:
        return self._own / "parts" / self.command

    def sweep(self) -> None:
        """Remove partial files of this command's workers, and those that earlier commands abandoned."""
        shutil.rmtree(self._parts, ignore_errors=True)
        with suppress(OSError):
            for parts in (self._own / "parts").iterdir():
                if parts.stat().st_mtime < time.time() - ABANDONED:
                    shutil.rmtree(parts, ignore_errors=True)

    def remove(self) -> None:
        """Remove the whole folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _spelled(run: str) -> str:
    spelled = quote(run, safe=PLAIN)
    if spelled.startswith("."):
        spelled = f"%2E{spelled[1:]}"
    if len(spelled) > 180:  # of the 255 bytes that a name can have
        import hashlib

        spelled = f"{spelled[:140]}~{hashlib.sha256(run.encode()).hexdigest()[:16]}"
    return spelled
