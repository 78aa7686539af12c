-- A gap: an interval in which a GPU runs nothing, with its nanoseconds by cause.
--
-- Busy is the union of kernels, memcpys, memsets and CUDA graphs traced as a whole of a GPU over all streams, contexts and
-- processes; a gap lies between two busy stretches. What ends it is the next activity, asked for by a launch
-- on a thread: what that thread did before, the launch call, and what the GPU waited for after are attributed to
-- one cause each nanosecond (docs/idle.md). The causes of a gap sum to the gap.
-- Needs  _idle_gap
-- Engine  skip _idle_piece_path, _nvtx_path unless $paths
-- First  dur_ns, main_cause, gap_id, gpu_id, start_ns, nvtx_path, next_name
-- Parameters
--     min_gap_ns   BIGINT = 0       -- Shortest gap to list.
--     top          BIGINT = NULL    -- Longest gaps of each GPU to keep; NULL keeps all.
--     gap          BIGINT = NULL    -- Only the gap of this number.
--     usual: gpu, start_ns, end_ns, per_process
--     paths        BOOLEAN = true   -- Fill nvtx_path and drained_by_nvtx; without it NVTX is not read, which takes longest.
-- Columns
--     gpu_id           BIGINT   -- Physical GPU.
--     gap_id           BIGINT   -- Number of the gap in the export, for idle_pieces and --explain.
--     start_ns         BIGINT   -- When the GPU fell idle.
--     end_ns           BIGINT   -- When the next activity started.
--     dur_ns           BIGINT   -- How long the GPU was idle.
--     previous_name    VARCHAR  -- The last activity to end before the gap.
--     next_name        VARCHAR  -- The activity that ended the gap.
--     next_stream_id   BIGINT   -- Its stream.
--     thread_id        BIGINT   -- Thread that launched it (globalTid); NULL if not recorded.
--     pid              BIGINT   -- Its process, as in launches.
--     tid              BIGINT   -- Its number in the operating system, as in launches.
--     launch_name      VARCHAR  -- The launching call; NULL if not recorded.
--     nvtx_path        VARCHAR  -- NVTX ranges in which most of that thread's time before the launch passed, outermost first.
--     main_cause       VARCHAR  -- The cause with most nanoseconds.
--     drained_by       VARCHAR  -- The blocking call after which the GPU ran dry (view _drain_call), without suffix; NULL if none.
--     drained_by_row   BIGINT   -- Its position in the table of calls.
--     drained_by_nvtx  VARCHAR  -- NVTX ranges of its thread at its start, outermost first.
--     is_after_work    BOOLEAN  -- The host reads unified memory at its end and all launched work is over: no gap to remove.
--     profiler_ns                BIGINT   -- Profiler overhead: tracing itself, not the program: it is not there in a run without the profiler.
--     sync_return_ns             BIGINT   -- Sync return latency: the GPU was done and the call that waited for it had not returned, up to a millisecond.
--     sync_wait_ns               BIGINT   -- Blocking call outlasts GPU work: a blocking call more than a millisecond after this GPU was done: another GPU, a copy, a host callback.
--     module_load_ns             BIGINT   -- Module loading: modules, libraries or JIT compilation.
--     context_setup_ns           BIGINT   -- Context setup: context and device initialization.
--     stream_and_event_setup_ns  BIGINT   -- Stream and event setup: creation and destruction of streams and events.
--     graph_build_ns             BIGINT   -- Graph building: capture, instantiation and update of CUDA graphs.
--     memory_management_ns       BIGINT   -- Memory management: allocation and freeing of memory.
--     other_cuda_api_ns          BIGINT   -- Other CUDA calls: other CUDA calls of the launching thread.
--     os_wait_lock_ns            BIGINT   -- Waiting for a lock: condition variables, mutexes, semaphores, joins.
--     os_wait_io_ns              BIGINT   -- Waiting for I/O: read, recv, poll and the like.
--     os_sleep_ns                BIGINT   -- Sleeping: sleep calls of the launching thread.
--     os_other_ns                BIGINT   -- Other OS calls: other OS runtime calls of the launching thread.
--     preempted_ns               BIGINT   -- CPU taken by another thread: the launching thread was ready to run and another thread ran on its CPU.
--     blocked_ns                 BIGINT   -- Thread blocked, reason not recorded: the launching thread was off the CPU: it waited, and no row shows for whom.
--     waiting_for_thread_ns      BIGINT   -- Waiting for thread or rank: the launching thread waited for another thread or another rank: an MPI call, a wake-up, or a thread that had launched before.
--     gil_wait_ns                BIGINT   -- Waiting for Python's lock: the launching thread waited for the global interpreter lock.
--     host_code_ns               BIGINT   -- Host code: the launching thread ran code of the program or a library, in no traced call.
--     blocked_launch_ns          BIGINT   -- Launch queue full: the driver's launch queue was full.
--     pageable_copy_ns           BIGINT   -- Copy of pageable memory: a copy call that stages pageable memory.
--     first_launch_ns            BIGINT   -- First launch of kernel: lazy loading or compilation of a kernel's code.
--     launch_call_ns             BIGINT   -- Launch call overhead: the launching call itself.
--     graph_dependency_ns        BIGINT   -- Inside a CUDA graph: a graph's node waited for another, or the GPU moved between nodes.
--     launch_batch_ns            BIGINT   -- Between parts of a batched launch: the pieces of one batched call.
--     stream_wait_ns             BIGINT   -- Waiting for another stream: the stream was told to wait for another stream's event.
--     graph_launch_ns            BIGINT   -- Start of a CUDA graph: from the graph launch's return to its first work.
--     launch_latency_ns          BIGINT   -- Launch latency: the usual time from a launch's return to its start, or between queued kernels.
--     queued_unexplained_ns      BIGINT   -- Queued, cause unknown: work was queued longer than the usual latency, and no row says why.
--     unified_memory_ns          BIGINT   -- Unified memory: the GPU waited for pages that migrated.
--     no_launch_recorded_ns      BIGINT   -- Launch call not in the capture: the launch lies outside of the capture, so no thread or call can be blamed.
WITH gap AS (
    SELECT
        gap_id,
        gpu_id,
        thread_id,
        greatest(start_ns, coalesce($start_ns, start_ns)) AS start_ns,
        least(end_ns, coalesce($end_ns, end_ns)) AS end_ns,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS dur_ns
    FROM _idle_gap
    WHERE
        is_within(start_ns, end_ns, $start_ns, $end_ns)
        AND ($gpu IS NULL OR gpu_id = $gpu)
        AND ($gap IS NULL OR gap_id = $gap)
),

-- Of each GPU the length of the last gap to keep: shorter ones need no order. DuckDB finds a million at most.
enough AS (
    SELECT
        gpu_id,
        CASE
            WHEN $top BETWEEN 1 AND 999999 THEN list_min(max(dur_ns, if($top BETWEEN 1 AND 999999, $top, 1)))
            ELSE 0
        END AS least_ns
    FROM gap
    WHERE dur_ns >= $min_gap_ns
    GROUP BY gpu_id
),

-- Of equal gaps the earlier goes first.
longest AS (
    SELECT *
    FROM gap
    WHERE $top IS NULL AND dur_ns >= $min_gap_ns
    UNION ALL
    SELECT gap.*
    FROM gap
    INNER JOIN enough
        ON
            gap.gpu_id IS NOT DISTINCT FROM enough.gpu_id
            AND gap.dur_ns >= enough.least_ns
    WHERE $top IS NOT NULL AND gap.dur_ns >= $min_gap_ns
    QUALIFY
        row_number() OVER (
            PARTITION BY gap.gpu_id
            ORDER BY gap.dur_ns DESC, gap.gap_id ASC
        ) <= $top
),

booked AS (
    SELECT
        piece.gap_id,
        idle_cause.cause,
        idle_cause.position,
        sum(
            within_ns(piece.start_ns, piece.end_ns, $start_ns, $end_ns)
        )::BIGINT AS dur_ns
    FROM _idle_piece AS piece
    INNER JOIN idle_cause ON piece.cause = idle_cause.cause
    WHERE
        is_within(piece.start_ns, piece.end_ns, $start_ns, $end_ns)
        AND piece.gap_id IN (SELECT longest.gap_id FROM longest)
    GROUP BY piece.gap_id, idle_cause.cause, idle_cause.position
),

-- One column for each cause; a gap has one row of it at most, which max picks in half the memory of a sum.
split AS (
    SELECT
        gap_id,
        -- The longest cause, of equals the first in the list of causes, in one number.
        100 - max(dur_ns * 100 + 100 - position) % 100 AS position,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'profiler'), 0) AS profiler_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'sync_return'), 0) AS sync_return_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'sync_wait'), 0) AS sync_wait_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'module_load'), 0) AS module_load_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'context_setup'), 0) AS context_setup_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'stream_and_event_setup'), 0) AS stream_and_event_setup_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'graph_build'), 0) AS graph_build_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'memory_management'), 0) AS memory_management_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'other_cuda_api'), 0) AS other_cuda_api_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'os_wait_lock'), 0) AS os_wait_lock_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'os_wait_io'), 0) AS os_wait_io_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'os_sleep'), 0) AS os_sleep_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'os_other'), 0) AS os_other_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'preempted'), 0) AS preempted_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'blocked'), 0) AS blocked_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'waiting_for_thread'), 0) AS waiting_for_thread_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'gil_wait'), 0) AS gil_wait_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'host_code'), 0) AS host_code_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'blocked_launch'), 0) AS blocked_launch_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'pageable_copy'), 0) AS pageable_copy_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'first_launch'), 0) AS first_launch_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'launch_call'), 0) AS launch_call_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'graph_dependency'), 0) AS graph_dependency_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'launch_batch'), 0) AS launch_batch_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'stream_wait'), 0) AS stream_wait_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'graph_launch'), 0) AS graph_launch_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'launch_latency'), 0) AS launch_latency_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'queued_unexplained'), 0) AS queued_unexplained_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'unified_memory'), 0) AS unified_memory_ns,
        coalesce(max(dur_ns) FILTER (WHERE cause = 'no_launch_recorded'), 0) AS no_launch_recorded_ns
    FROM booked
    GROUP BY gap_id
),

-- What passed before the launch counts, else what passed in it, else what came after.
stretch AS (
    SELECT
        piece.gap_id,
        record.path_number,
        coalesce(record.start_ns, piece.start_ns) AS start_ns,
        within_ns(
            coalesce(record.start_ns, piece.start_ns), coalesce(record.end_ns, piece.end_ns),
            longest.start_ns, longest.end_ns
        ) AS dur_ns,
        CASE
            WHEN piece.start_ns < coalesce(gap.launch_ns, piece.start_ns) THEN 1
            WHEN
                piece.cause NOT IN (
                    'graph_dependency',
                    'launch_batch',
                    'stream_wait',
                    'graph_launch',
                    'launch_latency',
                    'queued_unexplained'
                ) THEN 2
            ELSE 3
        END AS part
    FROM _idle_piece AS piece
    INNER JOIN longest ON piece.gap_id = longest.gap_id
    INNER JOIN _idle_gap AS gap ON piece.gap_id = gap.gap_id
    LEFT JOIN _idle_piece_path AS record
        ON
            piece.gap_id = record.gap_id
            AND piece.start_ns = record.piece_ns
    WHERE $paths
),

spent AS (
    SELECT
        gap_id,
        path_number,
        part,
        sum(dur_ns) AS dur_ns,
        min(start_ns) AS start_ns
    FROM stretch
    WHERE dur_ns > 0
    GROUP BY gap_id, path_number, part
),

path AS (
    SELECT
        spent.gap_id,
        _nvtx_path.nvtx_path
    FROM (
        SELECT *
        FROM spent
        QUALIFY
            row_number() OVER (PARTITION BY gap_id ORDER BY part ASC, dur_ns DESC, start_ns ASC) = 1
    ) AS spent
    INNER JOIN _nvtx_path ON spent.path_number = _nvtx_path.path_number
),

drain AS (
    SELECT
        row_id,
        any_value(name_id) AS name_id
    FROM _drain_call
    GROUP BY row_id
),

drain_path AS (
    SELECT
        record.drain_row,
        _nvtx_path.nvtx_path
    FROM _idle_piece_path AS record
    INNER JOIN _nvtx_path ON record.path_number = _nvtx_path.path_number
    WHERE $paths AND record.drain_row IS NOT NULL
)

SELECT
    gap.gpu_id,
    gap.gap_id,
    longest.start_ns,
    longest.end_ns,
    longest.dur_ns,
    previous.name AS previous_name,
    next.name AS next_name,
    gap.next_stream_id,
    gap.thread_id,
    pid_of(gap.thread_id) AS pid,
    tid_of(gap.thread_id) AS tid,
    _api_name.name AS launch_name,
    path.nvtx_path,
    idle_cause.cause AS main_cause,
    drain_name.name AS drained_by,
    gap.drained_by_row,
    drain_path.nvtx_path AS drained_by_nvtx,
    gap.is_after_work,
    split.profiler_ns,
    split.sync_return_ns,
    split.sync_wait_ns,
    split.module_load_ns,
    split.context_setup_ns,
    split.stream_and_event_setup_ns,
    split.graph_build_ns,
    split.memory_management_ns,
    split.other_cuda_api_ns,
    split.os_wait_lock_ns,
    split.os_wait_io_ns,
    split.os_sleep_ns,
    split.os_other_ns,
    split.preempted_ns,
    split.blocked_ns,
    split.waiting_for_thread_ns,
    split.gil_wait_ns,
    split.host_code_ns,
    split.blocked_launch_ns,
    split.pageable_copy_ns,
    split.first_launch_ns,
    split.launch_call_ns,
    split.graph_dependency_ns,
    split.launch_batch_ns,
    split.stream_wait_ns,
    split.graph_launch_ns,
    split.launch_latency_ns,
    split.queued_unexplained_ns,
    split.unified_memory_ns,
    split.no_launch_recorded_ns
FROM longest
INNER JOIN _idle_gap AS gap ON longest.gap_id = gap.gap_id
INNER JOIN split ON longest.gap_id = split.gap_id
INNER JOIN idle_cause ON split.position = idle_cause.position
LEFT JOIN path ON longest.gap_id = path.gap_id
LEFT JOIN _activity_name AS previous
    ON
        gap.previous_kind = previous.kind
        AND gap.previous_detail_id = previous.detail_id
LEFT JOIN _activity_name AS next
    ON
        gap.next_kind = next.kind
        AND gap.next_detail_id = next.detail_id
LEFT JOIN _api_name ON gap.api_name_id = _api_name.id
LEFT JOIN drain ON gap.drained_by_row = drain.row_id
LEFT JOIN _api_cause AS drain_name ON drain.name_id = drain_name.id
LEFT JOIN drain_path ON gap.drained_by_row = drain_path.drain_row
ORDER BY longest.dur_ns DESC, gap.gpu_id ASC, longest.start_ns ASC
