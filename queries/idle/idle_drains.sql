-- A GPU and a blocking call in an NVTX path: the idle time that follows it because the GPU ran dry.
--
-- A GPU falls idle only after the host has lost its lead. A gap belongs to the blocking call (view _drain_call)
-- that is under way when it begins, or that returned at most 6 ms before it, if since then no work of the process
-- has waited more than 0.5 ms for the GPU, and the work after the gap was not yet launched when the gap began. The
-- causes of these gaps do not change. The numbers that PyTorch gives each instance of an operator (op_id, seq) are
-- left out of the paths.
-- Needs  _idle_gap
-- Engine  skip _idle_piece_path, _nvtx_path unless $paths
-- Parameters
--     top          BIGINT = NULL    -- Rows to keep for each GPU, those with most idle time; NULL keeps all.
--     usual: gpu, start_ns, end_ns, per_process
--     paths        BOOLEAN = true   -- Distinguish calls by NVTX path; false skips reading NVTX, the slowest step.
-- Columns
--     usual: gpu_id, drained_by
--     drained_by_nvtx     VARCHAR  -- NVTX ranges of its thread at its start, outermost first; NULL for none.
--     calls               BIGINT   -- Calls followed by gaps.
--     blocked_ns          BIGINT   -- Time in these calls.
--     gap_count           BIGINT   -- Gaps that follow.
--     idle_ns             BIGINT   -- Their idle time.
--     profiler_ns         BIGINT   -- The part of idle_ns that the profiler causes.
--     idle_pct            DOUBLE   -- Its share of the GPU's idle time.
--     launches_per_call   DOUBLE   -- Median number of launches since the previous such call.
--     after_every_launch  BOOLEAN  -- At least three calls, with at most one launch from each to the next: a synchronization after every launch.
WITH profiler AS (
    SELECT
        gap_id,
        sum(within_ns(start_ns, end_ns, $start_ns, $end_ns)) AS dur_ns
    FROM _idle_piece
    WHERE
        cause = 'profiler'
        AND is_within(start_ns, end_ns, $start_ns, $end_ns)
    GROUP BY gap_id
),

gap AS (
    SELECT
        *,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS dur_ns
    FROM _idle_gap
    WHERE is_asked(start_ns, end_ns, $start_ns, $end_ns, gpu_id, $gpu)
),

by_call AS (
    SELECT
        gpu_id,
        drained_by_row,
        count(*) AS gap_count,
        sum(gap.dur_ns) AS idle_ns,
        sum(coalesce(profiler.dur_ns, 0)) AS profiler_ns,
        sum(sum(gap.dur_ns)) OVER (PARTITION BY gpu_id) AS idle_of_gpu_ns
    FROM gap
    LEFT JOIN profiler ON gap.gap_id = profiler.gap_id
    GROUP BY gpu_id, drained_by_row
),

path AS (
    SELECT
        record.drain_row,
        regexp_replace(_nvtx_path.nvtx_path, ', (op_id|seq) = [0-9]+', '', 'g') AS nvtx_path
    FROM _idle_piece_path AS record
    INNER JOIN _nvtx_path ON record.path_number = _nvtx_path.path_number
    WHERE $paths AND record.drain_row IS NOT NULL
),

grouped AS (
    SELECT
        by_call.gpu_id,
        _api_cause.name AS drained_by,
        path.nvtx_path AS drained_by_nvtx,
        count(*) AS calls,
        sum(drain.end_ns - drain.start_ns)::BIGINT AS blocked_ns,
        sum(by_call.gap_count)::BIGINT AS gap_count,
        sum(by_call.idle_ns)::BIGINT AS idle_ns,
        sum(by_call.profiler_ns)::BIGINT AS profiler_ns,
        100 * sum(by_call.idle_ns) / any_value(by_call.idle_of_gpu_ns) AS idle_pct,
        median(drain.launch_count) AS launches_per_call
    FROM by_call
    INNER JOIN _drain_call AS drain
        ON by_call.drained_by_row = drain.row_id AND by_call.gpu_id IS NOT DISTINCT FROM drain.gpu_id
    LEFT JOIN _api_cause ON drain.name_id = _api_cause.id
    LEFT JOIN path ON by_call.drained_by_row = path.drain_row
    GROUP BY by_call.gpu_id, _api_cause.name, path.nvtx_path
)

SELECT
    *,
    calls >= 3 AND launches_per_call <= 1 AS after_every_launch
FROM grouped
QUALIFY
    $top IS NULL
    OR row_number() OVER (
        PARTITION BY gpu_id ORDER BY idle_ns DESC, drained_by ASC, drained_by_nvtx ASC NULLS FIRST
    ) <= $top
ORDER BY gpu_id ASC, idle_ns DESC, drained_by ASC, drained_by_nvtx ASC NULLS FIRST
