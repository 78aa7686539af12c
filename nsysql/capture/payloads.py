"""Payloads of NVTX ranges: bytes that NCCL, or whoever else, left with a range, and the schemas that explain them.

Only SQLite exports of `nsys export --include-blobs=true` have them. A column that is declared as text holds the
bytes, so SQLite itself spells them as hexadecimal numbers.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nsysql.capture.forms.source import Source

EVENTS, SCHEMAS = "NVTX_EVENTS", "NVTX_PAYLOAD_SCHEMA_ENTRIES"
NEEDED = {EVENTS: {"globalTid", "binaryData"}, SCHEMAS: {"schemaId", "name", "type", "offset", "idx"}}


@dataclass(frozen=True)
class Payloads:
    """`rows`: row of the range, pid, bytes as a hexadecimal number. `fields`: schema, name, NVIDIA's type, offset."""

    rows: list[tuple[int, int, str]]
    fields: list[tuple[int, str, int, int]]


def read_payloads(file: "Source") -> Payloads:
    """The payloads of an open export; nothing where it has none."""
    from nsysql.capture.forms.sqlite import SqliteFile

    has_all = all(columns <= file.tables.get(table, {}).keys() for table, columns in NEEDED.items())
    if not has_all or not isinstance(file, SqliteFile):
        return Payloads([], [])
    fields = file.rows(
        f"SELECT DISTINCT schemaId, name, type, coalesce(offset, 0) FROM {SCHEMAS} "
        "WHERE name IS NOT NULL AND (offset IS NOT NULL OR idx = 0) AND typeof(type) = 'integer'"
    )
    if not fields:
        return Payloads([], [])
    rows = file.rows(
        f"SELECT rowid, (globalTid >> 24) & 16777215, hex(binaryData) FROM {EVENTS} "
        "WHERE typeof(binaryData) = 'blob' AND globalTid IS NOT NULL"
    )
    return Payloads(rows, fields)
