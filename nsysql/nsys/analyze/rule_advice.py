"""What is said of each rule besides its rows: a title, advice where it found something, a sentence where not.

`{gap}` and `{threshold}` stand for the values that the rule was asked with.
"""

from dataclasses import dataclass

IDLE = (
    "What the CPU did meanwhile tells why: `nsysql idle-gaps` attributes every idle nanosecond to a cause, and "
    "captures with --trace=osrt,nvtx and --sample=process-tree let it say more."
)


@dataclass(frozen=True)
class Advice:
    """The words of one rule."""

    title: str
    found: tuple[str, ...]
    nothing: str


ADVICE = {  # in the order in which they are run when none is asked for
    "cuda_memcpy_async": Advice(
        "Asynchronous copies of pageable memory",
        (
            "These copies were asked for by an Async function, yet the CPU waited for them: pageable memory "
            "is staged through pinned memory first.",
            "Use pinned memory on the host's side: cudaMallocHost, or cudaHostRegister for memory that is there.",
        ),
        "No copy from or to pageable memory was asked for by an Async function.",
    ),
    "cuda_memcpy_sync": Advice(
        "Synchronous copies",
        (
            "The CPU waited until each of these copies was done.",
            "Use the Async functions with a stream and pinned memory, so that the CPU goes on and copies "
            "overlap with kernels. Copies of up to 64 KB from the host to a GPU are not listed: they do not "
            "wait.",
        ),
        "No copy made the CPU wait.",
    ),
    "cuda_memset_sync": Advice(
        "Synchronous memory sets",
        (
            "The CPU waited until each of these sets of pinned or managed memory was done.",
            "Use cudaMemsetAsync with a stream.",
        ),
        "No set of pinned or managed memory made the CPU wait.",
    ),
    "cuda_api_sync": Advice(
        "Waits for the GPU",
        (
            "These calls held the CPU until all work that was queued before had been done.",
            "Wait less often; order work of several streams by events (cudaStreamWaitEvent), and wait for "
            "an event of the one result that is needed (cudaEventSynchronize) rather than for a whole "
            "stream or device.",
        ),
        "No call of cudaDeviceSynchronize or cudaStreamSynchronize was recorded.",
    ),
    "gpu_gaps": Advice(
        "Gaps in a GPU's work",
        ("For each of these stretches, longer than {gap} ms, a GPU had nothing to do for the process.", IDLE),
        "No GPU was without work of a process for more than {gap} ms.",
    ),
    "gpu_time_util": Advice(
        "Little-used stretches of a GPU's time",
        (
            "A GPU worked for the process less than {threshold} % of the time of each of these stretches.",
            IDLE,
        ),
        "No stretch of a GPU's time was used less than {threshold} %.",
    ),
    "dx12_mem_ops": Advice(
        "Slow memory operations of Direct3D 12",
        (
            "These calls fill fresh memory with zeros, read memory that is made for writing, or write "
            "memory that is made for reading.",
            "Create heaps and resources with D3D12_HEAP_FLAG_CREATE_NOT_ZEROED where their content is "
            "written anyway; read from readback heaps and write to upload heaps.",
        ),
        "No slow memory operation was found.",
    ),
}
