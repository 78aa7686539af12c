"""What was captured: facts about an export that need no query."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nsysql.inputs.sqlite import SqliteFile


@dataclass(frozen=True)
class Info:
    """A capture in facts; None where the export does not say. Nothing of the environment is kept."""

    path: Path
    size_bytes: int
    product_version: str | None
    schema_version: str | None
    duration_ns: int | None
    tables: tuple[str, ...]

    def facts(self) -> Iterator[tuple[str, str]]:
        """The same as pairs of label and text, for printing."""
        yield "Export", str(self.path)
        yield "Size", f"{self.size_bytes:,} bytes"
        yield "nsys version", self.product_version or "not recorded"
        yield "Schema version", self.schema_version or "not recorded"
        yield "Capture length", "not recorded" if self.duration_ns is None else f"{self.duration_ns:,} ns"
        yield "Tables", str(len(self.tables))


def read_info(file: "SqliteFile") -> Info:
    """The facts of an open export."""
    meta = file.pairs("META_DATA_EXPORT") or file.pairs("EXPORT_META_DATA")
    return Info(
        path=file.path,
        size_bytes=file.path.stat().st_size,
        product_version=meta.get("EXPORT_PRODUCT_VERSION"),
        schema_version=meta.get("EXPORT_SCHEMA_VERSION"),
        duration_ns=_duration(file),
        tables=tuple(sorted(file.tables)),
    )


def _duration(file: "SqliteFile") -> int | None:
    if "duration" not in file.tables.get("ANALYSIS_DETAILS", {}):
        return None
    found = file.rows("SELECT max(duration) FROM ANALYSIS_DETAILS")[0][0]
    return found if isinstance(found, int) else None
