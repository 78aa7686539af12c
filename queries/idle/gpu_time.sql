-- A GPU: how long it was busy and idle between its first and its last activity.
--
-- Busy is the union of kernels, memcpys, memsets and CUDA graphs traced as a whole over all streams, contexts and
-- processes. The time of each kind is its own union, so kinds can add up to more than busy. Lead-in (from the first
-- CUDA call of the GPU's processes to the first activity) and tail (from the last activity to the last call) are
-- outside of the window.
-- Needs  _gpu_work_ids
-- Engine  skip _gpu_busy_interval unless $start_ns IS NOT NULL OR $end_ns IS NOT NULL
-- Parameters
--     usual: gpu, start_ns, end_ns, per_process
-- Columns
--     gpu_id           BIGINT   -- Physical GPU.
--     name             VARCHAR  -- Product name; NULL if the export does not say.
--     window_start_ns  BIGINT   -- Start of the first activity.
--     window_end_ns    BIGINT   -- End of the last activity.
--     window_ns        BIGINT   -- Length of the window.
--     busy_ns          BIGINT   -- Time with any activity.
--     idle_ns          BIGINT   -- Time without; busy and idle sum to the window.
--     busy_pct         DOUBLE   -- Share of the window that is busy.
--     idle_pct         DOUBLE   -- Share of the window that is idle.
--     kernel_ns        BIGINT   -- Time with a kernel.
--     memcpy_ns        BIGINT   -- Time with a copy.
--     memset_ns        BIGINT   -- Time with a memset.
--     graph_ns         BIGINT   -- Time with a CUDA graph traced as a whole.
--     gap_count        BIGINT   -- Intervals without activity.
--     lead_in_ns       BIGINT   -- From the processes' first CUDA call to the window; NULL if no call is recorded.
--     tail_ns          BIGINT   -- From the window to the processes' last CUDA call; NULL if no call is recorded.
WITH stretch AS (
    SELECT
        *,
        lead(start_ns) OVER (PARTITION BY gpu_id, class ORDER BY start_ns) AS next_ns
    FROM _gpu_busy_interval
    WHERE $start_ns IS NOT NULL OR $end_ns IS NOT NULL
),

class AS (
    SELECT
        gpu_id,
        class,
        dur_ns,
        stretches - 1 AS gap_count
    FROM _gpu_class_time
    WHERE $start_ns IS NULL AND $end_ns IS NULL
    UNION ALL
    SELECT
        gpu_id,
        class,
        sum(
            within_ns(start_ns, end_ns, $start_ns, $end_ns)
        ) FILTER (WHERE is_within(start_ns, end_ns, $start_ns, $end_ns))::BIGINT AS dur_ns,
        count(*) FILTER (WHERE is_within(end_ns, next_ns, $start_ns, $end_ns)) AS gap_count
    FROM stretch
    GROUP BY gpu_id, class
),

gpu_sum AS (
    SELECT
        gpu_id,
        max(dur_ns) FILTER (WHERE class = 'any') AS busy_ns,
        coalesce(max(dur_ns) FILTER (WHERE class = 'kernel'), 0) AS kernel_ns,
        coalesce(max(dur_ns) FILTER (WHERE class = 'memcpy'), 0) AS memcpy_ns,
        coalesce(max(dur_ns) FILTER (WHERE class = 'memset'), 0) AS memset_ns,
        coalesce(max(dur_ns) FILTER (WHERE class = 'graph'), 0) AS graph_ns,
        max(gap_count) FILTER (WHERE class = 'any') AS gap_count
    FROM class
    GROUP BY gpu_id
),

gpu_window AS (
    SELECT
        gpu_id,
        start_ns AS first_ns,
        end_ns AS last_ns,
        greatest(start_ns, coalesce($start_ns, start_ns)) AS start_ns,
        least(end_ns, coalesce($end_ns, end_ns)) AS end_ns,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS window_ns
    FROM _gpu_class_time
    WHERE class = 'any' AND ($gpu IS NULL OR gpu_id = $gpu)
),

device AS (
    SELECT
        used.gpu_id,
        min(used.device_id) AS device_id,
        min(call.start_ns) AS first_ns,
        max(call.end_ns) AS last_ns
    FROM _gpu_process AS used
    LEFT JOIN _process_api_span AS call ON used.process_id = call.process_id
    GROUP BY used.gpu_id
)

SELECT
    gpu_window.gpu_id,
    gpu.name,
    gpu_window.start_ns AS window_start_ns,
    gpu_window.end_ns AS window_end_ns,
    gpu_window.window_ns,
    coalesce(gpu_sum.busy_ns, 0) AS busy_ns,
    gpu_window.window_ns - coalesce(gpu_sum.busy_ns, 0) AS idle_ns,
    100 * coalesce(gpu_sum.busy_ns, 0) / gpu_window.window_ns AS busy_pct,
    100 - busy_pct AS idle_pct,
    coalesce(gpu_sum.kernel_ns, 0) AS kernel_ns,
    coalesce(gpu_sum.memcpy_ns, 0) AS memcpy_ns,
    coalesce(gpu_sum.memset_ns, 0) AS memset_ns,
    coalesce(gpu_sum.graph_ns, 0) AS graph_ns,
    gpu_sum.gap_count,
    greatest(gpu_window.first_ns - device.first_ns, 0) AS lead_in_ns,
    greatest(device.last_ns - gpu_window.last_ns, 0) AS tail_ns
FROM gpu_window
LEFT JOIN gpu_sum ON gpu_window.gpu_id IS NOT DISTINCT FROM gpu_sum.gpu_id
LEFT JOIN device ON gpu_window.gpu_id IS NOT DISTINCT FROM device.gpu_id
LEFT JOIN gpu ON CASE WHEN getvariable('per_process') THEN device.device_id ELSE gpu_window.gpu_id END = gpu.gpu_id
WHERE gpu_window.window_ns > 0
ORDER BY gpu_window.gpu_id ASC
