"""Run one worker's task on one file: open it, run the questions, write complete results, and return the outcome."""

import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.capture.files import identity
from nsysql.errors import MissingData, NotAnExport, NsysqlError
from nsysql.fleet.question import Question, code
from nsysql.fleet.store import Store
from nsysql.words.sql_text import REPORTS

if TYPE_CHECKING:
    import polars

    from nsysql.analysis.digest import Digest
    from nsysql.capture.export import Export

ANSWERED, PARTLY, FAILED = "answered", "partly", "failed"
OVERVIEW, ACCOUNTS, BUSY = "runs_overview", "runs_accounts", "runs_busy"  # the page's tables from an export


@dataclass(frozen=True)
class Task:
    """One file and the questions to run on it; plain data that can be sent to another machine."""

    run: str
    path: str
    identity: str
    questions: tuple[Question, ...]
    folder: str
    token: str | None
    command: str
    code: str
    packs: tuple[str, ...] = ()
    threads: int | None = None
    memory_limit: str | None = None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a task: status, seconds, the reason if something is missing, and a record per question."""

    run: str
    status: str
    seconds: float
    reason: str | None
    answers: dict[str, dict[str, Any]]
    stop: str | None = None  # why no other file can be processed either


class Unwritable(Exception):
    """The folder of results cannot be written."""


def answer(task: Task) -> Outcome:
    """Run the questions on one file; never raises: a failure is part of the outcome."""
    began = time.monotonic()
    try:
        reason = _why_impossible(task)
        answers = {} if reason else _answers(task)
    except Unwritable as error:
        return Outcome(task.run, FAILED, time.monotonic() - began, str(error), {}, stop=str(error))
    except Exception as error:
        reason, answers = _sentence(error, Path(task.path)), {}
    return outcome_of(task.run, [q.name for q in task.questions], answers, reason, time.monotonic() - began)


def outcome_of(
    run: str, names: list[str], answers: dict[str, dict[str, Any]], reason: str | None, seconds: float
) -> Outcome:
    """Return the outcome of a file: answered if every question is, else with the reasons."""
    failed = {name: answers[name]["reason"] for name in names if answers.get(name, {}).get("reason")}
    has_none = reason is not None or len(failed) == len(names)
    status = FAILED if has_none else PARTLY if failed else ANSWERED
    if reason is None and failed:
        several = len(names) > 1 and len(set(failed.values())) > 1
        reasons = [f"{name}: {why}" if several else why for name, why in failed.items()]
        reason = " ".join(dict.fromkeys(reasons))
    return Outcome(run, status, seconds, reason, answers)


def failed(task: Task, reason: str) -> Outcome:
    return Outcome(task.run, FAILED, 0.0, reason, {})


def died(times: int) -> str:
    """Say why a task fails whose workers died, this many times."""
    return (
        f"the worker that read it died, {times} times: it needs more memory than a worker has, or workers are ended "
        "from outside; use fewer workers (--workers)."
    )


def _why_impossible(task: Task) -> str | None:
    """Say why this worker cannot do the task at all; None if it can."""
    host = socket.gethostname()
    if task.code != code():
        return f"the worker on {host} has another version of nsysql; install the same one there."
    path = Path(task.path)
    if not path.exists():
        return f"the worker on {host} does not see {path}; put it where all workers see it, under the same path."
    if identity(path) != task.identity:
        return f"{path} is another file on the worker on {host}, or was changed meanwhile; run the command again."
    if Store(Path(task.folder)).read_token() != task.token:
        return f"the worker on {host} does not see the folder {task.folder}; give --output FOLDER that all workers see."
    return None


def _answers(task: Task) -> dict[str, dict[str, Any]]:
    """Return a record for each question: its number of rows, or why it failed."""
    from nsysql.analysis.digest_file import is_digest, read
    from nsysql.capture.export import Export

    path = Path(task.path)
    store = Store(Path(task.folder), task.token, task.command, (path,))
    known, records = store.finished(task.run, task.identity), dict[str, dict[str, Any]]()
    try:
        limits = task.packs, task.threads, task.memory_limit
        with nullcontext(read(path)) if is_digest(path) else Export(path, *limits) as export:
            for question in task.questions:
                records[question.name] = _record_of(export, question, store, task.run, path)
    except NotAnExport as error:
        lasts = path.suffix not in REPORTS  # a report may be exported by another nsys later
        records = {q.name: _record(q, reason=_sentence(error, path), lasts=lasts) for q in task.questions}
    with _writing(store):
        store.finish(task.run, task.identity, {**known, **records})
    return records


def _record_of(export: "Export | Digest", question: Question, store: Store, run: str, path: Path) -> dict[str, Any]:
    """Return the record of one question: its rows, or why there are none."""
    began = time.monotonic()
    try:
        record = _record(question, rows=_answered(export, question, store, run), began=began)
        return {**record, "checksums": store.checksums(tables_of(question), run)}
    except (Unwritable, NotAnExport):
        raise
    except Exception as error:
        return _record(question, reason=_sentence(error, path), lasts=isinstance(error, MissingData), began=began)


def tables_of(question: Question) -> tuple[str, ...]:
    return (question.name,) if question.is_query else (OVERVIEW, ACCOUNTS, BUSY)


def _record(
    question: Question, rows: int = 0, reason: str | None = None, lasts: bool = True, began: float | None = None
) -> dict[str, Any]:
    """Make the record of a result; one that does not last is computed again next time."""
    seconds = 0.0 if began is None else round(time.monotonic() - began, 3)
    return {"key": question.key, "rows": rows, "reason": reason, "lasts": lasts, "seconds": seconds}


@contextmanager
def _writing(store: Store) -> Iterator[None]:
    """Raise Unwritable if the folder of results cannot be written."""
    try:
        yield
    except OSError as error:
        host = socket.gethostname()
        raise Unwritable(f"{store.folder} cannot be written on {host}: {error.strerror or error}.") from None


def _answered(export: "Export | Digest", question: Question, store: Store, run: str) -> int:
    from nsysql.analysis.digest import Digest
    from nsysql.digest.gather import digest

    if not question.is_query:
        return _page(export if isinstance(export, Digest) else digest(export), store, run)
    if isinstance(export, Digest):
        raise MissingData("a digest has the page about many runs only: give the export.")
    frame = export.query(question.name, **dict(question.parameters))
    _write(frame, store, question.name, run)
    return frame.height


def _page(digest: "Digest", store: Store, run: str) -> int:
    """Write the page's tables and the digest of one export; returns the number of rows of the overview."""
    from nsysql.analysis.digest_file import text_of
    from nsysql.analysis.many_runs import accounts, overview

    _write(accounts(digest), store, ACCOUNTS, run)
    _write(digest.busy, store, BUSY, run)
    with _writing(store), store.part(store.digest(run)) as part:
        part.write_bytes(text_of(digest))
    rows = overview(digest)
    _write(rows, store, OVERVIEW, run)
    return rows.height


def _write(frame: "polars.DataFrame", store: Store, name: str, run: str) -> None:
    from nsysql.render.table import write_parquet

    with _writing(store), store.part(store.rows(name, run)) as part, part.open("wb") as file:
        write_parquet(frame, file)


def _sentence(error: Exception, path: Path) -> str:
    """Write the reason as a sentence, without the file, which is shown next to it."""
    if isinstance(error, MemoryError) or "Out of Memory Error" in str(error):
        return "the answer needs more memory than a worker has: give more with --memory-limit, or use fewer --workers."
    if isinstance(error, NsysqlError):
        return " ".join(str(error).replace(str(path), path.name).split())
    if isinstance(error, sqlite3.DatabaseError):
        return f"it cannot be read: {error}; copy it again, or export the report again."
    if isinstance(error, OSError):
        return f"it cannot be read: {error.strerror or error}."
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
