# Written by `python -m nsysql.stubs` from the headers of the queries; edit those.

from collections.abc import Callable
from typing import Any, Literal

import polars

from nsysql.export import Export
from nsysql.sqlfile import Query

def function(query: Query) -> Callable[..., Any]: ...
def bound(run: Export, query: Query) -> Callable[..., Any]: ...
def cuda_api_gpu_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A CUDA API function, kernel name or kind of memory operation: its time."""

def cuda_api_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A CUDA API function: time in its calls on the CPU."""

def cuda_api_trace(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A CUDA API call on the CPU, once per name that the export gives its thread."""

def cuda_gpu_kern_gb_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A kernel name with a grid and block shape: time of its executions on the GPU."""

def cuda_gpu_kern_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A kernel name: time of its executions on the GPU."""

def cuda_gpu_mem_size_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A kind of memory operation on the GPU: its bytes."""

def cuda_gpu_mem_time_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A kind of memory operation on the GPU: its time."""

def cuda_gpu_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A kernel name or kind of memory operation: its time on the GPU."""

def cuda_gpu_trace(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A kernel, copy or memory set on the GPU."""

def cuda_kern_exec_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A kernel name with the thread, device and API function that launched it: call, queue and
    execution times."""

def cuda_kern_exec_trace(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A kernel with the API call that launched it: call, queue and execution."""

def launches(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A piece of GPU work with the API call that launched it."""

def capture_checks(
    run: Export,
    /,
    *,
    check_id: Literal["end_before_start", "outside_capture", "name_without_text", "work_without_launch", "launch_without_work", "overlap_on_stream", "repeated_correlation_id"] | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A check of the export, and a table in which it found something: how many rows, and what that
    means."""

def profiler_costs(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A thing that the profiler did in the program's time: how often, and how long."""

def suspect_rows(
    run: Export,
    /,
    *,
    check_id: Literal["end_before_start", "outside_capture", "name_without_text", "work_without_launch", "launch_without_work", "overlap_on_stream", "repeated_correlation_id"] | None = None,
    top: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A row of the export that a check found."""

def dx11_pix_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A PIX marker of Direct3D 11, by its text: time of its ranges on the CPU."""

def dx12_gpu_marker_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A PIX marker of Direct3D 12, by its text: time of the GPU work inside it."""

def dx12_pix_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A PIX marker of Direct3D 12, by its text: time of its ranges on the CPU."""

def nvvideo_api_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A function of NVIDIA's video encoder, video decoder or JPEG decoder: time in its calls."""

def opengl_khr_gpu_range_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """An OpenGL debug group, by its text: time of its ranges on the GPU."""

def opengl_khr_range_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """An OpenGL debug group, by its text: time of its ranges on the CPU."""

def vulkan_api_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A Vulkan function: time in its calls on the CPU."""

def vulkan_api_trace(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A Vulkan call on the CPU, once per name that the export gives its thread."""

def vulkan_gpu_marker_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A Vulkan debug marker, by its text: time of the GPU work inside it."""

def vulkan_marker_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A Vulkan debug marker, by its text: time of its ranges on the CPU."""

def wddm_queue_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A queue of the Windows display driver model, by process, GPU and engine: its packets and how busy
    it was."""

def exposed_time(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A GPU: what its busy time was made of, so that busy is not mistaken for well used."""

def gpu_processes(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A GPU and a process that worked on it."""

def gpu_time(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A GPU: how long it was busy and idle between its first and its last activity."""

def idle_causes(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A cause of idle time: what it means, and what to do about it."""

def idle_gaps(
    run: Export,
    /,
    *,
    min_gap_ns: int | str = 0,
    top: int | None = None,
    gap: int | None = None,
    gpu: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    per_process: bool = False,
    paths: bool = True,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A gap: a stretch in which a GPU runs nothing, with its nanoseconds by cause."""

def idle_groups(
    run: Export,
    /,
    *,
    by: Literal["api", "thread", "nvtx", "line"] = "api",
    exact_names: int = 50,
    top: int | None = None,
    gpu: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A GPU and a call, a thread, an NVTX path or a place in the source: the idle time booked under
    it."""

def idle_in_mpi(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A GPU: how much of its idle time booked to host code passed in MPI calls of the launching
    thread."""

def idle_ledger(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A GPU and a cause: how much of its idle time that cause took."""

def idle_lengths(
    run: Export,
    /,
    *,
    min_gap_ns: int | str = 0,
    gpu: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A GPU and a class of lengths of its gaps: few long ones or many short ones."""

def idle_patterns(
    run: Export,
    /,
    *,
    top: int | None = None,
    gpu: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A pattern of gaps: the same previous and next activity and the same main cause, on one GPU."""

def idle_pieces(
    run: Export,
    /,
    *,
    gap: int | None = None,
    gpu: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    per_process: bool = False,
    paths: bool = True,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A piece of a gap booked to one cause, with the row that is the evidence."""

def um_cpu_page_faults_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A place in the program: its page faults of the CPU on unified memory."""

def um_sum(
    run: Export,
    /,
    *,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A page of unified memory: its migrations and page faults."""

def um_total_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """The whole capture, in one row: migrations and page faults of unified memory."""

def network_congestion(
    run: Export,
    /,
    *,
    ticks_threshold: int = 10000,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A stretch of time in which a network device had data to send but could not."""

def nvtx_gpu_proj_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A range name and style: the time of its ranges carried over to the GPU."""

def nvtx_gpu_proj_trace(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """An NVTX range carried over to the GPU: from the start of the first work launched in it to the end
    of the last."""

def nvtx_kern_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A kernel name in an NVTX range name, on one thread: time of the kernels launched there."""

def nvtx_pushpop_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A name of push/pop ranges: their time on the CPU."""

def nvtx_pushpop_trace(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """An NVTX push/pop range, with its place among the others of its thread."""

def nvtx_stack(
    run: Export,
    /,
    *,
    moments: str = "0",
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """An NVTX range that a thread is in at a moment, the outermost first."""

def nvtx_startend_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A name of start/end ranges: their time on the CPU."""

def nvtx_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A range name and style: its time on the CPU."""

def osrt_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """An OS runtime function: time in its calls."""

def syscall_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A system call: time in its calls."""

def mpi_event_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """An MPI function: time in its calls."""

def mpi_event_trace(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """An MPI call of a thread, once per rank that the export gives the thread."""

def mpi_msg_size_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """An MPI function and a way of its messages: their sizes."""

def openacc_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """An OpenACC event at a source line: time of its events."""

def openmp_sum(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A kind of OpenMP event and its name: time of its events."""

def cuda_api_sync(
    run: Export,
    /,
    *,
    pid: int | None = None,
    tid: int | None = None,
    top: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A call that makes the CPU wait for the GPU: cudaDeviceSynchronize or cudaStreamSynchronize."""

def cuda_memcpy_async(
    run: Export,
    /,
    *,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A copy from or to pageable memory that was asked for as an asynchronous one, and is not."""

def cuda_memcpy_sync(
    run: Export,
    /,
    *,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A copy that the CPU waited for: a synchronous one."""

def cuda_memset_sync(
    run: Export,
    /,
    *,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A memory set that the CPU waited for: a synchronous one of pinned or managed memory."""

def dx12_mem_ops(
    run: Export,
    /,
    *,
    top: int | None = None,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A Direct3D 12 call that handles memory in a slow way."""

def gpu_gaps(
    run: Export,
    /,
    *,
    min_gap_ns: int | str = 500000000,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A stretch of time in which a GPU did nothing for a process."""

def gpu_time_util(
    run: Export,
    /,
    *,
    threshold_pct: float = 50.0,
    chunks: int = 30,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A stretch of time in which a GPU worked little for a process."""

def capture_messages(
    run: Export,
    /,
    *,
    all_messages: bool = False,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A message of nsys about the capture, errors and warnings first."""

def gpus(
    run: Export,
    /,
    *,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A GPU of the machine, whether the program used it or not."""

def launch_pace(
    run: Export,
    /,
    *,
    soon_ns: int | str = 20000,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A GPU: how launches of kernels and graphs relate to their runs, so whether CPU or GPU is
    ahead."""

def nvtx_names(
    run: Export,
    /,
    *,
    exact_names: int = 50,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A name of NVTX ranges in a process, names that differ in numbers alone as one: time of its
    ranges."""

def processes(
    run: Export,
    /,
    *,
    count_nvtx: bool = True,
    start_ns: int | str | None = None,
    end_ns: int | str | None = None,
    nvtx: str | None = None,
) -> polars.DataFrame:
    """A profiled process: one of which anything was recorded, and how much."""
