"""Names of a capture in sentences."""

import re

from nsysql.analysis.global_ids import tid_of
from nsysql.pages.phrases import short_name
from nsysql.words.naming import Names
from nsysql.words.quantities import safe
from nsysql.words.truncate import cut, marker

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


def markers(nvtx: str) -> str:
    """A whole NVTX path with short markers."""
    return " > ".join(marker(part) for part in nvtx.split(" > "))


def path(nvtx: str) -> str:
    """An NVTX path, its middle left out where it is long."""
    parts = [re.sub(r", (seq|op_id) = \d+", "", safe(marker(part))) for part in nvtx.split(" > ")]
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


def activities(text: str, *names: str | None) -> Names:
    """A text with pieces of GPU work in it: copies in few columns, kernels as the page shows them."""
    kernels = (name if name and not name.startswith("[CUDA ") else activity(name) for name in names)
    return Names(tuple(kernels), text)
