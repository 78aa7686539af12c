"""When and where a capture was taken."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nsysql.capture.forms.source import pairs

if TYPE_CHECKING:
    from nsysql.capture.forms.source import Source

START = "TARGET_INFO_SESSION_START_TIME"


@dataclass(frozen=True)
class Session:
    """The start in UTC and the host's name; None if not recorded."""

    utc_ns: int | None
    host: str | None


def read_session(file: "Source") -> Session:
    """The session of an open export."""
    return Session(_start(file), pairs(file, "TARGET_INFO_SYSTEM_ENV").get("Hostname") or None)


def _start(file: "Source") -> int | None:
    if "utcEpochNs" not in file.tables.get(START, {}):
        return None
    found = [ns for (ns,) in file.values(START, "utcEpochNs") if isinstance(ns, int) and ns > 0]
    return min(found, default=None)
