"""Keep the folder of results: a Parquet file per query and run, a digest per run, and the state.

    FOLDER/cuda_gpu_kern_sum/run=rank_0/part.parquet    the rows of a query for one run
    FOLDER/digests/rank_0.digest                        what `nsysql compare` reads
    FOLDER/status.csv                                   the outcome of each file in the last command
    FOLDER/.nsysql-runs/finished/rank_0.json            which results are stored, and for which file and query

A run's name is escaped as in a URL if it cannot be a file name. Files appear only when complete: they are written below
.nsysql-runs/parts and then moved. DuckDB reads the rows of all runs as one table.
"""

import json
import re
import shutil
import tempfile
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import duckdb

from nsysql.capture import arrow_stream
from nsysql.capture.connection import hide_progress
from nsysql.capture.files import OWN
from nsysql.capture.frame_views import whole_sums
from nsysql.errors import QueryError, UsageError
from nsysql.fleet.question import RUN
from nsysql.words.atomic_file import create_closed
from nsysql.words.sql_text import NOTHING_FETCHED, literal, quoted

if TYPE_CHECKING:
    import polars


SCHEMA = "nsysql.runs/1"
ABANDONED = 86_400  # seconds after which parts are left over from killed processes
PLAIN = " +,@()"  # characters that are not escaped, in addition to letters, digits and _.-~


class Store:
    """A folder of results; `token` lets a worker check that it sees this folder, and not another at the same path.

    `command` identifies the command that writes: several can write at once, and each removes its own partial files. Its
    files are readable only by those who can read the exports, `sources`.
    """

    def __init__(
        self, folder: Path, token: str | None = None, command: str = "", sources: tuple[Path, ...] = ()
    ) -> None:
        self.folder, self._own, self._sources = folder, folder / OWN, sources
        self._is_new = False
        self.token, self.command = token, command or uuid.uuid4().hex

    def close(self, is_temporary: bool) -> None:
        """Remove the folder if it is temporary, or if this command made it and stored nothing in it."""
        is_new = self._is_new and not self.status.exists()
        if is_temporary or (is_new and not any((self._own / "finished").iterdir())):
            shutil.rmtree(self.folder, ignore_errors=True)

    def create(self) -> "Store":
        """Create the folder, or reuse an existing one. Raises UsageError if it is something else."""
        state_file = self._own / "store.json"
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"{self.folder} is a file; --output takes a folder for the results.")
        if not state_file.exists():
            if self.folder.is_dir() and any(self.folder.iterdir()):
                what = "has files that are not results of nsysql runs"
                raise UsageError(f"{self.folder} {what}; give a new folder, or an empty one.")
            self._is_new = not self.folder.exists()
            (self._own / "finished").mkdir(parents=True, exist_ok=True)
            with self.part(state_file) as part:
                part.write_text(json.dumps({"schema": SCHEMA, "token": uuid.uuid4().hex}) + "\n", encoding="utf-8")
        self.token = self.read_token()
        if self.token is None:
            what = "has results of another nsysql version, or damaged ones"
            raise UsageError(f"{self.folder} {what}; give another folder.")
        return self

    def read_token(self) -> str | None:
        try:
            stored = json.loads((self._own / "store.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return str(stored.get("token")) if isinstance(stored, dict) and stored.get("schema") == SCHEMA else None

    @property
    def status(self) -> Path:
        return self.folder / "status.csv"

    def rows(self, question: str, run: str) -> Path:
        return self.folder / question / f"run={_spelled(run)}" / "part.parquet"

    def digest(self, run: str) -> Path:
        return self.folder / "digests" / f"{_spelled(run)}.digest"

    def checksums(self, names: Iterable[str], run: str) -> dict[str, int]:
        """Return checksums of the rows of these questions, except those that cannot be read."""
        sums = {}
        for name in names:
            with suppress(OSError):
                sums[name] = zlib.crc32(self.rows(name, run).read_bytes())
        return sums

    @contextmanager
    def part(self, target: Path) -> Iterator[Path]:
        """Create a temporary file that replaces `target` at the end, or is removed on failure."""
        part = self._parts / uuid.uuid4().hex
        try:
            self._parts.mkdir(parents=True, exist_ok=True)
            create_closed(part, *self._sources)
            yield part
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)

    def finished(self, run: str, identity: str | None) -> dict[str, dict[str, Any]]:
        """Return the stored results of a run for this state of its file: key, rows and seconds of each question, or why
        there are none. Empty if there is nothing stored for it, or the state file is damaged.
        """
        try:
            stored = json.loads(self._finished(run).read_text(encoding="utf-8"))
            return dict(stored["answers"]) if str(stored["identity"]) == identity else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def finish(self, run: str, identity: str, answers: Mapping[str, Mapping[str, Any]]) -> None:
        done = {"run": run, "identity": identity, "answers": answers}
        with self.part(self._finished(run)) as part:
            part.write_text(json.dumps(done) + "\n", encoding="utf-8")

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


def _spelled(run: str) -> str:
    spelled = quote(run, safe=PLAIN)
    if spelled.startswith("."):
        spelled = f"%2E{spelled[1:]}"
    if len(spelled) > 180:  # of the 255 bytes that a name can have
        import hashlib

        spelled = f"{spelled[:140]}~{hashlib.sha256(run.encode()).hexdigest()[:16]}"
    return spelled


Answered = Mapping[str, Sequence[str]]  # the runs that answered a question, by its name
GLOB = re.compile(r"[\[*?]")  # characters that DuckDB takes for a pattern in a path


def rows_of(
    store: Store, question: str, runs: Sequence[str], memory_limit: str | None = None, most: int | None = None
) -> "polars.DataFrame":
    """Return the rows of a question, by run in the given order, then in the query's order; the first column is `run`.

    Returns all of them, or the first `most`.
    """
    with _connected(store, {question: runs}, memory_limit) as con:
        return arrow_stream.frame(arrow_stream.ask(con, f"FROM {quoted(question)} LIMIT $most", {"most": most}))


def sql_over(
    store: Store, answered: Answered, text: str, parameters: Mapping[str, Any] | None, memory_limit: str | None = None
) -> "polars.DataFrame":
    """Return the result of one SELECT over the rows of all runs, with a table per question. Raises QueryError."""
    with _connected(store, answered, memory_limit) as con:
        try:
            statements = con.extract_statements(text)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise QueryError("sql: it takes one SELECT, and nothing else.")
            return whole_sums(arrow_stream.frame(con.sql(text, params=dict(parameters or {}) or None)))
        except duckdb.Error as error:
            raise QueryError(f"sql: {str(error).strip()}") from None


@contextmanager
def _connected(store: Store, answered: Answered, memory_limit: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a DuckDB connection with a view per question, which can read only the folder of results."""
    with ExitStack() as stack:
        folder = store.folder.resolve()
        if GLOB.search(str(folder)):
            link = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nsysql-"))) / "answers"
            link.symlink_to(folder, target_is_directory=True)
            folder = link
        con = stack.enter_context(duckdb.connect(config=dict(NOTHING_FETCHED)))
        hide_progress(con)
        con.execute("SET python_enable_replacements = false")
        if memory_limit:
            con.execute(f"SET memory_limit = {literal(memory_limit)}")
        for question, runs in answered.items():
            if runs:
                _create(con, Store(folder), question, runs)
        con.execute(f"SET allowed_directories = [{literal(str(folder))}]")
        con.execute("SET enable_external_access = false")
        con.execute("SET lock_configuration = true")
        yield con


def _create(con: duckdb.DuckDBPyConnection, store: Store, question: str, runs: Sequence[str]) -> None:
    """Create a view of the question's rows with the run's name, in order."""
    import pyarrow as pa

    files = [str(store.rows(question, run)) for run in runs]
    con.register("_given", pa.table({"file": files, RUN: list(runs), "place": list(range(len(runs)))}))
    name = quoted(f"_file of {question}")
    con.execute(f"CREATE TEMP TABLE {name} AS FROM _given")
    con.unregister("_given")
    con.execute(
        f"CREATE TEMP VIEW {quoted(question)} AS "
        f"SELECT f.{RUN}, p.* EXCLUDE (_file, file_row_number) FROM read_parquet("
        f"[{', '.join(map(literal, files))}], filename = '_file', file_row_number = true, hive_partitioning = false) p "
        f"JOIN {name} f ON f.file = p._file ORDER BY f.place, p.file_row_number"
    )
