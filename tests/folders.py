"""Exports as folders of Parquet or Arrow, in the types of `nsys export`, made from a .sqlite."""

import sqlite3
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

TYPES = {"INTEGER": pa.int64(), "TEXT": pa.string(), "REAL": pa.float64()}
FLAGS = ("isSchedIn", "unresolved", "isDiscrete")


def create_folder(export: Path, folder: Path, form: str) -> Path:
    """Write every table of a .sqlite export to a folder, as `form` ('parquet' or 'arrow')."""
    folder.mkdir()
    db = sqlite3.connect(f"file:{export}?mode=ro", uri=True)
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        table = _table(db, name)
        if form == "parquet":
            pyarrow.parquet.write_table(table, folder / f"{name}.parquet")
        else:
            with pyarrow.ipc.new_stream(folder / f"{name}.arrow", table.schema) as file:
                file.write_table(table, max_chunksize=7)
    db.close()
    return folder


def _table(db: sqlite3.Connection, name: str) -> pa.Table:
    declared = {row[1]: row[2] for row in db.execute(f"PRAGMA table_info({name})")}
    rows = db.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall()
    columns = {}
    for index, (column, kind) in enumerate(declared.items()):
        cells = [row[index] for row in rows]
        if column in FLAGS:
            columns[column] = pa.array([None if cell is None else bool(cell) for cell in cells], pa.bool_())
        elif column.endswith(("Id", "Tid", "Pid")):
            columns[column] = pa.array([None if cell is None else cell % 2**64 for cell in cells], pa.uint64())
        else:
            is_bytes = any(isinstance(cell, bytes) for cell in cells)
            columns[column] = pa.array(cells, pa.binary() if is_bytes else TYPES[kind])
    return pa.table(columns)
