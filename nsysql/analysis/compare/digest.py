"""Digests: one capture as a small JSON file, for later comparisons."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nsysql.analysis.compare.capture import Account, Capture, Device, Facts, GpuTime, Total, Unit
from nsysql.errors import NotAnExport

KIND, VERSION = "nsysql.digest", 1
TOTALS = ("calls", "launches", "ranges")  # older digests have no ranges


def is_digest(path: Path) -> bool:
    """Whether the file begins like JSON, complete or not."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(64).lstrip().startswith(b"{")


def text_of(capture: Capture) -> bytes:
    """The digest of a capture as JSON text."""
    data = {"schema": f"{KIND}/{VERSION}", **_as_data(capture)}
    return (json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n").encode()


def read(path: Path) -> Capture:
    """The capture of a digest. Raises NotAnExport if it is truncated, of a newer version, or no digest."""
    try:
        data: Any = json.loads(path.read_bytes())
    except ValueError:
        raise NotAnExport(
            f"{path} begins as a digest and cannot be read to its end: it is cut off or damaged; make it again with "
            "`nsysql digest`."
        ) from None
    kind, _, version = str(data.get("schema") if isinstance(data, dict) else "").partition("/")
    if kind != KIND or not version.isdecimal():
        raise NotAnExport(f"{path} is JSON, but not a digest; `nsysql digest run.sqlite -o {path.name}` makes one.")
    if int(version) > VERSION:
        raise NotAnExport(
            f"{path} is a digest of version {version}, and this nsysql reads up to {VERSION}: update nsysql, or make "
            "the digest again with this one."
        )
    try:
        return _capture_of(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise NotAnExport(f"{path} is an incomplete digest: something is missing in it; make it again.") from None


def _capture_of(data: dict[str, Any]) -> Capture:
    """The capture from the data of `_as_data`. Raises KeyError, TypeError or ValueError for other data."""
    facts = data["facts"]
    devices = tuple(Device(**device) for device in facts["devices"])
    return Capture(
        Facts(**{**facts, "devices": devices, "traces": tuple(facts["traces"])}),
        tuple(_unit_of(unit) for unit in data["units"]),
        data["lacking"],
    )


def _unit_of(data: dict[str, Any]) -> Unit:
    steps, names = tuple(map(int, data["steps"])), [str(name) for name in data["names"]]
    gpus = tuple(
        GpuTime(gpu["gpu_id"], tuple(_account_of(account, len(steps)) for account in gpu["accounts"]))
        for gpu in data["gpus"]
    )
    if not steps or min(steps) < 1 or not gpus:
        raise ValueError("a unit without samples")
    return Unit(
        str(data["kind"]),
        steps,
        gpus,
        **{name: tuple(Total(**total) for total in data.get(name, ())) for name in TOTALS},
        sequence=tuple(names[i] for i in data["sequence"]),
        found_by=data["found_by"],
        name=data["name"],
        window_share=float(data["window_share"]),
    )


def _account_of(data: dict[str, Any], samples: int) -> Account:
    ns, counts = (_spread(data[name], samples) for name in ("ns", "counts"))
    return Account(str(data["kind"]), str(data["name"]), ns, counts, data["title"])


def _spread(values: Any, samples: int) -> tuple[int, ...]:
    found = (int(values),) * samples if isinstance(values, int) else tuple(map(int, values))
    if len(found) != samples:
        raise ValueError(f"{len(found)} values for {samples} samples")
    return found


def _as_data(capture: Capture) -> dict[str, Any]:
    """The capture as dictionaries and lists for JSON; a value that is the same in all samples is written once."""
    facts = {**vars(capture.facts), "devices": [vars(device) for device in capture.facts.devices]}
    return {"facts": facts, "units": [_unit_data(unit) for unit in capture.units], "lacking": capture.lacking}


def _unit_data(unit: Unit) -> dict[str, Any]:
    names = {name: i for i, name in enumerate(dict.fromkeys(unit.sequence))}
    gpus = [
        {"gpu_id": gpu.gpu_id, "accounts": [_account_data(account) for account in gpu.accounts]} for gpu in unit.gpus
    ]
    totals = {name: [vars(total) for total in getattr(unit, name)] for name in TOTALS}
    sequence = [names[name] for name in unit.sequence]
    return {**vars(unit), "gpus": gpus, **totals, "names": list(names), "sequence": sequence}


def _account_data(account: Account) -> dict[str, Any]:
    return {**vars(account), "ns": _once(account.ns), "counts": _once(account.counts)}


def _once(values: Iterable[int]) -> int | list[int]:
    found = list(values)
    return found[0] if len(set(found)) == 1 else found
