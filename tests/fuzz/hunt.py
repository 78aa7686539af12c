"""The hunt: workers that make mutants and run commands on them, watched by one process that blames a mutant.

A mutant is a number: with the seed it says which export is changed, how, and what is asked of it.
"""

import hashlib
import multiprocessing
import os
import shutil
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

from exports import corpus_folder, create_export, story_names, story_sql

from fuzz import outcomes
from fuzz.damage import DAMAGES
from fuzz.mutations import CHANGES, HARMLESS

Judge = Callable[[Path, int, int], str | None]

ENDED = ("hangs for", "the process died")  # what is wrong where the worker is no more
LIMIT = 60  # seconds that a mutant may take, on a busy machine
SMALL = 300_000  # bytes of a public export that is small enough


@dataclass(frozen=True)
class Mutant:
    """A changed export, and how it came to be."""

    path: Path
    base: str
    changes: list[str] = field(default_factory=list)
    harmless: bool = False


@cache
def bases(folder: Path) -> dict[str, bytes]:
    """The exports that are changed: all stories, and the small public ones where they are."""
    found = {name: create_export(story_sql(name), folder / f"{name}.sqlite").read_bytes() for name in story_names()}
    public = sorted(corpus_folder().glob("*.sqlite")) if corpus_folder().is_dir() else []
    return found | {path.stem: path.read_bytes() for path in public if path.stat().st_size < SMALL}


def mutant(folder: Path, rng: Random) -> Mutant:
    """Make a mutant, `folder`/m/export.sqlite."""
    found = bases(folder)
    stories = story_names()
    base = rng.choice(
        stories if rng.random() < 0.85 or len(found) == len(stories) else sorted(found.keys() - set(stories))
    )
    place = folder / "m"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    path = place / "export.sqlite"
    path.write_bytes(found[base])
    kind = rng.random()
    if kind < 0.25:
        damages = rng.choices(DAMAGES, k=rng.choice([1, 1, 2]))
        raw = bytearray(found[base])
        for damage in damages:
            if len(raw) > 200:
                damage(raw, rng)
        path.write_bytes(raw)
        return Mutant(path, base, [damage.__name__ for damage in damages])
    pool = HARMLESS if kind < 0.35 else CHANGES
    chosen: list[Callable[..., None]] = rng.choices(pool, k=rng.choice([1, 1, 2, 4]))
    return Mutant(path, base, list(_changed(path, chosen, rng)), pool is HARMLESS)


def _changed(path: Path, changes: list[Callable[..., None]], rng: Random) -> Iterator[str]:
    """Change the tables; a change that cannot be made after the others is left out."""
    for change in changes:
        db = sqlite3.connect(path)
        try:
            db.execute("PRAGMA synchronous = OFF")
            with db:
                change(db, rng)
            yield change.__name__
        except (sqlite3.Error, IndexError, ValueError, UnicodeError):
            pass
        finally:
            db.close()


def judged(folder: Path, seed: int, number: int, say: Callable[[str], None] = lambda _: None) -> str | None:
    """What is wrong with what commands make of a mutant, if anything is."""
    rng = Random(f"{seed}:{number}")
    made = mutant(folder, rng)
    say(f"{made.base}: {', '.join(made.changes) or 'as it was'}")
    before = _state(made.path.parent)
    for _ in range(rng.choices([1, 2], [9, 1])[0]):
        line = outcomes.command(rng)
        arguments = [
            part.format(e=made.path, o=folder / "out.sqlite") if part in ("{e}", "{o}") else part for part in line
        ]
        (folder / "out.sqlite").unlink(missing_ok=True)
        about = f"{made.base} after {', '.join(made.changes)}: nsysql {' '.join(line)}"
        say(about)
        try:
            outcome = outcomes.run(arguments)
        except BaseException:
            return f"{about}\n{traceback.format_exc()}"
        say(f"exit code {outcome.code}\n{outcome.out[:2000]}{outcome.err[:2000]}")
        wrong = outcomes.fault(arguments, outcome) or _elsewhere(folder, made, before, line, outcome)
        if wrong:
            return f"{about}\n{wrong}"
    return None


def _elsewhere(
    folder: Path, made: Mutant, before: dict[str, str], line: list[str], outcome: outcomes.Outcome
) -> str | None:
    """What is wrong with the files, or with an answer that should be as it was."""
    if _state(made.path.parent) != before:
        return "the export, or what lies beside it, was changed"
    if line[0] == "redact" and outcome.code == 0 and not outcomes.readable(folder / "out.sqlite"):
        return "the redacted export is no whole database"
    if (
        made.harmless
        and line[0] not in ("summary", "doctor", "redact")
        and not (line[0] == "sql" and "raw." in line[-1])
    ):
        whole = _plain(folder, made, tuple(line))
        if (whole.code, whole.out) != (outcome.code, outcome.out):
            return f"the answer differs from that before:\n{outcome.out[:500]}{outcome.err[:500]}\n{whole.out[:500]}"
    return None


@cache
def _answers(folder: Path) -> dict[tuple[str, tuple[str, ...]], outcomes.Outcome]:
    return {}


def _plain(folder: Path, made: Mutant, line: tuple[str, ...]) -> outcomes.Outcome:
    """What a command says of the export as it was, asked under the same name."""
    known = _answers(folder)
    if (made.base, line) not in known:
        path = folder / "whole" / "export.sqlite"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bases(folder)[made.base])
        known[made.base, line] = outcomes.run([str(path) if part == "{e}" else part for part in line])
    return known[made.base, line]


def _state(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


# Workers --------------------------------------------------------------------------------------------


def work(folder: str, seed: int, pipe: Connection, judge: Judge) -> None:
    """Say that all is ready, then judge the mutants whose numbers come through the pipe."""
    from nsysql.capture import connection

    connection.CONNECTION_OPTIONS["threads"] = 1
    os.environ.pop("NSYSQL_PACKS", None)
    with suppress(EOFError):
        pipe.send(None)
        while True:
            pipe.send(judge(Path(folder), seed, pipe.recv()))


class Worker:
    """A worker process, and the mutant that it has in hand."""

    def __init__(self, seed: int, judge: Judge) -> None:
        context = multiprocessing.get_context("spawn")
        self.folder = tempfile.TemporaryDirectory()  # not the process's own, which may be killed
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(self.folder.name, seed, other, judge), daemon=True)
        self.process.start()
        other.close()
        self.number: int | None = None
        self.since = time.monotonic()

    def give(self, number: int) -> None:
        """Send a mutant's number."""
        self.number, self.since = number, time.monotonic()
        self.pipe.send(number)

    def wrong(self, limit: float) -> str | None:
        """What is wrong with the mutant in hand, if anything is; it dies of a crash and of hanging."""
        try:
            if self.pipe.poll():
                return self.pipe.recv()  # type: ignore[no-any-return]
            self.process.kill()
            return f"hangs for over {limit} s"
        except (EOFError, OSError):
            self.process.join(5)
            return f"the process died with exit code {self.process.exitcode}"

    def end(self) -> None:
        """Let go of it, by force."""
        self.process.kill()
        self.process.join()
        self.pipe.close()
        self.folder.cleanup()


def hunt(
    numbers: Iterator[int],
    seed: int,
    workers: int = 2,
    limit: float = LIMIT,
    faults: int = 10,
    until: float = float("inf"),
    judge: Judge = judged,
) -> Iterator[tuple[int, str | None]]:
    """Each mutant's number with what is wrong, as they come; ends after so many faults, or at a time."""
    running = [Worker(seed, judge) for _ in range(workers)]
    try:
        while running:
            ready = wait([worker.pipe for worker in running], timeout=0.5)
            late = time.monotonic() - limit
            for worker in [w for w in running if w.pipe in ready or (w.number is not None and w.since < late)]:
                wrong = worker.wrong(limit)
                if worker.number is not None:
                    yield worker.number, wrong
                    faults -= wrong is not None
                elif wrong:
                    raise RuntimeError(f"no worker comes to work: {wrong}")
                if wrong and wrong.startswith(ENDED):
                    worker.end()
                    running[running.index(worker)] = Worker(seed, judge)  # which takes a mutant when it is ready
                    continue
                following = next(numbers, None) if faults > 0 and time.monotonic() < until else None
                if following is None:
                    worker.end()
                    running.remove(worker)
                else:
                    worker.give(following)
    finally:
        for worker in running:
            worker.end()
