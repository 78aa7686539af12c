"""Mutations of an export's tables, each one function of an open database and a random number generator.

Those of HARMLESS change nothing that a command may answer with.
"""

import re
import sqlite3
from random import Random

from nsysql.catalog.packs import read_views
from nsysql.catalog.raw_schema import read_raw

EXTREMES = (
    0, -1, 1, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**53 + 1, 2**62, -(2**62), 2**63 - 2, 2**63 - 1, -(2**63),
    -(2**63) + 1, 10**18, 281474976710656,
)  # fmt: skip
TEXTS = (
    "", " ", "late", "1e400", "5", "NULL", "nan", "<b>bold</b>&amp;<script>alert(1)</script>", "[bold red]x[/]", "[/]",
    "\x1b[31mred\x1b[2J\x1b]0;title\x07", "\x00after", "a\nb\r\nc\td", "=cmd|' /C calc'!A0", "+1+1", "@SUM(1)", "-2",
    "'; DROP TABLE kernel; --", '"quoted","cells"', "`rm -rf`", "{}", "{0}", "%s%n", "$x", "$top", "\\", "😀" * 40,
    "\u202eright to left", "e\u0301" * 30, "|pipe|", "# heading", "ð" * 1000, "(", "a::b<c<d>>(e)", "\ufeffbom", "…",
)  # fmt: skip
BYTES = (b"\xff\xfe", b"k\xff", b"\xc3", b"\xed\xa0\x80", b"a\x00b", b"\xf4\x90\x80\x80")
TYPES = (
    "",
    "TEXT",
    "INTEGER",
    "REAL",
    "BLOB",
    "NUMERIC",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP",
    "DECIMAL(10,2)",
    "VARCHAR(3)",
    "UUID",
)
RECURSIVE = "WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT * FROM n"


def tables(db: sqlite3.Connection) -> list[str]:
    """The tables that there are."""
    return [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]


def columns(db: sqlite3.Connection, table: str) -> list[tuple[str, str]]:
    """The columns of a table with their types."""
    return [(row[1], row[2]) for row in db.execute(f'PRAGMA table_info("{table}")')]


def _table(db: sqlite3.Connection, rng: Random) -> str:
    return rng.choice(tables(db))


def _column(db: sqlite3.Connection, rng: Random, table: str, like: str = "") -> str:
    names = [name for name, _ in columns(db, table)]
    return rng.choice([name for name in names if re.search(like, name)] or names)


def _rows(rng: Random) -> str:
    """Which rows a change is for: all, some or one."""
    return rng.choice(["true", "rowid % 3 = 1", f"rowid = {rng.randrange(1, 12)}", "rowid <= 2"])


def _set(db: sqlite3.Connection, rng: Random, table: str, column: str, value: object) -> None:
    db.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE {_rows(rng)}', [value])


def drop_table(db: sqlite3.Connection, rng: Random) -> None:
    """A table is not there."""
    db.execute(f'DROP TABLE "{_table(db, rng)}"')


def empty_table(db: sqlite3.Connection, rng: Random) -> None:
    """A table has no rows."""
    db.execute(f'DELETE FROM "{_table(db, rng)}"')


def lose_column(db: sqlite3.Connection, rng: Random) -> None:
    """A column has another name."""
    table = _table(db, rng)
    db.execute(
        f'ALTER TABLE "{table}" RENAME COLUMN "{_column(db, rng, table)}" TO "{rng.choice(["gone", "x y", "é"])}"'
    )


def null(db: sqlite3.Connection, rng: Random) -> None:
    """Cells are NULL."""
    table = _table(db, rng)
    _set(db, rng, table, _column(db, rng, table), None)


def extreme(db: sqlite3.Connection, rng: Random) -> None:
    """Numbers are the largest, the smallest or the oddest."""
    table = _table(db, rng)
    for _ in range(rng.choice([1, 2])):
        _set(
            db,
            rng,
            table,
            _column(db, rng, table, rng.choice(["start|end|time", "", "[iI]d$|Id"])),
            rng.choice(EXTREMES),
        )


def extremes_in_turn(db: sqlite3.Connection, rng: Random) -> None:
    """The rows of a column have the smallest and the largest numbers in turn."""
    table = _table(db, rng)
    column = _column(db, rng, table, "start|end|bytes|time|value|duration")
    cells = f'CASE rowid % 3 WHEN 0 THEN ? WHEN 1 THEN ? ELSE "{column}" END'
    db.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = {cells}', rng.choices(EXTREMES, k=2))


def wrong_type(db: sqlite3.Connection, rng: Random) -> None:
    """Text, a fraction or bytes stand where a number belongs."""
    table = _table(db, rng)
    value = rng.choice([rng.choice(TEXTS), 1.5, -0.0, 1e308, float("inf"), b"", b"\0\xff", rng.choice(BYTES), True])
    _set(db, rng, table, _column(db, rng, table), value)


def backwards(db: sqlite3.Connection, rng: Random) -> None:
    """Events end before they start."""
    for table in tables(db):
        if {"start", "end"} <= {name for name, _ in columns(db, table)} and rng.random() < 0.7:
            db.execute(f'UPDATE "{table}" SET start = "end", "end" = start WHERE {_rows(rng)}')


def nowhere(db: sqlite3.Connection, rng: Random) -> None:
    """Numbers point to rows that are not there."""
    table = _table(db, rng)
    column = _column(db, rng, table, "Id$|id$|Name|Pid|Tid|module|symbol")
    _set(db, rng, table, column, rng.choice([999_999_999, -5, 2**40, 2**63 - 1]))


def texts(db: sqlite3.Connection, rng: Random) -> None:
    """Names hold what terminals, pages, sheets and shells obey."""
    for table in tables(db):
        for column, kind in columns(db, table):
            if "TEXT" in kind.upper() and rng.random() < 0.5:
                _set(db, rng, table, column, rng.choice(TEXTS))


def bad_utf8(db: sqlite3.Connection, rng: Random) -> None:
    """Names are no UTF-8."""
    table = rng.choice(
        [t for t in tables(db) if any("TEXT" in kind.upper() for _, kind in columns(db, t))] or tables(db)
    )
    for column, kind in columns(db, table):
        if "TEXT" in kind.upper():
            db.execute(
                f'UPDATE OR IGNORE "{table}" SET "{column}" = CAST(? AS TEXT) WHERE {_rows(rng)}', [rng.choice(BYTES)]
            )


def long_name(db: sqlite3.Connection, rng: Random) -> None:
    """A name has a million letters."""
    named = [t for t in ("StringIds", "NVTX_EVENTS", "PROCESSES", "DIAGNOSTIC_EVENT") if t in tables(db)]
    table = rng.choice(named or tables(db))
    column = _column(db, rng, table, "value|text|name")
    letters = rng.choice(["a", "<", "k<", "::", "\x1b", "{", "é", "a b ", "/", "[", "k<a, ", "1"])
    name = (letters * 1_000_000)[:1_000_000]
    db.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = {rng.randrange(1, 12)}', [name])


def twice(db: sqlite3.Connection, rng: Random) -> None:
    """Rows are there twice, with their numbers."""
    table = _table(db, rng)
    db.execute(f'INSERT OR IGNORE INTO "{table}" SELECT * FROM "{table}" WHERE {_rows(rng)}')


def view_instead(db: sqlite3.Connection, rng: Random) -> None:
    """A table is a view: of itself, without an end, or of something else."""
    table = _table(db, rng)
    db.execute(f'ALTER TABLE "{table}" RENAME TO kept')
    db.execute(f'CREATE VIEW "{table}" AS {rng.choice([RECURSIVE, "SELECT * FROM kept", "SELECT 1 AS start"])}')


def virtual(db: sqlite3.Connection, rng: Random) -> None:
    """A table is a virtual one."""
    table = rng.choice([*tables(db), "SYSCALL", "NVTX_EVENTS"])
    db.execute(f'DROP TABLE IF EXISTS "{table}"')
    db.execute(f'CREATE VIRTUAL TABLE "{table}" USING {rng.choice(["fts5(start, text)", "rtree(id, a, b)"])}')


def odd_table(db: sqlite3.Connection, rng: Random) -> None:
    """A table of nsys is there with columns of something else."""
    table = rng.choice(list(read_raw()))
    db.execute(f'DROP TABLE IF EXISTS "{table}"')
    body = rng.choice(["x", "start TEXT, start2", '"end" BLOB, id INTEGER PRIMARY KEY', "name TEXT, value"])
    db.execute(f'CREATE TABLE "{table}" ({body})')
    db.execute(f'INSERT INTO "{table}" DEFAULT VALUES')


def declared(db: sqlite3.Connection, rng: Random) -> None:
    """A table's columns are declared as other types; the cells are converted where SQLite does so."""
    _made_anew(db, rng, _table(db, rng), lambda _: rng.choice(TYPES))


def without_rowid(db: sqlite3.Connection, rng: Random) -> None:
    """A table has no row numbers."""
    table = _table(db, rng)
    first, *others = [f'"{name}" {kind}' for name, kind in columns(db, table)]
    db.execute(f"CREATE TABLE made ({', '.join([first.split('PRIMARY')[0] + ' PRIMARY KEY', *others])}) WITHOUT ROWID")
    db.execute(f'INSERT OR IGNORE INTO made SELECT * FROM "{table}" WHERE {first.rpartition(" ")[0]} IS NOT NULL')
    db.execute(f'DROP TABLE "{table}"')
    db.execute(f'ALTER TABLE made RENAME TO "{table}"')


def _made_anew(db: sqlite3.Connection, rng: Random, table: str, kind: object, shuffled: bool = False) -> None:
    """The table once more, with other types or another order of columns."""
    found = columns(db, table)
    if shuffled:
        rng.shuffle(found)
    names = ", ".join(f'"{name}"' for name, _ in found)
    body = ", ".join(f'"{name}" {kind(was)}' for name, was in found)  # type: ignore[operator]
    db.execute(f"CREATE TABLE made ({body})")
    db.execute(f'INSERT INTO made (rowid, {names}) SELECT rowid, {names} FROM "{table}"')
    db.execute(f'DROP TABLE "{table}"')
    db.execute(f'ALTER TABLE made RENAME TO "{table}"')


# What changes no answer -----------------------------------------------------------------------------


def shuffled(db: sqlite3.Connection, rng: Random) -> None:
    """The columns of a table stand in another order."""
    _made_anew(db, rng, _table(db, rng), lambda was: was, shuffled=True)


def untyped(db: sqlite3.Connection, rng: Random) -> None:
    """The columns of a table have no types; the cells are as they were."""
    _made_anew(db, rng, _table(db, rng), lambda _: "")


def more_tables(db: sqlite3.Connection, rng: Random) -> None:
    """Tables and views that are not of nsys, some named like those of DuckDB or nsysql."""
    for name in rng.sample(
        [*read_views(), 'x"; DROP TABLE y; --', "sqlite", "main", "file", "raw", "duckdb_tables", "é 😀", "select"], 4
    ):
        quoted = '"' + name.replace('"', '""') + '"'
        made = rng.choice([f"CREATE TABLE {quoted} (a, b TEXT)", f"CREATE VIEW {quoted} AS {RECURSIVE}"])
        db.execute(made)


def triggers(db: sqlite3.Connection, rng: Random) -> None:
    """Triggers that would delete what is read."""
    table = _table(db, rng)
    for event in ("INSERT", "UPDATE", "DELETE"):
        db.execute(f'CREATE TRIGGER "t {event}" AFTER {event} ON "{table}" BEGIN DELETE FROM "{table}"; END')


def indexed(db: sqlite3.Connection, rng: Random) -> None:
    """Indexes, and SQLite's statistics."""
    table = _table(db, rng)
    db.execute(f'CREATE INDEX i ON "{table}" ("{_column(db, rng, table)}")')
    db.execute("ANALYZE")


def pages(db: sqlite3.Connection, rng: Random) -> None:
    """Pages of another size, with free ones among them."""
    db.execute("CREATE TABLE filler AS SELECT randomblob(20000)")
    db.execute("DROP TABLE filler")
    db.commit()
    db.execute(f"PRAGMA page_size = {rng.choice([512, 1024, 8192, 65536])}")
    db.execute("PRAGMA auto_vacuum = " + rng.choice(["none", "full", "incremental"]))
    db.execute("VACUUM")


def in_wal_mode(db: sqlite3.Connection, rng: Random) -> None:
    """The header says that there is a write-ahead log."""
    db.commit()
    db.execute("PRAGMA journal_mode = WAL")


HARMLESS = (shuffled, untyped, more_tables, triggers, indexed, pages, in_wal_mode)
CHANGES = (
    drop_table, empty_table, lose_column, null, extreme, extreme, extremes_in_turn, wrong_type, wrong_type, backwards,
    nowhere, texts, texts, bad_utf8, long_name, twice, view_instead, virtual, odd_table, declared, without_rowid,
)  # fmt: skip
