-- A blocking call after which the GPU ran dry (view _drain_call), with the idle time that follows it.
--
-- Needs  _idle_gap
-- Parameters
--     top          BIGINT = NULL    -- Calls to keep for each GPU, those with most idle time; NULL keeps all.
--     usual: gpu, start_ns, end_ns, per_process
-- Columns
--     _drain_call: gpu_id, row_id
--     drained_by   VARCHAR  -- The call.
--     usual: thread_id, pid, tid, start_ns, dur_ns
--     gap_count    BIGINT   -- Gaps that follow.
--     idle_ns      BIGINT   -- Their idle time.
--     profiler_ns  BIGINT   -- The part of idle_ns that the profiler causes.
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

by_call AS (
    SELECT
        gpu_id,
        drained_by_row,
        count(*) AS gap_count,
        sum(within_ns(start_ns, end_ns, $start_ns, $end_ns))::BIGINT AS idle_ns,
        sum(coalesce(profiler.dur_ns, 0))::BIGINT AS profiler_ns
    FROM _idle_gap AS gap
    LEFT JOIN profiler ON gap.gap_id = profiler.gap_id
    WHERE
        drained_by_row IS NOT NULL
        AND is_asked(start_ns, end_ns, $start_ns, $end_ns, gpu_id, $gpu)
    GROUP BY gpu_id, drained_by_row
    QUALIFY
        $top IS NULL
        OR row_number() OVER (PARTITION BY gpu_id ORDER BY idle_ns DESC, drained_by_row ASC) <= $top
)

SELECT
    by_call.gpu_id,
    by_call.drained_by_row AS row_id,
    _api_name.name AS drained_by,
    call.thread_id,
    pid_of(call.thread_id) AS pid,
    tid_of(call.thread_id) AS tid,
    call.start_ns,
    call.end_ns - call.start_ns AS dur_ns,
    by_call.gap_count,
    by_call.idle_ns,
    by_call.profiler_ns
FROM by_call
INNER JOIN _drain_call AS call
    ON by_call.gpu_id IS NOT DISTINCT FROM call.gpu_id AND by_call.drained_by_row = call.row_id
LEFT JOIN _api_name ON call.name_id = _api_name.id
ORDER BY by_call.gpu_id ASC, by_call.idle_ns DESC, by_call.drained_by_row ASC
