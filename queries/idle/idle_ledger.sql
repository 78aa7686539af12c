-- A GPU and a cause: how much of its idle time has that cause.
--
-- Every idle nanosecond of a GPU's window is attributed to exactly one cause (docs/idle.md); the causes of a GPU
-- sum to its idle time. A share says how long the GPU waited under a cause, not what removing it saves.
-- Needs  _idle_gap
-- Parameters
--     usual: gpu, start_ns, end_ns, per_process
-- Columns
--     usual: gpu_id, cause
--     idle_ns     BIGINT   -- Idle nanoseconds attributed to it.
--     idle_pct    DOUBLE   -- Share of the GPU's idle time.
--     window_pct  DOUBLE   -- Share of the GPU's window: at most this much is saved by removing the cause.
--     gap_count   BIGINT   -- Gaps with some of it.
--     longest_ns  BIGINT   -- Most of it in one gap.
--     advice      VARCHAR  -- What to do about it.
WITH of_gap AS (
    SELECT
        cause,
        any_value(gpu_id) AS gpu_id,
        sum(within_ns(start_ns, end_ns, $start_ns, $end_ns)) AS dur_ns
    FROM _idle_piece
    WHERE is_asked(start_ns, end_ns, $start_ns, $end_ns, gpu_id, $gpu)
    GROUP BY gap_id, cause
),

booked AS (
    SELECT
        gpu_id,
        cause,
        sum(dur_ns)::BIGINT AS idle_ns,
        count(*) AS gap_count,
        max(dur_ns)::BIGINT AS longest_ns
    FROM of_gap
    GROUP BY gpu_id, cause
)

SELECT
    booked.gpu_id,
    idle_cause.cause,
    booked.idle_ns,
    100 * booked.idle_ns / sum(booked.idle_ns) OVER (PARTITION BY booked.gpu_id) AS idle_pct,
    100
    * booked.idle_ns
    / (within_ns(gpu_window.start_ns, gpu_window.end_ns, $start_ns, $end_ns)) AS window_pct,
    booked.gap_count,
    booked.longest_ns,
    idle_cause.advice
FROM booked
INNER JOIN idle_cause ON booked.cause = idle_cause.cause
INNER JOIN _gpu_window AS gpu_window ON booked.gpu_id IS NOT DISTINCT FROM gpu_window.gpu_id
ORDER BY booked.gpu_id ASC, booked.idle_ns DESC, idle_cause.position ASC
