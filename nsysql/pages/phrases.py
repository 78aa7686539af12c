"""Numbers, names and accounts of time in words."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nsysql.analysis.digest import KERNELS
from nsysql.analysis.global_ids import tid_of
from nsysql.analysis.nvtx.folded_ranges import COUNTERS
from nsysql.pages.elements import Cell
from nsysql.pages.timeline.model import CAUSE
from nsysql.words.kernel_names import Names, short
from nsysql.words.quantities import rounded, safe, tenths
from nsysql.words.truncate import cut, marker

Row = Mapping[str, Any]


def whole_percent(part: float) -> str:
    """A share in whole percent; what is not nothing and not all is never shown as such.

    >>> whole_percent(0.333), whole_percent(0.001), whole_percent(0.999), whole_percent(0), whole_percent(1)
    ('33%', '<1%', '>99%', '0%', '100%')
    """
    percent_of = rounded(100 * part)
    return "<1%" if 0 < part < 0.005 else ">99%" if part < 1 and percent_of >= 100 else f"{percent_of}%"


def share(part: float | None, of: float) -> float:
    """The part as a share of the whole, 0 if there is no whole or the part is not known."""
    return part / of if part is not None and of else 0.0


def percent(part: float | None, of: float) -> str:
    """The part in percent; what is not nothing and not all is never shown as such, what is not known as nothing.

    >>> percent(1, 3), percent(1, 10**6), percent(999_999, 10**6), percent(0, 0), percent(None, 3)
    ('33.3%', '<0.1%', '>99.9%', '0.0%', '')
    """
    if part is None:
        return ""
    part_of = share(part, of)
    return "<0.1%" if 0 < part_of < 0.0005 else ">99.9%" if 0.9995 <= part_of < 1 else f"{tenths(100 * part_of)}%"


def seconds(ns: int) -> str:
    """A time on the export's clock: '60.111513 s'."""
    return f"{ns / 10**9:.6f} s"


def gpus(ids: Sequence[int | None]) -> str:
    """GPUs in a sentence: 'GPU 0', 'GPUs 0 and 1', 'GPUs 0 to 3'."""
    first, word = ids[0], "GPU" if len(ids) == 1 else "GPUs"
    run = len(ids) > 2 and first is not None and list(ids) == list(range(first, first + len(ids)))
    return f"{word} {first} to {ids[-1]}" if run else f"{word} {joined([gpu_number(i) for i in ids])}"


def gpu_number(gpu_id: int | None) -> str:
    """A GPU's number; ? for that of work whose device is not recorded."""
    return "?" if gpu_id is None else str(gpu_id)


def joined(parts: Sequence[str]) -> str:
    """A list in a sentence: 'a, b and c'."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def beginning(text: str, length: int) -> str:
    """The first line of a text, as much of it as fits."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def short_name(name: str | None) -> str:
    """A piece of GPU work by its short name: a kernel's function, a copy's direction.

    >>> short_name("[CUDA memcpy Host-to-Device]"), short_name("[CUDA memset]"), short_name("void f<int>(int *)")
    ('copy Host-to-Device', 'memset', 'f<int>')
    """
    if name and name.startswith("[CUDA "):
        return name[len("[CUDA ") : -1].replace("memcpy ", "copy ").replace("Unified ", "UM ")
    return without_signature(name)


def without_signature(name: str | None) -> str:
    """A function's name by what it does: without namespaces, parameters and what is the same for all.

    >>> without_signature("void gemm<float, (int)4>(float *, int (*)(int))")
    'gemm<float>'
    """
    return short(name) if name else "(no name)"


def work_names(text: str, *names: str | None, brief: Callable[[str | None], str] = short_name) -> Names:
    """A text with pieces of GPU work in it: copies by their `brief` name, kernels as the page shows them."""
    kernels = (name if name and not name.startswith("[CUDA ") else brief(name) for name in names)
    return Names(tuple(kernels), text)


TITLES = {
    "computing": "kernels", "communication": "communication", "graph": "CUDA graphs", "copy": "copies",
    "memset": "memory sets", "lead_in": "before the first GPU work", "tail": "after the last GPU work", "cpu": "CPU",
    "outside": "in no NVTX range",
}  # fmt: skip
STYLES = {"computing": "kernel", "copy": "memcpy", "cpu": "cuda"}  # other kinds are their own style


def style(kind: str, name: str) -> str:
    """What decides the color of an account."""
    return CAUSE + name if kind == "idle" else STYLES.get(kind, kind)


def account_name(kind: str, name: str | None, titles: Mapping[str, str]) -> Cell:
    """An account in a table, after its kind; `titles` are those of causes of idle time."""
    if kind in KERNELS:
        return work_names("{}", name)
    return TITLES[kind] if kind == "outside" else titles.get(name or "", name or "")


COPIES = ("copy ", "UM ")
LEAST_PARTS = 3  # of an NVTX path
LONGEST = 60  # columns of a name in a sentence
RUNTIME = re.compile(r"^libcudart_static_[0-9a-f]{40}\b")  # a function of it that has no other name


def function(name: str) -> str:
    """A function and its module, without template arguments, parameters and the module's version.

    >>> function("std::vector<int, std::allocator<int> >::push_back(int const&) (a.out)")
    'std::vector<…>::push_back (a.out)'
    >>> function("cublasLtCreate (libcublasLt.so.12.0.2.224)")
    'cublasLtCreate (libcublasLt.so)'
    >>> function("libcudart_static_8b73e19b9b6fb2b44091792b23d85fe1faddb831 (a.out)")
    'CUDA runtime (a.out)'
    """
    text, _, module = name.rpartition(" (")
    if not text:
        text, module = name, ""
    before = None
    while before != text:
        before, text = text, re.sub(r"<[^<>…]*>", "<…>", re.sub(r"<[^<>]*<…>[^<>]*>", "<…>", text))
        text = re.sub(r"<…>(?:<…>)+", "<…>", text)
    text = re.sub(r"\([^()]*\)( const)?$", "", text.strip())
    text = RUNTIME.sub("CUDA runtime", re.sub(r"^(\w+ )+(?=[\w:]+(<…>)?(::|$))", "", text))
    return cut(safe(text), LONGEST) + (f" ({re.sub(r'(.so)[.0-9]*', chr(92) + '1', module)}" if module else "")


def call(name: str | None) -> str:
    """A call without the version in its name.

    >>> call("cudaMemcpy_v3020"), call("cuMemFree_v2")
    ('cudaMemcpy', 'cuMemFree')
    """
    return re.sub(r"(_v\d+|_ptsz|_ptds)+$", "", safe(name or "?"))


def path(nvtx: str) -> str:
    """An NVTX path, its middle left out where it is long."""
    parts = [re.sub(COUNTERS, "", safe(marker(part))) for part in nvtx.split(" > ")]
    shown = parts if len(parts) <= LEAST_PARTS else [parts[0], "…", *parts[-2:]]
    return " > ".join(cut(part, LONGEST) for part in shown)


def thread(thread_id: int | None, name: str | None) -> str:
    """A thread by name and number."""
    if thread_id is None:
        return "a thread that is not recorded"
    tid = tid_of(thread_id)
    return f"thread {safe(name)} ({tid})" if name else f"thread {tid}"


def activity(name: str | None) -> str:
    """A piece of GPU work in few columns.

    >>> activity("[CUDA memcpy Host-to-Device]"), activity("void f<int>(int *)")
    ('copy HtoD', 'f<int>')
    """
    text = short_name(name)
    return re.sub(r"\b([A-Z])[a-z]+-to-([A-Z])[a-z]+$", r"\1to\2", text) if text.startswith(COPIES) else text
