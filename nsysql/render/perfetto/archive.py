"""Several traces as one archive for Perfetto: a file for each export, and a manifest that puts them on one clock.

The manifest is Perfetto's (version 1, since v58): each file is a machine of its own, and its clock is that of a
reference file and an offset. Perfetto drops events before 0, so the reference is the file with the smallest offset.
"""

import json
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import IO

MANIFEST = "perfetto_manifest.json"
CLOCK = "BOOTTIME"  # default clock of a trace
LEVEL = 3  # of compression; higher ones take long and gain little
WHEN = (1980, 1, 1, 0, 0, 0)  # the same archive of the same exports


@dataclass(frozen=True)
class Part:
    """One export: what its file and machine are called, what is added to its times, and how uncertain that is.

    `write` gives a temporary file with its trace, the number of events, and what was added to their times.
    """

    path: str
    machine: str
    offset_ns: int
    uncertainty_ns: int | None
    write: Callable[[], tuple[IO[bytes], int, int]]


def write(parts: Sequence[Part], file: IO[bytes], as_tar: bool) -> int:
    """Write the archive and return its number of events. One trace after the other is written."""
    events, offsets = 0, {}
    archived: tarfile.TarFile | zipfile.ZipFile = (
        tarfile.TarFile(fileobj=file, mode="w")
        if as_tar
        else zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)
    )
    with archived as archive:
        for part in parts:
            trace, count, moved = part.write()
            events += count
            offsets[part.path] = part.offset_ns - moved
            with trace:
                _add(archive, part.path, trace)
        text = json.dumps(manifest(parts, offsets), indent=1)
        _add(archive, MANIFEST, BytesIO(text.encode()))
    return events


def manifest(parts: Sequence[Part], offsets: dict[str, int]) -> dict[str, object]:
    """Perfetto's manifest; `offsets` are added to the times in each file to put them on one clock."""
    reference = min(offsets, key=lambda path: offsets[path])
    files: list[dict[str, object]] = []
    for part in parts:
        entry: dict[str, object] = {"path": part.path, "machine": {"name": part.machine}}
        if part.path != reference:
            to = {"file": reference, "clock": CLOCK}
            offset = offsets[part.path] - offsets[reference]
            entry["clocks"] = {"clock": CLOCK, "sync_to": to, "offset_ns": offset}
        files.append(entry)
    sure = {
        f"nsysql.uncertainty_ns.{part.path}": "not known" if part.uncertainty_ns is None else part.uncertainty_ns
        for part in parts
    }
    time = {"clock": CLOCK, "file": reference}
    return {"perfetto_manifest": {"version": 1, "trace_time": time, "files": files, "attributes": sure}}


def _add(archive: tarfile.TarFile | zipfile.ZipFile, path: str, content: IO[bytes]) -> None:
    """Add a file from its beginning."""
    size = content.seek(0, 2)
    content.seek(0)
    if isinstance(archive, tarfile.TarFile):
        entry = tarfile.TarInfo(path)
        entry.size = size
        archive.addfile(entry, content)
        return
    info = zipfile.ZipInfo(path, WHEN)
    info.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(info, "w", force_zip64=size > 2**31) as member:
        while block := content.read(2**20):
            member.write(block)
