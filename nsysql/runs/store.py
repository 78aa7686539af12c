"""The folder of answers: Parquet for each question and run, a digest of each run, and what is done.

    FOLDER/cuda_gpu_kern_sum/run=rank_0/part.parquet    the rows of a query for one run
    FOLDER/digests/rank_0.json                          what `nsysql compare` reads
    FOLDER/status.csv                                   what became of each file of the last command
    FOLDER/.nsysql-runs/finished/rank_0.json            which answers lie here, and what they are answers to

A run's name is spelled as in a URL where it is no name of a file. A file appears only when it is whole: it is written
below .nsysql-runs/parts, and moved from there.
"""

import json
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nsysql.errors import UsageError
from nsysql.sources.files import OWN

SCHEMA = "nsysql.runs/1"
ABANDONED = 86_400  # seconds after which nobody writes there any more
PLAIN = " +,@()"  # besides letters, digits and _.-~: signs of a name that stay


@dataclass(frozen=True)
class Finished:
    """What was answered for one state of a file: the key, rows and seconds of each question, or why there are none."""

    identity: str
    answers: Mapping[str, Mapping[str, Any]]


class Store:
    """A folder of answers; `token` tells a worker that it sees this one, and no other of that name.

    `command` names the command that writes: several can at once, and each removes what its own workers left.
    """

    def __init__(self, folder: Path, token: str | None = None, command: str = "") -> None:
        self.folder = folder
        self._own = folder / OWN
        self.token = token
        self.command = command or uuid.uuid4().hex

    def create(self) -> "Store":
        """Make the folder, or go on with one made before. Raises UsageError where it is something else."""
        mark = self._own / "store.json"
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"{self.folder} is a file; --output takes a folder for the answers.")
        if not mark.exists():
            if self.folder.is_dir() and any(self.folder.iterdir()):
                raise UsageError(
                    f"{self.folder} has files that are no answers of nsysql runs; give a new folder, or an empty one."
                )
            (self._own / "finished").mkdir(parents=True, exist_ok=True)
            with self.part(mark) as part:
                part.write_text(json.dumps({"schema": SCHEMA, "token": uuid.uuid4().hex}) + "\n", encoding="utf-8")
        self.token = self._token()
        if self.token is None:
            raise UsageError(f"{self.folder} has answers of another nsysql, or damaged ones; give another folder.")
        return self

    def _token(self) -> str | None:
        try:
            found = json.loads((self._own / "store.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return str(found.get("token")) if isinstance(found, dict) and found.get("schema") == SCHEMA else None

    def is_visible(self) -> bool:
        """Whether this is the folder that was created, on whichever machine."""
        return self._token() == self.token

    @property
    def status(self) -> Path:
        """What became of each file when it was asked last."""
        return self.folder / "status.csv"

    def rows(self, question: str, run: str) -> Path:
        """Where the rows of a question lie."""
        return self.folder / question / f"run={_spelled(run)}" / "part.parquet"

    def digest(self, run: str) -> Path:
        """Where the digest of a run lies."""
        return self.folder / "digests" / f"{_spelled(run)}.json"

    @contextmanager
    def part(self, target: Path) -> Iterator[Path]:
        """A file that takes the place of `target` at the end, or goes where there was a failure."""
        part = self._parts / uuid.uuid4().hex
        try:
            self._parts.mkdir(parents=True, exist_ok=True)
            yield part
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)

    def finished(self, run: str) -> Finished | None:
        """What was answered for a run; None where nothing was, or what says so is damaged."""
        try:
            found = json.loads(self._finished(run).read_text(encoding="utf-8"))
            return Finished(str(found["identity"]), dict(found["answers"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def finish(self, run: str, done: Finished) -> None:
        """Note what is answered."""
        with self.part(self._finished(run)) as part:
            part.write_text(json.dumps({"run": run, **vars(done)}) + "\n", encoding="utf-8")

    def _finished(self, run: str) -> Path:
        return self._own / "finished" / f"{_spelled(run)}.json"

    @property
    def _parts(self) -> Path:
        return self._own / "parts" / self.command

    def sweep(self) -> None:
        """Remove what killed workers of this command left half written, and what commands of other days did."""
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
