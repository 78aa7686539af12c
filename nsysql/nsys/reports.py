"""What a --report argument asks for: `cuda_gpu_kern_sum:base` → a query and its parameters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nsysql.catalog.parameters import INT64, read_ns, with_filters
from nsysql.catalog.query import Parameter, Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion

TIME_UNITS = {  # nsys accepts any prefix of these; the longest is its own name
    "nsec": "ns", "nanoseconds": "ns", "usec": "us", "microseconds": "us", "msec": "ms", "milliseconds": "ms",
    "seconds": "sec",
}  # fmt: skip


def listed(texts: Iterable[str] | None) -> list[str]:
    """The elements of an option that can be repeated, each time with several elements."""
    return [element for text in texts or () for element in text.split(",") if element]


def truth(option: str, text: str) -> bool:
    """Parse true or false. Raises UsageError for other texts."""
    if text.lower() not in ("true", "false"):
        raise UsageError(f"{option} is {text!r}; it can be true or false.")
    return text.lower() == "true"


def time_unit(text: str | None) -> str | None:
    """The time unit of which the text is a prefix. Raises UsageError."""
    if text is None:
        return None
    units = {unit for name, unit in TIME_UNITS.items() if name.startswith(text.lower())}
    if text.lower() in TIME_UNITS.values():
        return text.lower()
    if len(units) != 1 or not text:
        raise UsageError(f"--timeunit is {text!r}; it can be {', '.join(TIME_UNITS)}, or the beginning of one.")
    return units.pop()


def filters(time: str | None, nvtx: str | None) -> dict[str, str]:
    """The filters of a call as options of its reports; an NVTX range comes before a time. Raises UsageError."""
    if nvtx is not None:
        return {"nvtx": nvtx}
    if time is None:
        return {}
    start, slash, end = time.partition("/")
    if not slash or not (start or end):
        raise UsageError(f"--filter-time is {time!r}; write START/END, where one of the two can be left out: 1s/1.5s.")
    first = read_ns(start) if start else INT64[0]
    last = read_ns(end) if end else INT64[-1]
    if first > last:
        raise UsageError(f"--filter-time is {time!r}: its start is after its end.")
    return {"start": str(first), "end": str(last)}


DEFAULT_SET = (
    "nvtx_sum", "osrt_sum", "cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum",
    "openmp_sum", "opengl_khr_range_sum", "opengl_khr_gpu_range_sum", "vulkan_marker_sum", "vulkan_gpu_marker_sum",
    "dx11_pix_sum", "dx12_gpu_marker_sum", "dx12_pix_sum", "wddm_queue_sum", "um_sum", "um_total_sum",
    "um_cpu_page_faults_sum", "openacc_sum",
)  # fmt: skip
REPORTS = {  # the titles of the reports, and the names that they had before
    "cuda_api_gpu_sum": ("CUDA Summary (API/Kernels/MemOps)", "apigpusum"),
    "cuda_api_sum": ("CUDA API Summary", "cudaapisum"),
    "cuda_api_trace": ("CUDA API Trace", "cudaapitrace"),
    "cuda_gpu_kern_gb_sum": ("CUDA GPU Kernel/Grid/Block Summary", "gpukerngbsum"),
    "cuda_gpu_kern_sum": ("CUDA GPU Kernel Summary", "gpukernsum"),
    "cuda_gpu_mem_size_sum": ("CUDA GPU MemOps Summary (by Size)", "gpumemsizesum"),
    "cuda_gpu_mem_time_sum": ("CUDA GPU MemOps Summary (by Time)", "gpumemtimesum"),
    "cuda_gpu_sum": ("CUDA GPU Summary (Kernels/MemOps)", "gpusum"),
    "cuda_gpu_trace": ("CUDA GPU Trace", "gputrace"),
    "cuda_kern_exec_sum": ("CUDA Kernel Launch & Exec Time Summary", "kernexecsum"),
    "cuda_kern_exec_trace": ("CUDA Kernel Launch & Exec Time Trace", "kernexectrace"),
    "dx11_pix_sum": ("DX11 PIX Range Summary", "dx11pixsum"),
    "dx12_gpu_marker_sum": ("DX12 GPU Command List PIX Ranges Summary", "dx12gpumarkersum"),
    "dx12_pix_sum": ("DX12 PIX Range Summary", "dx12pixsum"),
    "mpi_event_sum": ("MPI Event Summary",),
    "mpi_event_trace": ("MPI Event Trace",),
    "mpi_msg_size_sum": ("MPI Message Size Summary",),
    "network_congestion": ("Network Devices Congestion",),
    "nvtx_gpu_proj_sum": ("NVTX GPU Projection Summary",),
    "nvtx_gpu_proj_trace": ("NVTX GPU Projection Trace", "nvtxgpuproj"),
    "nvtx_kern_sum": ("NVTX Range Kernel Summary", "nvtxkernsum"),
    "nvtx_pushpop_sum": ("NVTX Push/Pop Range Summary", "nvtxppsum"),
    "nvtx_pushpop_trace": ("NVTX Push/Pop Range Trace", "nvtxpptrace"),
    "nvtx_startend_sum": ("NVTX Start/End Range Summary", "nvtxsesum", "nvtxsssum"),
    "nvtx_sum": ("NVTX Range Summary", "nvtxsum"),
    "nvvideo_api_sum": ("NvVideo API Summary",),
    "openacc_sum": ("OpenACC Summary", "openaccsum"),
    "opengl_khr_gpu_range_sum": ("OpenGL KHR_debug GPU Range Summary", "khrdebuggpusum"),
    "opengl_khr_range_sum": ("OpenGL KHR_debug Range Summary", "khrdebugsum"),
    "openmp_sum": ("OpenMP Summary", "openmpevtsum"),
    "osrt_sum": ("OS Runtime Summary", "osrtsum"),
    "syscall_sum": ("Syscall Summary",),
    "um_cpu_page_faults_sum": ("Unified Memory CPU Page Faults Summary", "umcpupagefaults"),
    "um_sum": ("Unified Memory Analysis Summary", "unifiedmemory"),
    "um_total_sum": ("Unified Memory Totals Summary", "unifiedmemorytotals"),
    "vulkan_api_sum": ("Vulkan API Summary", "vulkanapisum"),
    "vulkan_api_trace": ("Vulkan API Trace", "vulkanapitrace"),
    "vulkan_gpu_marker_sum": ("Vulkan GPU Range Summary", "vulkangpumarkersum"),
    "vulkan_marker_sum": ("Vulkan Range Summary", "vulkanmarkerssum"),
    "wddm_queue_sum": ("WDDM Queue Utilization Summary", "wddmqueuesdetails"),
}
TITLES = {name: title for name, (title, *_) in REPORTS.items()}
ALIASES = {old: name for name, (_, *before) in REPORTS.items() for old in before}
FLAGS = {"base": ("name", "base"), "mangled": ("name", "mangled"), "nvtx-name": ("nvtx_name", True)}
ROWS = {"um_sum": 10}  # reports of limited rows: how many without rows=N; a negative N is no limit
OPTIONS = {  # how nsys spells parameters
    "rows": "top", "gap": "min_gap_ns", "threshold": "threshold_pct", "chunks": "chunks", "process": "pid",
    "thread": "tid", "start": "start_ns", "end": "end_ns", "nvtx": "nvtx",
}  # fmt: skip
MS = 1_000_000  # ns in the unit of a gap
RELABELED: dict[str, dict[str, str | None]] = {  # columns that an old name titles otherwise, or lacks
    "gputrace": {"GreenCtx": None},
    "openaccsum": {"Time (%)": "Time(%)"},
}


@dataclass(frozen=True)
class Report:
    """One report of a call: the name and options it was asked for by, its query, and the query's parameters."""

    name: str
    options: tuple[str, ...]
    query: Query
    parameters: dict[str, Any]
    title: str
    intro: str = ""  # before the rows, where people read them
    nothing: str = "The report has no rows."
    more: str = ""  # after as many rows as the parameter top

    def outro(self, count: int) -> str:
        """What is said after that many rows."""
        return self.more.format(count) if count == self.parameters.get("top") else ""


def read_report(text: str, filters: dict[str, str], paths: Mapping[str, Path]) -> Report:
    """The report that `text` asks for, such as `cuda_gpu_kern_sum:base`, seen through the filters of the call.

    Raises UsageError for an unknown report or option, and for a value that is none.
    """
    name, *texts = text.split(":")
    path = paths.get(ALIASES.get(name, name))
    if path is None:
        offer = suggestion(name, [*(TITLES.keys() & paths.keys()), *ALIASES])
        raise UsageError(f"Report '{name}' could not be found.{offer}")
    query = read_query(path)
    parameters = read_options(f"report '{name}'", query, filters, texts)
    if query.name in ROWS:
        parameters["top"] = limit(parameters.get("top", ROWS[query.name]))
    title = deprecated(query) if name in ALIASES else title_of(query)
    return Report(name, as_given(filters, texts), query, parameters, title)


def read_options(of: str, query: Query, filters: Mapping[str, str], texts: Iterable[str]) -> dict[str, Any]:
    """The parameters that the options set, and as_nsys; `of` names the report or rule in errors."""
    known = {p.name: p for p in with_filters(query)}
    parameters: dict[str, Any] = {OPTIONS[key]: value for key, value in filters.items()}
    if known.pop("as_nsys", None):
        parameters["as_nsys"] = True
    for option in texts:
        key, value = _read_option(of, option, known)
        if (key, parameters.get(key)) != ("name", "base"):  # base wins over mangled
            parameters[key] = value
    times = {key: read_ns(value) for key, value in parameters.items() if key.endswith("_ns") and isinstance(value, str)}
    return parameters | times  # which may lack their unit as with nsys: then they are in ns


def as_given(filters: Mapping[str, str], texts: Iterable[str]) -> tuple[str, ...]:
    """The options of a report, those of the whole call first."""
    return (*(f"{key}={value}" for key, value in filters.items()), *texts)


def deprecated(query: Query) -> str:
    """The title of a report or rule that was asked for by a former name."""
    return f"DEPRECATED - Use {query.name} instead"


def title_of(query: Query) -> str:
    """The title of a report: NVIDIA's, else the first line of the query."""
    return TITLES.get(query.name, query.summary.rstrip("."))


def _read_option(of: str, option: str, known: Mapping[str, Parameter]) -> tuple[str, Any]:
    """The parameter that an option sets, and its value."""
    spelling, _, text = option.partition("=")
    key, value = FLAGS.get(option, (OPTIONS.get(spelling, spelling), text))
    parameter = known.get(key)
    if parameter is None:
        raise UsageError(f"Invalid argument passed to {of}: {option}.")
    if value is not text or spelling in ("start", "end"):
        return key, value
    if parameter.type == "BOOLEAN":
        return key, text.lower() not in ("false", "0")
    if parameter.type not in ("BIGINT", "INTEGER", "DOUBLE"):
        return key, text
    try:
        number = float(text) if parameter.type == "DOUBLE" or spelling == "gap" else int(text)
    except ValueError:
        raise UsageError(f"Invalid argument passed to {of}: {spelling}={text} is no number.") from None
    return key, round(number * MS) if spelling == "gap" else number


def limit(rows: Any) -> Any:
    """The value of `top` for NVIDIA's rows=N: a negative number keeps all."""
    return None if isinstance(rows, int) and rows < 0 else rows
