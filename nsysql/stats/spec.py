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
}
FLAGS = {"base": ("name", "base"), "mangled": ("name", "mangled"), "nvtx-name": ("nvtx_name", True)}
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
    if "as_nsys" in known:
        parameters["as_nsys"] = True
    return Report(text, query, parameters)
