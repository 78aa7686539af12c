"""Define a finding, which says what limits a part of a capture, all findings of a capture, and their JSON."""

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import polars as pl

from nsysql.words.truncate import cut

Row = tuple[int, str, str, int, int]
ROW = ("part_id", "subject", "claims", "total_ns", "saves_ns")  # columns of a rule's rows that make a Row
KEPT = ("part_id", "gpu_id", "kind", "name", "length_ns", "busy_ns", "idle_ns", "step_count")  # of parts, in JSON
BYTES = 3_800  # of JSON without --all, compact; a page adds a few keys
FINDINGS, PARTS, SUBJECT = 10, 8, 120  # at most, in JSON without --all; letters of a subject


@dataclass(frozen=True)
class Finding:
    """What limits a part, what removing it could save, and what to do."""

    code: str
    part_id: int
    part_kind: str
    part_name: str | None
    gpu_id: int | None
    subject: str
    subjects: tuple[str, ...]
    total_ns: int
    saves_ns: int | None
    bound: str
    certainty: str
    once: bool
    share: float | None  # of its part
    part_ns: int
    step_count: int | None
    says: str
    do: str
    docs: str
    evidence: dict[str, Any] = field(default_factory=dict)
    shown: bool = True
    weight: float = 0.0  # share of the window, by which findings are ranked
    claims: str | None = None
    place: str = ""  # title of its part
    nth: int = 0  # its part's number among those of the same kind and name on its GPU
    part_ids: tuple[int, ...] = ()  # its part, and similar parts of other GPUs that it was merged from
    rows: tuple[Row, ...] = ()  # rows of its rule that have a saving
    totals: tuple[int, ...] = ()  # total_ns on each GPU, if it was merged from several
    each: tuple["Finding", ...] = ()  # those of its parts, largest first, if it was joined from several parts of a GPU

    @property
    def size_ns(self) -> int:
        """What it saves, or its time if that is not known."""
        return self.total_ns if self.saves_ns is None else self.saves_ns

    @property
    def parts(self) -> tuple[tuple[str, str | None, int], ...]:
        """Its parts by kind, name and number, in which similar parts of other GPUs agree."""
        return tuple((f.part_kind, f.part_name, f.nth) for f in self.each or (self,))

    def fields(self) -> dict[str, Any]:
        """All that it is, as JSON, without the findings that it was joined from."""
        return {name: value for name, value in asdict(replace(self, each=())).items() if name != "each"}


@dataclass(frozen=True)
class Findings:
    """The parts of a capture, what limits each, and what remains unknown."""

    parts: pl.DataFrame
    causes: pl.DataFrame
    findings: list[Finding]
    unsure: list[str]
    missing: dict[str, str]
    headline: str
    calls: pl.DataFrame  # CUDA calls before the first GPU work: part_id, gpu_id, title, idle_ns (their time)

    def document(self, all: bool = False) -> dict[str, Any]:
        """Return the findings as JSON: parts, findings, unsure; without `all` the most important that fit in 4 kB."""
        shown = [_document(f) for f in self.findings if f.shown or all]
        parts = [{key: part[key] for key in KEPT if part[key] is not None} for part in self.parts.to_dicts()]
        parts = [{"id": part.pop("part_id"), **part} for part in parts]
        whole: dict[str, Any] = {"headline": self.headline, "parts": parts, "findings": shown, "unsure": self.unsure}
        whole["missing"] = self.missing
        return whole if all else _fitted(whole)


def _fitted(whole: dict[str, Any]) -> dict[str, Any]:
    """Drop what does not fit: the least important findings, and parts that no finding is about."""
    shown, parts = whole["findings"], whole["parts"]
    for most in range(min(len(shown), FINDINGS), -1, -1):
        about = {part_id for f in shown[:most] for part_id in (f["part"]["id"], *f["part"].get("also", ()))}
        worked = sorted(parts, key=lambda part: (part["id"] not in about, -part.get("busy_ns", 0), part["id"]))[:PARTS]
        fitted = {
            "headline": whole["headline"], "parts": sorted(worked, key=lambda part: part["id"]),
            "findings": shown[:most], "unsure": whole["unsure"],
        }  # fmt: skip
        left = {"more_findings": len(shown) - most, "more_parts": len(parts) - len(worked)}
        fitted |= {key: count for key, count in left.items() if count}
        if len(json.dumps(fitted, ensure_ascii=False, separators=(",", ":")).encode()) <= BYTES:
            break
    return fitted


def _document(f: Finding) -> dict[str, Any]:
    kept = ("total_ns", "saves_ns", "bound", "certainty", "once", "says", "do", "evidence")
    part = {"id": f.part_id, "kind": f.part_kind, "name": f.part_name}
    part |= {"also": [one.part_id for one in f.each[1:]]} if f.each else {}
    of = {"code": f.code, "part": part, "gpu_id": f.gpu_id, "subject": cut(f.subject, SUBJECT)}
    return {**of, **{name: getattr(f, name) for name in kept}}
