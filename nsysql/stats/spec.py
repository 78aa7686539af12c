"""What a --report argument asks for: `cuda_gpu_kern_sum:base` → a query and its parameters."""

from dataclasses import dataclass
from typing import Any

from nsysql.errors import UsageError, near
from nsysql.pack import Query, read_query

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


@dataclass(frozen=True)
class Report:
    """One report of a call: as it was written, its query, and the query's parameters."""

    text: str
    query: Query
    parameters: dict[str, Any]

    @property
    def suffix(self) -> str:
        """The report's part of an output file's name."""
        return self.text.replace(":", "_")


def read_report(text: str, paths: dict[str, Any]) -> Report:
    """The report that `text` names. Raises UsageError for an unknown report or option."""
    name, *options = text.split(":")
    name = ALIASES.get(name, name)
    if name not in paths or read_query(paths[name]).same_as is None:
        reports = [n for n in paths if read_query(paths[n]).same_as]
        raise UsageError(f"Report '{name}' could not be found.{near(name, reports)}")
    query = read_query(paths[name])
    parameters: dict[str, Any] = {}
    for option in options:
        key, _, value = option.partition("=")
        if option in FLAGS:
            key, found = FLAGS[option]
            if parameters.get("name") == "base":  # base wins over mangled
                continue
            parameters[key] = found
        else:
            parameters[VALUES.get(key, key)] = int(value) if value.lstrip("-").isdigit() else value or True
    known = {p.name for p in query.parameters}
    unknown = [o for o in options if FLAGS.get(o, (VALUES.get(o.partition("=")[0], o.partition("=")[0]),))[0] not in known]
    if unknown:
        raise UsageError(f"Invalid argument passed to report '{name}': {', '.join(unknown)}.")
    if name in ROWS:
        parameters["top"] = limit(parameters.get("top", ROWS[name]))
    if "as_nsys" in known:
        parameters["as_nsys"] = True
    return Report(text, query, parameters)


def limit(rows: Any) -> Any:
    """The value of `top` for NVIDIA's rows=N: a negative number keeps all."""
    return None if isinstance(rows, int) and rows < 0 else rows
