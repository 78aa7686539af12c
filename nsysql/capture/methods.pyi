# Written by `python tools/stubs.py` from the headers of the queries; edit those.

from typing import Literal

import polars

from nsysql.catalog.parameters import Steps, Time

class Methods:
    """The queries and views as methods of an export: each gives a frame with the columns that it documents."""

    def edge_accounts(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A GPU and a call: its CPU time before the GPU's first activity, or after its last.

        Lead-in is the time from the first CUDA call of the GPU's processes to the window, tail that from the window to
        their last call. Each nanosecond is in exactly one row: that of the CUDA call that began first (then: ends last,
        row) among those under way in any thread, or outside of calls. So the rows of a GPU sum to lead_in_ns and tail_ns
        of gpu_time, which include the cost of contexts. Without recorded calls there are no rows.

        Columns
            gpu_id    BIGINT    Physical GPU.
            kind      VARCHAR   lead_in or tail.
            name      VARCHAR   The call's function; 'outside of calls'.
            total_ns  BIGINT    Time.
            count     BIGINT    Calls with some of it; 1 for all time outside of calls.
        """

    def kernel_order(
        self,
        *,
        process_id: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        top: int | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A kernel that a recorded call launched, in the order of the calls.

        For matching the launches of two versions of a program. Calls that begin at the same time, on a coarse clock, are in
        order of their correlation ids.

        Parameters
            process_id  BIGINT  Only this process (globalPid).
            start_ns  BIGINT  Only work launched at or after this time.
            end_ns  BIGINT  Only work launched before this time.
            top  BIGINT  First kernels to keep; NULL keeps all.

        Columns
            api_start_ns  BIGINT    Start of the call.
            start_ns      BIGINT    Start on the GPU.
            name          VARCHAR   Kernel.
        """

    def launched_work(
        self,
        *,
        process_id: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A kind and name of GPU work: how often it was launched, and how many bytes it copied or set.

        Work counts when its launching call begins; work whose call was not recorded counts when it starts on the GPU.
        Work of zero length and migrations of unified memory, which no call launches, are left out.

        Parameters
            process_id  BIGINT  Only this process (globalPid).
            start_ns  BIGINT  Only work launched at or after this time.
            end_ns  BIGINT  Only work launched before this time.

        Columns
            kind   VARCHAR   kernel, memcpy, memset or graph.
            name   VARCHAR   Kernel, or such as [CUDA memcpy Host-to-Device].
            count  BIGINT    Number of launches.
            bytes  BIGINT    Bytes copied or set; 0 for kernels.
        """

    def launching_thread_calls(
        self,
        *,
        process_id: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A function: its time in the threads that launch GPU work, each nanosecond once.

        The threads that launched GPU work, from the first to the last CUDA call of their process, or in the selected
        interval. Each nanosecond counts for the CUDA or OS runtime call under way in the thread that began first (then:
        ends last, CUDA, row), so an OS call within a CUDA call counts as the CUDA call. The rest is outside of calls. The
        rows sum to the interval times the number of threads.

        Parameters
            process_id  BIGINT  Only this process (globalPid).
            start_ns  BIGINT  Start of the interval to analyze; times are clipped.
            end_ns  BIGINT  End of the interval to analyze; times are clipped.

        Columns
            kind      VARCHAR   cuda, os or outside.
            name      VARCHAR   The call's function; 'outside of calls'.
            total_ns  BIGINT    Time in which the call is the first one under way, added over threads.
            count     BIGINT    Calls that begin in the interval, including those within other calls; 0 outside of calls.
        """

    def sampled_functions(
        self,
        *,
        process_id: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A function of host code, by the family of its library: CPU samples in it, and the time that they stand for.

        For the threads that launch GPU work, or all if there are none. A sample counts for its innermost function outside of
        the OS kernel and the C library. It stands for the median time between samples of a thread, since most are taken while
        the thread runs.

        Parameters
            process_id  BIGINT  Only this process (globalPid).
            start_ns  BIGINT  Only samples at or after this time.
            end_ns  BIGINT  Only samples before this time.

        Columns
            family    VARCHAR   MPI and UCX, NCCL, Python, allocator, OpenMP runtime, CUDA runtime, profiler, program or system.
            name      VARCHAR   The function.
            total_ns  BIGINT    Samples times the interval.
            count     BIGINT    Samples.
        """

    def cuda_api_gpu_sum(
        self,
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
        r"""Time by CUDA API function, kernel name and kind of memory operation, in one table.

        API functions as in cuda_api_sum, but by their shortened names; kernels as in cuda_gpu_kern_sum; memory
        operations as in cuda_gpu_mem_time_sum. CPU and GPU time overlap, so the total that shares refer to is not
        elapsed time. CUDA graphs traced as a whole are left out, as in nsys.
        `nsys stats` merges a function and a kernel of equal name into one row.

        Parameters
            name  demangled | base | mangled = demangled  Kernel name to use; mangled falls back to demangled.
            nvtx_name  BOOLEAN = False  Name kernels range/kernel, with the innermost NVTX range around their launching call.
            as_nsys  BOOLEAN = False  One row for a function and a kernel of equal name.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of calls or executions.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            category       VARCHAR   CUDA_API, CUDA_KERNEL or MEMORY_OPER; that of the longest if merged.
            operation      VARCHAR   Function without version suffix, kernel, or such as [CUDA memset].

        Same as  nsys stats --report cuda_api_gpu_sum
        """

    def cuda_api_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by CUDA API function.

        Runtime and driver calls of all processes, including failed ones. A call and the calls within it both count. A
        call that launches work returns before the work is done: its time is not the kernel's (see cuda_kern_exec_sum).

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            num_calls      BIGINT    Number of calls.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            name           VARCHAR   Function, without version suffix.

        Same as  nsys stats --report cuda_api_sum
        """

    def cuda_api_trace(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CUDA API calls on the CPU; a thread with several names in the export has a row per name.

        A result that this makes larger than ten million rows is refused.

        Columns
            start_ns     BIGINT    Start of the call.
            duration_ns  BIGINT    Duration.
            name         VARCHAR   Function, without version suffix.
            result       BIGINT    CUDA's result code; 0 is success.
            corr_id      BIGINT    Correlation id, unique within a process.
            pid          BIGINT    Process.
            tid          BIGINT    Thread.
            t_pri        BIGINT    The thread's priority.
            thread_name  VARCHAR   The thread's name.

        Same as  nsys stats --report cuda_api_trace
        """

    def cuda_gpu_kern_gb_sum(
        self,
        *,
        name: Literal["demangled", "base", "mangled"] = "demangled",
        nvtx_name: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU time by kernel name, grid and block shape.

        As cuda_gpu_kern_sum, split by launch shape.

        Parameters
            name  demangled | base | mangled = demangled  Kernel name to use; mangled falls back to demangled.
            nvtx_name  BOOLEAN = False  Name kernels range/kernel, with the innermost NVTX range around their launching call.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of executions.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            grid_xyz       VARCHAR   Blocks in x, y and z, each four wide.
            block_xyz      VARCHAR   Threads of a block in x, y and z, each four wide.
            name           VARCHAR   Kernel.

        Same as  nsys stats --report cuda_gpu_kern_gb_sum
        """

    def cuda_gpu_kern_sum(
        self,
        *,
        name: Literal["demangled", "base", "mangled"] = "demangled",
        nvtx_name: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU time by kernel name.

        All devices, streams, processes and grid shapes together. Kernels inside a CUDA graph count if the graph
        was traced by nodes; a graph traced as a whole has no kernels.

        Parameters
            name  demangled | base | mangled = demangled  Kernel name to use; mangled falls back to demangled.
            nvtx_name  BOOLEAN = False  Name kernels range/kernel, with the innermost NVTX range around their launching call.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of executions.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            name           VARCHAR   Kernel.

        Same as  nsys stats --report cuda_gpu_kern_sum
        """

    def cuda_gpu_mem_size_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Bytes moved or set on the GPU, by kind of memory operation.

        Copies by direction, including unified-memory migrations, and memsets. Copies of an unknown direction
        are left out, as in nsys.

        Columns
            total_bytes   BIGINT    Sum of sizes.
            count         BIGINT    Number of operations.
            avg_bytes     DOUBLE    Mean size.
            med_bytes     DOUBLE    Median size.
            min_bytes     BIGINT    Smallest.
            max_bytes     BIGINT    Largest.
            stddev_bytes  DOUBLE    Sample standard deviation; 0 for a single one.
            operation     VARCHAR   Such as [CUDA memcpy Host-to-Device].
            middle_bytes  BIGINT    Size in the middle; the smaller if there are two.

        Same as  nsys stats --report cuda_gpu_mem_size_sum
        """

    def cuda_gpu_mem_time_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU time by kind of memory operation.

        Copies by direction, including unified-memory migrations, and memsets. Copies of an unknown direction are
        left out, as in nsys.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            count          BIGINT    Number of operations.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            operation      VARCHAR   Such as [CUDA memcpy Host-to-Device].

        Same as  nsys stats --report cuda_gpu_mem_time_sum
        """

    def cuda_gpu_sum(
        self,
        *,
        name: Literal["demangled", "base", "mangled"] = "demangled",
        nvtx_name: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU time by kernel name and kind of memory operation.

        Kernels as in cuda_gpu_kern_sum, memory operations as in cuda_gpu_mem_time_sum. CUDA graphs traced as a whole
        are left out, as in nsys; gpu_time counts them.

        Parameters
            name  demangled | base | mangled = demangled  Kernel name to use; mangled falls back to demangled.
            nvtx_name  BOOLEAN = False  Name kernels range/kernel, with the innermost NVTX range around their launching call.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of executions.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            category       VARCHAR   CUDA_KERNEL or MEMORY_OPER.
            operation      VARCHAR   Kernel, or such as [CUDA memcpy Host-to-Device].

        Same as  nsys stats --report cuda_gpu_sum
        """

    def cuda_gpu_trace(
        self,
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
        r"""Kernels, memcpys and memsets on the GPU, in order of start.

        Throughput is bytes over the exact duration; `nsys stats` first divides 10^9 by the duration in whole
        numbers, which gives 0 above one second.
        CUDA graphs traced as a whole are left out, as in nsys; `launches` has them.

        Parameters
            name  demangled | base | mangled = demangled  Kernel name to use; mangled falls back to demangled.
            nvtx_name  BOOLEAN = False  Name kernels range/kernel, with the innermost NVTX range around their launching call.
            as_nsys  BOOLEAN = False  Throughput by NVIDIA's integer division, with ordinals taken as GPUs.

        Columns
            start_ns                  BIGINT    Start on the GPU.
            duration_ns               BIGINT    Duration.
            corr_id                   BIGINT    Correlation id, unique within a process.
            grid_x                    BIGINT    Blocks in x; kernels only, like all columns up to dynamic shared memory.
            grid_y                    BIGINT    Blocks in y.
            grid_z                    BIGINT    Blocks in z.
            block_x                   BIGINT    Threads of a block in x.
            block_y                   BIGINT    Threads of a block in y.
            block_z                   BIGINT    Threads of a block in z.
            registers_per_thread      BIGINT    Registers of a thread.
            static_shared_mem_bytes   BIGINT    Static shared memory of a block.
            dynamic_shared_mem_bytes  BIGINT    Dynamic shared memory of a block.
            bytes                     BIGINT    Bytes copied or set.
            throughput_bytes_per_s    DOUBLE    Bytes over duration; NULL without a duration.
            src_mem_kind              VARCHAR   Memory copied from, or set.
            dst_mem_kind              VARCHAR   Memory copied to.
            device                    VARCHAR   GPU name and ordinal.
            context_id                BIGINT    CUDA context.
            green_context_id          BIGINT    Green context; NULL if none.
            stream_id                 BIGINT    CUDA stream.
            name                      VARCHAR   Kernel, or such as [CUDA memset].

        Same as  nsys stats --report cuda_gpu_trace
        """

    def cuda_kern_exec_sum(
        self,
        *,
        name: Literal["demangled", "base", "mangled"] = "demangled",
        nvtx_name: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Launch, queue and execution times by kernel name, launching thread, device and API function.

        Pairs as in cuda_kern_exec_trace. T is the total from the call's start to the later of the two ends, A the
        API call, Q the queue (only if the kernel started after the call returned), K the kernel.

        Parameters
            name  demangled | base | mangled = demangled  Kernel name to use; mangled falls back to demangled.
            nvtx_name  BOOLEAN = False  Name kernels range/kernel, with the innermost NVTX range around their launching call.

        Columns
            pid          BIGINT    Process of the calls.
            tid          BIGINT    Thread of the calls.
            dev_id       BIGINT    CUDA ordinal within the process.
            count        BIGINT    Kernels.
            q_count      BIGINT    Kernels that started after the call returned.
            t_avg_ns     DOUBLE    Mean total time.
            t_med_ns     DOUBLE    Median total time.
            t_min_ns     BIGINT    Shortest total time.
            t_max_ns     BIGINT    Longest total time.
            t_stddev_ns  DOUBLE    Sample standard deviation of total time.
            a_avg_ns     DOUBLE    Mean API call.
            a_med_ns     DOUBLE    Median API call.
            a_min_ns     BIGINT    Shortest API call.
            a_max_ns     BIGINT    Longest API call.
            a_stddev_ns  DOUBLE    Sample standard deviation of API call.
            q_avg_ns     DOUBLE    Mean queue time.
            q_med_ns     DOUBLE    Median queue time.
            q_min_ns     BIGINT    Shortest queue time.
            q_max_ns     BIGINT    Longest queue time.
            q_stddev_ns  DOUBLE    Sample standard deviation of queue time.
            k_avg_ns     DOUBLE    Mean kernel.
            k_med_ns     DOUBLE    Median kernel.
            k_min_ns     BIGINT    Shortest kernel.
            k_max_ns     BIGINT    Longest kernel.
            k_stddev_ns  DOUBLE    Sample standard deviation of kernel.
            api_name     VARCHAR   Function, without version suffix.
            kernel_name  VARCHAR   Kernel.

        Same as  nsys stats --report cuda_kern_exec_sum
        """

    def cuda_kern_exec_trace(
        self,
        *,
        name: Literal["demangled", "base", "mangled"] = "demangled",
        nvtx_name: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernels with the API call that launched each: launch, queue and execution times.

        Joined by process and correlation id. Queue time is from the call's return to the kernel's start; it is
        NULL if the kernel started before the call returned. A graph launch has a row per kernel node. Kernels
        whose call was not recorded are left out; `launches` has them, and memcpys and memsets too.

        Parameters
            name  demangled | base | mangled = demangled  Kernel name to use; mangled falls back to demangled.
            nvtx_name  BOOLEAN = False  Name kernels range/kernel, with the innermost NVTX range around their launching call.

        Columns
            api_start_ns     BIGINT    Start of the call.
            api_dur_ns       BIGINT    Duration of the call.
            queue_start_ns   BIGINT    Return of the call; NULL if the kernel had started.
            queue_dur_ns     BIGINT    Time in the queue; NULL if the kernel had started.
            kernel_start_ns  BIGINT    Start on the GPU.
            kernel_dur_ns    BIGINT    Duration on the GPU.
            total_dur_ns     BIGINT    From the call's start to the later of the two ends.
            pid              BIGINT    Process of the call.
            tid              BIGINT    Thread of the call.
            dev_id           BIGINT    CUDA ordinal within the process.
            api_function     VARCHAR   Function, without version suffix.
            grid_xyz         VARCHAR   Blocks in x, y and z, each four wide.
            block_xyz        VARCHAR   Threads of a block in x, y and z, each four wide.
            kernel_name      VARCHAR   Kernel.

        Same as  nsys stats --report cuda_kern_exec_trace
        """

    def launches(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU work with the API call that launched it: one row per kernel, memcpy, memset or CUDA graph traced as a whole.

        Of all processes, in order of start. Joined by process and correlation id; work whose call was not recorded
        has NULL in the call's columns. A call that launched several has a row for each. If several calls of a
        process share a correlation id, which they should not, the export does not say which of them launched the
        work: the first in its table is taken, and `suspect_rows` lists such calls. Queue time as in
        cuda_kern_exec_sum: from the call's return to the start on the GPU; NULL if the work started before the call
        returned. An interval includes work that runs in it, wherever its call is.

        Columns
            process         VARCHAR   Program of the process; NULL if the export does not say.
            pid             BIGINT    Process.
            thread          VARCHAR   Name of the calling thread.
            tid             BIGINT    Calling thread.
            api_name        VARCHAR   The call's function, shortened as `nsys stats` does.
            api_start_ns    BIGINT    Start of the call.
            api_dur_ns      BIGINT    Duration of the call.
            queue_start_ns  BIGINT    Return of the call; NULL if the work had started.
            queue_dur_ns    BIGINT    From the return to the start on the GPU; NULL if the work had started.
            kind            VARCHAR   kernel, memcpy, memset or graph.
            name            VARCHAR   Kernel name (demangled), else such as [CUDA memcpy Host-to-Device].
            gpu_id          BIGINT    Physical GPU.
            device_id       BIGINT    CUDA ordinal within the process.
            stream_id       BIGINT    CUDA stream.
            start_ns        BIGINT    Start on the GPU.
            dur_ns          BIGINT    Duration.
            bytes           BIGINT    Bytes copied or set; NULL for kernels and graphs.
            graph_node_id   BIGINT    CUDA graph node that ran it; NULL if launched singly.
            correlation_id  BIGINT    Shared with the launching call of the process.
        """

    def capture_checks(
        self,
        *,
        check_id: Literal["end_before_start", "outside_capture", "name_without_text", "work_without_launch", "work_before_call", "launch_without_work", "overlap_on_stream", "repeated_correlation_id", "range_never_popped"] | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A check of the export and a table: how many rows of it fail the check, and what that means.

        Checks of clocks and consistency. A check that finds nothing has one row, without a table; `suspect_rows` lists
        the rows themselves.

        Parameters
            check_id  end_before_start | outside_capture | name_without_text | work_without_launch | work_before_call | launch_without_work | overlap_on_stream | repeated_correlation_id | range_never_popped  Only this check.

        Columns
            check_id    VARCHAR   The check.
            source      VARCHAR   NVIDIA's table; NULL if the check finds nothing.
            rows_found  BIGINT    Rows found by the check.
            first_ns    BIGINT    Start of the first of them.
            last_ns     BIGINT    Start of the last of them.
            before_ns   BIGINT    Longest time that GPU work starts before its call; NULL of other checks.
            title       VARCHAR   The check's name for people.
            meaning     VARCHAR   What a finding means for the numbers.
            touches     VARCHAR   Affected answers: those that read these tables, or this column; NULL for the table itself.
            needs       VARCHAR   Views without which there is nothing to check, as in a query's header.
        """

    def profiler_costs(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A kind of profiler overhead: count and time.

        Added over all threads. Module loading and a full launch queue do not count: they are the program's own.

        Columns
            name           VARCHAR   Kind of overhead.
            instances      BIGINT    How often.
            total_time_ns  BIGINT    Its time.
            max_ns         BIGINT    The longest.
        """

    def suspect_rows(
        self,
        *,
        check_id: Literal["end_before_start", "outside_capture", "name_without_text", "work_without_launch", "work_before_call", "launch_without_work", "overlap_on_stream", "repeated_correlation_id", "range_never_popped"] | None = None,
        top: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A row of the export and a check that it fails.

        The rows behind `capture_checks`; a row that fails several checks is here once for each.

        Parameters
            check_id  end_before_start | outside_capture | name_without_text | work_without_launch | work_before_call | launch_without_work | overlap_on_stream | repeated_correlation_id | range_never_popped  Only this check.
            top  BIGINT  First rows to keep; NULL keeps all.

        Columns
            check_id  VARCHAR   The check.
            source    VARCHAR   NVIDIA's table.
            row_id    BIGINT    Position in that table.
            start_ns  BIGINT    Start.
            end_ns    BIGINT    End.
            pid       BIGINT    Process.
        """

    def allocation_per_step(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Memory is allocated or freed, or streams or events are created or destroyed, in the loop.

        In steps in at least three gaps, elsewhere in ten, none with half of that idle time. Certain in steps. Elsewhere a kernel
        must run at least ten times, too; otherwise it is start-up. Allocating and freeing can wait for the GPU.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            is_setup    BOOLEAN   The call with most of it creates or destroys streams or events.
            is_pinned   BOOLEAN   The call with most of it pins host memory, or unpins it.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            nvtx_path   VARCHAR   NVTX ranges with most of it.
        """

    def calls_per_step(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CUDA calls that recur while the GPU is idle: device queries, graph building, module loading, slow launches.

        In at least three gaps of at least 200 us. Slow launches count only in gaps that do not follow a blocking call; module
        loading and context set-up only in steps, since elsewhere they are start-up. Allocation belongs to allocation-per-step.

        Columns
            part_id       BIGINT    The part that it is about (view part).
            gpu_id        BIGINT    Physical GPU; NULL without GPU work.
            subject       VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns      BIGINT    The time concerned.
            saves_ns      BIGINT    What could be saved of it; NULL if not known.
            bound         VARCHAR   at most, about or unknown.
            certainty     VARCHAR   certain, likely or possible.
            once          BOOLEAN   It happens once per process.
            claims        VARCHAR   Which time or kernels it explains; NULL if none.
            is_graph      BOOLEAN   It builds CUDA graphs.
            is_module     BOOLEAN   It loads modules or sets up contexts.
            is_launch     BOOLEAN   It launches work.
            is_interop    BOOLEAN   It shares resources with graphics.
            is_elsewhere  BOOLEAN   On other GPUs.
            rival         VARCHAR   Longest call of threads that launch nothing, if they are in calls for half of that time.
            rival_ns      BIGINT    Time of such calls.
            gap_count     BIGINT    Gaps.
            longest_ns    BIGINT    Most of it in one gap.
            nvtx_path     VARCHAR   NVTX ranges with most of it.
        """

    def clocks(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""The GPU's clock drops: GPU metrics show it, or all kernels slow down by the same factor.

        With metrics: the median clock while SMs are active is at least 1.1 times as high in the first third of the part as in the
        last, with three samples in each, and a kernel gets slower. Without: at least two kernels with 20 launches in the same
        number of blocks, the medians and shortest tenths of all grow by a factor of at least 1.1, the medians equally within 10 %.
        The time beyond the first third's median is the bound. Causes: a power or thermal limit, or another program on the GPU.
        Kernels that grow by over a quarter, early and late in the part, have more work; a GPU that waits lowers its clock, too.

        Columns
            part_id       BIGINT    The part that it is about (view part).
            gpu_id        BIGINT    Physical GPU; NULL without GPU work.
            subject       VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns      BIGINT    The time concerned.
            saves_ns      BIGINT    What could be saved of it; NULL if not known.
            bound         VARCHAR   at most, about or unknown.
            certainty     VARCHAR   certain, likely or possible.
            once          BOOLEAN   It happens once per process.
            claims        VARCHAR   Which time or kernels it explains; NULL if none.
            kernel_count  BIGINT    Kernels.
            slower_pct    DOUBLE    Median slowdown.
            first_mhz     BIGINT    Clock in the first third of the part; NULL without metrics.
            last_mhz      BIGINT    Clock in the last third.
        """

    def exposed_communication(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Communication kernels (NCCL and the like) while the GPU computes nothing.

        Over 1 % of the part. Of GPUs with about as many such kernels, the others wait for the one that has least of this time:
        overlapping saves at most that; the rest is told by uneven-gpus, gpus-take-turns, or by what delays that GPU. If other
        kernels run for less than a tenth of the time, there is nothing to overlap it with, and what larger messages or a rank
        that is less late would save is not known.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            count       BIGINT    Launches.
            alone_ns    BIGINT    Time in which no other kernel and no CUDA graph runs.
            is_alone    BOOLEAN   All of their time.
            late_gpu    VARCHAR   GPU with least such time, if it is less than half of it.
            waiting_ns  BIGINT    The difference.
            is_turn     BOOLEAN   The GPUs take turns (view _gpu_turn), and none computes in less than half of alone_ns.
            is_peer     BOOLEAN   Most of this time is in kernels that send and receive.
            is_all      BOOLEAN   Hardly any other kernels run.
            longest_ns  BIGINT    The longest.
            is_one      BOOLEAN   The longest of several has over half of the time.
        """

    def exposed_copies(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Copies, also prefetches of unified memory, while no kernel runs.

        A second stream or double buffering hides them under kernels, for at most as long as kernels run. If that is less than
        half of the copies' time, copying less saves more. The bound counts pageable copies at the link's rate, plus 3 us
        each; the rest of their time belongs to pageable-copies.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            most_ns    BIGINT    Time of the direction with the most.
            other      VARCHAR   Direction with the second most; NULL if none.
            other_ns   BIGINT    Its time.
            is_mixed   BOOLEAN   The first direction has less than 95 %.
            kernel_ns  BIGINT    Time in which the GPU did something else.
            is_only    BOOLEAN   The GPU did nothing else.
            is_longer  BOOLEAN   The copies take more than twice kernel_ns.
            is_both    BOOLEAN   is_longer, the second direction between host and GPU has a fifth or more, and they could overlap more.
            is_within  BOOLEAN   Most of the time is copies within the GPU.
        """

    def few_blocks(
        self,
        *,
        least_ns: Time | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernel with fewer blocks than the GPU has SMs.

        The bound divides its work evenly over all SMs, also over the four schedulers of each if its blocks have fewer than four
        warps, with at least 1.5 us a launch; if kernels run beside each other, it is their share of the busy time less that.
        Only kernels with a mean over 3 us; on a GPU that the export does not name, only those with one block. Not if at least
        three launches with enough blocks take at most 1.25 times as long.

        Parameters
            least_ns  BIGINT  Mean duration above which a kernel counts; NULL takes that of `thresholds`.

        Columns
            part_id       BIGINT    The part that it is about (view part).
            gpu_id        BIGINT    Physical GPU; NULL without GPU work.
            subject       VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns      BIGINT    The time concerned.
            saves_ns      BIGINT    What could be saved of it; NULL if not known.
            bound         VARCHAR   at most, about or unknown.
            certainty     VARCHAR   certain, likely or possible.
            once          BOOLEAN   It happens once per process.
            claims        VARCHAR   Which time or kernels it explains; NULL if none.
            count         BIGINT    Launches.
            least_blocks  BIGINT    Fewest blocks of a launch.
            block_count   BIGINT    Most blocks of a launch.
            is_range      BOOLEAN   They differ.
            sm_count      BIGINT    SMs; NULL if not known.
            is_reduction  BOOLEAN   NVIDIA's compilers generated it for a reduction (OpenACC, OpenMP, do concurrent).
            library       VARCHAR   Library.
            is_beside     BOOLEAN   It runs mostly beside other kernels, and all together leave over half of the SMs idle.
        """

    def fp32_matmul(
        self,
        *,
        least_share: float | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Matrix products in float32 on a GPU with tensor cores.

        Over 1 % of the busy time. The bound assumes NVIDIA's peak rates (view _gpu_peak): TF32 if that is faster than float32 on
        this GPU, else FP16. Products with a vector (gemv) are limited by memory: half as many bytes take half the time.

        Parameters
            least_share  DOUBLE  Share of the busy time; NULL takes that of `thresholds`.

        Columns
            part_id        BIGINT    The part that it is about (view part).
            gpu_id         BIGINT    Physical GPU; NULL without GPU work.
            subject        VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns       BIGINT    The time concerned.
            saves_ns       BIGINT    What could be saved of it; NULL if not known.
            bound          VARCHAR   at most, about or unknown.
            certainty      VARCHAR   certain, likely or possible.
            once           BOOLEAN   It happens once per process.
            claims         VARCHAR   Which time or kernels it explains; NULL if none.
            count          BIGINT    Launches.
            is_vector      BOOLEAN   Most of it are products with a vector.
            has_tf32       BOOLEAN   TF32 is faster than float32 on this GPU.
            is_torch       BOOLEAN   A Python program launches PyTorch's kernels.
            is_torch_tf32  BOOLEAN   Both.
        """

    def fp64_on_geforce(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Double precision on a GPU with few units for it.

        On GPUs with one FP64 unit per 32 or 64 FP32 units; kernels whose names mention double precision, in launches with at
        least four warps for each SM: with fewer, latency limits them. The bound of matrix
        products is the ratio of the peaks. What other kernels would save is unknown: the export does not show whether they wait
        for these units or for memory.

        Columns
            part_id      BIGINT    The part that it is about (view part).
            gpu_id       BIGINT    Physical GPU; NULL without GPU work.
            subject      VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns     BIGINT    The time concerned.
            saves_ns     BIGINT    What could be saved of it; NULL if not known.
            bound        VARCHAR   at most, about or unknown.
            certainty    VARCHAR   certain, likely or possible.
            once         BOOLEAN   It happens once per process.
            claims       VARCHAR   Which time or kernels it explains; NULL if none.
            count        BIGINT    Launches.
            gpu_name     VARCHAR   The GPU.
            float_units  BIGINT    Its FP32 units per FP64 unit.
            is_matrix    BOOLEAN   It is a matrix product.
        """

    def gc_pauses(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Python collects garbage while the GPU is idle.

        Seen in CPU samples of the collector, or NVTX ranges named after it.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            nvtx_path   VARCHAR   NVTX ranges with most of it.
        """

    def gil(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""The launching thread waits for Python's global interpreter lock.

        Seen in NVTX ranges of the domain GIL Trace (nsys --trace=python-gil).

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            nvtx_path   VARCHAR   NVTX ranges with most of it.
        """

    def gpu_idle_after_work(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Time after the last GPU work.

        From the last GPU work, or the host's last read of a unified memory page after it, to the last CUDA call. Over 10 % of the
        GPU's window. Not if kernels or graphs are launched in it: then their records were lost, and the GPU may have worked.

        Columns
            part_id         BIGINT    The part that it is about (view part).
            gpu_id          BIGINT    Physical GPU; NULL without GPU work.
            subject         VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns        BIGINT    The time concerned.
            saves_ns        BIGINT    What could be saved of it; NULL if not known.
            bound           VARCHAR   at most, about or unknown.
            certainty       VARCHAR   certain, likely or possible.
            once            BOOLEAN   It happens once per process.
            claims          VARCHAR   Which time or kernels it explains; NULL if none.
            is_after_reads  BOOLEAN   The host read managed memory after the last GPU work.
        """

    def gpus_take_turns(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPUs of a process, or of processes that communicate, that take turns: while one computes, the others wait.

        For example, layers spread over GPUs, or a program that waits for each GPU before it launches on the next. At least ten
        changes, and several compute at once for less than a fifth of the time that chance would give. Whether their work could
        overlap is not recorded; the bound assumes work spread evenly over all GPUs, which takes 1 / GPUs of the time.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            gpu_count   BIGINT    GPUs that take turns.
            several_ns  BIGINT    Time in which several do.
            one_pct     BIGINT    Share of the part in which exactly one computes.
        """

    def graph_candidate(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Launches that repeat with few synchronizations, so that a CUDA graph can replay them.

        In launch-bound parts with at least three steps; on average at least five launches a step, ten launches per blocking call,
        and less than one allocation in two steps. The bound is 90 % of the launch-bound time: a graph is launched, too.

        Columns
            part_id          BIGINT    The part that it is about (view part).
            gpu_id           BIGINT    Physical GPU; NULL without GPU work.
            subject          VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns         BIGINT    The time concerned.
            saves_ns         BIGINT    What could be saved of it; NULL if not known.
            bound            VARCHAR   at most, about or unknown.
            certainty        VARCHAR   certain, likely or possible.
            once             BOOLEAN   It happens once per process.
            claims           VARCHAR   Which time or kernels it explains; NULL if none.
            step_count       BIGINT    Steps.
            launches_a_step  BIGINT    Launches a step, on average.
            is_torch         BOOLEAN   A Python program launches PyTorch's kernels.
        """

    def graph_gaps(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernels of a CUDA graph that are so short that the way from one to the next takes much of the time.

        At least 20 gaps inside graphs, in steps three, over 15 % of the part, of less than 20 us on average: longer ones belong to
        host-functions. The host has launched everything, so that faster host code does not shorten them.

        Columns
            part_id           BIGINT    The part that it is about (view part).
            gpu_id            BIGINT    Physical GPU; NULL without GPU work.
            subject           VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns          BIGINT    The time concerned.
            saves_ns          BIGINT    What could be saved of it; NULL if not known.
            bound             VARCHAR   at most, about or unknown.
            certainty         VARCHAR   certain, likely or possible.
            once              BOOLEAN   It happens once per process.
            claims            VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count         BIGINT    Gaps.
            mean_gap_ns       BIGINT    Mean gap.
            median_kernel_ns  BIGINT    Median kernel.
        """

    def graph_traced_whole(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CUDA graphs that were traced as a whole.

        Over 10 % of the part. The work inside is not recorded.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
        """

    def graphics_interop(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Queued work starts late for no recorded reason, and CUDA shares resources with OpenGL, Vulkan or Direct3D.

        Mapping a resource waits for the graphics work that uses it. Over 5 % of the part.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            call_count  BIGINT    Calls that map, unmap or wait for resources.
            gap_count   BIGINT    Gaps.
            is_graph    BOOLEAN   Inside CUDA graphs; never here.
        """

    def host_code(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Long gaps in which the launching thread runs code outside of CUDA calls.

        Gaps of at least 200 us, also after blocking calls; shorter ones count, too, in a part that is not launch-bound
        if all together take over 15 % of it and the shorter ones over 5 %. Of those after blocking calls the share counts that
        would be left without the calls. After waits for values sync-for-value claims this time, too: faster code or no wait
        would save it.

        Columns
            part_id        BIGINT    The part that it is about (view part).
            gpu_id         BIGINT    Physical GPU; NULL without GPU work.
            subject        VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns       BIGINT    The time concerned.
            saves_ns       BIGINT    What could be saved of it; NULL if not known.
            bound          VARCHAR   at most, about or unknown.
            certainty      VARCHAR   certain, likely or possible.
            once           BOOLEAN   It happens once per process.
            claims         VARCHAR   Which time or kernels it explains; NULL if none.
            place          VARCHAR   Function or NVTX ranges with the most; NULL if not known or less than a fifth.
            place_ns       BIGINT    Idle time of the place.
            is_function    BOOLEAN   The place is a function, from call stacks.
            is_sampled     BOOLEAN   The export has call stacks of such code.
            is_far_longer  BOOLEAN   It takes more than four times as long as the GPU works in the part.
            is_spread      BOOLEAN   The thread launches work on other GPUs then, for over a fifth of that time.
            is_rare        BOOLEAN   Most of it occurs in fewer than half of the steps.
            is_whole       BOOLEAN   All of it is in the place, in most steps.
            in_steps       BIGINT    Steps in which most of it occurs.
            step_count     BIGINT    Steps of the part.
            busy_ns        BIGINT    How long the GPU works in the part.
            gap_count      BIGINT    Gaps.
            longest_ns     BIGINT    Most of it in one gap.
            nvtx_path      VARCHAR   NVTX ranges with most of it.
        """

    def host_functions(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Queued work starts late for no recorded reason, and the program queues host functions, which block their streams.

        cudaLaunchHostFunc and cudaStreamAddCallback: a thread of the driver runs the function, and the stream waits until it
        returns. When it runs is not recorded. At least ten calls, in steps three, and over 5 % of the part, unless
        graphics-interop claims it. In CUDA graphs they are nodes that are not recorded, either: work inside the graph then
        waits, for 20 us on average.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            call_count  BIGINT    Host functions.
            gap_count   BIGINT    Gaps.
            is_graph    BOOLEAN   Inside CUDA graphs.
        """

    def host_output(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""The launching thread prints or writes while the GPU is idle.

        Seen in calls of functions that print or write, or in CPU samples of them.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            nvtx_path   VARCHAR   NVTX ranges with most of it.
        """

    def host_paced(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""The launching thread is in CUDA calls nearly all the time, and the GPU waits for it.

        At least 20 calls, in steps three, that do not wait for the GPU (launches, copies, queries) take over 90 % of the
        part, and the GPU is idle for over 15 %: the number of calls limits the run. Calls that set up, allocate or load
        kernels belong to other rules.

        Columns
            part_id          BIGINT    The part that it is about (view part).
            gpu_id           BIGINT    Physical GPU; NULL without GPU work.
            subject          VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns         BIGINT    The time concerned.
            saves_ns         BIGINT    What could be saved of it; NULL if not known.
            bound            VARCHAR   at most, about or unknown.
            certainty        VARCHAR   certain, likely or possible.
            once             BOOLEAN   It happens once per process.
            claims           VARCHAR   Which time or kernels it explains; NULL if none.
            call_count       BIGINT    Calls.
            call_ns          BIGINT    Time in them.
            is_launch_bound  BOOLEAN   The short gaps of the part belong to launch-bound.
        """

    def host_reads_managed(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""The host reads unified memory page by page, in the loop or after the last kernel.

        In the loop: migrations to the host while no kernel runs, unless the program prefetched them, and the short gaps before
        copies if the part has many, and most are migrations. After the last kernel the GPU's work is over: only later host code
        waits for it.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count  BIGINT    Gaps, or migrations.
        """

    def input_wait(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Long gaps in which the launching thread waits for input: I/O, a lock, a data loader.

        Gaps of at least 200 us. Host code in NVTX ranges and functions of data loaders counts, too. If the thread is off the CPU
        outside of traced calls, the export does not show what it waits for; certainty is then `possible`.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            is_loading  BOOLEAN   The subject is a function or range of a data loader.
            is_lock     BOOLEAN   It waits for another thread, outside of such ranges.
            is_message  BOOLEAN   It waits for a request or a message, outside of such ranges.
            is_device   BOOLEAN   It waits in ioctl, for any device.
            is_unknown  BOOLEAN   The export does not show what it waits for.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            nvtx_path   VARCHAR   NVTX ranges with most of it.
        """

    def largest_kernel(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""The kernel with the most time.

        It has over 10 % of the part, certainly with half of it: the time in which it runs alone or, if more, its share of the
        busy time by the blocks of all kernels. What a faster kernel would save is unknown. Communication kernels do not
        count, nor kernels below 3 us in a part that is launch-bound: they are mostly their launch.

        Columns
            part_id          BIGINT    The part that it is about (view part).
            gpu_id           BIGINT    Physical GPU; NULL without GPU work.
            subject          VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns         BIGINT    The time concerned.
            saves_ns         BIGINT    What could be saved of it; NULL if not known.
            bound            VARCHAR   at most, about or unknown.
            certainty        VARCHAR   certain, likely or possible.
            once             BOOLEAN   It happens once per process.
            claims           VARCHAR   Which time or kernels it explains; NULL if none.
            count            BIGINT    Launches.
            mean_ns          BIGINT    Mean duration.
            is_check         BOOLEAN   Redzone checks of autotuning.
            library          VARCHAR   Library.
            short_name       VARCHAR   Function name for ncu, or its beginning.
            launches_before  BIGINT    Launches of this kernel before the part.
        """

    def launch_blocking(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Launches that return only after their kernels end.

        The host prepares no launch while a kernel runs, as with CUDA_LAUNCH_BLOCKING=1 or in a debugger. At least 20 kernels,
        in steps three, 90 % of which end before the call that launches them returns, and take most of the time in the calls
        or of its variance: calls are longer by as much as their kernels. Without it, kernels and launching overlap: that
        saves at most the idle time, and at most the time of the kernels.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            count      BIGINT    Kernels that end before their call returns.
        """

    def launch_bound(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Short gaps between launches: the CPU launches more slowly than the GPU works.

        At least 20 gaps below 200 us, in steps three; in such gaps the host launches for over 15 % of the part, and their
        median is over 0.3 times that of the kernels. Gaps after blocking calls count with the share that would remain without
        the calls, and not at all if nearly each launch is followed by one.

        Columns
            part_id           BIGINT    The part that it is about (view part).
            gpu_id            BIGINT    Physical GPU; NULL without GPU work.
            subject           VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns          BIGINT    The time concerned.
            saves_ns          BIGINT    What could be saved of it; NULL if not known.
            bound             VARCHAR   at most, about or unknown.
            certainty         VARCHAR   certain, likely or possible.
            once              BOOLEAN   It happens once per process.
            claims            VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count         BIGINT    Gaps.
            median_gap_ns     BIGINT    Median gap.
            median_kernel_ns  BIGINT    Median kernel.
            is_latency        BOOLEAN   Most of it is launch latency.
            is_repeated       BOOLEAN   A CUDA graph can replay its steps (graph-candidate).
            is_torch          BOOLEAN   A Python program launches PyTorch's kernels.
        """

    def layout_conversion(
        self,
        *,
        least_share: float | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernels that change the layout of data.

        Over 5 % of the busy time.

        Parameters
            least_share  DOUBLE  Share of the busy time; NULL takes that of `thresholds`.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            count      BIGINT    Launches.
        """

    def low_occupancy(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernel with low theoretical occupancy: few of its warps fit on an SM.

        Below 25 %, limited by registers or shared memory, in a kernel of the program (not of a library) that runs alone for over
        5 % of the part and has more blocks than the GPU takes at once. More warps hide latency; kernels that keep data in
        registers on purpose need few. The saving is unknown.

        Columns
            part_id        BIGINT    The part that it is about (view part).
            gpu_id         BIGINT    Physical GPU; NULL without GPU work.
            subject        VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns       BIGINT    The time concerned.
            saves_ns       BIGINT    What could be saved of it; NULL if not known.
            bound          VARCHAR   at most, about or unknown.
            certainty      VARCHAR   certain, likely or possible.
            once           BOOLEAN   It happens once per process.
            claims         VARCHAR   Which time or kernels it explains; NULL if none.
            count          BIGINT    Launches.
            occupancy_pct  DOUBLE    Theoretical occupancy.
            limited_by     VARCHAR   registers or shared memory.
        """

    def many_small_copies(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Many small copies in a row.

        Over 100 copies below 64 kB, or at least three a step, with a mean below 10 us that directly follow a copy in the same
        direction on their stream. Batching saves about 3 us of each, plus the short gaps before them, in which pageable memory is
        staged and calls return, too, unless the part is launch-bound.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            count      BIGINT    Copies.
            idle_ns    BIGINT    Short gaps before those that follow another.
        """

    def memset_rule(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Time of memsets.

        Over 10 % of the busy time.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
        """

    def mps_or_other_process(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Queued work starts late for no recorded reason while another process of the export uses the GPU.

        The GPU switches between processes, or they share it by MPS. Over 5 % of the part, unless graphics-interop or
        host-functions claims it.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            call_count  BIGINT    Processes.
            gap_count   BIGINT    Gaps.
            is_graph    BOOLEAN   Inside CUDA graphs; never here.
        """

    def no_steady_state(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Steps that keep getting longer or shorter, or of two loops, one after the other, in ranges of one name.

        At least 12 steps whose duration correlates with their number (0.5 or more, either sign); the medians of the first and
        last third differ by over a quarter, and that of the second third is between them. Causes: work that converges or grows,
        caches or clocks that settle. The mean of such steps says little. There are two loops if the number of kernels, copies
        and memsets in a step changes just once.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            first_ns   BIGINT    Median of the first third of the steps.
            last_ns    BIGINT    Median of the last third.
            is_two     BOOLEAN   Two loops.
            step       BIGINT    First step of the second loop.
        """

    def one_copy_engine(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Copies to the GPU and back that never overlap.

        The directions alternate at least three times; each has at least three copies, and over 5 % of the part with copies
        while no kernel runs. A GPU of which the export says that it has one copy engine cannot do better. The bound is the
        shorter direction.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            up_ns      BIGINT    Time of copies to the GPU while no kernel runs.
            down_ns    BIGINT    Time of copies back while no kernel runs.
        """

    def outlier_pause(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""One pause that is longer than everything else together.

        A gap of at least 10 ms, over half of the window and ten times as long as the next. The rest is judged without it.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            what       VARCHAR   Cause with most of it.
            gap_id     BIGINT    The gap.
        """

    def oversubscribed(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""The launching thread is preempted while threads use all of the program's CPUs.

        By the scheduling events, the CPUs on which the program ran are in use over 90 % of the part: by its own threads, or by
        those of other processes, such as data loader workers, if these have more than a tenth.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            cpu_count  BIGINT    CPUs that the program used.
            used_pct   DOUBLE    Share of their time that threads use.
            own_pct    DOUBLE    The same of the program's threads.
            is_own     BOOLEAN   The program's threads have at least nine tenths of it.
        """

    def paced_by_thread(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Another thread sets the pace: the launching thread waits for it again and again, over a millisecond on average.

        For example a camera, a data loader or a network. At least ten waits, in steps three, over half of their time for one
        thread.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            nvtx_path   VARCHAR   NVTX ranges with most of it.
        """

    def page_faults(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Unified memory that migrates while kernels run.

        A kernel waits for its pages unless the program prefetched them. The bound is the time of the migrations beside
        kernels; the rest belongs to host-reads-managed.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
        """

    def pageable_copies(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Copies from or to pageable memory.

        The driver stages them through a pinned buffer. Pinned memory saves the time beyond a copy at the link's rate plus 3 us
        per copy, and the idle time of staging. Copies of at most 64 bytes (sync-for-value) do not count: from pinned memory they
        take as long.

        Columns
            part_id           BIGINT    The part that it is about (view part).
            gpu_id            BIGINT    Physical GPU; NULL without GPU work.
            subject           VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns          BIGINT    The time concerned.
            saves_ns          BIGINT    What could be saved of it; NULL if not known.
            bound             VARCHAR   at most, about or unknown.
            certainty         VARCHAR   certain, likely or possible.
            once              BOOLEAN   It happens once per process.
            claims            VARCHAR   Which time or kernels it explains; NULL if none.
            total_bytes       BIGINT    Bytes.
            rate_bytes_per_s  BIGINT    Their rate.
            copied_ns         BIGINT    Time of the copies.
            staging_ns        BIGINT    Idle time of staging.
            is_staged         BOOLEAN   It is over a tenth of the time of the copies.
            is_single         BOOLEAN   No step repeats them.
        """

    def preempted(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""The launching thread is ready to run, but another thread has its CPU.

        By the scheduling events of the operating system: the thread resumes on the CPU where another one replaced it. If the
        program's own threads use all of its CPUs, it belongs to oversubscribed.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            nvtx_path   VARCHAR   NVTX ranges with most of it.
        """

    def profiler(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Idle time that the profiler causes.

        Over 5 % of the part. A run without the profiler does not have it.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            nvtx_path   VARCHAR   NVTX ranges with most of it.
        """

    def rare_gaps(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Idle time in steps that does not recur: one or a few gaps have most of it.

        It occurs in fewer than half of the steps, in one or two gaps or over half of it in one gap. That gap has at least
        200 us of it, and all of it is over 5 % of the part. If the other gaps recur, it is that gap alone.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            is_module   BOOLEAN   Modules are loaded, or contexts set up.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
        """

    def recompilation(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernels compiled at run time during the work, not only before it.

        Host code in at least three gaps in which the program has the driver load or link code (cuModuleLoadData, cuLinkCreate).
        Outside of steps only if the last of these gaps comes after half of the work and the GPU works over 15 % of the time; in
        steps it happens once if it does not: programs compile what they need in their first steps.
        What the host did before is not recorded: loading code from a cache looks the same, but takes less time.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count  BIGINT    Gaps.
            is_early   BOOLEAN   The last such gap comes before half of the part's GPU work.
            is_torch   BOOLEAN   A Python program launches PyTorch's kernels.
        """

    def round_trip(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Data that go to the GPU and come back equally often.

        Copies of one size over 64 kB in both directions, equally often within 10 %, at least three times and 0.9 times a step;
        the directions alternate at least three times. The bound keeps one copy each way. Whether the same data come back is not
        recorded: input and results of one size look the same.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            size_bytes  BIGINT    Size of a copy.
            count       BIGINT    Copies in each direction.
        """

    def runtime_staging(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Time in which the OpenMP or OpenACC runtime moves data between pageable memory and its pinned buffer.

        The runtimes of NVIDIA's compilers do so on the thread that launches, before copies to the GPU and after those to the
        host. No call shows it: it counts where threads spend time in no call in proportion to the bytes of their copies.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count  BIGINT    Gaps.
        """

    def same_copy_each_step(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Copies of the same size to the GPU in each step, and none of that size back.

        Larger than 64 kB, as many in each step, in at least nine of ten steps. Whether the data are the same is not recorded:
        new input looks alike. If they are the same, all copies but those of the first step can be saved.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            size_bytes  BIGINT    Bytes copied in each step.
            copy_count  BIGINT    Copies in each step.
            is_several  BOOLEAN   There is more than one.
            count       BIGINT    Steps with such copies.
        """

    def serial_streams(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernels on several streams that run one after another, though they would fit on the GPU together.

        They overlap for at most 1 % of their time, and no stream waits for another by an event: work on the default stream
        serializes them, or late launches do. At least 20 kernels, or one a step, have fewer blocks than SMs outside of the main
        stream, and streams change as often: else they are phases. Only the process with most work counts. The bound is their
        time, or less if all blocks would take longer on all SMs; whether one needs another's results is unknown.

        Columns
            part_id       BIGINT    The part that it is about (view part).
            gpu_id        BIGINT    Physical GPU; NULL without GPU work.
            subject       VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns      BIGINT    The time concerned.
            saves_ns      BIGINT    What could be saved of it; NULL if not known.
            bound         VARCHAR   at most, about or unknown.
            certainty     VARCHAR   certain, likely or possible.
            once          BOOLEAN   It happens once per process.
            claims        VARCHAR   Which time or kernels it explains; NULL if none.
            count         BIGINT    Kernels with fewer blocks than SMs on streams other than the main one.
            stream_count  BIGINT    Streams.
        """

    def skewed_kernel(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernel whose time is mostly in a few long launches.

        At least 20 launches of one shape that take over twice as long as their median times their number, over 5 % of the part.
        What differs is not recorded: the data, the number of iterations, or concurrent work.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            count       BIGINT    Launches.
            median_ns   BIGINT    Median duration.
            longest_ns  BIGINT    Longest.
        """

    def slow_steps(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Steps that take over 1.5 times the median.

        At least three, fewer than half of the steps, and their time beyond the median is over 5 % of the part. If over half of
        it is idle time, the findings of idle time have it. Steps that keep getting longer or shorter belong to no-steady-state.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            slow_count  BIGINT    Slow steps.
            step_count  BIGINT    Steps.
            median_ns   BIGINT    Median step.
        """

    def small_blocks(
        self,
        *,
        least_ns: Time | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernel with blocks smaller than a warp, or whose last warp is at most a quarter full.

        A warp takes 32 lanes even if it has fewer threads: a block of 36 threads takes two warps. What larger blocks save is not
        known: more than the share of unused lanes if more warps on an SM hide latency, less if memory limits the kernel.

        Parameters
            least_ns  BIGINT  Mean duration above which a kernel counts; NULL takes that of `thresholds`.

        Columns
            part_id       BIGINT    The part that it is about (view part).
            gpu_id        BIGINT    Physical GPU; NULL without GPU work.
            subject       VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns      BIGINT    The time concerned.
            saves_ns      BIGINT    What could be saved of it; NULL if not known.
            bound         VARCHAR   at most, about or unknown.
            certainty     VARCHAR   certain, likely or possible.
            once          BOOLEAN   It happens once per process.
            claims        VARCHAR   Which time or kernels it explains; NULL if none.
            count         BIGINT    Launches.
            thread_count  BIGINT    Threads of a block.
        """

    def startup(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""One-time work before the first steady step: context, modules, first launches.

        Idle time of part `startup`; of GPU work outside of series only that of one-time causes, and allocation that does not
        recur. Host code counts as run-time compilation in NVTX ranges of compilers (NVRTC, XLA), or if the driver loads or links
        modules in at least three such gaps; in a library's create functions as creating its handle. CUDA calls before the first
        GPU work are included if they take longer than the GPU's window.

        Columns
            part_id      BIGINT    The part that it is about (view part).
            gpu_id       BIGINT    Physical GPU; NULL without GPU work.
            subject      VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns     BIGINT    The time concerned.
            saves_ns     BIGINT    What could be saved of it; NULL if not known.
            bound        VARCHAR   at most, about or unknown.
            certainty    VARCHAR   certain, likely or possible.
            once         BOOLEAN   It happens once per process.
            claims       VARCHAR   Which time or kernels it explains; NULL if none.
            what         VARCHAR   Up to three causes with most time, at least a tenth each.
            is_memory    BOOLEAN   Allocation has most of it, without the first call, which sets the context up.
            is_compiled  BOOLEAN   Compilation at run time has most of it.
            is_loading   BOOLEAN   Modules and first launches have most of it.
            is_host      BOOLEAN   Other host code, or waits, have most of it, or is_before.
            is_before    BOOLEAN   All of it is CUDA calls before the first GPU work.
            before_ns    BIGINT    Time of these calls, if longer than the GPU's window.
        """

    def startup_copies(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Copies in start-up while no kernel runs.

        Over 10 % of the GPU's window. They happen once, so pinning need not pay; after start-up other rules have the copies.

        Columns
            part_id           BIGINT    The part that it is about (view part).
            gpu_id            BIGINT    Physical GPU; NULL without GPU work.
            subject           VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns          BIGINT    The time concerned.
            saves_ns          BIGINT    What could be saved of it; NULL if not known.
            bound             VARCHAR   at most, about or unknown.
            certainty         VARCHAR   certain, likely or possible.
            once              BOOLEAN   It happens once per process.
            claims            VARCHAR   Which time or kernels it explains; NULL if none.
            total_bytes       BIGINT    Bytes.
            rate_bytes_per_s  BIGINT    Their rate.
            is_pageable       BOOLEAN   Most of the time is copies from or to pageable memory.
        """

    def sync_each_launch(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Blocking calls after nearly each launch.

        After each, the GPU is idle until the host launches again. Removing the calls saves at most that idle time, and at most
        the time in them. Long host code after them belongs to host-code, although a host that never waits would save it, too.

        Columns
            part_id       BIGINT    The part that it is about (view part).
            gpu_id        BIGINT    Physical GPU; NULL without GPU work.
            subject       VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns      BIGINT    The time concerned.
            saves_ns      BIGINT    What could be saved of it; NULL if not known.
            bound         VARCHAR   at most, about or unknown.
            certainty     VARCHAR   certain, likely or possible.
            once          BOOLEAN   It happens once per process.
            claims        VARCHAR   Which time or kernels it explains; NULL if none.
            call_count    BIGINT    Blocking calls.
            value_count   BIGINT    Those that wait for a small copy.
            launch_count  BIGINT    Calls that queue kernels, copies and memsets.
            is_copy       BOOLEAN   The subject is a call that copies.
            is_torch      BOOLEAN   A Python program launches PyTorch's kernels.
        """

    def sync_for_value(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Blocking calls that wait for a small value.

        After each, the GPU is idle until the host launches again. Removing the calls saves about that idle time, or the time in
        them if that is less; a replay estimates it more exactly.

        Columns
            part_id       BIGINT    The part that it is about (view part).
            gpu_id        BIGINT    Physical GPU; NULL without GPU work.
            subject       VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns      BIGINT    The time concerned.
            saves_ns      BIGINT    What could be saved of it; NULL if not known.
            bound         VARCHAR   at most, about or unknown.
            certainty     VARCHAR   certain, likely or possible.
            once          BOOLEAN   It happens once per process.
            claims        VARCHAR   Which time or kernels it explains; NULL if none.
            call_count    BIGINT    Blocking calls.
            value_count   BIGINT    Those that wait for a small copy.
            launch_count  BIGINT    Calls that queue kernels, copies and memsets.
            is_copy       BOOLEAN   The subject is a call that copies.
            is_torch      BOOLEAN   A Python program launches PyTorch's kernels.
        """

    def sync_per_step(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Blocking calls in each step after which the GPU has nothing to do.

        After each, the GPU is idle until the host launches again. Removing the calls saves at most that idle time, and at most
        the time in them. Long host code after them belongs to host-code, although a host that never waits would save it, too.

        Columns
            part_id       BIGINT    The part that it is about (view part).
            gpu_id        BIGINT    Physical GPU; NULL without GPU work.
            subject       VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns      BIGINT    The time concerned.
            saves_ns      BIGINT    What could be saved of it; NULL if not known.
            bound         VARCHAR   at most, about or unknown.
            certainty     VARCHAR   certain, likely or possible.
            once          BOOLEAN   It happens once per process.
            claims        VARCHAR   Which time or kernels it explains; NULL if none.
            call_count    BIGINT    Blocking calls.
            value_count   BIGINT    Those that wait for a small copy.
            launch_count  BIGINT    Calls that queue kernels, copies and memsets.
            is_copy       BOOLEAN   The subject is a call that copies.
            is_torch      BOOLEAN   A Python program launches PyTorch's kernels.
        """

    def tail_wave(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernel whose last wave of blocks fills few SMs.

        A wave is as many blocks as the GPU runs at once. A few more blocks need another wave, in which most SMs are idle. Kernels
        with a mean over 20 us and at most 8 waves, the last at most a quarter full. Not on a GPU that several processes use:
        blocks of others can fill the last wave, and how many SMs each process gets is not recorded.

        Columns
            part_id      BIGINT    The part that it is about (view part).
            gpu_id       BIGINT    Physical GPU; NULL without GPU work.
            subject      VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns     BIGINT    The time concerned.
            saves_ns     BIGINT    What could be saved of it; NULL if not known.
            bound        VARCHAR   at most, about or unknown.
            certainty    VARCHAR   certain, likely or possible.
            once         BOOLEAN   It happens once per process.
            claims       VARCHAR   Which time or kernels it explains; NULL if none.
            count        BIGINT    Launches.
            wave_count   BIGINT    Waves.
            wave_blocks  BIGINT    Blocks of a full wave.
            last_blocks  BIGINT    Blocks of the last wave.
            library      VARCHAR   Library.
        """

    def timer_sleep(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""The launching thread sleeps.

        In calls that sleep, such as usleep, or off the CPU for as long as a timer takes.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            nvtx_path   VARCHAR   NVTX ranges with most of it.
        """

    def uneven_gpus(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPUs that wait for the one with most work.

        GPUs of one process, or of processes with communication kernels or MPI, that run the same kernel, the one with most time
        on the busiest GPU. That GPU computes for at least 70 % of the part, and at least 1.15 times as long as they do on
        average. The bound assumes work that can be split evenly; if the launches have as many blocks on each GPU, that this one
        can be as fast as the others. Communication kernels do not count as computing: in them a GPU waits for others.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            gpu_count  BIGINT    GPUs, this one included.
            kernel     VARCHAR   The kernel with most time.
            mean_ns    BIGINT    How long they compute on average.
            is_alike   BOOLEAN   The kernel's launches have as many blocks on all.
        """

    def unfused_attention(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Softmax, scale and masks between two matrix products: attention in separate kernels.

        Each kernel reads and writes the whole score matrix; a fused kernel keeps it on the SM. At most 8 kernels on a stream, one
        of them softmax and the others elementwise; over 2 % of the busy time.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            count      BIGINT    Softmax, scale and mask kernels.
            is_torch   BOOLEAN   A Python program launches PyTorch's kernels.
        """

    def unfused_elementwise(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Elementwise kernels in a row over the same data.

        Over 5 % of the busy time in elementwise, copy, cast and optimizer kernels, some directly after each other on a stream:
        each reads and writes all of its data. Fusing k of them leaves about 1 / k of their time, with k at most 8.
        Kernels that need a result over all elements cannot be fused; a fused optimizer (FusedAdam) is already.

        Columns
            part_id    BIGINT    The part that it is about (view part).
            gpu_id     BIGINT    Physical GPU; NULL without GPU work.
            subject    VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns   BIGINT    The time concerned.
            saves_ns   BIGINT    What could be saved of it; NULL if not known.
            bound      VARCHAR   at most, about or unknown.
            certainty  VARCHAR   certain, likely or possible.
            once       BOOLEAN   It happens once per process.
            claims     VARCHAR   Which time or kernels it explains; NULL if none.
            count      BIGINT    Launches.
            in_a_row   BIGINT    How many follow each other on a stream, on average; NULL if fewer than 1.5.
            is_torch   BOOLEAN   A Python program launches PyTorch's kernels.
        """

    def waits_for_thread(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""The launching thread waits for another thread or rank.

        Seen in an MPI call, a wake-up by another thread, or launches of another thread before.

        Columns
            part_id     BIGINT    The part that it is about (view part).
            gpu_id      BIGINT    Physical GPU; NULL without GPU work.
            subject     VARCHAR   What it is about: a kernel, a call, an NVTX path.
            total_ns    BIGINT    The time concerned.
            saves_ns    BIGINT    What could be saved of it; NULL if not known.
            bound       VARCHAR   at most, about or unknown.
            certainty   VARCHAR   certain, likely or possible.
            once        BOOLEAN   It happens once per process.
            claims      VARCHAR   Which time or kernels it explains; NULL if none.
            other       VARCHAR   The thread, process or rank; NULL if it is not known.
            is_mpi      BOOLEAN   It is in an MPI call.
            is_traced   BOOLEAN   It is not, and the export has OS calls.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            nvtx_path   VARCHAR   NVTX ranges with most of it.
        """

    def dx11_pix_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by PIX marker text of Direct3D 11.

        Ranges whose total is not above zero are left out; NVIDIA includes them in the total of the shares.

        Parameters
            as_nsys  BOOLEAN = False  Shares of a total that includes the ranges left out.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of ranges.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            range          VARCHAR   Text of the marker.

        Same as  nsys stats --report dx11_pix_sum
        """

    def dx12_gpu_marker_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU time by PIX marker text of Direct3D 12.

        Ranges whose total is not above zero are left out; NVIDIA includes them in the total of the shares.

        Parameters
            as_nsys  BOOLEAN = False  Shares of a total that includes the ranges left out.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of ranges.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            range          VARCHAR   Text of the marker.

        Same as  nsys stats --report dx12_gpu_marker_sum
        """

    def dx12_pix_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by PIX marker text of Direct3D 12.

        Ranges whose total is not above zero are left out; NVIDIA includes them in the total of the shares.

        Parameters
            as_nsys  BOOLEAN = False  Shares of a total that includes the ranges left out.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of ranges.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            range          VARCHAR   Text of the marker.

        Same as  nsys stats --report dx12_pix_sum
        """

    def nvvideo_api_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by function of NVIDIA's video encoder, video decoder and JPEG decoder.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            num_calls      BIGINT    Number of calls.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            event_type     VARCHAR   Encoder, Decoder or JPEG.
            name           VARCHAR   Function, without version suffix.

        Same as  nsys stats --report nvvideo_api_sum
        """

    def opengl_khr_gpu_range_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU time by text of OpenGL debug group.

        A group without a text is named by its number. Groups that were never closed end at the latest timestamp of
        any debug event. Texts whose total is not above zero are left out.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of ranges.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            range          VARCHAR   Text or number of the group.

        Same as  nsys stats --report opengl_khr_gpu_range_sum
        """

    def opengl_khr_range_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by text of OpenGL debug group.

        A group without a text is named by its number. Groups that were never closed end at the latest timestamp of
        any debug event. Texts whose total is not above zero are left out.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of ranges.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            range          VARCHAR   Text or number of the group.

        Same as  nsys stats --report opengl_khr_range_sum
        """

    def vulkan_api_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by Vulkan function.

        Batches of submitted work (class 93) are left out.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            num_calls      BIGINT    Number of calls.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            name           VARCHAR   Function, without version suffix.

        Same as  nsys stats --report vulkan_api_sum
        """

    def vulkan_api_trace(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Vulkan calls on the CPU; a thread with several names in the export has a row per name.

        Includes batches of submitted work (class 93). A result that thread names make larger than ten million rows is
        refused.

        Columns
            start_ns     BIGINT    Start of the call.
            duration_ns  BIGINT    Duration.
            name         VARCHAR   Function, with version suffix.
            event_class  BIGINT    53 for calls, 93 for batches of submitted work.
            context      BIGINT    Context.
            corr_id      BIGINT    Shared with other events of the call.
            pid          BIGINT    Process.
            tid          BIGINT    Thread.
            t_pri        BIGINT    The thread's priority.
            thread_name  VARCHAR   The thread's name.

        Same as  nsys stats --report vulkan_api_trace
        """

    def vulkan_gpu_marker_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU time by text of Vulkan debug marker.

        Ranges whose total is not above zero are left out; NVIDIA includes them in the total of the shares.

        Parameters
            as_nsys  BOOLEAN = False  Shares of a total that includes the ranges left out.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of ranges.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            range          VARCHAR   Text of the marker.

        Same as  nsys stats --report vulkan_gpu_marker_sum
        """

    def vulkan_marker_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by text of Vulkan debug marker.

        Ranges whose total is not above zero are left out; NVIDIA includes them in the total of the shares.

        Parameters
            as_nsys  BOOLEAN = False  Shares of a total that includes the ranges left out.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of ranges.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            range          VARCHAR   Text of the marker.

        Same as  nsys stats --report vulkan_marker_sum
        """

    def wddm_queue_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Packets and utilization of Windows display driver (WDDM) queues, by process, GPU and engine.

        Utilization is the share of time with at least one packet in the queue, from the first start to the last stop
        of any packet of the process. Paging queues are left out. A 3D queue that other hardware queues belong to is
        named 3D/Comp; `nsys stats` gives that name only to the context of one of the hardware queues, and prints a
        queue once per hardware queue that belongs to it.

        Parameters
            as_nsys  BOOLEAN = False  Name and repeat queues as nsys does.

        Columns
            utilization_pct  DOUBLE    Share of time with a packet in the queue.
            instances        BIGINT    Packets.
            avg_ns           DOUBLE    Mean time in the queue.
            med_ns           DOUBLE    Median time.
            min_ns           BIGINT    Shortest.
            max_ns           BIGINT    Longest.
            stddev_ns        DOUBLE    Sample standard deviation; 0 for a single one.
            name             VARCHAR   Engine, or the driver's name for the queue; NULL for an unknown engine.
            q_type           BIGINT    0 for driver queues, 1 for hardware queues.
            q_name           VARCHAR   queue or dma, likewise.
            pid              BIGINT    Process.
            gpu_id           BIGINT    GPU.
            context          BIGINT    The queue.
            engine           BIGINT    Engine, by number.
            node_ord         BIGINT    Node of the GPU; 0 if unknown.

        Same as  nsys stats --report wddm_queue_sum
        """

    def exposed_time(
        self,
        *,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        per_process: bool = False,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A GPU: what its busy time consists of, since a busy GPU is not always well used.

        Each busy nanosecond is in exactly one class, and the classes sum to busy_ns: only copies or memsets ran, no
        kernel; else only communication kernels ran (view communication_kernel), with or without copies; else
        exactly one computing kernel ran, with fewer blocks than the GPU has SMs; else the rest, computing_ns. A
        CUDA graph traced as a whole counts as computing_ns. If the export does not give the number of SMs, the
        time of small kernels is NULL and is in computing_ns.

        Parameters
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze.
            end_ns  BIGINT  End of the interval to analyze.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.

        Columns
            gpu_id                  BIGINT    Physical GPU.
            busy_ns                 BIGINT    Time with any activity: the sum of the classes.
            only_copies_ns          BIGINT    Copies or memsets, and no kernel.
            only_communication_ns   BIGINT    Communication kernels, and no other kernel.
            one_small_kernel_ns     BIGINT    One computing kernel with fewer blocks than SMs, and no other one.
            computing_ns            BIGINT    The rest.
            only_copies_pct         DOUBLE    Share of busy.
            only_communication_pct  DOUBLE    Share of busy.
            one_small_kernel_pct    DOUBLE    Share of busy.
            computing_pct           DOUBLE    Share of busy.
        """

    def gpu_processes(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A GPU and a process that worked on it.

        If the export does not say which GPU a process means by its ordinal, equal ordinals of several processes
        are taken as one GPU.

        Columns
            gpu_id      BIGINT    Physical GPU.
            pid         BIGINT    The operating system's process number.
            name        VARCHAR   Its program; NULL if the export does not say.
            activities  BIGINT    Kernels, memcpys, memsets and CUDA graphs traced as a whole.
            is_known    BOOLEAN   The export says that the process uses this GPU.
        """

    def gpu_time(
        self,
        *,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        per_process: bool = False,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A GPU: how long it was busy and idle between its first and its last activity.

        Busy is the union of kernels, memcpys, memsets and CUDA graphs traced as a whole over all streams, contexts and
        processes. The time of each kind is its own union, so kinds can add up to more than busy. Lead-in (from the first
        CUDA call of the GPU's processes to the first activity) and tail (from the last activity to the last call) are
        outside of the window.

        Parameters
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; gaps are clipped.
            end_ns  BIGINT  End of the interval to analyze; gaps are clipped.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.

        Columns
            gpu_id           BIGINT    Physical GPU.
            name             VARCHAR   Product name; NULL if the export does not say.
            window_start_ns  BIGINT    Start of the first activity.
            window_end_ns    BIGINT    End of the last activity.
            window_ns        BIGINT    Length of the window.
            busy_ns          BIGINT    Time with any activity.
            idle_ns          BIGINT    Time without; busy and idle sum to the window.
            busy_pct         DOUBLE    Share of the window that is busy.
            idle_pct         DOUBLE    Share of the window that is idle.
            kernel_ns        BIGINT    Time with a kernel.
            memcpy_ns        BIGINT    Time with a copy.
            memset_ns        BIGINT    Time with a memset.
            graph_ns         BIGINT    Time with a CUDA graph traced as a whole.
            gap_count        BIGINT    Intervals without activity.
            lead_in_ns       BIGINT    From the processes' first CUDA call to the window; NULL if no call is recorded.
            tail_ns          BIGINT    From the window to the processes' last CUDA call; NULL if no call is recorded.
        """

    def idle_causes(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A cause of idle time: what it means, and what to do about it.

        Every idle nanosecond is attributed to one of them; of causes with equal time, the earlier one here is named first.

        Columns
            cause    VARCHAR   The cause.
            title    VARCHAR   Its name for people.
            meaning  VARCHAR   What the GPU, or the host, was doing.
            advice   VARCHAR   What to do about it.
            needs    VARCHAR   Views and tables without which it is never attributed; NULL if none.
            sharper  VARCHAR   Tables without which too much or too little is attributed to it; NULL if none.
        """

    def idle_drain_copies(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        gpu: int | None = None,
        per_process: bool = False,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A kind of copy that a blocking call waited for when the GPU ran dry.

        The copy is that of the call itself, or one whose call on the same thread returned at most 2 us before the blocking
        call began, too short for a launch in between.

        Parameters
            start_ns  BIGINT  Only gaps at or after this time.
            end_ns  BIGINT  Only gaps before this time.
            gpu  BIGINT  Only this GPU.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.

        Columns
            drained_by  VARCHAR   The blocking call, without suffix.
            direction   VARCHAR   Direction, such as Host-to-Device.
            src_kind    VARCHAR   Memory copied from, such as Pageable.
            dst_kind    VARCHAR   Memory copied to.
            calls       BIGINT    Blocking calls.
            least       BIGINT    Bytes of the smallest copy.
            most        BIGINT    Bytes of the largest.
        """

    def idle_drains(
        self,
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
        r"""A GPU and a blocking call in an NVTX path: the idle time that follows it because the GPU ran dry.

        A GPU falls idle only after the host has lost its lead. A gap belongs to the blocking call (view _drain_call)
        that is under way when it begins, or that returned at most 6 ms before it, if since then no work of the process
        has waited more than 0.5 ms for the GPU, and the work after the gap was not yet launched when the gap began. The
        causes of these gaps do not change. The numbers that PyTorch gives each instance of an operator (op_id, seq) are
        left out of the paths.

        Parameters
            top  BIGINT  Rows to keep for each GPU, those with most idle time; NULL keeps all.
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; gaps are clipped.
            end_ns  BIGINT  End of the interval to analyze; gaps are clipped.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.
            paths  BOOLEAN = True  Distinguish calls by NVTX path; false skips reading NVTX, the slowest step.

        Columns
            gpu_id              BIGINT    Physical GPU.
            drained_by          VARCHAR   The blocking call, without suffix.
            drained_by_nvtx     VARCHAR   NVTX ranges of its thread at its start, outermost first; NULL for none.
            calls               BIGINT    Calls followed by gaps.
            blocked_ns          BIGINT    Time in these calls.
            gap_count           BIGINT    Gaps that follow.
            idle_ns             BIGINT    Their idle time.
            profiler_ns         BIGINT    The part of idle_ns that the profiler causes.
            idle_pct            DOUBLE    Its share of the GPU's idle time.
            launches_per_call   DOUBLE    Median number of launches since the previous such call.
            after_every_launch  BOOLEAN   At least three calls, with at most one launch from each to the next: a synchronization after every launch.
        """

    def idle_gap_middles(
        self,
        *,
        gaps: str = "0",
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A gap, and the middle of its longest interval in which the GPU waited for the host.

        If NVTX is too large to be read in full, the ranges that the thread is in at that time stand for the gap. For a gap
        that waited only for the GPU itself, it is the middle of its longest piece.

        Parameters
            gaps  VARCHAR = 0  Numbers of gaps, separated by commas.

        Columns
            gap_id     BIGINT    The gap.
            moment_ns  BIGINT    That middle.
            thread_id  BIGINT    Thread that launched the gap's next activity (globalTid).
        """

    def idle_gaps(
        self,
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
        r"""A gap: an interval in which a GPU runs nothing, with its nanoseconds by cause.

        The GPU is busy while any kernel, memcpy, memset or CUDA graph traced as a whole runs, on any stream, context or
        process; a gap is between two busy intervals. The activity that ends it was launched by some thread: each nanosecond
        of the gap is attributed to one cause, from what that thread did before the launch, the launch call, and what the
        GPU waited for after it (docs/idle.md). The causes of a gap sum to the gap.

        Parameters
            min_gap_ns  BIGINT = 0  Shortest gap to list.
            top  BIGINT  Longest gaps of each GPU to keep; NULL keeps all.
            gap  BIGINT  Only the gap with this number.
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; gaps are clipped.
            end_ns  BIGINT  End of the interval to analyze; gaps are clipped.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.
            paths  BOOLEAN = True  Fill nvtx_path and drained_by_nvtx; false skips reading NVTX, the slowest step.

        Columns
            gpu_id                     BIGINT    Physical GPU.
            gap_id                     BIGINT    Number of the gap in the export, for idle_pieces and --explain.
            start_ns                   BIGINT    When the GPU fell idle.
            end_ns                     BIGINT    When the next activity started.
            dur_ns                     BIGINT    How long the GPU was idle.
            previous_name              VARCHAR   The last activity to end before the gap.
            next_name                  VARCHAR   The activity that ended the gap.
            next_stream_id             BIGINT    Its stream.
            thread_id                  BIGINT    Thread that launched it (globalTid); NULL if not recorded.
            pid                        BIGINT    The operating system's process number.
            tid                        BIGINT    The operating system's thread number.
            launch_name                VARCHAR   The launching call; NULL if not recorded.
            nvtx_path                  VARCHAR   NVTX ranges in which that thread spent most of its time before the launch, outermost first.
            main_cause                 VARCHAR   The cause with most nanoseconds.
            drained_by                 VARCHAR   The blocking call after which the GPU ran dry, without suffix; NULL if none.
            drained_by_row             BIGINT    Its position in the table of calls.
            drained_by_nvtx            VARCHAR   NVTX ranges of its thread at its start, outermost first.
            is_after_work              BOOLEAN   All launched work is over, and the host reads unified memory: this gap cannot be removed.
            profiler_ns                BIGINT    Profiler overhead: tracing itself, not the program: it is not there in a run without the profiler.
            sync_return_ns             BIGINT    Sync return latency: the GPU was done and the call that waited for it had not returned, up to a millisecond.
            sync_wait_ns               BIGINT    Blocking call outlasts GPU work: a blocking call more than a millisecond after this GPU was done: another GPU, a copy, a host callback.
            module_load_ns             BIGINT    Module loading: modules, libraries or JIT compilation.
            context_setup_ns           BIGINT    Context setup: context and device initialization, also in the first call of a library's own CUDA runtime.
            stream_and_event_setup_ns  BIGINT    Stream and event setup: creation and destruction of streams and events.
            graph_build_ns             BIGINT    Graph building: capture, instantiation and update of CUDA graphs.
            memory_management_ns       BIGINT    Memory management: allocation and freeing of memory.
            other_cuda_api_ns          BIGINT    Other CUDA calls: other CUDA calls of the launching thread.
            os_wait_lock_ns            BIGINT    Waiting for a lock: condition variables, mutexes, semaphores, joins.
            os_wait_io_ns              BIGINT    Waiting for I/O: fopen, read, recv, poll and the like.
            os_sleep_ns                BIGINT    Sleeping: sleep calls of the launching thread.
            os_other_ns                BIGINT    Other OS calls: other OS runtime calls of the launching thread.
            preempted_ns               BIGINT    CPU taken by another thread: the launching thread was ready to run and another thread ran on its CPU.
            blocked_ns                 BIGINT    Thread blocked, reason not recorded: the launching thread was off the CPU: it waited, and no row shows for whom.
            waiting_for_thread_ns      BIGINT    Waiting for thread or rank: the launching thread waited for another thread or another rank: an MPI call, a wake-up, or a thread that had launched before.
            gil_wait_ns                BIGINT    Waiting for Python's lock: the launching thread waited for the global interpreter lock.
            host_code_ns               BIGINT    Host code: the launching thread ran code of the program or a library, in no traced call.
            blocked_launch_ns          BIGINT    Launch queue full: the driver's launch queue was full.
            pageable_copy_ns           BIGINT    Copy of pageable memory: staging of pageable memory: in a copy call, or outside of calls by the OpenMP or OpenACC runtime.
            first_launch_ns            BIGINT    First launch of kernel: lazy loading or compilation of a kernel's code.
            launch_call_ns             BIGINT    Launch call overhead: the launching call itself.
            graph_dependency_ns        BIGINT    Inside a CUDA graph: a graph's node waited for another, or the GPU moved between nodes.
            launch_batch_ns            BIGINT    Between parts of a batched launch: the pieces of one batched call.
            stream_wait_ns             BIGINT    Waiting for another stream: the stream was told to wait for another stream's event.
            graph_launch_ns            BIGINT    Start of a CUDA graph: from the graph launch's return to its first work.
            launch_latency_ns          BIGINT    Launch latency: the usual time from a launch's return to its start, or between queued kernels.
            queued_unexplained_ns      BIGINT    Queued, cause unknown: work was queued longer than the usual latency, and no row says why.
            unified_memory_ns          BIGINT    Unified memory: the GPU waited for pages that migrated.
            no_launch_recorded_ns      BIGINT    Launch call not in the capture: the launch lies outside of the capture, so no thread or call can be blamed.
        """

    def idle_groups(
        self,
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
        r"""A GPU and a call, thread, NVTX path, function or source line: the idle time attributed to it.

        Each piece of a gap is attributed to the name of the row that is its evidence (api), the thread that launched the
        work that ended the gap (thread), the NVTX ranges of that thread (nvtx; pieces are cut where a range begins or
        ends), the function that the call stack of the evidence names (function), or a line as in the query lines (line).
        Without such a stack the CPU samples of the thread within the piece count, each with an equal share. Pieces without
        any of these are under NULL. The rows of a GPU sum to its idle time.

        Parameters
            by  api | thread | nvtx | function | line = api  What to group by.
            exact_names  BIGINT = 50  Keep up to this many names exact; with more, numbers in names become #.
            top  BIGINT  Groups to keep for each GPU, those with most idle time; NULL keeps all.
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; gaps are clipped.
            end_ns  BIGINT  End of the interval to analyze; gaps are clipped.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.

        Columns
            gpu_id       BIGINT    Physical GPU.
            name         VARCHAR   The call, thread, path, place or file:line; NULL for none.
            main_cause   VARCHAR   The cause with most nanoseconds.
            idle_ns      BIGINT    Idle nanoseconds attributed under it.
            idle_pct     DOUBLE    Share of the GPU's idle time.
            window_pct   DOUBLE    Share of the GPU's window.
            piece_count  BIGINT    Pieces of gaps.
            longest_ns   BIGINT    Most of it in one gap under one cause.
        """

    def idle_in_mpi(
        self,
        *,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        per_process: bool = False,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A GPU: how much of its idle time the launching thread spent in MPI calls.

        In them the thread waited for other ranks or moved data between them. The sum of the pieces of waiting_for_thread
        whose evidence is an MPI call; time in a CUDA call within an MPI call counts as the CUDA call.

        Parameters
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; gaps are clipped.
            end_ns  BIGINT  End of the interval to analyze; gaps are clipped.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.

        Columns
            gpu_id      BIGINT    Physical GPU.
            idle_ns     BIGINT    Idle time.
            in_mpi_ns   BIGINT    Idle time in MPI calls.
            in_mpi_pct  DOUBLE    Its share of idle_ns.
        """

    def idle_ledger(
        self,
        *,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        per_process: bool = False,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A GPU and a cause: how much of its idle time has that cause.

        Every idle nanosecond of a GPU's window is attributed to exactly one cause (docs/idle.md); the causes of a GPU
        sum to its idle time. A share says how long the GPU waited under a cause, not what removing it saves.

        Parameters
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; gaps are clipped.
            end_ns  BIGINT  End of the interval to analyze; gaps are clipped.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.

        Columns
            gpu_id      BIGINT    Physical GPU.
            cause       VARCHAR   The cause.
            idle_ns     BIGINT    Idle nanoseconds attributed to it.
            idle_pct    DOUBLE    Share of the GPU's idle time.
            window_pct  DOUBLE    Share of the GPU's window: at most this much is saved by removing the cause.
            gap_count   BIGINT    Gaps with some of it.
            longest_ns  BIGINT    Most of it in one gap.
            advice      VARCHAR   What to do about it.
        """

    def idle_lengths(
        self,
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
        r"""A GPU and a class of gap lengths: few long gaps or many short ones.

        Classes are decades: at least 1 us and less than 10 us, and so on. The gaps of a class that --min-gap hides are
        counted separately, too.

        Parameters
            min_gap_ns  BIGINT = 0  Shorter gaps are counted as hidden.
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; gaps are clipped.
            end_ns  BIGINT  End of the interval to analyze; gaps are clipped.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.

        Columns
            gpu_id        BIGINT    Physical GPU.
            at_least_ns   BIGINT    Least length of the class.
            gap_count     BIGINT    Gaps of the class.
            idle_ns       BIGINT    Their time.
            hidden_count  BIGINT    Those shorter than min_gap_ns.
            hidden_ns     BIGINT    Their time.
        """

    def idle_patterns(
        self,
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
        r"""A pattern of gaps: the same previous and next activity and the same main cause, on one GPU.

        Turns ten thousand gaps into ten lines. The main cause of a gap is the one with most of its time. Gaps below 100 ns
        are tiny and counted separately: the shortest gap between two kernels or copies that we know of is 350 ns, while the
        migrations of one page fault are recorded a nanosecond apart.

        Parameters
            top  BIGINT  Patterns to keep for each GPU, those with most idle time; NULL keeps all.
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; gaps are clipped.
            end_ns  BIGINT  End of the interval to analyze; gaps are clipped.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.

        Columns
            gpu_id         BIGINT    Physical GPU.
            previous_name  VARCHAR   The last activity to end before the gaps.
            next_name      VARCHAR   The activity that ended the gaps.
            main_cause     VARCHAR   The cause with most nanoseconds.
            gap_count      BIGINT    Gaps of the pattern, without tiny ones.
            tiny_count     BIGINT    Gaps of the pattern below 100 ns.
            idle_ns        BIGINT    Idle time of all of them.
            median_gap_ns  DOUBLE    Median length, without tiny ones; NULL if there are no others.
            mean_gap_ns    DOUBLE    Mean length, without tiny ones; NULL if there are no others.
            longest_ns     BIGINT    Longest.
        """

    def idle_pieces(
        self,
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
        r"""A piece of a gap attributed to one cause, with the row that is the evidence.

        The pieces of a gap do not overlap and fill it. With paths they are cut where an NVTX range of the launching thread
        begins or ends.

        Parameters
            gap  BIGINT  Only this gap.
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; gaps are clipped.
            end_ns  BIGINT  End of the interval to analyze; gaps are clipped.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.
            paths  BOOLEAN = True  Fill nvtx_path; false skips reading NVTX, the slowest step.

        Columns
            gpu_id           BIGINT    Physical GPU.
            gap_id           BIGINT    The gap.
            cause            VARCHAR   The cause.
            start_ns         BIGINT    Start.
            end_ns           BIGINT    End.
            dur_ns           BIGINT    Duration.
            thread_id        BIGINT    Thread that launched the gap's next activity (globalTid).
            pid              BIGINT    The operating system's process number.
            tid              BIGINT    The operating system's thread number.
            evidence_table   VARCHAR   NVIDIA's table of the evidence; NULL if no row is the evidence.
            evidence_row_id  BIGINT    Position in that table.
            evidence_name    VARCHAR   Name of the evidence.
            nvtx_path        VARCHAR   NVTX ranges of that thread, outermost first.
            waits_for        VARCHAR   The thread or rank that the evidence shows it waited for, or that took its CPU.
            function         VARCHAR   Function of the program or a library that the thread was in, from its call stacks.
            module           VARCHAR   The file of that function's module.
            leaf             VARCHAR   The innermost function of these stacks, or its module.
        """

    def part_gaps(
        self,
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
        r"""A gap of a part of the capture, among those with most idle time of a kind.

        Idle time counts within the part, for the selected kind or cause; the evidence is that of its longest piece.

        Parameters
            part  BIGINT  Only this part (view part).
            claim  VARCHAR  Only this kind, as in view part_idle: once, allocation, sync, short, long and so on.
            cause  VARCHAR  Only this cause (query idle_causes).
            top  BIGINT  Gaps to keep; NULL keeps all.

        Columns
            part_id          BIGINT    The part.
            gpu_id           BIGINT    Physical GPU.
            gap_id           BIGINT    Number of the gap in the export.
            start_ns         BIGINT    When the GPU fell idle, even if before the part.
            dur_ns           BIGINT    How long it stayed idle.
            idle_ns          BIGINT    Idle time of the selected kind or cause within the part.
            cause            VARCHAR   The cause with most of it.
            drained_by_row   BIGINT    Position of the blocking call after which the GPU ran dry; NULL if none.
            evidence_table   VARCHAR   NVIDIA's table of the evidence; NULL if no row is the evidence.
            evidence_row_id  BIGINT    Position in that table.
        """

    def lines(
        self,
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
        r"""A source line, or a function if no line is known: GPU work launched there, waits, idle time, CPU samples.

        A call is attributed by its own call stack. If that passes through Python's interpreter, or there is none, it is
        attributed by the nearest Python sample of its thread, at most one sampling interval away, the innermost NVTX range
        that names a place (file.py:12 name), or the innermost OpenACC event. Idle time is attributed by the call that is its
        evidence, else in the same ways, then by CPU samples; these count by their own call stack. Time without a place has
        its own row, so that the rows sum to the whole. In an interval, times are clipped.

        Parameters
            by  line | function | file = line  What a row is.
            sort  gpu | launches | wait | idle | samples | name = gpu  What to sort by, largest first; names from A.
            top  BIGINT  Rows to keep; NULL keeps all.
            idle  BOOLEAN = True  Attribute the idle time of the GPUs, which takes longer.

        Columns
            file            VARCHAR   Source file; NULL if unknown.
            line            BIGINT    Line; NULL if unknown.
            function        VARCHAR   Function.
            module          VARCHAR   The file of the function's module, if no source file is known.
            how             VARCHAR   The evidence for the place, or unattributed.
            gpu_ns          BIGINT    Sum of durations of the GPU work launched there; NULL, like the next three columns, if the export has none.
            launches        BIGINT    Calls that launched GPU work.
            wait_ns         BIGINT    Time in blocking calls, such as synchronizations.
            idle_ns         BIGINT    Idle time attributed there, added over GPUs; NULL without `idle`.
            cpu_samples     BIGINT    CPU samples; NULL, like the next three columns, if none was taken.
            python_samples  BIGINT    Those in which the Python interpreter ran.
            native_samples  BIGINT    Those in which other code of the program or its libraries ran.
            system_samples  BIGINT    Those in which the OS kernel ran.
            stack_samples   BIGINT    Samples of Python stacks, taken whether the thread runs or waits; NULL if there are none.
            page_faults     BIGINT    Page faults of the CPU on unified memory; NULL if none was recorded.
        """

    def python_samples(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A Python thread that nsys sampled: its samples, and how many of them have their stack in the export.

        nsys writes the stacks if the export includes blobs, since schema 3.16.1.

        Columns
            pid          BIGINT    Process.
            number       BIGINT    Number of the Python thread in its process.
            tid          BIGINT    OS thread id, which the sampler records for main threads only; else NULL.
            samples      BIGINT    Samples.
            stacks       BIGINT    Those whose stack can be read.
            first_ns     BIGINT    Time of the first.
            last_ns      BIGINT    Time of the last.
            interval_ns  BIGINT    Mean time between two samples; NULL for a single one.
        """

    def memory(
        self,
        *,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A GPU and kind of memory: the peak, the bytes in use at the end, and those allocated and freed again.

        Bytes in use are those allocated since the capture began, also before the interval, and not yet freed; earlier
        allocations are not known. A caching allocator, such as PyTorch's, seldom calls CUDA; this is what it allocated, not
        what the program uses of it. By step: memory_by_step.

        Parameters
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; what is in use then counts.
            end_ns  BIGINT  End of the interval to analyze.

        Columns
            gpu_id                BIGINT    Physical GPU.
            kind                  VARCHAR   Kind of memory; Pinned is on the host.
            peak_bytes            BIGINT    Most bytes in use at once.
            peak_ns               BIGINT    When the peak was first reached.
            end_bytes             BIGINT    In use at the end.
            allocation_count      BIGINT    Allocations.
            allocated_bytes       BIGINT    Sum of their sizes.
            never_freed_count     BIGINT    Allocations that live to the end.
            churn_bytes           BIGINT    Allocated and freed again.
            med_life_ns           DOUBLE    Median time from an allocation to its free.
            unmatched_free_count  BIGINT    Frees of memory whose allocation was not recorded.
        """

    def memory_at_peak(
        self,
        *,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        by: Literal["kind", "pool"] = "kind",
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Memory in use at the peak of a GPU and kind of memory, or of a memory pool, by call, NVTX range and static variable.

        The peak is that of `memory`, or with --by pool that of `memory_pools`: when most bytes were first in use at once.

        Parameters
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; what is in use then counts.
            end_ns  BIGINT  End of the interval to analyze.
            by  kind | pool = kind  Peak of each kind of memory, or of each memory pool.

        Columns
            gpu_id             BIGINT    Physical GPU.
            kind               VARCHAR   Kind of memory.
            pool               VARCHAR   Address of the memory pool; NULL by kind.
            peak_ns            BIGINT    Time of the peak.
            pid                BIGINT    Process.
            api_name           VARCHAR   Allocating call; NULL for static variables and calls that were not recorded.
            nvtx_range         VARCHAR   Innermost NVTX range around the start of the call, as domain:text; NULL if none.
            variable           VARCHAR   Static variable.
            bytes              BIGINT    In use.
            peak_pct           DOUBLE    Share of the peak.
            allocation_count   BIGINT    Allocations.
            never_freed_count  BIGINT    Allocations that live to the end.
        """

    def memory_by_step(
        self,
        *,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        step_range: str | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
    ) -> polars.DataFrame:
        r"""A step in which its process allocated or freed GPU memory, by GPU and kind: how much, and how much it freed again.

        Memory that every step allocates and frees again is churn: cudaMalloc takes time, and cudaFree waits for the GPU.
        Allocations and frees count in the step whose CPU time, from its mark to the next one, contains them, from any thread
        of the process. Steps without them have no row. Without steps, and by call: memory, memory_use.

        Parameters
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Only steps that begin at this time or later, on the GPU if they have work there.
            end_ns  BIGINT  Only steps that begin before this time.
            step_range  VARCHAR  NVTX range that marks the steps: NAME[@DOMAIN], numbers in it match any number.

        Columns
            step              BIGINT    Number of the step, from 0.
            gpu_id            BIGINT    Physical GPU.
            kind              VARCHAR   Kind of memory; Pinned is on the host.
            is_steady         BOOLEAN   Complete, after the warm-up, and with about as many launches as most.
            allocation_count  BIGINT    Allocations.
            allocated_bytes   BIGINT    Sum of their sizes.
            free_count        BIGINT    Frees.
            freed_bytes       BIGINT    Sum of their sizes.
            churn_count       BIGINT    Allocations that the step freed again.
            churn_bytes       BIGINT    Sum of their sizes.
            peak_bytes        BIGINT    Most bytes in use after one of these events, for the GPU and kind, including other processes.
        """

    def memory_pools(
        self,
        *,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A CUDA memory pool: peak bytes allocated from it, the GPU memory it reserved, and bytes still allocated at the end.

        Pools serve cudaMallocAsync and cudaMallocFromPoolAsync. Bytes in use are those allocated from the pool since the
        capture began and not yet freed. Reserved bytes are the GPU memory that the pool holds according to CUDA: the part not
        in use is available only to the pool's own allocations. Use at the peak, by call and NVTX range: memory_at_peak --by
        pool.

        Parameters
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; what is in use then counts.
            end_ns  BIGINT  End of the interval to analyze.

        Columns
            gpu_id                   BIGINT    Physical GPU.
            pid                      BIGINT    Process.
            pool                     VARCHAR   Address of the pool.
            created_ns               BIGINT    When it was created; NULL if before the capture.
            destroyed_ns             BIGINT    When it was destroyed; NULL if not.
            is_imported              BOOLEAN   Imported from another process; NULL if its creation is not recorded.
            peak_bytes               BIGINT    Most bytes in use at once.
            peak_ns                  BIGINT    When the peak was first reached.
            live_count               BIGINT    Allocations in use at the peak.
            end_bytes                BIGINT    In use at the end.
            reserved_peak_bytes      BIGINT    Most GPU memory that the pool reserved; NULL if not recorded.
            reserved_end_bytes       BIGINT    Bytes reserved after the last event that records them.
            release_threshold_bytes  BIGINT    Bytes that it keeps when trimmed, from the last event that records them.
            trim_count               BIGINT    Times that it was trimmed.
            allocation_count         BIGINT    Allocations.
            allocated_bytes          BIGINT    Sum of their sizes.
            never_freed_count        BIGINT    Allocations that live to the end.
            churn_bytes              BIGINT    Allocated and freed again.
            med_life_ns              DOUBLE    Median time from an allocation to its free.
        """

    def memory_use(
        self,
        *,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""An allocation or a free, with the bytes in use on its GPU, of its kind of memory, from then on.

        If the interval begins later than the capture, a row with change_bytes 0 has the bytes in use then.

        Parameters
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; what is in use then counts.
            end_ns  BIGINT  End of the interval to analyze.

        Columns
            gpu_id        BIGINT    Physical GPU.
            kind          VARCHAR   Kind of memory.
            start_ns      BIGINT    Time of the event.
            change_bytes  BIGINT    Bytes allocated; negative if freed.
            use_bytes     BIGINT    In use from then on.
            pid           BIGINT    Process.
            api_name      VARCHAR   The call; NULL for static variables and calls that were not recorded.
            variable      VARCHAR   Static variable.
        """

    def um_cpu_page_faults_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU page faults on unified memory, by source location.

        Columns
            cpu_page_faults          BIGINT    Number of page faults.
            cpu_instruction_address  VARCHAR   Function or address of the instruction.

        Same as  nsys stats --report um_cpu_page_faults_sum
        """

    def um_sum(
        self,
        *,
        top: int | None = None,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Migrations and page faults by page of unified memory.

        Pages are identified by their virtual address. Migrations between devices (copy kind 13) are left out.
        Throughput is all bytes migrated over the time of the migrations; `nsys stats` first divides 10^9 by the time
        in whole numbers, which gives 0 above one second.
        `nsys stats` gives no answer if one kind of fault was not recorded; here its column is NULL.

        Parameters
            top  BIGINT  Pages of highest throughput to keep; NULL keeps all.
            as_nsys  BOOLEAN = False  Only if all kinds were recorded; throughput by integer division.

        Columns
            virtual_address                   BIGINT    Address of the page; NULL if a migration has none.
            htod_migration_bytes              BIGINT    Bytes migrated to a GPU.
            dtoh_migration_bytes              BIGINT    Bytes migrated from a GPU.
            cpu_page_faults                   BIGINT    Page faults of the CPU.
            gpu_page_faults                   BIGINT    Page faults of GPUs.
            migration_throughput_bytes_per_s  DOUBLE    Bytes migrated over the time of the migrations; NULL if that is 0.

        Same as  nsys stats --report um_sum
        """

    def um_total_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Migrations and page faults of unified memory in the whole capture: one row.

        Migrations between devices (copy kind 13) are left out. Addresses are the lowest and highest of any
        migration or fault; `nsys stats` leaves them out unless there were migrations both ways and faults of
        both kinds, and gives no answer if one kind of fault was not recorded.

        Parameters
            as_nsys  BOOLEAN = False  Only if all kinds were recorded; addresses only if all kinds occurred.

        Columns
            total_htod_migration_bytes  BIGINT    Bytes migrated to a GPU.
            total_dtoh_migration_bytes  BIGINT    Bytes migrated from a GPU.
            total_cpu_page_faults       BIGINT    Page faults of the CPU; NULL if none was recorded.
            total_gpu_page_faults       BIGINT    Page faults of GPUs; NULL if none was recorded.
            minimum_virtual_address     BIGINT    Lowest address.
            maximum_virtual_address     BIGINT    Highest address.

        Same as  nsys stats --report um_total_sum
        """

    def metrics(
        self,
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
        r"""A metric of a GPU, of its kernels by name, of its NVTX ranges by name, or of its steps: the time-weighted mean.

        A sample is valid for the time since the previous one (view gpu_metric). It counts for a kernel execution, an NVTX
        range projected onto the GPU, or a step (query step_times) that contains all of this time. Executions shorter than the
        sampling period have no sample; if that holds for all, sample_count is 0 and the mean is NULL, which does not mean 0.
        Metrics are those of the whole GPU: concurrent kernels, also of other processes, share samples. Ranges count on the
        GPUs that their process uses. Steps are in order, all else by time, longest first.

        Parameters
            by  gpu | kernel | nvtx | step = gpu  The whole GPU, its kernels by name, NVTX ranges by name, or steps.
            gpu  BIGINT  Only this GPU.
            metric  VARCHAR  Only this metric, such as 'SMs Active'.

        Columns
            gpu_id         BIGINT    Physical GPU.
            name           VARCHAR   Kernel, NVTX range as domain:text, or such as step 3; NULL for the whole GPU.
            metric         VARCHAR   Metric, by its newer name.
            unit           VARCHAR   % (0 to 100), Hz, requests.
            mean           DOUBLE    Time-weighted mean; NULL if unsampled.
            sample_mean    DOUBLE    Unweighted mean of the samples; for the whole GPU only.
            min            BIGINT    Smallest sample; for the whole GPU only.
            max            BIGINT    Largest sample; for the whole GPU only.
            sample_count   BIGINT    Samples; 0 if unsampled.
            sampled_ns     BIGINT    Time that they are valid for.
            count          BIGINT    Executions, or ranges; NULL for the whole GPU.
            sampled_count  BIGINT    Those of them that have a sample.
            total_ns       BIGINT    Sum of their durations on the GPU.
        """

    def occupancy(
        self,
        *,
        gpu: int | None = None,
        compute_capability: str | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A kernel and launch shape on a GPU: its theoretical occupancy, what limits it, and its waves.

        Theoretical occupancy is the share of an SM's warps that blocks of this shape can fill: blocks_per_sm * warps of a block
        / warps of an SM. An SM takes as many blocks as its warps (threads), blocks, registers and shared memory allow, by the
        GPU's limits in the export, else those of its compute capability; limited_by names each limit that is reached. It is
        an upper bound, not achieved occupancy. A grid of few blocks fills few SMs: gpu_occupancy_pct is for the whole GPU. A
        wave is as many blocks as the whole GPU takes at once; a nearly empty last wave leaves most of the GPU unused. Kernels
        with thread block clusters are not covered, nor are GPUs with no or an unknown compute capability; not_covered gives
        the reason. Kernels inside a CUDA graph traced as a whole have no rows.

        Parameters
            gpu  BIGINT  Only this GPU.
            compute_capability  VARCHAR  Used for GPUs if the export does not record it, such as 9.0.

        Columns
            gpu_id                       BIGINT    Physical GPU.
            name                         VARCHAR   Kernel, with its signature.
            grid                         VARCHAR   Blocks in x, y and z.
            block                        VARCHAR   Threads of a block in x, y and z.
            registers_per_thread         BIGINT    Registers.
            static_shared_memory_bytes   BIGINT    Static shared memory of a block.
            dynamic_shared_memory_bytes  BIGINT    Dynamic shared memory of a block.
            occupancy_pct                DOUBLE    Share of an SM's warps that the shape can fill.
            gpu_occupancy_pct            DOUBLE    Largest share of all the GPU's warps that the grid can fill; NULL without a known number of SMs.
            limited_by                   VARCHAR   registers, shared memory, threads, blocks: all limits that are reached.
            blocks_per_sm                BIGINT    Blocks that an SM takes at once.
            waves                        DOUBLE    Blocks of the grid over those that all SMs take at once; NULL without a known number of SMs.
            last_wave_pct                DOUBLE    How much of the last wave the grid fills; 100 if all.
            count                        BIGINT    Executions.
            total_ns                     BIGINT    Sum of durations.
            time_pct                     DOUBLE    Share of the GPU's kernel time.
            not_covered                  VARCHAR   Why there is no occupancy; NULL if there is.
        """

    def network_congestion(
        self,
        *,
        ticks_threshold: int = 10000,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Intervals in which a network device had data to send but could not.

        Intervals with more waiting ticks per millisecond than the threshold. A tick is about a nanosecond and differs
        between kinds of devices: compare values of one device only. Adapters of unknown model are included; `nsys
        stats` leaves them out.

        Parameters
            ticks_threshold  BIGINT = 10000  Waiting ticks per millisecond above which an interval is shown.
            as_nsys  BOOLEAN = False  Leave out adapters of unknown model.

        Columns
            start_ns                     BIGINT    Start.
            end_ns                       BIGINT    End.
            duration_ns                  BIGINT    Duration.
            send_wait_rate_ticks_per_ms  BIGINT    Waiting ticks per millisecond.
            guid                         VARCHAR   The device's GUID, in hexadecimal.
            device_name                  VARCHAR   Model of the adapter; NULL for a switch.

        Same as  nsys stats --report network_congestion
        """

    def nvtx_gpu_proj_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU time of NVTX ranges projected onto the GPU, by range name and style.

        Projections as in nvtx_gpu_proj_trace: from the start of the first work launched in a range to the end of
        the last, including idle time in between. Ranges without GPU work do not count. NVIDIA leaves out CUDA graphs
        traced as a whole, ranges without a name, and the level of ranges of equal start and end.

        Parameters
            as_nsys  BOOLEAN = False  Leave out what NVIDIA leaves out.

        Columns
            range                VARCHAR   domain:text, or the text if there is no domain.
            style                VARCHAR   PushPop or StartEnd.
            total_proj_time_ns   BIGINT    Sum of the projections.
            total_range_time_ns  BIGINT    Sum of the ranges on the CPU.
            range_instances      BIGINT    Number of ranges with GPU work.
            proj_avg_ns          DOUBLE    Mean projection.
            proj_med_ns          DOUBLE    Median projection.
            proj_min_ns          BIGINT    Shortest projection.
            proj_max_ns          BIGINT    Longest projection.
            proj_stddev_ns       DOUBLE    Sample standard deviation; 0 for a single one.
            total_gpu_ops        BIGINT    Number of launching calls.
            avg_gpu_ops          DOUBLE    The same per range.
            avg_range_level      DOUBLE    Mean number of ranges around a range.
            avg_num_child        DOUBLE    Mean number of ranges with GPU work directly in a range.

        Same as  nsys stats --report nvtx_gpu_proj_sum
        """

    def nvtx_gpu_proj_trace(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""NVTX ranges projected onto the GPU: from the start of the first work launched in each to the end of the last.

        Work belongs to every range around the API call that launched it, on the thread of the call; when the
        work itself ran does not matter. The projection includes other GPU work in between, and idle time. Ranges
        without GPU work have no row. The row without a range (the first, if any) has the work launched outside of
        ranges. Work whose call was not recorded is left out. Ranges are nested as in nvtx_pushpop_trace, whatever
        their style. NVIDIA leaves out CUDA graphs traced as a whole, and the nesting of ranges of equal start and
        end; in the row without a range it counts equal correlation ids of several processes once.

        Parameters
            as_nsys  BOOLEAN = False  Leave out what NVIDIA leaves out.

        Columns
            name                   VARCHAR   domain:text, or the text if there is no domain.
            projected_start_ns     BIGINT    Start of the first work.
            projected_duration_ns  BIGINT    Up to the end of the last work.
            orig_start_ns          BIGINT    Start of the range on the CPU.
            orig_duration_ns       BIGINT    Duration of the range on the CPU.
            style                  VARCHAR   PushPop or StartEnd.
            pid                    BIGINT    Process.
            tid                    BIGINT    Thread; for work outside of ranges, the thread that launched the work that ended last.
            num_gpu_ops            BIGINT    Number of launches, each a process and a correlation id, whatever they launched.
            level                  BIGINT    Number of ranges around it.
            num_child              BIGINT    Number of ranges with GPU work directly in it.
            range_id               BIGINT    Position in the export's table.
            parent_id              BIGINT    The range around it; NULL for none.
            range_stack            VARCHAR   Range ids from the outermost range to this one, such as :2:7.

        Same as  nsys stats --report nvtx_gpu_proj_trace
        """

    def nvtx_kern_sum(
        self,
        *,
        name: Literal["demangled", "base", "mangled"] = "demangled",
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU time by NVTX range name, thread and kernel name, for kernels launched inside the ranges.

        A kernel belongs to every range around the API call that launched it, on the thread of the call, not only
        to the innermost; when the kernel itself ran does not matter. In two nested ranges of one name it is one
        kernel, but its time counts twice. Kernels launched outside of ranges have no range; those whose call was
        not recorded have no process and thread either.

        Parameters
            name  demangled | base | mangled = demangled  Kernel name to use; mangled falls back to demangled.

        Columns
            nvtx_range     VARCHAR   domain:text, or the text if there is no domain.
            style          VARCHAR   PushPop or StartEnd.
            pid            BIGINT    Process of the calls.
            tid            BIGINT    Thread of the calls.
            nvtx_inst      BIGINT    Number of ranges.
            kern_inst      BIGINT    Number of kernels.
            total_time_ns  BIGINT    Sum of durations, of every kernel in every range around it.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            kernel_name    VARCHAR   Kernel.

        Same as  nsys stats --report nvtx_kern_sum
        """

    def nvtx_pushpop_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by name of NVTX push/pop range.

        All threads and processes. Nested ranges each count in full, so the total can exceed the run. A range
        that was never closed ends at the latest timestamp of any range; NVIDIA takes that of any NVTX event. A
        domain registered on two threads of a process is one domain; NVIDIA counts its ranges twice.

        Parameters
            as_nsys  BOOLEAN = False  Treat open ranges and domains registered twice as nsys does.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of ranges.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            range          VARCHAR   domain:text, or the text if there is no domain.

        Same as  nsys stats --report nvtx_pushpop_sum
        """

    def nvtx_pushpop_trace(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""NVTX push/pop ranges with their nesting: parent, level, children.

        The parent of a range is the shortest other range of its thread that starts no later and ends no earlier, whatever
        its domain. A range that was never closed ends at the latest timestamp of any push/pop range. NVIDIA
        leaves out ranges of equal start and end on one thread, with all ranges nested in them.

        Parameters
            as_nsys  BOOLEAN = False  Leave out what NVIDIA leaves out.

        Columns
            start_ns          BIGINT    Start.
            end_ns            BIGINT    End.
            duration_ns       BIGINT    Duration.
            dur_child_ns      BIGINT    Sum of the durations of the ranges directly in it.
            dur_non_child_ns  BIGINT    The rest of its duration.
            name              VARCHAR   domain:text, or the text if there is no domain.
            pid               BIGINT    Process.
            tid               BIGINT    Thread.
            level             BIGINT    Number of ranges around it.
            num_child         BIGINT    Number of ranges directly in it.
            range_id          BIGINT    Position in the export's table.
            parent_id         BIGINT    The range around it; NULL for none.
            range_stack       VARCHAR   Range ids from the outermost range to this one, such as :2:7.
            name_tree         VARCHAR   Name, set in by two dashes per level.

        Same as  nsys stats --report nvtx_pushpop_trace
        """

    def nvtx_stack(
        self,
        *,
        moments: str = "0",
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""NVTX ranges open on a thread at a given time, outermost first.

        Ranges that the thread opened itself, which began at or before the time and end after it; a range that was
        never closed is open to the end.

        Parameters
            moments  VARCHAR = 0  Times, separated by commas.

        Columns
            moment_ns  BIGINT    The time.
            thread_id  BIGINT    Thread (globalTid).
            pid        BIGINT    The operating system's process number.
            tid        BIGINT    The operating system's thread number.
            depth      BIGINT    1 for the outermost range.
            name       VARCHAR   Text of the range; NULL if it has none.
            start_ns   BIGINT    Start.
            end_ns     BIGINT    End; NULL if it was never closed.
        """

    def nvtx_startend_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by name of NVTX start/end range.

        All threads and processes. Nested ranges each count in full, so the total can exceed the run. A range
        that was never closed ends at the latest timestamp of any range; NVIDIA takes that of any NVTX event. A
        domain registered on two threads of a process is one domain; NVIDIA counts its ranges twice.

        Parameters
            as_nsys  BOOLEAN = False  Treat open ranges and domains registered twice as nsys does.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of ranges.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            range          VARCHAR   domain:text, or the text if there is no domain.

        Same as  nsys stats --report nvtx_startend_sum
        """

    def nvtx_sum(
        self,
        *,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by NVTX range name and style.

        Push/pop and start/end ranges of all threads and processes. Nested ranges each count in full, so the total
        can exceed the run. A range that was never closed ends at the latest timestamp of any range; NVIDIA takes
        that of any NVTX event. A domain registered on two threads of a process is one domain; NVIDIA counts its
        ranges twice.

        Parameters
            as_nsys  BOOLEAN = False  Treat open ranges and domains registered twice as nsys does.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of ranges.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            style          VARCHAR   PushPop or StartEnd.
            range          VARCHAR   domain:text, or the text if there is no domain.

        Same as  nsys stats --report nvtx_sum
        """

    def operators(
        self,
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
        r"""An NVTX path, a range name, or a module of a model: CPU time, GPU work launched inside, and idle time attributed to it.

        Numbers in names are #; PyTorch's sequence numbers and shapes are left out. Self is the time outside of nested ranges;
        it sums to the whole over all rows, since time outside of all ranges has a row without a name. GPU work and launching
        calls count where the call begins, on its thread. By name, a range nested in one of the same name counts once in the
        total. Module ranges are those of hooks (docs/operators.md); nested modules are not part of the outer one. Backward
        work, if PyTorch's emit_nvtx wrote sequence numbers, is in its own rows and again, as backward_*, in that of the
        operator that created it; if that operator is not known, in the row without a name. In an interval, times are
        clipped; ranges and launches that overlap it count. Threads count from their first range or launching call to their
        last. Not counted: ranges that another thread closed; GPU work of zero length.

        Parameters
            by  path | name | module = path  A row is a path of nested ranges, a name wherever it occurs, or a model's module.
            sort  gpu_self | gpu_total | cpu_self | cpu_total | idle | launches | count | backward_gpu | name = gpu_total  What to sort by, largest first; names from A.
            top  BIGINT  Rows to keep; NULL keeps all.
            idle  BOOLEAN = True  Attribute the idle time of the GPUs, which takes longer.

        Columns
            name             VARCHAR   outer > inner, or the name; NULL for time outside of ranges.
            count            BIGINT    Ranges.
            cpu_total_ns     BIGINT    CPU time inside.
            cpu_self_ns      BIGINT    The part in no range within.
            gpu_total_ns     BIGINT    Sum of durations of the GPU work launched inside; NULL, like the next five columns, if the export has none.
            gpu_self_ns      BIGINT    The part launched in no range within.
            gpu_busy_ns      BIGINT    Time in which work launched inside ran, GPUs added.
            kernels          BIGINT    Kernels launched inside.
            launches         BIGINT    Calls inside that launched GPU work.
            idle_ns          BIGINT    Idle time attributed to it, added over GPUs; NULL without `idle` or GPU work.
            idle_self_ns     BIGINT    The part outside of nested ranges; NULL without `idle`.
            backward_cpu_ns  BIGINT    CPU time of the backward functions that operators inside created; NULL if no range has a sequence number.
            backward_gpu_ns  BIGINT    Sum of durations of the GPU work launched in these; NULL likewise.
        """

    def stacks(
        self,
        *,
        weight: Literal["gpu", "cpu", "idle", "launches", "samples"] = "gpu",
        top: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A stack and its weight: nested NVTX ranges, then the Python stack, then the work inside the innermost one.

        The last frame is the kernel, copy, memset or graph for GPU work and launches, and the cause for idle time. CPU samples
        end in the functions of their call stack, after Python's functions those that the interpreter called; without CPU
        samples, samples of Python stacks count. Attribution is as in operators and lines; the rows sum to the whole.

        Parameters
            weight  gpu | cpu | idle | launches | samples = gpu  Unit of value: nanoseconds of GPU work, CPU time or idle time, launching calls, or CPU samples.
            top  BIGINT  Stacks to keep, those with the largest value; NULL keeps all.

        Columns
            stack  VARCHAR   Frames, outermost first, between semicolons; a semicolon in a name is a comma.
            value  BIGINT    Nanoseconds, calls or samples.
        """

    def osrt_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by OS runtime function.

        Calls of all threads and nesting levels; calls that began before or ended after the capture are left out.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            num_calls      BIGINT    Number of calls.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            name           VARCHAR   Function.

        Same as  nsys stats --report osrt_sum
        """

    def syscall_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by system call.

        A report of nsys versions later than 2023.4.4, from its documentation.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            num_calls      BIGINT    Number of calls.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            name           VARCHAR   System call.

        Same as  nsys stats --report syscall_sum
        """

    def mpi_event_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time by MPI function.

        Calls still under way at the end of the capture have no duration: they count, but add no time.
        A report of nsys versions later than 2023.4.4, from its documentation.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            instances      BIGINT    Number of calls.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            source         VARCHAR   p2p, start_wait, other or collectives.
            name           VARCHAR   MPI function.

        Same as  nsys stats --report mpi_event_sum
        """

    def mpi_event_trace(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""MPI calls; a thread with several ranks in the export has a row per rank.

        A send-receive with two partners has a row for each direction. The rank is NULL if the export does not
        record it.

        Columns
            start_ns         BIGINT    Start of the call.
            end_ns           BIGINT    Return of the call; NULL if it was still under way.
            duration_ns      BIGINT    Duration; NULL if it was still under way.
            event            VARCHAR   MPI function.
            pid              BIGINT    Process.
            tid              BIGINT    Thread.
            tag              BIGINT    Message tag; sends and receives only.
            rank             BIGINT    Rank of the thread.
            peer_rank        BIGINT    Rank at the other end; sends and receives only.
            root_rank        BIGINT    Root; collectives only.
            size_bytes       BIGINT    Message size; sends and receives only.
            coll_send_bytes  BIGINT    Bytes sent; collectives only.
            coll_recv_bytes  BIGINT    Bytes received; collectives only.

        Same as  nsys stats --report mpi_event_trace
        """

    def mpi_msg_size_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Message sizes by MPI function and direction.

        Sends and receives count once (p2p); a collective counts what it sent (coll_send) and what it received
        (coll_recv). Calls that record no size are left out.
        A report of nsys versions later than 2023.4.4, from its documentation.

        Columns
            total_message_volume_bytes  BIGINT    Sum of sizes.
            instances                   BIGINT    Number of messages.
            avg_bytes                   DOUBLE    Mean size.
            med_bytes                   DOUBLE    Median size.
            min_bytes                   BIGINT    Smallest.
            max_bytes                   BIGINT    Largest.
            stddev_bytes                DOUBLE    Sample standard deviation; 0 for a single one.
            source                      VARCHAR   p2p, coll_send or coll_recv.
            name                        VARCHAR   MPI function.

        Same as  nsys stats --report mpi_msg_size_sum
        """

    def openacc_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Time by OpenACC event and source line.

        A construct and the events inside it are both counted. If the file is unknown, the name is that of the event
        alone.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            num_calls      BIGINT    Number of events.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            name           VARCHAR   Such as Enter Data@jacobi.f90:30.

        Same as  nsys stats --report openacc_sum
        """

    def openmp_sum(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Time by OpenMP event kind and name.

        Kinds are NVIDIA's tables; one name in two of them has two rows. Regions and the events inside them are both
        counted.

        Columns
            time_pct       DOUBLE    Share of the total of all rows.
            total_time_ns  BIGINT    Sum of durations.
            count          BIGINT    Number of events.
            avg_ns         DOUBLE    Mean duration.
            med_ns         DOUBLE    Median duration.
            min_ns         BIGINT    Shortest.
            max_ns         BIGINT    Longest.
            stddev_ns      DOUBLE    Sample standard deviation; 0 for a single one.
            name           VARCHAR   Event.
            kind           VARCHAR   Such as parallel or sync_region_wait.

        Same as  nsys stats --report openmp_sum
        """

    def busy_over_time(
        self,
        *,
        slices: int = 100,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A GPU and one of equal slices of its window: how long the GPU was busy in it.

        Busy is the union of kernels, memcpys, memsets and CUDA graphs over all streams and processes; the slices sum to busy_ns
        of gpu_time.

        Parameters
            slices  BIGINT = 100  Slices of each window.

        Columns
            gpu_id    BIGINT    Physical GPU.
            slice     BIGINT    Number of the slice, from 0.
            start_ns  BIGINT    Start.
            end_ns    BIGINT    Start of the next; for the last the end of the window.
            busy_ns   BIGINT    Time with any activity.
        """

    def collective_accounts(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A collective and an account: what the process did between the previous collectives and its arrival at this one.

        Two clocks: `gpu`, the accounts of gpu_accounts on the process's GPU, and `cpu`, the NVTX ranges of the collective's
        thread, each nanosecond once. Each sums to the time from the end of the previous collectives to the arrival, as far as
        it is in the GPU's window. The first collective of a process has no such time. `launch` is the computing time of the
        GPU again, by the NVTX ranges around the launches of its kernels.

        Columns
            collective_id  BIGINT    The collective (query collectives): the later one of the two.
            clock          VARCHAR   gpu, cpu or launch.
            kind           VARCHAR   computing, graph, communication, copy, memset or idle; nvtx, or outside of all ranges.
            name           VARCHAR   Kernel, copy, memset or cause of idle time; path of ranges, numbers in it as #.
            total_ns       BIGINT    Time in this account.
        """

    def collectives(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A collective of a process that no rank leaves before the last one arrives: an NCCL kernel, or else an MPI call.

        For a process with NCCL kernels only these; for others barriers and the MPI calls that give each rank data of all
        (allreduce, alltoall, allgather, reduce-scatter). Sends and receives right before such a call, each at most 100 us
        after the previous one, begin the same exchange. `nsysql ranks` matches them across processes and exports.

        Parameters
            start_ns  BIGINT  Only collectives that end after this time.
            end_ns  BIGINT  Only collectives that begin before this time.

        Columns
            collective_id    BIGINT    Number, from 1, by process and arrival.
            pid              BIGINT    The operating system's process number.
            source           VARCHAR   nccl or mpi.
            name             VARCHAR   Text of the range nccl:* around the launch, the kernel's kind, or the MPI call.
            gpu_id           BIGINT    Physical GPU of the kernel; NULL for MPI.
            communicator     VARCHAR   Context and stream of the kernel; handle of the communicator.
            rank_count       BIGINT    Ranks of the communicator; NULL if the export does not say.
            arrived_at_ns    BIGINT    Start of the kernel, or of the exchange that the call ends.
            start_ns         BIGINT    Start of the kernel or the call.
            end_ns           BIGINT    End of the kernel, return of the call.
            previous_end_ns  BIGINT    When the process left all earlier ones on the GPU; NULL for the first.
            thread_id        BIGINT    Thread that called MPI, or launched the kernel (globalTid); NULL if not recorded.
            process_id       BIGINT    Process (globalPid).
            range_row_id     BIGINT    Row of the innermost NVTX range of domain NCCL around the launch; NULL if none.
        """

    def cuda_api_sync(
        self,
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
        r"""Calls that make the CPU wait for the GPU: cudaDeviceSynchronize and cudaStreamSynchronize.

        Only runtime calls; calls of the driver (cuCtxSynchronize), waits for events and blocking copies are not
        included.

        Parameters
            pid  BIGINT  Only calls of this process.
            tid  BIGINT  Only calls of this thread.
            top  BIGINT  Longest calls to keep; NULL keeps all.

        Columns
            duration_ns  BIGINT    Duration.
            start_ns     BIGINT    Start.
            pid          BIGINT    Process.
            tid          BIGINT    Thread.
            api_name     VARCHAR   Function, with version suffix.

        Same as  nsys analyze --rule cuda_api_sync
        """

    def cuda_memcpy_async(
        self,
        *,
        top: int | None = None,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Asynchronous memcpys from or to pageable memory, which therefore ran synchronously.

        The CPU waits for such a copy despite Async. CUDA runtime only (cudaMemcpy...Async...). A copy and its call
        share process and correlation id; `nsys analyze` joins by the id alone, which lists a copy again for each
        other process with the same id.

        Parameters
            top  BIGINT  Longest copies to keep; NULL keeps all.
            as_nsys  BOOLEAN = False  Join by the correlation id alone.

        Columns
            duration_ns       BIGINT    Duration on the GPU.
            start_ns          BIGINT    Start on the GPU.
            src_kind          VARCHAR   Memory copied from.
            dst_kind          VARCHAR   Memory copied to.
            bytes             BIGINT    Bytes copied.
            pid               BIGINT    Process of the copy.
            device_id         BIGINT    CUDA ordinal within the process.
            context_id        BIGINT    CUDA context.
            green_context_id  BIGINT    Green context; NULL if none.
            stream_id         BIGINT    CUDA stream.
            api_name          VARCHAR   Function, with version suffix.

        Same as  nsys analyze --rule cuda_memcpy_async
        """

    def cuda_memcpy_sync(
        self,
        *,
        top: int | None = None,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Synchronous memcpys: the CPU waited for each.

        CUDA runtime only (cudaMemcpy... without Async). Copies of up to 64 KiB from the host to a device, which do
        not wait, and copies within one device, if the export identifies them, are left out. A copy and its call
        share process and correlation id; `nsys analyze` joins by the id alone, which lists a copy again for each
        other process with the same id, and uses a limit of 64000 bytes.

        Parameters
            top  BIGINT  Longest copies to keep; NULL keeps all.
            as_nsys  BOOLEAN = False  Join by the correlation id alone, and leave out up to 64000 bytes.

        Columns
            duration_ns       BIGINT    Duration on the GPU.
            start_ns          BIGINT    Start on the GPU.
            src_kind          VARCHAR   Memory copied from.
            dst_kind          VARCHAR   Memory copied to.
            bytes             BIGINT    Bytes copied.
            pid               BIGINT    Process of the copy.
            device_id         BIGINT    CUDA ordinal within the process.
            context_id        BIGINT    CUDA context.
            green_context_id  BIGINT    Green context; NULL if none.
            stream_id         BIGINT    CUDA stream.
            api_name          VARCHAR   Function, with version suffix.

        Same as  nsys analyze --rule cuda_memcpy_sync
        """

    def cuda_memset_sync(
        self,
        *,
        top: int | None = None,
        as_nsys: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Synchronous memsets of pinned or managed memory: the CPU waited for each.

        CUDA runtime only (cudaMemset... without Async). A memset and its call share process and correlation id;
        `nsys analyze` joins by the id alone, which lists a memset again for each other process with the same id.

        Parameters
            top  BIGINT  Longest memsets to keep; NULL keeps all.
            as_nsys  BOOLEAN = False  Join by the correlation id alone.

        Columns
            duration_ns       BIGINT    Duration on the GPU.
            start_ns          BIGINT    Start on the GPU.
            memory_kind       VARCHAR   Memory that is set.
            bytes             BIGINT    Bytes set.
            pid               BIGINT    Process of the memset.
            device_id         BIGINT    CUDA ordinal within the process.
            context_id        BIGINT    CUDA context.
            green_context_id  BIGINT    Green context; NULL if none.
            stream_id         BIGINT    CUDA stream.
            api_name          VARCHAR   Function, with version suffix.

        Same as  nsys analyze --rule cuda_memset_sync
        """

    def dx12_mem_ops(
        self,
        *,
        top: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Direct3D 12 calls that use memory inefficiently.

        Heaps and committed resources that are filled with zeros because D3D12_HEAP_FLAG_CREATE_NOT_ZEROED is not
        set; reads from upload heaps or write-combine pages; writes to readback heaps or write-back pages.

        Parameters
            top  BIGINT  Longest calls to keep; NULL keeps all.

        Columns
            duration_ns   BIGINT    Duration.
            start_ns      BIGINT    Start.
            tid           BIGINT    Thread.
            device_id     BIGINT    GPU.
            warning_type  VARCHAR   What is slow.

        Same as  nsys analyze --rule dx12_mem_ops
        """

    def gpu_gaps(
        self,
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
        r"""Intervals in which a GPU did nothing for a process.

        From the end of the last work that was running to the start of the next, over all streams and contexts; the
        time before the first and after the last work does not count. Processes that share a GPU are evaluated
        separately (`idle_gaps` has the gaps of the GPU itself), and so are graphics APIs and CUDA. Profiler overhead
        does not count as a gap. `nsys analyze` ignores CUDA graphs traced as a whole and overhead by the names that
        nsys uses since 2024, and leaves out gaps of exactly the shortest length.

        Parameters
            min_gap_ns  BIGINT = 500000000  Shortest gap to show.
            top  BIGINT  Longest gaps to keep; NULL keeps all.
            as_nsys  BOOLEAN = False  Find the gaps that NVIDIA finds.

        Columns
            row_number   BIGINT    Number of the row.
            duration_ns  BIGINT    How long the GPU did nothing.
            start_ns     BIGINT    When it fell idle.
            pid          BIGINT    Process.
            device_id    BIGINT    CUDA ordinal within the process.
            context_id   BIGINT    Context of the work that ended last before the gap.

        Same as  nsys analyze --rule gpu_gaps
        """

    def gpu_time_util(
        self,
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
        r"""Intervals in which a process used a GPU little.

        The time from a process's first work on a GPU to the end of its last is cut into chunks of equal length (the
        last may be shorter). A chunk's use is the time of all work inside it, divided by its length: concurrent work
        adds up and can exceed 100 percent. Neighboring chunks below the threshold are one row, whose use is the mean
        weighted by length. Processes that share a GPU are evaluated separately, and so are graphics APIs and CUDA.
        Profiler overhead counts as work. `nsys analyze` ignores CUDA graphs traced as a whole and overhead by the
        names that nsys uses since 2024, and keeps the earliest rows, not the worst, if it limits their number.

        Parameters
            threshold_pct  DOUBLE = 50.0  Use below which a chunk is shown.
            chunks  BIGINT = 30  Chunks to cut the time into, 1 to 1000.
            top  BIGINT  Rows of lowest use to keep; NULL keeps all.
            as_nsys  BOOLEAN = False  Find the rows that NVIDIA finds.

        Columns
            row_number   BIGINT    Number of the row.
            in_use_pct   DOUBLE    Share of the time in which the GPU worked.
            duration_ns  BIGINT    Length.
            start_ns     BIGINT    Start.
            pid          BIGINT    Process.
            device_id    BIGINT    CUDA ordinal within the process.
            context_id   BIGINT    Context of the process's last work on the GPU.

        Same as  nsys analyze --rule gpu_time_util
        """

    def cpu_accounts(
        self,
        *,
        step_range: str | None = None,
        series: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
    ) -> polars.DataFrame:
        r"""A step and an NVTX path: how much of the step's CPU time its thread spent there, outside of nested ranges.

        The thread is the one whose ranges, or launches, begin the steps. Each nanosecond of a step's CPU time counts for
        the path of ranges that are open then, outermost to innermost, or as outside; so the rows of a step sum to its
        cpu_dur_ns (query step_times).

        Parameters
            step_range  VARCHAR  NVTX range that marks the steps: NAME[@DOMAIN], numbers in it match any number.
            series  BIGINT  The series of steps (query step_series); NULL takes the chosen one.
            start_ns  BIGINT  Only steps that begin at this time or later, on the CPU.
            end_ns  BIGINT  Only steps that begin before this time.

        Columns
            series_id       BIGINT    The series.
            step            BIGINT    Number of the step, from 0.
            kind            VARCHAR   nvtx, or outside of all ranges.
            name            VARCHAR   The path, numbers in it as #; outside.
            total_ns        BIGINT    CPU time of the step in this account.
            count           BIGINT    Ranges that begin in it.
            first_start_ns  BIGINT    When the step is in it first.
            is_steady       BOOLEAN   The step is complete, after the warm-up, and has about as many launches as most.
        """

    def gpu_accounts(
        self,
        *,
        gpu: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        per_process: bool = False,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A GPU and an account: what its time was spent on, each nanosecond once.

        Every nanosecond of a GPU's window, from its first to its last activity, is in exactly one account, so the
        accounts of a GPU sum to its window. It counts for the first of these that runs: computing kernels, CUDA graphs
        traced as a whole, communication kernels (view communication_kernel), copies, memsets; if nothing runs, it is
        idle, by cause (docs/idle.md). Among several activities of one kind, it counts for the one that started first
        (then: ends last, lower process, stream, row). So communication and copies have only their exposed time.

        Parameters
            gpu  BIGINT  Only this GPU.
            start_ns  BIGINT  Start of the interval to analyze; times are clipped.
            end_ns  BIGINT  End of the interval to analyze; times are clipped.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.

        Columns
            gpu_id      BIGINT    Physical GPU.
            kind        VARCHAR   computing, graph, communication, copy, memset or idle.
            name        VARCHAR   Kernel; copies by direction and memory, memsets by memory; idle time by cause.
            total_ns    BIGINT    Time of the window in this account.
            window_pct  DOUBLE    Share of the window.
            count       BIGINT    Activities, or gaps, that have some of it.
        """

    def step_accounts(
        self,
        *,
        step_range: str | None = None,
        series: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
    ) -> polars.DataFrame:
        r"""A step, a GPU and an account: what the GPU's period of that step was spent on.

        The accounts of gpu_accounts, cut where steps begin: those of a step sum to its period (query step_times).

        Parameters
            step_range  VARCHAR  NVTX range that marks the steps: NAME[@DOMAIN], numbers in it match any number.
            series  BIGINT  The series of steps (query step_series); NULL takes the chosen one.
            start_ns  BIGINT  Only steps that begin at this time or later, on the GPU if they have work there.
            end_ns  BIGINT  Only steps that begin before this time.

        Columns
            step       BIGINT    Number of the step, from 0.
            gpu_id     BIGINT    Physical GPU.
            kind       VARCHAR   computing, graph, communication, copy, memset or idle.
            name       VARCHAR   Kernel; copies by direction and memory, memsets by memory; idle time by cause.
            total_ns   BIGINT    Time of the period in this account.
            count      BIGINT    Activities, or gaps, whose time in this account begins in the period.
            is_steady  BOOLEAN   The step is complete, after the warm-up, and has about as many launches as most.
        """

    def step_series(
        self,
        *,
        step_range: str | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
    ) -> polars.DataFrame:
        r"""A loop that a process repeats, from its first step to its last, and how it was found: a series of steps.

        Most programs repeat one thing: a training step, a time step, a request. A row is one such loop of one process; a
        process can have several in succession (training steps, then measured forward passes). They are found by NVTX ranges
        that contain half of the process's launches (nvtx), and before and after these by the sequence of its launches
        (launches); without GPU work by ranges that cover their time (nvtx), or by ranges in a fixed order (phases).
        docs/steps.md has the rules. No rows: nothing repeats.

        Parameters
            step_range  VARCHAR  NVTX range that marks the steps: NAME[@DOMAIN], numbers in it match any number.
            start_ns  BIGINT  Only series with a step that ends after this time.
            end_ns  BIGINT  Only series with a step that begins before this time.

        Columns
            series_id      BIGINT    Number of the series, from 0.
            found_by       VARCHAR   named, nvtx, launches or phases.
            name           VARCHAR   Text of the marks, numbers in it as #; how many launches a step has.
            process_id     BIGINT    Process (globalPid).
            thread_id      BIGINT    Thread whose ranges, or launches, begin the steps (globalTid).
            pid            BIGINT    The operating system's process number.
            tid            BIGINT    The operating system's thread number.
            step_count     BIGINT    Steps.
            equal_count    BIGINT    Steps with the commonest sequence of launches; NULL if found by ranges.
            launch_count   BIGINT    Launches of most steps.
            warm_up_count  BIGINT    Leading steps that are warm-up.
            steady_count   BIGINT    Steps after the warm-up, without a last one that is cut off.
            covered_pct    DOUBLE    Share of the process's launches (of CPU time, without launches) in equal steps, or in the ranges.
            work_ns        BIGINT    Durations of the GPU work in the steps, added.
            is_chosen      BOOLEAN   The steps of the capture are this series: it has most GPU work.
            is_layers      BOOLEAN   It repeats the layers of a model, and not whole steps.
            step_range     VARCHAR   Value of --step-range that chooses it; NULL if there is none.
            note           VARCHAR   Remark; NULL if none.
        """

    def step_times(
        self,
        *,
        step_range: str | None = None,
        series: int | None = None,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
    ) -> polars.DataFrame:
        r"""A step on a GPU: when it began and ended, on the CPU and on the GPU, and how long the GPU was busy.

        A step is the CPU time from its mark to the next one on the marking thread; its work is all GPU work that the
        process launches in that time, from any thread. On a GPU it begins with the earliest activity of its work, but
        never before the previous step, and lasts until the next step begins there. A copy under kernels of an earlier
        step counts from their end. So periods on a GPU are contiguous; each is busy and idle time. A step without GPU work
        has one row without GPU times.

        Parameters
            step_range  VARCHAR  NVTX range that marks the steps: NAME[@DOMAIN], numbers in it match any number.
            series  BIGINT  The series of steps (query step_series); NULL takes the chosen one.
            start_ns  BIGINT  Only steps that begin at this time or later, on the GPU if they have work there.
            end_ns  BIGINT  Only steps that begin before this time.

        Columns
            series_id     BIGINT    The series.
            step          BIGINT    Number of the step, from 0.
            cpu_start_ns  BIGINT    Start on the marking thread.
            cpu_end_ns    BIGINT    Start of the next step; for the last its own end.
            cpu_dur_ns    BIGINT    From one to the other.
            gpu_id        BIGINT    Physical GPU; this column and the next six are NULL if the step has no GPU work.
            gpu_start_ns  BIGINT    Start of the earliest activity of the step's work; copies count from the end of earlier steps' kernels.
            gpu_end_ns    BIGINT    Start of the next step on this GPU; for the last the end of the series' work.
            period_ns     BIGINT    From one to the other.
            busy_ns       BIGINT    Time of the period with any activity.
            idle_ns       BIGINT    Time without.
            wait_ns       BIGINT    Idle time at the end of the period, until the next step's first work.
            is_steady     BOOLEAN   Complete, after the warm-up, and with about as many launches as most.
            is_complete   BOOLEAN   Not cut off by the end of the capture, or of the loop.
        """

    def capture_messages(
        self,
        *,
        all_messages: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Messages of nsys about the capture, errors and warnings first.

        Equal messages about one process are one row. nsys reports here that events might be missing, or that a kind of
        trace could not start. A message that no events of a kind were collected is refuted if its process (any process, if
        it names none) has rows of that kind.

        Parameters
            all_messages  BOOLEAN = False  Not only errors and warnings.

        Columns
            severity    VARCHAR   error, warning, info or verbose.
            messages    BIGINT    Number of such messages.
            text        VARCHAR   The message.
            is_loss     BOOLEAN   It says that events are, or might be, missing.
            pid         BIGINT    The process that it is about; NULL for none.
            name        VARCHAR   Its program; NULL if the export does not say.
            is_refuted  BOOLEAN   The capture has what the message says was not collected.
        """

    def endless_work(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A kernel function whose end nsys did not record: it ends far beyond the capture, or never.

        The ledger and the parts count it up to the capture's end; sums of kernels count it in full, as nsys does.

        Columns
            name   VARCHAR   Kernel.
            count  BIGINT    Launches.
        """

    def gpus(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPUs of the machine, used by the program or not.

        As recorded; a trimmed export names none. gpu_time has what each did.

        Columns
            gpu_id                        BIGINT    Physical GPU.
            name                          VARCHAR   Product name.
            compute_capability            VARCHAR   Such as 9.0.
            sm_count                      BIGINT    Streaming multiprocessors.
            total_memory_bytes            BIGINT    Memory.
            memory_bandwidth_bytes_per_s  BIGINT    Memory bandwidth.
            clock_rate_hz                 BIGINT    SM clock.
            bus_location                  VARCHAR   PCI address.
            copy_engine_count             BIGINT    Copies that it can do at the same time; NULL if not known.
        """

    def launch_pace(
        self,
        *,
        soon_ns: Time = 20000,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Launches by GPU: how long they queue, which shows whether the CPU runs ahead of the GPU.

        A launch is an API call with the kernels that it started, joined by process and correlation id; a graph
        launch traced by nodes has many, one traced as a whole has its run instead. It waits from the call's return to
        the start of its first kernel, 0 if that started earlier. Launches that wait long queue behind other work: the
        CPU is ahead. Launches that hardly wait find the GPU free: it waits for the CPU. Kernels of zero length are left
        out. An interval includes launches whose kernels run in it, wherever their call is.

        Parameters
            soon_ns  BIGINT = 20000  Longest wait that is launch latency rather than queueing.
            start_ns  BIGINT  Only launches whose kernels run at or after this time.
            end_ns  BIGINT  Only launches whose kernels run before this time.

        Columns
            gpu_id          BIGINT    Physical GPU.
            soon_ns         BIGINT    The parameter.
            launches        BIGINT    API calls that launched kernels or graphs.
            runs            BIGINT    Kernels, and graphs traced as a whole, whether their call is recorded or not.
            orphan_runs     BIGINT    Those whose call was not recorded; they count below only as running.
            call_ns         BIGINT    Time in launch calls on the CPU, all threads added.
            call_med_ns     DOUBLE    Median call.
            wait_ns         BIGINT    Waiting, all launches added; their waits overlap.
            wait_med_ns     DOUBLE    Median wait.
            wait_max_ns     BIGINT    Longest wait.
            soon_launches   BIGINT    Launches that waited no longer than soon_ns.
            running_ns      BIGINT    Running on the GPU, all of them added; they can overlap.
            running_med_ns  DOUBLE    Median launch, its kernels added.
        """

    def launch_sequence(
        self,
        *,
        top: int | None = None,
        per_process: bool = False,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A piece of GPU work that a recorded call launched, in the order of the calls.

        For finding what repeats: two rows with the same process, kind and detail_id are the same operation. Work of zero
        length and work whose call was not recorded are left out.

        Parameters
            top  BIGINT  First rows to keep, over all processes; NULL keeps all.
            per_process  BOOLEAN = False  Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.

        Columns
            process_id    BIGINT    Process (globalPid).
            gpu_id        BIGINT    Physical GPU.
            kind          VARCHAR   kernel, memcpy, memset or graph.
            detail_id     BIGINT    Which of its kind: name number of a kernel, direction of a copy, graph id.
            api_start_ns  BIGINT    Start of the call.
            start_ns      BIGINT    Start on the GPU.
            end_ns        BIGINT    End on the GPU.
        """

    def mpi_ranks(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A process that called MPI: its rank, and how much of its time it spent in MPI calls.

        MPI_Init and MPI_Finalize, which are start-up and end of the program, are left out. Time in calls is added over the
        process's threads; calls within calls are not counted again. The span is from the start of the first call to the end
        of the last.

        Columns
            rank        BIGINT    Rank in MPI_COMM_WORLD; NULL if the export does not say.
            pid         BIGINT    The operating system's process number.
            name        VARCHAR   Its program; NULL if the export does not say.
            call_count  BIGINT    MPI calls.
            span_ns     BIGINT    From the first call to the last.
            mpi_ns      BIGINT    Time in the calls.
            mpi_pct     DOUBLE    Share of the span.
            sent_bytes  BIGINT    Bytes sent by this rank's calls, as far as recorded; NULL if it sends but no size is recorded.
            main_call   VARCHAR   The function with most time.
            main_ns     BIGINT    Its time.
            process_id  BIGINT    Process (globalPid).
        """

    def nvtx_names(
        self,
        *,
        exact_names: int = 50,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU time of NVTX ranges by process and name; names differing only in numbers are merged.

        A range that was never closed ends at the latest timestamp of any range. The time of a range is the CPU time
        from its start to its end, including ranges within it. For exact names see nvtx_sum.

        Parameters
            exact_names  BIGINT = 50  Keep up to this many names exact; with more, numbers in names become #.

        Columns
            pid            BIGINT    Process.
            name           VARCHAR   domain:text, or the text if there is no domain; NULL if there is no text.
            names          BIGINT    Different names that are merged.
            instances      BIGINT    Ranges.
            total_time_ns  BIGINT    Sum of durations.
            avg_ns         DOUBLE    Mean duration.
        """

    def part_work(
        self,
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
        r"""An activity of the GPU in a part of the capture, among the longest.

        Kernels, copies, memsets and CUDA graphs traced as a whole, each in the part in which it starts.

        Parameters
            part  BIGINT  Only this part (view part).
            kind  kernel | memcpy | memset | graph  Only this kind.
            name  VARCHAR  Only this name.
            kernel_class  VARCHAR  Only kernels of this class, as in view part_kernel.
            top  BIGINT  Activities to keep; NULL keeps all.

        Columns
            part_id          BIGINT    The part.
            gpu_id           BIGINT    Physical GPU.
            stream_id        BIGINT    CUDA stream.
            kind             VARCHAR   kernel, memcpy, memset or graph.
            name             VARCHAR   Name; demangled for kernels.
            start_ns         BIGINT    Start on the GPU.
            dur_ns           BIGINT    Duration.
            alone_ns         BIGINT    Time in which the GPU ran nothing else.
            evidence_table   VARCHAR   NVIDIA's table.
            evidence_row_id  BIGINT    Position in that table.
        """

    def processes(
        self,
        *,
        count_nvtx: bool = True,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Profiled processes: one row per process with recorded events, and how many of each kind.

        The export names all processes of the machine; this lists only those with CUDA, NVTX, MPI or OS runtime rows.

        Parameters
            count_nvtx  BOOLEAN = True  Count NVTX ranges, too; without it, processes with NVTX alone are left out.

        Columns
            pid                BIGINT    The operating system's process number.
            name               VARCHAR   Its program; NULL if the export does not say.
            api_calls          BIGINT    CUDA API calls.
            kernels            BIGINT    Kernels on all GPUs.
            memory_operations  BIGINT    Memcpys and memsets on all GPUs.
            graph_runs         BIGINT    Runs of CUDA graphs traced as a whole.
            nvtx_ranges        BIGINT    NVTX ranges; 0 if not counted.
            os_calls           BIGINT    OS runtime calls.
            mpi_calls          BIGINT    MPI calls.
            rank               BIGINT    Rank in MPI_COMM_WORLD; NULL if the export does not say.
            process_id         BIGINT    Process (globalPid).
        """

    def cpu_samples(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A CPU sample: the functions that a thread was in at a time.

        Columns
            thread_id  BIGINT    Thread (globalTid).
            pid        BIGINT    The operating system's process number.
            tid        BIGINT    The operating system's thread number.
            start_ns   BIGINT    Time.
            chain_id   BIGINT    Its call stack.
            stack      VARCHAR   Functions, outermost first, between semicolons; a semicolon in a name is a comma; NULL if none.
        """

    def gpu_events(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU work for a timeline: its row, its times, and its launch arguments.

        Rows without a time, of zero length, or with an end before their start are left out.

        Columns
            gpu_id                       BIGINT    Physical GPU.
            process_id                   BIGINT    Process (globalPid).
            pid                          BIGINT    Process.
            device_id                    BIGINT    CUDA ordinal within the process.
            context_id                   BIGINT    CUDA context.
            stream_id                    BIGINT    CUDA stream.
            start_ns                     BIGINT    Start on the GPU.
            end_ns                       BIGINT    End on the GPU.
            kind                         VARCHAR   kernel, memcpy, memset or graph.
            row_id                       BIGINT    Position in the export's table of that kind.
            name                         VARCHAR   Kernel, or such as [CUDA memset].
            is_communication             BOOLEAN   A kernel of a communication library.
            correlation_id               BIGINT    Shared with the launching call of the process.
            bytes                        BIGINT    Bytes copied or set.
            grid_x                       BIGINT    Blocks in x.
            grid_y                       BIGINT    Blocks in y.
            grid_z                       BIGINT    Blocks in z.
            block_x                      BIGINT    Threads of a block in x.
            block_y                      BIGINT    Threads of a block in y.
            block_z                      BIGINT    Threads of a block in z.
            registers_per_thread         BIGINT    Registers.
            static_shared_memory_bytes   BIGINT    Static shared memory of a block.
            dynamic_shared_memory_bytes  BIGINT    Dynamic shared memory of a block.
        """

    def launch_queue(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""An interval in which the amount of queued work on a GPU stays the same.

        Work is queued from the return of its launching call to its start, as in `launches`; work that starts before its call
        returns, or whose call was not recorded, is never queued. A selected interval includes work that runs in it.

        Columns
            gpu_id    BIGINT    Physical GPU.
            start_ns  BIGINT    Start.
            end_ns    BIGINT    End; NULL for the last.
            depth     BIGINT    Number of kernels, copies, memsets and graphs queued.
        """

    def thread_events(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""An event of a thread, as a timeline shows it: NVTX range, CUDA call, OS runtime call, MPI call, time off the CPU.

        Rows without an end, or with an end before their start, are left out. An NVTX range that was never closed ends as in
        nvtx_range.

        Columns
            thread_id       BIGINT    Thread (globalTid).
            pid             BIGINT    The operating system's process number.
            tid             BIGINT    The operating system's thread number.
            category        VARCHAR   nvtx, nvtx_start_end, cuda, mpi, os or off_cpu.
            start_ns        BIGINT    Start.
            end_ns          BIGINT    End.
            row_id          BIGINT    Position in the export's table of that category.
            name            VARCHAR   Range or function; NULL if the export has none.
            correlation_id  BIGINT    Shared with the GPU work that the call launched; CUDA calls only.
            color           BIGINT    Color that the program gave an NVTX range (RGB); NULL if it gave none.
        """

    def api_call(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CUDA API calls on the CPU: runtime and driver.

        Columns
            row_id          BIGINT    Position in the export's table.
            start_ns        BIGINT    Start of the call.
            end_ns          BIGINT    Return of the call.
            dur_ns          BIGINT    Duration.
            thread_id       BIGINT    Thread (globalTid).
            process_id      BIGINT    Process (globalPid).
            pid             BIGINT    The operating system's process number.
            tid             BIGINT    The operating system's thread number.
            correlation_id  BIGINT    Shared with the GPU work that it launched, in this process.
            name_id         BIGINT    Name, with version suffix.
            return_value    BIGINT    CUDA's result code; 0 is success.
            callchain_id    BIGINT    Call chain, where recorded.
            name            VARCHAR   Name, shortened as `nsys stats` does.
        """

    def call_site(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Recorded call stacks with the function each is attributed to.

        The innermost function that has a name and is not in the driver, the CUDA runtime, the C and C++ libraries (nor of
        namespace std), an allocator, the Python interpreter, the loader or the profiler. Stacks without one are left out.

        Columns
            source    VARCHAR   NVIDIA's table of what the stack belongs to.
            chain_id  BIGINT    The stack's number there.
            place     VARCHAR   Function and the file of its module: launch_op (libops.so).
            function  VARCHAR   The function.
            module    VARCHAR   The file of its module.
        """

    def capture_message(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Messages of nsys about the capture.

        Columns
            row_id      BIGINT    Position in the export's table.
            start_ns    BIGINT    When it was logged; can be before the capture.
            severity    VARCHAR   info, warning, error or verbose; NULL for an unknown number.
            text        VARCHAR   The message.
            is_loss     BOOLEAN   It says that events are, or might be, missing.
            process_id  BIGINT    Process that it is about (globalPid); NULL for none.
        """

    def communication_kernel(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernel names of communication libraries (NCCL, NVSHMEM ...): they move data between GPUs and compute little.

        NCCL and RCCL (names that begin with ncclDevKernel, ncclKernel or ncclFunction), NVSHMEM and DeepEP
        transfers, MSCCL++, and kernels named after all-reduce, all-gather or all-to-all, as in vLLM, TensorRT-LLM, FlashInfer
        and PyTorch.
        Classified by name alone, even if a kernel fuses computing with communication.

        Columns
            name_id  BIGINT    Demangled name, as a number of `string`.
            name     VARCHAR   The name.
        """

    def cpu_page_fault(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU page faults on unified memory.

        Columns
            row_id          BIGINT    Position in the export's table.
            start_ns        BIGINT    When it happened.
            process_id      BIGINT    Process (globalPid).
            pid             BIGINT    The operating system's process number.
            address         BIGINT    Virtual address of the page.
            instruction_id  BIGINT    Function of the faulting instruction, or its address, as a number of `string`.
            module_id       BIGINT    Its module, as a number of `string`.
            file_id         BIGINT    Source file, as a number of `string`; NULL if the export has none.
            line            BIGINT    Line in the source file.
        """

    def cpu_sample(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CPU samples: one row per sampled thread and time.

        Columns
            chain_id   BIGINT    Its call stack (view call_site).
            start_ns   BIGINT    Time.
            thread_id  BIGINT    Thread (globalTid).
        """

    def cuda_stream(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CUDA streams of each process, with their kind.

        Columns
            pid          BIGINT    The operating system's process number.
            context_id   BIGINT    CUDA context.
            stream_id    BIGINT    CUDA stream.
            is_null      BOOLEAN   The legacy default stream: it waits for blocking streams, and they wait for it.
            is_blocking  BOOLEAN   The stream is not created as non-blocking.
            priority     BIGINT    Priority.
        """

    def debug_marker_range(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Ranges between two debug-marker calls of a thread, for Vulkan, Direct3D 11 and Direct3D 12.

        The call that begins a marker carries its text; the call that ends it has none, and shares thread and
        correlation id with it. The marker lasts from the return of the first to the start of the second. A
        begin without an end is left out; a begin with two ends has two rows.

        Columns
            api         VARCHAR   vulkan, dx11 or dx12.
            row_id      BIGINT    Position of the begin in the export's table of that API.
            end_row_id  BIGINT    Position of the end there.
            start_ns    BIGINT    Return of the begin.
            end_ns      BIGINT    Start of the end.
            dur_ns      BIGINT    Duration; negative if the end came before the begin returned.
            thread_id   BIGINT    Thread (globalTid).
            process_id  BIGINT    Process (globalPid).
            pid         BIGINT    The operating system's process number.
            tid         BIGINT    The operating system's thread number.
            text_id     BIGINT    Text, as a number of `string`.
        """

    def dx12_memory_operation(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Memory operations of Direct3D 12 calls.

        Columns
            row_id             BIGINT    Position in the export's table.
            start_ns           BIGINT    Start of the call.
            end_ns             BIGINT    Return of the call.
            dur_ns             BIGINT    Duration.
            thread_id          BIGINT    Thread (globalTid).
            process_id         BIGINT    Process (globalPid).
            pid                BIGINT    The operating system's process number.
            tid                BIGINT    The operating system's thread number.
            gpu_id             BIGINT    GPU.
            name               VARCHAR   Function, such as ID3D12Device::CreateHeap.
            heap_type          BIGINT    Kind of heap: 1 upload, 2 readback.
            heap_flags         BIGINT    Flags of the heap; 0x1000 is not zeroed.
            cpu_page_property  BIGINT    How the CPU caches its pages: 2 write-combine, 3 write-back.
        """

    def gpu(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPUs of the machine, used by the program or not.

        Columns
            gpu_id                        BIGINT    Physical GPU.
            name                          VARCHAR   Product name.
            sm_count                      BIGINT    Streaming multiprocessors.
            total_memory_bytes            BIGINT    Memory.
            memory_bandwidth_bytes_per_s  BIGINT    Memory bandwidth.
            clock_rate_hz                 BIGINT    SM clock.
            compute_capability            VARCHAR   Such as 9.0.
            bus_location                  VARCHAR   PCI address.
            copy_engine_count             BIGINT    Copies that it can do at the same time; NULL if not known.
        """

    def gpu_activity(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU activity: kernels, memcpys, memsets and CUDA graphs traced as a whole, of non-zero length.

        Rows of zero length do no work, and rows with start = end = 0 have no timestamp: both are left out.

        Columns
            kind            VARCHAR   kernel, memcpy, memset or graph.
            row_id          BIGINT    Position in the export's table of that kind.
            start_ns        BIGINT    Start on the GPU.
            end_ns          BIGINT    End on the GPU.
            dur_ns          BIGINT    Duration.
            process_id      BIGINT    Process (globalPid).
            pid             BIGINT    The operating system's process number.
            device_id       BIGINT    CUDA ordinal within the process.
            gpu_id          BIGINT    Physical GPU (view gpu_device).
            context_id      BIGINT    CUDA context.
            stream_id       BIGINT    CUDA stream.
            correlation_id  BIGINT    Shared with the launching call of the process.
            graph_node_id   BIGINT    CUDA graph node that ran it; NULL if launched singly.
            bytes           BIGINT    Bytes copied or set; NULL for kernels and graphs.
            blocks          BIGINT    Thread blocks; kernels only.
            name            VARCHAR   Kernel name (demangled), else such as [CUDA memcpy Host-to-Device].
        """

    def gpu_device(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Physical GPU of each process and CUDA device ordinal.

        Two processes can know one GPU by two ordinals, or two GPUs both as 0. Devices with the same uuid are one
        GPU, numbered by the smallest of their GPU numbers. Exports before 3.17 lack this; queries then take equal
        ordinals as one GPU, by a LEFT JOIN with this view that falls back to device_id.

        Columns
            pid        BIGINT    The operating system's process number.
            device_id  BIGINT    CUDA ordinal within the process.
            gpu_id     BIGINT    Physical GPU, as in view gpu.
        """

    def gpu_memory_event(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Memory that CUDA allocated or freed, including static variables.

        A free belongs to the last allocation of its process at its address. If that was before the capture, or before the
        selected interval, the free does not change the bytes in use; its change_bytes is 0.

        Columns
            row_id           BIGINT    Position in the export's table.
            start_ns         BIGINT    Time of the event.
            process_id       BIGINT    Process (globalPid).
            pid              BIGINT    The operating system's process number.
            device_id        BIGINT    CUDA ordinal within the process.
            gpu_id           BIGINT    Physical GPU (view gpu_device).
            context_id       BIGINT    CUDA context.
            kind             VARCHAR   Kind of memory, such as Device, Managed, Pinned (on the host).
            pool_address     BIGINT    Memory pool, for a free that of its allocation; NULL if none.
            pool_size_bytes  BIGINT    Bytes that the pool reserved then, according to CUDA; NULL if not recorded.
            address          BIGINT    Virtual address.
            bytes            BIGINT    Size.
            is_allocation    BOOLEAN   Allocated; else freed.
            change_bytes     BIGINT    Change of the bytes in use.
            other_row_id     BIGINT    Row of the free of an allocation, or of the allocation of a free; NULL if none.
            other_ns         BIGINT    Its time.
            variable         VARCHAR   Name of a static variable; NULL for all else.
            correlation_id   BIGINT    Shared with the call of the process; NULL for static variables.
        """

    def gpu_metric(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Samples of GPU metrics: a row per sample and metric, for the time that ends at the sample.

        Metrics have the names of newer versions, such as SMs Active for SM Active, whatever the export calls them. They are
        those of the whole GPU, whichever process used it. A sample is valid since the previous one; for the first one, and
        after a hole of more than twice the usual period, for the usual period (median). Negative values are counters that
        wrapped around and are left out.

        Columns
            row_id     BIGINT    Position in the export's table.
            type_id    BIGINT    Source of the samples (typeId); the metrics of one are sampled together.
            gpu_id     BIGINT    Physical GPU.
            start_ns   BIGINT    Start of the time for which the sample is valid.
            end_ns     BIGINT    Time of the sample.
            dur_ns     BIGINT    For how long it is valid; 0 if there is only one sample.
            metric     VARCHAR   Name, such as SMs Active.
            nsys_name  VARCHAR   Name in the export, such as SM Active.
            value      BIGINT    Value.
            unit       VARCHAR   % (0 to 100), Hz, requests, or the unit in a newer name.
        """

    def gpu_page_fault(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Groups of GPU page faults on unified memory.

        Columns
            row_id       BIGINT    Position in the export's table.
            start_ns     BIGINT    Start.
            end_ns       BIGINT    End.
            dur_ns       BIGINT    Duration.
            process_id   BIGINT    Process (globalPid).
            pid          BIGINT    The operating system's process number.
            device_id    BIGINT    CUDA ordinal within the process.
            address      BIGINT    Virtual address of the page.
            fault_count  BIGINT    Page faults in the group.
            access_type  BIGINT    1 read, 2 write, 3 atomic, 4 prefetch.
        """

    def gpu_work(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU work: kernels, memcpys, memsets and CUDA graphs traced as a whole, including rows without timestamps.

        Columns
            kind            VARCHAR   kernel, memcpy, memset or graph.
            row_id          BIGINT    Position in the export's table of that kind.
            start_ns        BIGINT    Start on the GPU.
            end_ns          BIGINT    End on the GPU.
            dur_ns          BIGINT    Duration.
            process_id      BIGINT    Process (globalPid).
            pid             BIGINT    The operating system's process number.
            device_id       BIGINT    CUDA ordinal within the process.
            gpu_id          BIGINT    Physical GPU (view gpu_device).
            context_id      BIGINT    CUDA context.
            stream_id       BIGINT    CUDA stream.
            correlation_id  BIGINT    Shared with the launching call of the process.
            graph_node_id   BIGINT    CUDA graph node that ran it; NULL if launched singly.
            bytes           BIGINT    Bytes copied or set; NULL for kernels and graphs.
            blocks          BIGINT    Thread blocks; kernels only.
            name            VARCHAR   Kernel name (demangled), else such as [CUDA memcpy Host-to-Device].
        """

    def graph_trace(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CUDA graph launches traced as a whole: one row per launch.

        Columns
            row_id            BIGINT    Position in the export's table.
            start_ns          BIGINT    Start on the GPU.
            end_ns            BIGINT    End on the GPU.
            dur_ns            BIGINT    Duration.
            process_id        BIGINT    Process (globalPid).
            pid               BIGINT    The operating system's process number.
            device_id         BIGINT    CUDA ordinal within the process.
            gpu_id            BIGINT    Physical GPU (view gpu_device).
            context_id        BIGINT    CUDA context.
            green_context_id  BIGINT    Green context; NULL if none.
            stream_id         BIGINT    CUDA stream.
            correlation_id    BIGINT    Shared with the graph launch of the process.
            graph_id          BIGINT    The graph.
            graph_exec_id     BIGINT    The executable graph.
        """

    def graphics_work(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Graphics work on a GPU: Vulkan, OpenGL and Direct3D 12.

        Columns
            api         VARCHAR   vulkan, opengl or dx12.
            row_id      BIGINT    Position in the export's table of that API.
            start_ns    BIGINT    Start on the GPU.
            end_ns      BIGINT    End on the GPU.
            dur_ns      BIGINT    Duration.
            process_id  BIGINT    Process (globalPid).
            pid         BIGINT    The operating system's process number.
            device_id   BIGINT    GPU.
            context_id  BIGINT    Context.
            text_id     BIGINT    Debug marker around it, as a number of `string`; NULL if none.
        """

    def idle_cause(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Causes of idle time: name, meaning, and what to do about each.

        Columns
            position  BIGINT    Place in the list; of causes with equal time, the earlier one is named first.
            cause     VARCHAR   The cause.
            title     VARCHAR   Its name for people.
            meaning   VARCHAR   What the GPU, or the host, was doing.
            advice    VARCHAR   What to do about it.
            needs     VARCHAR   Views and tables without which it is never attributed, as in a query's header.
            sharper   VARCHAR   Tables without which too much or too little is attributed to it.
        """

    def kernel(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernels: one row per execution of a GPU function.

        Columns
            row_id                       BIGINT    Position in the export's table.
            start_ns                     BIGINT    Start on the GPU.
            end_ns                       BIGINT    End on the GPU.
            dur_ns                       BIGINT    Duration.
            process_id                   BIGINT    Process (globalPid).
            pid                          BIGINT    The operating system's process number.
            device_id                    BIGINT    CUDA ordinal within the process.
            context_id                   BIGINT    CUDA context.
            green_context_id             BIGINT    Green context; NULL if none.
            stream_id                    BIGINT    CUDA stream.
            correlation_id               BIGINT    Shared with the launching call of the process.
            graph_node_id                BIGINT    CUDA graph node that ran it; NULL if launched singly.
            name_id                      BIGINT    Demangled name.
            short_name_id                BIGINT    Name without signature.
            mangled_name_id              BIGINT    Mangled name; NULL in exports before 2.9.
            grid_x                       BIGINT    Blocks in x.
            grid_y                       BIGINT    Blocks in y.
            grid_z                       BIGINT    Blocks in z.
            block_x                      BIGINT    Threads of a block in x.
            block_y                      BIGINT    Threads of a block in y.
            block_z                      BIGINT    Threads of a block in z.
            registers_per_thread         BIGINT    Registers.
            static_shared_memory_bytes   BIGINT    Static shared memory of a block.
            dynamic_shared_memory_bytes  BIGINT    Dynamic shared memory of a block.
            cluster_blocks               BIGINT    Blocks of a thread block cluster; 1 without, or if the export does not say.
            gpu_id                       BIGINT    Physical GPU (view gpu_device).
            name                         VARCHAR   Demangled name, with its signature.
            short_name                   VARCHAR   Name without signature.
        """

    def kernel_nvtx_range(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernels whose launch call is in an NVTX range, with the innermost range.

        The innermost is the range around the call, on its thread, that started last, whatever its style or domain;
        if several started together, the first row. Kernels are left out if that range has no text, or if the call
        is outside of ranges.

        Columns
            row_id  BIGINT    Position of the kernel in the export's table.
            text    VARCHAR   The range's text, without its domain.
        """

    def launch(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""GPU work with the API call that launched it, joined by process and correlation id.

        Work whose call was not recorded is left out. A call that launches several (a CUDA graph traced by nodes, a
        batched copy) has a row for each. Correlation ids are unique only within a process; if several calls of one
        process share an id, the first in the export's table is taken. Queue time is as in cuda_kern_exec_sum: from
        the call's return to the start on the GPU, NULL if the work started before.

        Columns
            kind            VARCHAR   kernel, memcpy, memset or graph.
            row_id          BIGINT    Position in the export's table of that kind.
            start_ns        BIGINT    Start on the GPU.
            end_ns          BIGINT    End on the GPU.
            dur_ns          BIGINT    Duration.
            process_id      BIGINT    Process (globalPid).
            pid             BIGINT    The operating system's process number.
            device_id       BIGINT    CUDA ordinal within the process.
            gpu_id          BIGINT    Physical GPU (view gpu_device).
            context_id      BIGINT    CUDA context.
            stream_id       BIGINT    CUDA stream.
            correlation_id  BIGINT    Shared with the launching call of the process.
            graph_node_id   BIGINT    CUDA graph node that ran it; NULL if launched singly.
            bytes           BIGINT    Bytes copied or set; NULL for kernels and graphs.
            blocks          BIGINT    Thread blocks; kernels only.
            name            VARCHAR   Kernel name (demangled), else such as [CUDA memcpy Host-to-Device].
            api_name        VARCHAR   The call's name.
            api_start_ns    BIGINT    Start of the call.
            api_end_ns      BIGINT    Return of the call.
            api_dur_ns      BIGINT    Duration of the call.
            thread_id       BIGINT    Thread of the call (globalTid).
            tid             BIGINT    The operating system's thread number.
            queue_start_ns  BIGINT    Return of the call; NULL if the work had started.
            queue_dur_ns    BIGINT    From the return to the start on the GPU; NULL if the work had started.
        """

    def memcpy(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Memcpys on the GPU, including unified-memory migrations.

        Columns
            row_id            BIGINT    Position in the export's table.
            start_ns          BIGINT    Start on the GPU.
            end_ns            BIGINT    End on the GPU.
            dur_ns            BIGINT    Duration.
            process_id        BIGINT    Process (globalPid).
            pid               BIGINT    The operating system's process number.
            device_id         BIGINT    CUDA ordinal within the process.
            gpu_id            BIGINT    Physical GPU (view gpu_device).
            context_id        BIGINT    CUDA context.
            green_context_id  BIGINT    Green context; NULL if none.
            stream_id         BIGINT    CUDA stream.
            correlation_id    BIGINT    Shared with the call of the process; NULL for migrations.
            graph_node_id     BIGINT    CUDA graph node that ran it; NULL outside of graphs.
            bytes             BIGINT    Bytes copied.
            copy_kind         BIGINT    Direction, by number; 11 to 13 are unified-memory migrations.
            direction         VARCHAR   Direction, such as Host-to-Device; NULL for an unknown number.
            src_kind          VARCHAR   Memory copied from, such as Pageable.
            dst_kind          VARCHAR   Memory copied to.
            src_device_id     BIGINT    Device copied from; peer copies only.
            dst_device_id     BIGINT    Device copied to; peer copies only.
            virtual_address   BIGINT    Address migrated; migrations only.
            migration_cause   BIGINT    NVIDIA's number of the reason; migrations only.
        """

    def memory_pool_event(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""A memory pool of CUDA (cudaMallocAsync) that was created, trimmed or destroyed.

        Columns
            row_id                   BIGINT    Position in the export's table.
            start_ns                 BIGINT    Time of the event.
            process_id               BIGINT    Process (globalPid).
            pid                      BIGINT    The operating system's process number.
            device_id                BIGINT    CUDA ordinal within the process.
            gpu_id                   BIGINT    Physical GPU (view gpu_device).
            pool_address             BIGINT    The pool: its address, which a later pool can reuse.
            operation                VARCHAR   created, destroyed or trimmed.
            is_imported              BOOLEAN   Imported from another process.
            release_threshold_bytes  BIGINT    Bytes that the pool keeps; NULL if not recorded.
            pool_size_bytes          BIGINT    Bytes that the pool reserved then; NULL if not recorded.
            correlation_id           BIGINT    Shared with the call of the process.
        """

    def memset(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Memsets on the GPU.

        Columns
            row_id            BIGINT    Position in the export's table.
            start_ns          BIGINT    Start on the GPU.
            end_ns            BIGINT    End on the GPU.
            dur_ns            BIGINT    Duration.
            process_id        BIGINT    Process (globalPid).
            pid               BIGINT    The operating system's process number.
            device_id         BIGINT    CUDA ordinal within the process.
            gpu_id            BIGINT    Physical GPU (view gpu_device).
            context_id        BIGINT    CUDA context.
            green_context_id  BIGINT    Green context; NULL if none.
            stream_id         BIGINT    CUDA stream.
            correlation_id    BIGINT    Shared with the call of the process.
            graph_node_id     BIGINT    CUDA graph node that ran it; NULL outside of graphs.
            bytes             BIGINT    Bytes set.
            memory_kind       VARCHAR   Memory that is set, such as Device.
        """

    def mpi_event(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""MPI calls, with their names as ids of `string`.

        A send-receive with two partners has a row for each direction.

        Columns
            source      VARCHAR   p2p, start_wait, other or collectives.
            row_id      BIGINT    Position in the export's table of that source.
            start_ns    BIGINT    Start of the call.
            end_ns      BIGINT    Return of the call; NULL if it was still under way.
            dur_ns      BIGINT    Duration; NULL if it was still under way.
            thread_id   BIGINT    Thread (globalTid).
            process_id  BIGINT    Process (globalPid).
            pid         BIGINT    The operating system's process number.
            tid         BIGINT    The operating system's thread number.
            name_id     BIGINT    Name.
            tag         BIGINT    Message tag; sends and receives only.
            peer_rank   BIGINT    Rank at the other end; sends and receives only.
            root_rank   BIGINT    Root; collectives only.
            bytes       BIGINT    Message size; sends and receives only.
            send_bytes  BIGINT    Bytes sent; collectives only.
            recv_bytes  BIGINT    Bytes received; collectives only.
        """

    def mpi_rank(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""MPI rank of each thread.

        Columns
            row_id     BIGINT    Position in the export's table.
            thread_id  BIGINT    Thread (globalTid).
            rank       BIGINT    Rank in MPI_COMM_WORLD.
        """

    def network_sample(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Metrics of network adapters and InfiniBand switches, each for an interval.

        Columns
            device_kind  VARCHAR   adapter or switch.
            row_id       BIGINT    Position in the export's table of that kind.
            start_ns     BIGINT    Start.
            end_ns       BIGINT    End.
            dur_ns       BIGINT    Duration.
            device_id    BIGINT    Position of the adapter among the export's; NULL for switches.
            guid         BIGINT    GUID; NULL for an unknown adapter.
            device_name  VARCHAR   Model of the adapter; NULL for switches and unknown models.
            metric       VARCHAR   Metric, such as IB: Send waits.
            value        BIGINT    Value, in the metric's unit.
        """

    def nvtx_domain(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""NVTX domains, one row per thread that registered one.

        A domain belongs to its process: registered on several threads, it is still one domain, with the name of
        the first row.

        Columns
            process_id  BIGINT    Process (globalPid).
            domain_id   BIGINT    Number of the domain in the process's events.
            thread_id   BIGINT    Thread that registered it (globalTid).
            name        VARCHAR   Name.
            is_first    BOOLEAN   The process's first registration of the domain.
        """

    def nvtx_event(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""NVTX rows as recorded: ranges, marks, and names of domains, categories and threads.

        For queries that aggregate before they join the text; `nvtx_range` and `nvtx_mark` have names and ends.

        Columns
            row_id      BIGINT    Position in the export's table.
            event_type  BIGINT    59, 60, 70, 71 ranges; 34 a mark; 75 a domain's name; others as NVIDIA numbers them.
            start_ns    BIGINT    Start.
            end_ns      BIGINT    End; NULL for a range that was never closed, and for marks and names.
            thread_id   BIGINT    Thread (globalTid).
            process_id  BIGINT    Process (globalPid).
            domain_id   BIGINT    Domain, within its process.
            text_id     BIGINT    Text, as an id of `string`; NULL if `text` has it.
            text        VARCHAR   Text, if it is not registered.
        """

    def nvtx_mark(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""NVTX marks: named points of CPU time.

        Columns
            row_id      BIGINT    Position in the export's table.
            start_ns    BIGINT    Time.
            thread_id   BIGINT    Thread (globalTid).
            process_id  BIGINT    Process (globalPid).
            pid         BIGINT    The operating system's process number.
            tid         BIGINT    The operating system's thread number.
            text        VARCHAR   The mark's text.
        """

    def nvtx_projection(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""NVTX ranges projected onto the GPU: from the start of the first work launched in each to the end of the last.

        Work belongs to every range around the API call that launched it (nvtx_range_launch). Ranges without GPU work are
        left out; work launched outside of ranges is in the one row without a range. The columns named after nsys leave out
        CUDA graphs traced as a whole, as nsys does.

        Columns
            row_id            BIGINT    Position of the range in the export's table; NULL for work outside ranges.
            start_ns          BIGINT    Start of the first work.
            end_ns            BIGINT    End of the last work.
            num_gpu_ops       BIGINT    Number of launches: a process and a correlation id each.
            thread_id         BIGINT    Thread of the range; for work outside of ranges, of the work that ended last.
            level             BIGINT    Number of ranges around it.
            parent_row_id     BIGINT    The range around it; NULL for none.
            num_child         BIGINT    Number of ranges with GPU work directly in it.
            nsys_start_ns     BIGINT    Start of the first work; NULL if it is only graph runs.
            nsys_end_ns       BIGINT    End of the last work.
            nsys_num_gpu_ops  BIGINT    Number of correlation ids; equal ones of several processes count once.
            nsys_thread_id    BIGINT    Thread of the range; for work outside of ranges, of the work that ended last.
            nsys_num_child    BIGINT    Number of ranges with GPU work directly in it, as NVIDIA nests equal ones.
            is_lost_by_nsys   BOOLEAN   Has the same start and end as another range, or is in one that does.
            range_start_ns    BIGINT    Start of the range on the CPU.
            range_dur_ns      BIGINT    Duration of the range on the CPU.
            style             VARCHAR   PushPop or StartEnd.
            name              VARCHAR   domain:text, or the text if there is no domain.
        """

    def nvtx_push_pop_tree(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""NVTX push/pop ranges in the tree of their thread, as `nsys stats` nests them.

        As nvtx_range_parent, but among push/pop ranges only, which also define the end of those never closed.

        Columns
            row_id             BIGINT    Position in the export's table.
            thread_id          BIGINT    Thread (globalTid).
            start_ns           BIGINT    Start.
            end_ns             BIGINT    End, or the latest timestamp of any push/pop range.
            name               VARCHAR   domain:text, or the text if there is no domain.
            level              BIGINT    Number of ranges around it, parent by parent.
            parent_row_id      BIGINT    Parent; NULL for none.
            is_repeat          BOOLEAN   Has the start and end of its parent.
            is_lost_by_nsys    BOOLEAN   Has the start and end of another range, or is in one that does.
            root_row_id        BIGINT    The outermost range around it, or itself.
            path               VARCHAR   Rows from the outermost range to this one, such as :2:7.
            num_child          BIGINT    Number of ranges directly in it; NULL for none.
            dur_child_ns       BIGINT    Sum of their durations.
            nsys_num_child     BIGINT    Number of ranges directly in it that nsys does not lose; NULL if it has none at all.
            nsys_dur_child_ns  BIGINT    Sum of their durations.
        """

    def nvtx_range(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""NVTX ranges: named intervals of CPU time, push/pop or start/end.

        A range that was never closed ends at the latest timestamp of any range. Domains belong to processes: one
        registered on several threads of a process is still one domain.

        Columns
            row_id         BIGINT    Position in the export's table.
            start_ns       BIGINT    Start.
            end_ns         BIGINT    End, or the latest timestamp of any range.
            dur_ns         BIGINT    Duration.
            is_open        BOOLEAN   The range was never closed.
            style          VARCHAR   PushPop or StartEnd.
            thread_id      BIGINT    Thread that opened it (globalTid).
            end_thread_id  BIGINT    Thread that closed it, where another one did.
            process_id     BIGINT    Process (globalPid).
            pid            BIGINT    The operating system's process number.
            tid            BIGINT    The operating system's thread number.
            color          BIGINT    Color that the program gave it (RGB); NULL if it gave none.
            domain         VARCHAR   Domain; NULL for the default one.
            text           VARCHAR   The range's text.
            name           VARCHAR   domain:text, or the text if there is no domain.
        """

    def nvtx_range_launch(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CUDA API calls that launched GPU work, with the NVTX ranges around them: a row per call and range.

        A call is inside a range that starts no later and ends no earlier.

        Columns
            range_row_id    BIGINT    Position of the range in the export's table.
            range_start_ns  BIGINT    Start of the range.
            call_row_id     BIGINT    Position of the call in the export's table.
        """

    def nvtx_range_parent(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""NVTX ranges with the range that encloses each on its thread.

        A range is nested in each range of its thread that starts no later and ends no earlier; its parent is the
        shortest of these (the first row if two are equally short). If two ranges have the same start and end, the
        later row is in the earlier one, and ranges in both are in the later; `nsys stats` takes each as the other's
        parent, and loses both with all ranges nested in them.

        Columns
            row_id           BIGINT    Position in the export's table.
            thread_id        BIGINT    Thread (globalTid).
            start_ns         BIGINT    Start.
            end_ns           BIGINT    End, or the latest timestamp of any range.
            level            BIGINT    Number of ranges around it, parent by parent.
            parent_row_id    BIGINT    Parent; NULL for none.
            is_repeat        BOOLEAN   Has the start and end of its parent.
            is_lost_by_nsys  BOOLEAN   Has the start and end of another range, or is in one that does.
        """

    def nvvideo_call(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Calls of NVIDIA's video encoder, video decoder and JPEG decoder, with their names as ids of `string`.

        Columns
            engine      VARCHAR   Encoder, Decoder or JPEG.
            row_id      BIGINT    Position in the export's table of that engine.
            start_ns    BIGINT    Start of the call.
            end_ns      BIGINT    Return of the call.
            dur_ns      BIGINT    Duration.
            thread_id   BIGINT    Thread (globalTid).
            process_id  BIGINT    Process (globalPid).
            pid         BIGINT    The operating system's process number.
            tid         BIGINT    The operating system's thread number.
            name_id     BIGINT    Name.
        """

    def off_cpu(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Intervals in which a thread was off the CPU.

        Events without a counterpart, lost at the border of the capture or within it, are ignored.

        Columns
            row_id     BIGINT    Position of the event in which it left the CPU in the export's table.
            start_ns   BIGINT    When it left the CPU.
            end_ns     BIGINT    Put on again.
            dur_ns     BIGINT    Duration.
            thread_id  BIGINT    Thread (globalTid).
        """

    def openacc_event(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""OpenACC events, with their names as ids of `string`.

        A construct and the events inside it each have a row.

        Columns
            kind         VARCHAR   data, launch or other.
            row_id       BIGINT    Position in the export's table of that kind.
            start_ns     BIGINT    Start.
            end_ns       BIGINT    End.
            dur_ns       BIGINT    Duration.
            thread_id    BIGINT    Thread (globalTid).
            process_id   BIGINT    Process (globalPid).
            pid          BIGINT    The operating system's process number.
            tid          BIGINT    The operating system's thread number.
            name_id      BIGINT    Name.
            file_id      BIGINT    Source file, as a number of `string`; NULL if unknown.
            line         BIGINT    Line in the source file.
            function_id  BIGINT    Function of the source, as a number of `string`; NULL if unknown.
        """

    def opengl_group(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""OpenGL debug groups (KHR_debug push and pop) on the CPU or the GPU.

        A group that was never closed ends at the latest timestamp of any debug event.

        Columns
            place       VARCHAR   cpu or gpu.
            row_id      BIGINT    Position in the export's table.
            start_ns    BIGINT    Start.
            end_ns      BIGINT    End, or the latest timestamp.
            dur_ns      BIGINT    Duration.
            thread_id   BIGINT    Thread (globalTid).
            process_id  BIGINT    Process (globalPid).
            pid         BIGINT    The operating system's process number.
            tid         BIGINT    The operating system's thread number.
            text        VARCHAR   The program's text.
            group_id    BIGINT    The program's number.
        """

    def openmp_event(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""OpenMP events, with their names as ids of `string`.

        Columns
            kind        VARCHAR   Such as parallel or sync_region_wait: NVIDIA's kind.
            row_id      BIGINT    Position in the export's table of that kind.
            start_ns    BIGINT    Start.
            end_ns      BIGINT    End.
            dur_ns      BIGINT    Duration.
            thread_id   BIGINT    Thread (globalTid).
            process_id  BIGINT    Process (globalPid).
            pid         BIGINT    The operating system's process number.
            tid         BIGINT    The operating system's thread number.
            name_id     BIGINT    Name.
        """

    def os_call(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""OS runtime calls: read, poll, pthread_cond_wait and the like.

        Calls that began before or ended after the capture have no length and are left out.

        Columns
            row_id         BIGINT    Position in the export's table.
            start_ns       BIGINT    Start of the call.
            end_ns         BIGINT    Return of the call.
            dur_ns         BIGINT    Duration.
            thread_id      BIGINT    Thread (globalTid).
            process_id     BIGINT    Process (globalPid).
            pid            BIGINT    The operating system's process number.
            tid            BIGINT    The operating system's thread number.
            nesting_level  BIGINT    Depth among OS calls of the thread.
            name_id        BIGINT    Name.
            callchain_id   BIGINT    Call chain; 0 if none.
            name           VARCHAR   Name.
        """

    def overhead(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Intervals in which a thread had to wait for profiling, module loading or a full launch queue.

        From PROFILER_OVERHEAD and, since 3.24, CUPTI_ACTIVITY_KIND_OVERHEAD. The type decides the cause: 2, 6 and 7
        (JIT, module and lazy function loading) are module_load, 8 (command buffer full: the driver's launch queue) is
        blocked_launch, the rest is profiler. For rows without a type, or of type 0 or 1, which mean nothing, the name
        decides. An older nsys names the loading of a newer driver Unknown: at 10 us or more within a CUDA call of the
        thread it is module_load.

        Columns
            source     VARCHAR   NVIDIA's table.
            row_id     BIGINT    Position in that table.
            start_ns   BIGINT    Start.
            end_ns     BIGINT    End.
            dur_ns     BIGINT    Duration.
            thread_id  BIGINT    Thread (globalTid).
            name_id    BIGINT    Name, as a number of `string`.
            name       VARCHAR   Kind of overhead.
            cause      VARCHAR   profiler, module_load or blocked_launch.
        """

    def part(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Parts of the captured time of a GPU, in order: its start-up, its steady steps, the rest.

        Each nanosecond is in one part, and the parts of a GPU sum to the captured time. docs/findings.md has the rules.
        Without GPU work the parts are those of the program's steps, and gpu_id is NULL.

        Columns
            part_id          BIGINT    Number of the part, from 1, by GPU and time.
            gpu_id           BIGINT    Physical GPU; NULL without GPU work.
            process_id       BIGINT    Process with most work on the GPU.
            kind             VARCHAR   outside, before, startup, series, pause, rest, after or work.
            name             VARCHAR   Name of the series; NULL for other parts.
            start_ns         BIGINT    Start; of the first interval if it has several.
            end_ns           BIGINT    End; of the last interval if it has several.
            length_ns        BIGINT    Time of the part.
            busy_ns          BIGINT    Time in which the GPU worked.
            idle_ns          BIGINT    Time without work, from the GPU's first to its last work.
            step_count       BIGINT    Steady steps; series only.
            step_ns          BIGINT    Their median period; series only.
            longest_step_ns  BIGINT    Their longest period; series only.
            steps_ns         BIGINT    Sum of their periods, which need not be contiguous; series only.
            window_ns        BIGINT    The GPU's window: from its first to its last work, without a pause.
        """

    def part_call(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""CUDA calls of a part by thread and name: time, and what blocking calls waited for.

        For processes that work on the GPU. A call is in the part in which it begins.

        Columns
            part_id       BIGINT    The part.
            gpu_id        BIGINT    Physical GPU.
            process_id    BIGINT    Process (globalPid).
            thread_id     BIGINT    Thread (globalTid).
            name          VARCHAR   Name without version suffix.
            cause         VARCHAR   sync for blocking calls, launch, or the cause of idle time.
            total_ns      BIGINT    Time.
            count         BIGINT    Calls.
            step_count    BIGINT    Steady steps in which it occurs.
            value_count   BIGINT    Blocking calls that follow, or make, a copy of at most 64 bytes.
            value_ns      BIGINT    Time of these.
            drain_count   BIGINT    Calls after which the GPU had nothing queued.
            drain_ns      BIGINT    Time of these.
            first_row_id  BIGINT    Position of the first in the export's table.
            first_ns      BIGINT    Time of the first.
        """

    def part_copy(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Copies and memsets of a part by direction, memory and size: time, and the part of it in which no kernel ran.

        Columns
            part_id       BIGINT    The part.
            gpu_id        BIGINT    Physical GPU.
            direction     VARCHAR   Host-to-Device and the like; Memset.
            src_kind      VARCHAR   Memory copied from, such as Pageable.
            dst_kind      VARCHAR   Memory copied to.
            is_migration  BOOLEAN   Unified memory that moved.
            is_prefetch   BOOLEAN   It moved because the program prefetched it.
            bytes         BIGINT    Bytes of each.
            total_ns      BIGINT    Time.
            count         BIGINT    Copies.
            exposed_ns    BIGINT    Time in which no kernel and no copy that began earlier ran.
            alone_ns      BIGINT    Time in which nothing else ran.
            step_count    BIGINT    Steady steps in which it occurs.
            stream_count  BIGINT    Streams.
            call_name     VARCHAR   The call that launched the first.
        """

    def part_idle(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Idle time of a GPU in a part: by cause, preceding blocking call, and place in the program.

        Columns
            part_id     BIGINT    The part.
            gpu_id      BIGINT    Physical GPU.
            cause       VARCHAR   The cause (query idle-causes).
            claim       VARCHAR   Which advice it is about: profiler, once, allocation, managed, staging, sync, queued, short (gaps below 200 us) or long.
            is_long     BOOLEAN   In a gap of 200 us or more.
            is_rare     BOOLEAN   In a step with over ten times as much idle time as the median step has.
            thread_id   BIGINT    Thread that launched the next activity.
            nvtx_path   VARCHAR   NVTX ranges that the thread was in before a launch, for 100 us or more: without operators' numbers, # for others; NULL after it.
            function    VARCHAR   Function that the thread was in, by call stacks.
            waits_for   VARCHAR   Thread or rank that it waited for.
            call_name   VARCHAR   Call or function of the operating system that is the evidence.
            drained_by  VARCHAR   Blocking call after which the queue was empty.
            next_kind   VARCHAR   Kind of the activity that ended the gap.
            idle_ns     BIGINT    Idle time.
            gap_count   BIGINT    Gaps.
            longest_ns  BIGINT    Most of it in one gap.
            step_count  BIGINT    Steady steps in which it occurs.
        """

    def part_kernel(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Kernels of a part by name and launch shape: time, and the time in which the GPU ran nothing else.

        Columns
            part_id               BIGINT    The part.
            gpu_id                BIGINT    Physical GPU.
            name                  VARCHAR   Demangled name.
            library               VARCHAR   Library that it belongs to; NULL for the program's own.
            class                 VARCHAR   own, library, elementwise, matrix, layout, softmax, reduction, attention or communication.
            precision             VARCHAR   fp64, fp32, tf32 or fp16, from the name; NULL if it does not say.
            block_count           BIGINT    Blocks of a launch.
            thread_count          BIGINT    Threads of a block.
            registers_per_thread  BIGINT    Registers.
            shared_memory_bytes   BIGINT    Shared memory of a block.
            cluster_blocks        BIGINT    Blocks of a thread block cluster; 1 without.
            total_ns              BIGINT    Time.
            count                 BIGINT    Launches.
            alone_ns              BIGINT    Time in which nothing else ran.
            median_ns             DOUBLE    Median duration.
            longest_ns            BIGINT    Longest.
            step_count            BIGINT    Steady steps in which it ran.
            stream_count          BIGINT    Streams on which it ran.
            first_row_id          BIGINT    Position of the first in the export's table.
        """

    def process(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Processes of the machine, profiled or not.

        A process can have the name of nsys's launcher or of the shell that started it; its program is then another name of it
        in the export, else the name of most of its threads, which inherit the program's name.

        Columns
            process_id  BIGINT    Process (globalPid).
            pid         BIGINT    The operating system's process number.
            name        VARCHAR   Its program.
        """

    def profiler_overhead(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Intervals that a thread spent on profiling itself.

        Columns
            source     VARCHAR   NVIDIA's table.
            row_id     BIGINT    Position in that table.
            start_ns   BIGINT    Start.
            end_ns     BIGINT    End.
            dur_ns     BIGINT    Duration.
            thread_id  BIGINT    Thread (globalTid).
            name       VARCHAR   Kind of overhead.
        """

    def python_frame(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Frames of the Python stacks of `python_sample`.

        Columns
            row_id      BIGINT    The sample.
            depth       BIGINT    Place on the stack; 0 is innermost.
            function    VARCHAR   Function.
            file        VARCHAR   Source file.
            line        BIGINT    Line that it was at.
            is_library  BOOLEAN   The file is Python's own or an installed package's.
        """

    def python_sample(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Samples of Python stacks: one row per sampled Python thread and time; `python_frame` has what was on the stack.

        They are taken whether the thread runs or waits. The sampler numbers the Python threads of a process without their OS
        thread ids: the main thread is recognized by its outermost function, others are not.

        Columns
            row_id      BIGINT    The sample: position of its mark in the export's table.
            start_ns    BIGINT    Time.
            thread_id   BIGINT    Thread (globalTid); NULL if unknown.
            process_id  BIGINT    Process (globalPid).
            number      BIGINT    Number of the Python thread in its process.
            frames      BIGINT    Frames; 0 if the payload cannot be read.
        """

    def stream_wait(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Waits of streams for CUDA events, with the record of the event if it was captured.

        Synchronization rows of cudaStreamWaitEvent that name their stream. The record is the latest one of that event in
        the process whose recording call began before the wait; without --cuda-event-trace its columns are NULL.

        Columns
            row_id               BIGINT    Position of the wait in the export's table.
            start_ns             BIGINT    When the wait was requested.
            process_id           BIGINT    Process (globalPid).
            context_id           BIGINT    The context of the stream that waits.
            stream_id            BIGINT    The stream that waits.
            event_id             BIGINT    The event.
            recorded_stream_id   BIGINT    The stream that the event was recorded on.
            recorded_context_id  BIGINT    Its context.
            recorded_ns          BIGINT    When the recording call began.
        """

    def string(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Texts of the export, by the id that events use for them.

        Two ids can have the same text in trimmed exports; text_id is the smallest of them, so grouping by text_id is
        grouping by text, at the cost of a number. If an id has two texts, which nsys never writes, the first in alphabetical
        order counts. For pages, which set the variable name_letters, longer texts are cut and end in their length and a
        digest, which keeps them distinct.

        Columns
            id       BIGINT    Number of the text.
            text_id  BIGINT    Smallest number of an equal text.
            text     VARCHAR   The text.
        """

    def synchronization(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Synchronizations: the CPU, or a stream, waiting for GPU work.

        The call decides the kind, not the export's syncType, whose numbers differ between exports. If no call is recorded,
        the row's stream and event decide. The device is that of the context's kernels, because the table has 0 for other
        devices, too.

        Columns
            row_id          BIGINT    Position in the export's table.
            start_ns        BIGINT    Start of the wait.
            end_ns          BIGINT    End of the wait.
            dur_ns          BIGINT    Duration.
            process_id      BIGINT    Process (globalPid).
            pid             BIGINT    The operating system's process number.
            device_id       BIGINT    CUDA ordinal within the process.
            context_id      BIGINT    CUDA context.
            stream_id       BIGINT    CUDA stream; NULL if none.
            event_id        BIGINT    CUDA event; NULL if none.
            correlation_id  BIGINT    Shared with the API call.
            sync_type       BIGINT    The export's number of the kind, which is often wrong.
            kind            VARCHAR   Stream wait sync, Stream sync, Event sync, Event query or Context sync.
        """

    def system_call(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""System calls, with their names as ids of `string`.

        Columns
            row_id      BIGINT    Position in the export's table.
            start_ns    BIGINT    Start of the call.
            end_ns      BIGINT    Return of the call.
            dur_ns      BIGINT    Duration.
            thread_id   BIGINT    Thread (globalTid).
            process_id  BIGINT    Process (globalPid).
            pid         BIGINT    The operating system's process number.
            tid         BIGINT    The operating system's thread number.
            name_id     BIGINT    Name.
        """

    def thread(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Names of threads: every thread of the machine that the export names, profiled or not.

        Columns
            row_id      BIGINT    Position in the export's table.
            thread_id   BIGINT    Thread (globalTid).
            process_id  BIGINT    Process (globalPid).
            pid         BIGINT    The operating system's process number.
            tid         BIGINT    The operating system's thread number.
            name_id     BIGINT    The thread's name, as a number of `string`.
            name        VARCHAR   The thread's name.
            priority    BIGINT    Scheduling priority.
        """

    def thresholds(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Thresholds of the rules of findings, in one row.

        A rule in a pack joins this view; in nsysql's own SQL its columns are constants in capitals. A finding is worth a
        line from 1 % of its part; most shares are larger because the advice costs work. Numbers of repetitions are the
        smallest at which a pattern is no coincidence.

        Columns
            short_gap_ns             BIGINT    Shorter gaps come from launching, longer ones from other work of the host; eager launches of frameworks take 5 to 100 us.
            steps_share              DOUBLE    Least share of a series' steps with an idle cause: then it recurs.
            recurring_count          BIGINT    Least gaps of a cause that recurs in fewer steps, such as every tenth, or at three checkpoints; least repetitions of other patterns in steps.
            recurring_longest_share  DOUBLE    Largest share of such a cause in one gap: with more it is a single event.
            working_share            DOUBLE    Least share of the time that the GPU works: with less, what is compiled outside of steps is start-up.
            rare_ratio               DOUBLE    Idle time of a step over the median step's, above which it is rare: gaps of one kind vary less.
            rare_share               DOUBLE    Least share of the part in gaps that do not recur.
            place_share              DOUBLE    Least share of the host's idle time in a place that is named.
            paced_count              BIGINT    Least waits, in a part without steps, for one other thread that sets the pace.
            paced_wait_ns            BIGINT    Least mean of these waits: shorter ones are handshakes between threads.
            sync_count               BIGINT    Least blocking calls, or host functions, of a part without steps: fewer are no habit.
            sync_each_share          DOUBLE    Blocking calls per launch, from which nearly each launch is followed by one.
            value_bytes              BIGINT    Largest copy that is a value (a loss, a flag), not data.
            value_share              DOUBLE    Share of blocking calls that wait for such a copy, above which the calls are for values.
            allocation_count         BIGINT    Least gaps with allocation outside of steps.
            launch_gap_count         BIGINT    Least short gaps, or calls, of a part without steps that launching limits.
            launch_share             DOUBLE    Least share of the part in short gaps while the host launches: less is ordinary latency.
            launch_gap_ratio         DOUBLE    Least median gap over median kernel: shorter gaps are the latency between queued kernels.
            graph_launches           BIGINT    Least launches of a step (and half of those between two synchronizations) that a graph replaces by one.
            graph_saving             DOUBLE    Share of the launch-bound time that a graph saves; the rest is its own launch.
            graph_traced_share       DOUBLE    Least share of the part in CUDA graphs traced as a whole.
            graph_gap_ns             BIGINT    Mean gap inside a CUDA graph from which unrecorded nodes fill it: from node to node it takes 1 to 3 us.
            slow_step_ratio          DOUBLE    Duration of a slow step over the median, at least.
            slow_step_count          BIGINT    Least slow steps: a single one can be the first or last of the loop.
            slow_steps_share         DOUBLE    Least share of the part that slow steps take beyond the median.
            trend_steps              BIGINT    Steps from which a trend differs from noise.
            trend_correlation        DOUBLE    Least correlation of number and duration of steps with a trend.
            trend_ratio              DOUBLE    Least ratio between the medians of the first and last third of the steps.
            skew_count               BIGINT    Least launches of a kernel in one shape.
            skew_share               DOUBLE    Least share of its time beyond median times launches: few launches have it.
            clock_kernels            BIGINT    Least kernels that slow down alike: a single one can have more work.
            clock_ratio              DOUBLE    Least factor by which they slow down; boost clocks vary less.
            tiny_kernel_ns           BIGINT    Mean duration below which a kernel is mostly its launch, whatever its grid.
            kernel_floor_ns          BIGINT    No kernel takes less.
            covering_ratio           DOUBLE    Mean duration of launches with enough blocks over that of the others: with less, more blocks do not help.
            wave_kernel_ns           BIGINT    Mean duration from which the last wave of blocks matters.
            last_wave_share          DOUBLE    Largest share of a full wave's blocks in the last wave.
            most_waves               DOUBLE    Waves above which the last one is too small a part.
            low_occupancy            DOUBLE    Theoretical occupancy below which too few warps hide latency.
            occupancy_share          DOUBLE    Least share of the part for such a kernel.
            warp_threads             BIGINT    Threads of a warp, on every CUDA GPU.
            matrix_share             DOUBLE    Least share of the busy time in float32 matrix products.
            sm_warps                 BIGINT    Warps that an SM's four schedulers need at least: a launch with fewer waits for latency, not for its units.
            fp64_ratio               DOUBLE    Double over single precision peak, below which FP64 units are few: data center GPUs have 0.5.
            elementwise_share        DOUBLE    Least share of the busy time in elementwise kernels.
            elementwise_count        BIGINT    Least elementwise kernels.
            fused_kernels            BIGINT    Most elementwise kernels that one kernel replaces.
            layout_share             DOUBLE    Least share of the busy time in layout conversions.
            attention_share          DOUBLE    Least share of the busy time in softmax and masks between matrix products.
            memset_share             DOUBLE    Least share of the busy time in memsets.
            communication_share      DOUBLE    Least share of the part in communication that nothing overlaps.
            overlapping_share        DOUBLE    Least time of other kernels over that of such communication: with less, nothing can overlap it.
            group_share              DOUBLE    Least ratio of two GPUs' communication kernels if they wait for each other: the middle of a pipeline has twice those of its ends.
            largest_share            DOUBLE    Least share of the part in which the largest kernel runs alone: less is not worth profiling with Nsight Compute.
            small_copy_bytes         BIGINT    Smaller copies are mostly latency (10 us at 12 GB/s are 120 kB).
            small_copy_count         BIGINT    Small copies of a part, above which they are many; in steps three a step are, too.
            small_copy_ns            BIGINT    Mean duration below which copies are mostly latency.
            stream_count             BIGINT    Least small kernels outside of the main stream, and least changes of stream; in steps one a step.
            alone_share              DOUBLE    Least share of their time in which kernels of several streams run alone: the next can begin in the tail of one.
            turn_share               DOUBLE    Least share of a GPU in the time in which exactly one GPU of a process computes: with less it only helps out.
            turn_count               BIGINT    Least changes of the GPU that computes, in steps one a step: fewer are phases of the program.
            turn_overlap             DOUBLE    Largest share of the time in which several GPUs of a process would compute by chance.
            uneven_share             DOUBLE    Least share of its part in which the busiest GPU computes, so that others wait for it.
            uneven_ratio             DOUBLE    Least ratio of its time to the mean of the GPUs; of equal work on eight GPUs one can take 1.12 times as long.
            copy_overhead_ns         BIGINT    Cost of a copy besides its bytes.
            round_trip_share         DOUBLE    Least copies per step in each direction.
            round_trip_alike         DOUBLE    Largest difference between copies up and down, as a share of the larger number.
            same_copy_share          DOUBLE    Least share of the steps with a copy of the same size.
            one_way_count            BIGINT    Least copies in each direction, and changes of direction: input at the beginning and results at the end cannot overlap.
            one_way_share            DOUBLE    Least share of the part in copies of one direction while no kernel runs.
            link_bytes_per_s         DOUBLE    Rate of a pinned copy if the GPU is not known: PCIe 3.0 with 16 lanes.
            profiler_share           DOUBLE    Least share of the part in idle time that the profiler causes.
            queued_share             DOUBLE    Least share of the part in which queued work waits for no recorded reason.
            api_share                DOUBLE    Least share of the part that the launching thread spends in CUDA calls that do not wait.
            cpu_share                DOUBLE    Least share of the time of the program's CPUs in threads; of these, in its own.
            startup_share            DOUBLE    Least share of the window in idle time of one-time work.
            after_share              DOUBLE    Least share of the window after the last GPU work, or in copies of start-up.
        """

    def vulkan_call(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Vulkan calls on the CPU, with their names as ids of `string`.

        Columns
            row_id          BIGINT    Position in the export's table.
            start_ns        BIGINT    Start of the call.
            end_ns          BIGINT    Return of the call.
            dur_ns          BIGINT    Duration.
            thread_id       BIGINT    Thread (globalTid).
            process_id      BIGINT    Process (globalPid).
            pid             BIGINT    The operating system's process number.
            tid             BIGINT    The operating system's thread number.
            name_id         BIGINT    Name.
            event_class     BIGINT    53 for calls, 93 for batches of submitted work.
            context_id      BIGINT    Context.
            correlation_id  BIGINT    Shared with other events of the call.
        """

    def wddm_hardware_queue(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Hardware queues of the Windows display driver model (WDDM), with the queue that each belongs to.

        Columns
            row_id          BIGINT    Position in the export's table.
            context         BIGINT    The queue.
            parent_context  BIGINT    The queue that it belongs to.
        """

    def wddm_packet(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Packets in queues of the Windows display driver model (WDDM), from start to stop.

        A start and a stop belong together if they share context and packet number and the stop is not before the
        start. Paging queues are left out.

        Columns
            queue_kind   VARCHAR   queue (of the driver) or dma (of the hardware).
            row_id       BIGINT    Position of the start in the export's table of that kind.
            stop_row_id  BIGINT    Position of the stop there.
            start_ns     BIGINT    Start.
            end_ns       BIGINT    Stop.
            dur_ns       BIGINT    Duration.
            process_id   BIGINT    Process (globalPid).
            pid          BIGINT    The operating system's process number.
            gpu_id       BIGINT    GPU.
            context      BIGINT    The queue.
            engine_type  BIGINT    Engine, by number; 1 is 3D.
        """

    def wddm_queue(
        self,
        *,
        start_ns: Time | None = None,
        end_ns: Time | None = None,
        nvtx: str | None = None,
        steps: Steps | None = None,
        step_range: str | None = None,
    ) -> polars.DataFrame:
        r"""Queues of the Windows display driver model (WDDM).

        Columns
            row_id         BIGINT    Position in the export's table.
            context        BIGINT    The queue.
            node_ordinal   BIGINT    Node of the GPU.
            friendly_name  VARCHAR   Name, if the driver gave one.
        """
