"""Accounts of time as pages and charts show them: their names for people, and the styles of their colors."""

from collections.abc import Mapping

from nsysql.analysis.compare.side import KERNELS
from nsysql.capture.export import Export
from nsysql.pages.elements import Cell
from nsysql.pages.phrases import work_names
from nsysql.pages.timeline.model import CAUSE

TITLES = {
    "computing": "kernels", "communication": "communication", "graph": "CUDA graphs", "copy": "copies",
    "memset": "memory sets", "lead_in": "before the first GPU work", "tail": "after the last GPU work", "cpu": "CPU",
    "outside": "in no NVTX range",
}  # fmt: skip
STYLES = {"computing": "kernel", "copy": "memcpy", "cpu": "cuda"}  # other kinds are their own style


def cause_titles(run: Export) -> dict[str, str]:
    """The causes of idle time with their names for people."""
    return dict(run.query("idle_causes").select("cause", "title").iter_rows())


def style(kind: str, name: str) -> str:
    """What decides the color of an account."""
    return CAUSE + name if kind == "idle" else STYLES.get(kind, kind)


def account_name(kind: str, name: str | None, titles: Mapping[str, str]) -> Cell:
    """An account in a table, after its kind; `titles` are those of causes of idle time."""
    if kind in KERNELS:
        return work_names("{}", name)
    return TITLES[kind] if kind == "outside" else titles.get(name or "", name or "")
