"""Write the redacted export table by table into an empty file, so that no byte of the original remains.

SQLite itself copies columns without text; each text passes through the scrubber. Row ids are kept, since they are the
order in which nsys wrote the rows. Views, triggers and indexes are not NVIDIA's and are left out.
"""

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nsysql.capture.forms.sqlite import damaged
from nsysql.errors import NsysqlError
from nsysql.privacy import rules
from nsysql.privacy.rules import FUNCTIONS, LABELS, MESSAGES, OUTPUT, PATH, PLACES
from nsysql.privacy.scrubber import PrivateWords, Scrubber
from nsysql.words.sql_text import literal, quoted

if TYPE_CHECKING:
    from nsysql.capture.forms.sqlite import SqliteFile

Counts = Counter[tuple[str, str]]  # cells with replacements, by place and kind

STRINGS = "StringIds"
ORDER = (FUNCTIONS, LABELS, MESSAGES, PATH, OUTPUT)  # a text used as several kinds counts as the first of them
NAMED = frozenset(place.table for place in PLACES if place.name)  # tables of names and values
CODECS = {
    "UTF-8": ("utf-8", "surrogateescape"),
    "UTF-16le": ("utf-16-le", "surrogatepass"),
    "UTF-16be": ("utf-16-be", "surrogatepass"),
}
OUR_FAULT = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")
STEPS = 100_000  # instructions of SQLite's virtual machine between two checks for Ctrl-C
SETTINGS = ("journal_mode = OFF", "synchronous = OFF", "temp_store = MEMORY", "ignore_check_constraints = ON")


def write_redacted(file: "SqliteFile", target: Path) -> Counts:
    """Write the export without private data to `target`, an empty file; returns counts of what was replaced.

    Raises NotAnExport if the export is damaged, NsysqlError if `target` cannot be written.
    """
    with closing(sqlite3.connect(f"file:{quote(str(target))}", uri=True, isolation_level=None)) as db:
        db.set_progress_handler(lambda: 0, STEPS)  # Ctrl-C raises in the handler, which interrupts SQLite
        try:
            return _Copy(db, file).write()
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorname", "")
            if code == "SQLITE_INTERRUPT":
                raise KeyboardInterrupt from None
            if code.startswith(OUR_FAULT):
                raise NsysqlError(f"{target.parent}: {error}; nothing was written.") from None
            raise damaged(file.path, error) from None


class _Copy:
    def __init__(self, db: sqlite3.Connection, file: "SqliteFile") -> None:
        self._db = db
        self._tables = {name: columns for name, columns in file.tables.items() if not name.startswith("sqlite_")}
        encoding = file.rows("PRAGMA encoding")[0][0]
        self._codec = CODECS[encoding]
        db.execute(f"PRAGMA encoding = '{encoding}'")
        for setting in SETTINGS:
            db.execute(f"PRAGMA {setting}")
        db.execute("ATTACH ? AS source", [f"file:{quote(str(file.readable.resolve()))}?mode=ro&immutable=1"])
        db.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        self._ddl = dict(db.execute("SELECT name, sql FROM source.sqlite_master WHERE type = 'table'").fetchall())
        self._uses = self._string_uses()
        self._scrubber = Scrubber(self._words())
        self._replaced: Counts = Counter()
        self._cleaned = lru_cache(maxsize=2**16)(self._column_cell)
        self._raised: BaseException | None = None
        db.create_function("scrub", 3, self._keeping(self._scrub), deterministic=True)
        db.create_function("scrub_string", 2, self._keeping(self._scrub_string), deterministic=True)

    def write(self) -> Counts:
        try:
            self._db.execute("BEGIN")
            for table in self._tables:
                self._write(table)
            self._db.execute("COMMIT")
        except sqlite3.Error:
            if self._raised is not None:
                raise self._raised from None
            raise
        return self._replaced

    def _keeping(self, function: Callable[..., bytes]) -> Callable[..., bytes]:
        """The function, whose exception is kept: SQLite only says that there was one, also of Ctrl-C."""

        def call(*values: Any) -> bytes:
            try:
                return function(*values)
            except BaseException as error:
                self._raised = error
                raise

        return call

    # Private words -------------------------------------------------------------------------

    def _words(self) -> PrivateWords:
        words = PrivateWords()
        for table in dict.fromkeys(place.table for place in PLACES):
            columns = {place.column for place in PLACES if place.table == table} & self._tables.get(table, {}).keys()
            named = quoted("name") if "name" in self._tables.get(table, {}) else "NULL"
            for column in sorted(columns):
                for name, text in self._texts(f"SELECT {named}, {quoted(column)} FROM source.{quoted(table)}"):
                    words.learn(rules.kind_of(table, column, name), text)
        if {"id", "value"} <= self._tables.get(STRINGS, {}).keys():
            for number, text in self._texts(f"SELECT id, value FROM source.{STRINGS}"):
                kind = self._uses.get(number)
                words.learn(PATH if kind == PATH else rules.ENVIRONMENT if kind is None else None, text)
        return words

    def _texts(self, select: str) -> list[tuple[Any, str]]:
        return [(name, text) for name, text in self._db.execute(select) if isinstance(text, str)]

    def _string_uses(self) -> dict[int, str]:
        """Return what the columns that refer to a text of StringIds use it for, by id."""
        numbers: dict[str, set[int]] = defaultdict(set)
        for table, columns in self._tables.items():
            for column in columns:
                use = rules.reference(table, column, self._ddl[table] or "")
                if use and table != STRINGS:
                    rows = self._db.execute(f"SELECT DISTINCT {quoted(column)} FROM source.{quoted(table)}")
                    numbers[use].update(number for (number,) in rows if isinstance(number, int))
        return {number: use for use in reversed(ORDER) for number in numbers[use]}

    # Writing -------------------------------------------------------------------------------------

    def _write(self, table: str) -> None:
        columns = self._tables[table]
        self._db.execute(self._definition(table))
        cells = [self._cell(table, column) for column in columns]
        names = [quoted(column) for column in columns]
        row = next((name for name in ("rowid", "_rowid_", "oid") if name not in map(str.lower, columns)), None)
        if row and not re.search(r"\bWITHOUT\s+ROWID\b", self._ddl[table] or "", re.IGNORECASE):
            names, cells = [row, *names], [row, *cells]
        into = f"main.{quoted(table)} ({', '.join(names)})"
        self._db.execute(f"INSERT INTO {into} SELECT {', '.join(cells)} FROM source.{quoted(table)}")

    def _definition(self, table: str) -> str:
        """Return the table's own CREATE TABLE, unless it has an unusual form or contains something private."""
        ddl = self._ddl[table]
        if re.match(r'CREATE TABLE\s+("[^"]+"|\w+)\s*\(', ddl) and self._scrubber.scrub(MESSAGES, ddl)[0] == ddl:
            return str(ddl)
        columns = ", ".join(f"{quoted(name)} {declared}" for name, declared in self._tables[table].items())
        return f"CREATE TABLE {quoted(table)} ({columns})"

    def _cell(self, table: str, column: str) -> str:
        """Return the SQL of a column, with texts and blobs passed through the scrubber."""
        name = quoted(column)
        if (table, column) == (STRINGS, "value") and "id" in self._tables[table]:
            clean = f"scrub_string(CASE typeof(id) WHEN 'integer' THEN id END, CAST({name} AS BLOB))"
        else:
            key = "CAST(name AS BLOB)" if table in NAMED and "name" in self._tables[table] else "NULL"
            clean = f"scrub({literal(f'{table}.{column}')}, {key}, CAST({name} AS BLOB))"
        # Only texts and blobs compare greater than or equal to an empty text.
        return (
            f"CASE WHEN {name} >= '' COLLATE BINARY THEN CASE typeof({name}) WHEN 'text' THEN CAST({clean} AS TEXT)"
            f" ELSE {clean} END ELSE {name} END"
        )

    def _scrub(self, column: str, name: bytes | None, raw: bytes) -> bytes:
        clean, place, kinds = self._cleaned(column, name, raw)
        for kind in kinds:
            self._replaced[place, kind] += 1
        return clean

    def _scrub_string(self, number: int | None, raw: bytes) -> bytes:
        use = self._uses.get(number, rules.UNUSED) if number is not None else rules.UNUSED
        clean, kinds = self._clean(use, raw)
        for kind in kinds:
            self._replaced[STRINGS, kind] += 1
        return clean

    def _column_cell(self, column: str, name: bytes | None, raw: bytes) -> tuple[bytes, str, tuple[str, ...]]:
        """Return a cell's bytes without private data, the name of its place, and the kinds of what was replaced."""
        place, kind = _place(column, None if name is None else name.decode(*self._codec))
        clean, kinds = self._clean(kind, raw)
        return clean, place, kinds

    def _clean(self, kind: str, raw: bytes) -> tuple[bytes, tuple[str, ...]]:
        text, kinds = self._scrubber.scrub(kind, raw.decode(*self._codec))
        return (text.encode(*self._codec) if kinds else raw), kinds


@cache
def _place(column: str, name: str | None) -> tuple[str, str]:
    """Return the name of a cell's place, and the kind of its text."""
    table, _, own = column.partition(".")
    kind = rules.kind_of(table, own, name)
    if kind is None or table not in NAMED:
        return column, kind or rules.shown_as(table, own)
    return f"{table} {re.sub(r'[0-9]+', 'N', name or '')}", kind
