# Written by `python tools/stubs.py` from the headers of the queries; edit those.

from typing import Literal

import polars

from nsysql.capture.export import Export
from nsysql.catalog.parameters import Steps, Time

def edge_accounts(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU and a call: its CPU time before the GPU's first activity, or after its last."""

def kernel_order(
    run: Export,
    /,
    *,
    process_id: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    top: int | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A kernel that a recorded call launched, in the order of the calls."""

def launched_work(
    run: Export,
    /,
    *,
    process_id: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A kind and name of GPU work: how often it was launched, and how many bytes it copied or set."""

def launching_thread_calls(
    run: Export,
    /,
    *,
    process_id: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A function: its time in the threads that launch GPU work, each nanosecond once."""

def sampled_functions(
    run: Export,
    /,
    *,
    process_id: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A function of host code, by the family of its library: CPU samples in it, and the time that they
    stand for."""

def cuda_api_gpu_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Time by CUDA API function, kernel name and kind of memory operation, in one table."""

def cuda_api_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by CUDA API function."""

def cuda_api_trace(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CUDA API calls on the CPU; a thread with several names in the export has a row per name."""

def cuda_gpu_kern_gb_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU time by kernel name, grid and block shape."""

def cuda_gpu_kern_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU time by kernel name."""

def cuda_gpu_mem_size_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Bytes moved or set on the GPU, by kind of memory operation."""

def cuda_gpu_mem_time_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU time by kind of memory operation."""

def cuda_gpu_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU time by kernel name and kind of memory operation."""

def cuda_gpu_trace(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernels, memcpys and memsets on the GPU, in order of start."""

def cuda_kern_exec_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Launch, queue and execution times by kernel name, launching thread, device and API function."""

def cuda_kern_exec_trace(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    nvtx_name: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernels with the API call that launched each: launch, queue and execution times."""

def launches(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU work with the API call that launched it: one row per kernel, memcpy, memset or CUDA graph
    traced as a whole."""

def capture_checks(
    run: Export,
    /,
    *,
    check_id: Literal["end_before_start", "outside_capture", "name_without_text", "work_without_launch", "work_before_call", "launch_without_work", "overlap_on_stream", "repeated_correlation_id", "range_never_popped"] | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A check of the export and a table: how many rows of it fail the check, and what that means."""

def profiler_costs(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A kind of profiler overhead: count and time."""

def suspect_rows(
    run: Export,
    /,
    *,
    check_id: Literal["end_before_start", "outside_capture", "name_without_text", "work_without_launch", "work_before_call", "launch_without_work", "overlap_on_stream", "repeated_correlation_id", "range_never_popped"] | None = None,
    top: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A row of the export and a check that it fails."""

def allocation_per_step(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Memory is allocated or freed, or streams or events are created or destroyed, in the loop."""

def calls_per_step(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CUDA calls that recur while the GPU is idle: device queries, graph building, module loading, slow
    launches."""

def clocks(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """The GPU's clock drops: GPU metrics show it, or all kernels slow down by the same factor."""

def exposed_communication(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Communication kernels (NCCL and the like) while the GPU computes nothing."""

def exposed_copies(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Copies, also prefetches of unified memory, while no kernel runs."""

def few_blocks(
    run: Export,
    /,
    *,
    least_ns: Time | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernel with fewer blocks than the GPU has SMs."""

def fp32_matmul(
    run: Export,
    /,
    *,
    least_share: float | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Matrix products in float32 on a GPU with tensor cores."""

def fp64_on_geforce(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Double precision on a GPU with few units for it."""

def gc_pauses(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Python collects garbage while the GPU is idle."""

def gil(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """The launching thread waits for Python's global interpreter lock."""

def gpu_idle_after_work(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Time after the last GPU work."""

def gpus_take_turns(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPUs of a process, or of processes that communicate, that take turns: while one computes, the
    others wait."""

def graph_candidate(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Launches that repeat with few synchronizations, so that a CUDA graph can replay them."""

def graph_gaps(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernels of a CUDA graph that are so short that the way from one to the next takes much of the
    time."""

def graph_traced_whole(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CUDA graphs that were traced as a whole."""

def graphics_interop(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Queued work starts late for no recorded reason, and CUDA shares resources with OpenGL, Vulkan or
    Direct3D."""

def host_code(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Long gaps in which the launching thread runs code outside of CUDA calls."""

def host_functions(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Queued work starts late for no recorded reason, and the program queues host functions, which
    block their streams."""

def host_output(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """The launching thread prints or writes while the GPU is idle."""

def host_paced(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """The launching thread is in CUDA calls nearly all the time, and the GPU waits for it."""

def host_reads_managed(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """The host reads unified memory page by page, in the loop or after the last kernel."""

def input_wait(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Long gaps in which the launching thread waits for input: I/O, a lock, a data loader."""

def largest_kernel(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """The kernel with the most time."""

def launch_blocking(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Launches that return only after their kernels end."""

def launch_bound(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Short gaps between launches: the CPU launches more slowly than the GPU works."""

def layout_conversion(
    run: Export,
    /,
    *,
    least_share: float | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernels that change the layout of data."""

def low_occupancy(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernel with low theoretical occupancy: few of its warps fit on an SM."""

def many_small_copies(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Many small copies in a row."""

def memset_rule(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Time of memsets."""

def mps_or_other_process(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Queued work starts late for no recorded reason while another process of the export uses the
    GPU."""

def no_steady_state(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Steps that keep getting longer or shorter, or of two loops, one after the other, in ranges of one
    name."""

def one_copy_engine(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Copies to the GPU and back that never overlap."""

def outlier_pause(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """One pause that is longer than everything else together."""

def oversubscribed(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """The launching thread is preempted while threads use all of the program's CPUs."""

def paced_by_thread(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Another thread sets the pace: the launching thread waits for it again and again, over a
    millisecond on average."""

def page_faults(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Unified memory that migrates while kernels run."""

def pageable_copies(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Copies from or to pageable memory."""

def preempted(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """The launching thread is ready to run, but another thread has its CPU."""

def profiler(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Idle time that the profiler causes."""

def rare_gaps(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Idle time in steps that does not recur: one or a few gaps have most of it."""

def recompilation(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernels compiled at run time during the work, not only before it."""

def round_trip(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Data that go to the GPU and come back equally often."""

def runtime_staging(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Time in which the OpenMP or OpenACC runtime moves data between pageable memory and its pinned
    buffer."""

def same_copy_each_step(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Copies of the same size to the GPU in each step, and none of that size back."""

def serial_streams(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernels on several streams that run one after another, though they would fit on the GPU
    together."""

def skewed_kernel(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernel whose time is mostly in a few long launches."""

def slow_steps(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Steps that take over 1.5 times the median."""

def small_blocks(
    run: Export,
    /,
    *,
    least_ns: Time | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernel with blocks smaller than a warp, or whose last warp is at most a quarter full."""

def startup(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """One-time work before the first steady step: context, modules, first launches."""

def startup_copies(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Copies in start-up while no kernel runs."""

def sync_each_launch(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Blocking calls after nearly each launch."""

def sync_for_value(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Blocking calls that wait for a small value."""

def sync_per_step(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Blocking calls in each step after which the GPU has nothing to do."""

def tail_wave(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Kernel whose last wave of blocks fills few SMs."""

def timer_sleep(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """The launching thread sleeps."""

def uneven_gpus(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPUs that wait for the one with most work."""

def unfused_attention(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Softmax, scale and masks between two matrix products: attention in separate kernels."""

def unfused_elementwise(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Elementwise kernels in a row over the same data."""

def waits_for_thread(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """The launching thread waits for another thread or rank."""

def dx11_pix_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by PIX marker text of Direct3D 11."""

def dx12_gpu_marker_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU time by PIX marker text of Direct3D 12."""

def dx12_pix_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by PIX marker text of Direct3D 12."""

def nvvideo_api_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by function of NVIDIA's video encoder, video decoder and JPEG decoder."""

def opengl_khr_gpu_range_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU time by text of OpenGL debug group."""

def opengl_khr_range_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by text of OpenGL debug group."""

def vulkan_api_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by Vulkan function."""

def vulkan_api_trace(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Vulkan calls on the CPU; a thread with several names in the export has a row per name."""

def vulkan_gpu_marker_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU time by text of Vulkan debug marker."""

def vulkan_marker_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by text of Vulkan debug marker."""

def wddm_queue_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Packets and utilization of Windows display driver (WDDM) queues, by process, GPU and engine."""

def exposed_time(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU: what its busy time consists of, since a busy GPU is not always well used."""

def gpu_processes(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU and a process that worked on it."""

def gpu_time(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU: how long it was busy and idle between its first and its last activity."""

def idle_causes(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A cause of idle time: what it means, and what to do about it."""

def idle_drain_copies(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    gpu: int | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A kind of copy that a blocking call waited for when the GPU ran dry."""

def idle_drains(
    run: Export,
    /,
    *,
    top: int | None = None,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    paths: bool = True,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU and a blocking call in an NVTX path: the idle time that follows it because the GPU ran
    dry."""

def idle_gap_middles(
    run: Export,
    /,
    *,
    gaps: str = "0",
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A gap, and the middle of its longest interval in which the GPU waited for the host."""

def idle_gaps(
    run: Export,
    /,
    *,
    min_gap_ns: Time = 0,
    top: int | None = None,
    gap: int | None = None,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    paths: bool = True,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A gap: an interval in which a GPU runs nothing, with its nanoseconds by cause."""

def idle_groups(
    run: Export,
    /,
    *,
    by: Literal["api", "thread", "nvtx", "function", "line"] = "api",
    exact_names: int = 50,
    top: int | None = None,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU and a call, thread, NVTX path, function or source line: the idle time attributed to it."""

def idle_in_mpi(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU: how much of its idle time the launching thread spent in MPI calls."""

def idle_ledger(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU and a cause: how much of its idle time has that cause."""

def idle_lengths(
    run: Export,
    /,
    *,
    min_gap_ns: Time = 0,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU and a class of gap lengths: few long gaps or many short ones."""

def idle_patterns(
    run: Export,
    /,
    *,
    top: int | None = None,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A pattern of gaps: the same previous and next activity and the same main cause, on one GPU."""

def idle_pieces(
    run: Export,
    /,
    *,
    gap: int | None = None,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    paths: bool = True,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A piece of a gap attributed to one cause, with the row that is the evidence."""

def part_gaps(
    run: Export,
    /,
    *,
    part: int | None = None,
    claim: str | None = None,
    cause: str | None = None,
    top: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A gap of a part of the capture, among those with most idle time of a kind."""

def lines(
    run: Export,
    /,
    *,
    by: Literal["line", "function", "file"] = "line",
    sort: Literal["gpu", "launches", "wait", "idle", "samples", "name"] = "gpu",
    top: int | None = None,
    idle: bool = True,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A source line, or a function if no line is known: GPU work launched there, waits, idle time, CPU
    samples."""

def python_samples(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A Python thread that nsys sampled: its samples, and how many of them have their stack in the
    export."""

def memory(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU and kind of memory: the peak, the bytes in use at the end, and those allocated and freed
    again."""

def memory_at_peak(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    by: Literal["kind", "pool"] = "kind",
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Memory in use at the peak of a GPU and kind of memory, or of a memory pool, by call, NVTX range
    and static variable."""

def memory_by_step(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    step_range: str | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
) -> polars.DataFrame:
    """A step in which its process allocated or freed GPU memory, by GPU and kind: how much, and how
    much it freed again."""

def memory_pools(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A CUDA memory pool: peak bytes allocated from it, the GPU memory it reserved, and bytes still
    allocated at the end."""

def memory_use(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """An allocation or a free, with the bytes in use on its GPU, of its kind of memory, from then
    on."""

def um_cpu_page_faults_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU page faults on unified memory, by source location."""

def um_sum(
    run: Export,
    /,
    *,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Migrations and page faults by page of unified memory."""

def um_total_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Migrations and page faults of unified memory in the whole capture: one row."""

def metrics(
    run: Export,
    /,
    *,
    by: Literal["gpu", "kernel", "nvtx", "step"] = "gpu",
    gpu: int | None = None,
    metric: str | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A metric of a GPU, of its kernels by name, of its NVTX ranges by name, or of its steps: the time-
    weighted mean."""

def occupancy(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    compute_capability: str | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A kernel and launch shape on a GPU: its theoretical occupancy, what limits it, and its waves."""

def network_congestion(
    run: Export,
    /,
    *,
    ticks_threshold: int = 10000,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Intervals in which a network device had data to send but could not."""

def nvtx_gpu_proj_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU time of NVTX ranges projected onto the GPU, by range name and style."""

def nvtx_gpu_proj_trace(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """NVTX ranges projected onto the GPU: from the start of the first work launched in each to the end
    of the last."""

def nvtx_kern_sum(
    run: Export,
    /,
    *,
    name: Literal["demangled", "base", "mangled"] = "demangled",
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU time by NVTX range name, thread and kernel name, for kernels launched inside the ranges."""

def nvtx_pushpop_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by name of NVTX push/pop range."""

def nvtx_pushpop_trace(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """NVTX push/pop ranges with their nesting: parent, level, children."""

def nvtx_stack(
    run: Export,
    /,
    *,
    moments: str = "0",
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """NVTX ranges open on a thread at a given time, outermost first."""

def nvtx_startend_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by name of NVTX start/end range."""

def nvtx_sum(
    run: Export,
    /,
    *,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by NVTX range name and style."""

def operators(
    run: Export,
    /,
    *,
    by: Literal["path", "name", "module"] = "path",
    sort: Literal["gpu_self", "gpu_total", "cpu_self", "cpu_total", "idle", "launches", "count", "backward_gpu", "name"] = "gpu_total",
    top: int | None = None,
    idle: bool = True,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """An NVTX path, a range name, or a module of a model: CPU time, GPU work launched inside, and idle
    time attributed to it."""

def stacks(
    run: Export,
    /,
    *,
    weight: Literal["gpu", "cpu", "idle", "launches", "samples"] = "gpu",
    top: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A stack and its weight: nested NVTX ranges, then the Python stack, then the work inside the
    innermost one."""

def osrt_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by OS runtime function."""

def syscall_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by system call."""

def mpi_event_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time by MPI function."""

def mpi_event_trace(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """MPI calls; a thread with several ranks in the export has a row per rank."""

def mpi_msg_size_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Message sizes by MPI function and direction."""

def openacc_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Time by OpenACC event and source line."""

def openmp_sum(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Time by OpenMP event kind and name."""

def busy_over_time(
    run: Export,
    /,
    *,
    slices: int = 100,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU and one of equal slices of its window: how long the GPU was busy in it."""

def collective_accounts(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A collective and an account: what the process did between the previous collectives and its
    arrival at this one."""

def collectives(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A collective of a process that no rank leaves before the last one arrives: an NCCL kernel, or
    else an MPI call."""

def cuda_api_sync(
    run: Export,
    /,
    *,
    pid: int | None = None,
    tid: int | None = None,
    top: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Calls that make the CPU wait for the GPU: cudaDeviceSynchronize and cudaStreamSynchronize."""

def cuda_memcpy_async(
    run: Export,
    /,
    *,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Asynchronous memcpys from or to pageable memory, which therefore ran synchronously."""

def cuda_memcpy_sync(
    run: Export,
    /,
    *,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Synchronous memcpys: the CPU waited for each."""

def cuda_memset_sync(
    run: Export,
    /,
    *,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Synchronous memsets of pinned or managed memory: the CPU waited for each."""

def dx12_mem_ops(
    run: Export,
    /,
    *,
    top: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Direct3D 12 calls that use memory inefficiently."""

def gpu_gaps(
    run: Export,
    /,
    *,
    min_gap_ns: Time = 500000000,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Intervals in which a GPU did nothing for a process."""

def gpu_time_util(
    run: Export,
    /,
    *,
    threshold_pct: float = 50.0,
    chunks: int = 30,
    top: int | None = None,
    as_nsys: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Intervals in which a process used a GPU little."""

def cpu_accounts(
    run: Export,
    /,
    *,
    step_range: str | None = None,
    series: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
) -> polars.DataFrame:
    """A step and an NVTX path: how much of the step's CPU time its thread spent there, outside of
    nested ranges."""

def gpu_accounts(
    run: Export,
    /,
    *,
    gpu: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    per_process: bool = False,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A GPU and an account: what its time was spent on, each nanosecond once."""

def step_accounts(
    run: Export,
    /,
    *,
    step_range: str | None = None,
    series: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
) -> polars.DataFrame:
    """A step, a GPU and an account: what the GPU's period of that step was spent on."""

def step_series(
    run: Export,
    /,
    *,
    step_range: str | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
) -> polars.DataFrame:
    """A loop that a process repeats, from its first step to its last, and how it was found: a series of
    steps."""

def step_times(
    run: Export,
    /,
    *,
    step_range: str | None = None,
    series: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
) -> polars.DataFrame:
    """A step on a GPU: when it began and ended, on the CPU and on the GPU, and how long the GPU was
    busy."""

def capture_messages(
    run: Export,
    /,
    *,
    all_messages: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Messages of nsys about the capture, errors and warnings first."""

def endless_work(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A kernel function whose end nsys did not record: it ends far beyond the capture, or never."""

def gpus(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPUs of the machine, used by the program or not."""

def launch_pace(
    run: Export,
    /,
    *,
    soon_ns: Time = 20000,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Launches by GPU: how long they queue, which shows whether the CPU runs ahead of the GPU."""

def launch_sequence(
    run: Export,
    /,
    *,
    top: int | None = None,
    per_process: bool = False,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A piece of GPU work that a recorded call launched, in the order of the calls."""

def mpi_ranks(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A process that called MPI: its rank, and how much of its time it spent in MPI calls."""

def nvtx_names(
    run: Export,
    /,
    *,
    exact_names: int = 50,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """CPU time of NVTX ranges by process and name; names differing only in numbers are merged."""

def part_work(
    run: Export,
    /,
    *,
    part: int | None = None,
    kind: Literal["kernel", "memcpy", "memset", "graph"] | None = None,
    name: str | None = None,
    kernel_class: str | None = None,
    top: int | None = None,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """An activity of the GPU in a part of the capture, among the longest."""

def processes(
    run: Export,
    /,
    *,
    count_nvtx: bool = True,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """Profiled processes: one row per process with recorded events, and how many of each kind."""

def cpu_samples(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """A CPU sample: the functions that a thread was in at a time."""

def gpu_events(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """GPU work for a timeline: its row, its times, and its launch arguments."""

def launch_queue(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """An interval in which the amount of queued work on a GPU stays the same."""

def thread_events(
    run: Export,
    /,
    *,
    start_ns: Time | None = None,
    end_ns: Time | None = None,
    nvtx: str | None = None,
    steps: Steps | None = None,
    step_range: str | None = None,
) -> polars.DataFrame:
    """An event of a thread, as a timeline shows it: NVTX range, CUDA call, OS runtime call, MPI call,
    time off the CPU."""
