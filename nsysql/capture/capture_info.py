"""Read facts about a capture that need no query."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.capture.forms.source import pairs

if TYPE_CHECKING:
    from nsysql.capture.forms.source import Source

START = "TARGET_INFO_SESSION_START_TIME"


@dataclass(frozen=True)
class Session:
    """The start of the session in UTC and the host's name; None if not recorded."""

    utc_ns: int | None
    host: str | None


def read_session(file: "Source") -> Session:
    start = min((ns for ns in _numbers(file, START, "utcEpochNs") if ns > 0), default=None)
    return Session(start, pairs(file, "TARGET_INFO_SYSTEM_ENV").get("Hostname") or None)


def _numbers(file: "Source", table: str, column: str) -> list[int]:
    """Return the numbers in a column; none if the export lacks it."""
    if column not in file.tables.get(table, {}):
        return []
    return [number for (number,) in file.values(table, column) if isinstance(number, int)]


DRIVER = "NvDriverVersion"


@dataclass(frozen=True)
class Info:
    """Facts about a capture; None if not recorded. The environment is never kept."""

    path: Path
    size_bytes: int
    product_version: str | None
    schema_version: str | None
    duration_ns: int | None
    tables: tuple[str, ...]
    driver_version: str | None = None

    def facts(self) -> Iterator[tuple[str, str]]:
        yield "Export", str(self.path)
        yield "Size", f"{self.size_bytes:,} bytes"
        yield "nsys version", self.product_version or "not recorded"
        yield "Schema version", self.schema_version or "not recorded"
        yield "Capture length", "not recorded" if self.duration_ns is None else f"{self.duration_ns:,} ns"
        yield "Tables", str(len(self.tables))

    def document(self) -> dict[str, Any]:
        """Return the facts as JSON, for the key `export` of every page's document."""
        return {
            "file": str(self.path),
            "size_bytes": self.size_bytes,
            "nsys_version": self.product_version,
            "schema_version": self.schema_version,
            "capture_ns": self.duration_ns,
        }


def read_info(file: "Source") -> Info:
    meta = pairs(file, "META_DATA_EXPORT") or pairs(file, "EXPORT_META_DATA")
    return Info(
        path=file.path,
        size_bytes=file.size_bytes,
        product_version=meta.get("EXPORT_PRODUCT_VERSION"),
        schema_version=meta.get("EXPORT_SCHEMA_VERSION"),
        duration_ns=max(_numbers(file, "ANALYSIS_DETAILS", "duration"), default=None),
        tables=tuple(sorted(file.tables)),
        driver_version=_driver(file),
    )


def _driver(file: "Source") -> str | None:
    """Return the version of NVIDIA's driver; nothing else that this table says about the machine is kept."""
    if not {"name", "value"} <= file.tables.get("TARGET_INFO_SYSTEM_ENV", {}).keys():
        return None
    versions = [str(value) for name, value in file.values("TARGET_INFO_SYSTEM_ENV", "name", "value") if name == DRIVER]
    return next((version for version in versions if version.strip("0. ")), None)
