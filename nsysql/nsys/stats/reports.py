"""What a --report argument asks for: `cuda_gpu_kern_sum:base` → a query and its parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nsysql.catalog.parameters import with_filters
from nsysql.catalog.query import Parameter, Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion
from nsysql.nsys.stats.titles import TITLES

ALIASES = {
    "cudaapisum": "cuda_api_sum",
    "cudaapitrace": "cuda_api_trace",
    "gpukernsum": "cuda_gpu_kern_sum",
    "gpukerngbsum": "cuda_gpu_kern_gb_sum",
    "gpumemsizesum": "cuda_gpu_mem_size_sum",
    "gpumemtimesum": "cuda_gpu_mem_time_sum",
    "gpusum": "cuda_gpu_sum",
    "gputrace": "cuda_gpu_trace",
    "kernexecsum": "cuda_kern_exec_sum",
    "kernexectrace": "cuda_kern_exec_trace",
    "apigpusum": "cuda_api_gpu_sum",
    "nvtxsum": "nvtx_sum",
    "nvtxppsum": "nvtx_pushpop_sum",
    "nvtxpptrace": "nvtx_pushpop_trace",
    "nvtxsesum": "nvtx_startend_sum",
    "nvtxsssum": "nvtx_startend_sum",
    "nvtxkernsum": "nvtx_kern_sum",
    "nvtxgpuproj": "nvtx_gpu_proj_trace",
    "osrtsum": "osrt_sum",
    "openaccsum": "openacc_sum",
    "openmpevtsum": "openmp_sum",
    "unifiedmemory": "um_sum",
    "unifiedmemorytotals": "um_total_sum",
    "umcpupagefaults": "um_cpu_page_faults_sum",
    "vulkanapisum": "vulkan_api_sum",
    "vulkanapitrace": "vulkan_api_trace",
    "vulkanmarkerssum": "vulkan_marker_sum",
    "vulkangpumarkersum": "vulkan_gpu_marker_sum",
    "khrdebugsum": "opengl_khr_range_sum",
    "khrdebuggpusum": "opengl_khr_gpu_range_sum",
    "dx11pixsum": "dx11_pix_sum",
    "dx12pixsum": "dx12_pix_sum",
    "dx12gpumarkersum": "dx12_gpu_marker_sum",
    "wddmqueuesdetails": "wddm_queue_sum",
}
FLAGS = {"base": ("name", "base"), "mangled": ("name", "mangled"), "nvtx-name": ("nvtx_name", True)}
ROWS = {"um_sum": 10}  # reports of limited rows: how many without rows=N; a negative N is no limit
VALUES = {"rows": "top", "start": "start_ns", "end": "end_ns", "nvtx": "nvtx"}
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

    @property
    def title(self) -> str:
        """What heads the report."""
        if self.name in ALIASES:
            return f"DEPRECATED - Use {self.query.name} instead"
        return TITLES.get(self.name, self.query.summary.rstrip("."))

    @property
    def intro(self) -> str:
        """What is said before the rows, where people read them."""
        return ""

    @property
    def nothing(self) -> str:
        """What is said where there are no rows."""
        return "The report has no rows."

    def outro(self, count: int) -> str:
        """What is said after that many rows."""
        return ""

    @property
    def suffix(self) -> str:
        """The report's part of an output file's name."""
        return "_".join((self.name, *self.options)).replace("/", "_").replace(":", "_")

    @property
    def spelled(self) -> str:
        """The report as a console line names it."""
        return f"[{self.name}]" + (f"({':'.join(self.options)})" if self.options else "")


def read_report(text: str, filters: dict[str, str], paths: Mapping[str, Path]) -> Report:
    """The report that `text` asks for, such as `cuda_gpu_kern_sum:base`, seen through the filters of the call.

    Raises UsageError for an unknown report or option, and for a value that is none.
    """
    name, *given = text.split(":")
    path = paths.get(ALIASES.get(name, name))
    if path is None:
        raise UsageError(
            f"Report '{name}' could not be found.{suggestion(name, [*(TITLES.keys() & paths.keys()), *ALIASES])}"
        )
    query = read_query(path)
    options = [*(f"{key}={value}" for key, value in filters.items()), *given]
    known = {p.name: p for p in with_filters(query)}
    parameters: dict[str, Any] = {}
    for key, value in filters.items():
        parameters[VALUES[key]] = value
    for option in given:
        key, found = _option(option, name, known)
        if (key, parameters.get(key)) != ("name", "base"):  # base wins over mangled
            parameters[key] = found
    if query.name in ROWS:
        parameters["top"] = limit(parameters.get("top", ROWS[query.name]))
    if "as_nsys" in known:
        parameters["as_nsys"] = True
    return Report(name, tuple(options), query, parameters)


def _option(option: str, name: str, known: dict[str, Parameter]) -> tuple[str, Any]:
    """The parameter that an option sets, and its value."""
    key, _, text = option.partition("=")
    key, value = FLAGS.get(option, (VALUES.get(key, key), text))
    parameter = known.get(key)
    if parameter is None:
        raise UsageError(f"Invalid argument passed to report '{name}': {option}.")
    if value is text and parameter.type in ("BIGINT", "INTEGER", "DOUBLE") and not key.endswith("_ns"):
        try:
            return key, float(text) if parameter.type == "DOUBLE" else int(text)
        except ValueError:
            raise UsageError(f"Invalid argument passed to report '{name}': {option} is no number.") from None
    if value is text and parameter.type == "BOOLEAN":
        return key, text.lower() not in ("false", "0")
    return key, value


def limit(rows: Any) -> Any:
    """The value of `top` for NVIDIA's rows=N: a negative number keeps all."""
    return None if isinstance(rows, int) and rows < 0 else rows
