-- A GPU and a cause: how much of its idle time that cause took.
--
-- Every idle nanosecond of a GPU's window is attributed to exactly one cause (docs/idle.md); the causes of a GPU
-- sum to its idle time. A share says how long the GPU waited under a cause, not what removing it saves.
-- Needs  _idle_gap
-- Parameters
--     gpu          BIGINT = NULL    -- Only this GPU.
--     start_ns     BIGINT = NULL    -- Narrow the window to what is at or after this time; gaps are clipped.
--     end_ns       BIGINT = NULL    -- Narrow the window to what is before this time; gaps are clipped.
--     per_process  BOOLEAN = false  -- Keep each process's devices apart; gpu_id is then pid * 1000 + ordinal.
-- Columns
--     gpu_id      BIGINT   -- Physical GPU.
--     cause       VARCHAR  -- The cause.
--     idle_ns     BIGINT   -- Idle nanoseconds attributed to it.
--     idle_pct    DOUBLE   -- Share of the GPU's idle time.
--     window_pct  DOUBLE   -- Share of the GPU's window: at most this much is saved by removing the cause.
--     gap_count   BIGINT   -- Gaps that it touches.
--     longest_ns  BIGINT   -- Longest piece.
--     advice      VARCHAR  -- What to do about it.
WITH piece AS NOT MATERIALIZED (
    SELECT
        gpu_id,
        gap_id,
        cause,
        is_first,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS dur_ns
    FROM _idle_piece
    WHERE
        is_within(start_ns, end_ns, $start_ns, $end_ns)
        AND ($gpu IS NULL OR gpu_id = $gpu)
),

-- Of a gap that is clipped the first piece of a cause can lie outside of the time asked for.
clipped AS (
    SELECT
        piece.gpu_id,
        piece.cause,
        count(DISTINCT piece.gap_id) - count(*) FILTER (WHERE piece.is_first) AS more
    FROM piece
    INNER JOIN _idle_gap AS gap ON piece.gap_id = gap.gap_id
    WHERE
        ($start_ns IS NOT NULL OR $end_ns IS NOT NULL)
        AND within_ns(gap.start_ns, gap.end_ns, $start_ns, $end_ns) < gap.end_ns - gap.start_ns
    GROUP BY piece.gpu_id, piece.cause
),

booked AS (
    SELECT
        gpu_id,
        cause,
        sum(dur_ns)::BIGINT AS idle_ns,
        count(*) FILTER (WHERE is_first) AS first_count,
        max(dur_ns) AS longest_ns
    FROM piece
    GROUP BY gpu_id, cause
)

SELECT
    booked.gpu_id,
    idle_cause.cause,
    booked.idle_ns,
    100 * booked.idle_ns / sum(booked.idle_ns) OVER (PARTITION BY booked.gpu_id) AS idle_pct,
    100
    * booked.idle_ns
    / (
        within_ns(gpu_window.start_ns, gpu_window.end_ns, $start_ns, $end_ns)
    ) AS window_pct,
    booked.first_count + coalesce(clipped.more, 0) AS gap_count,
    booked.longest_ns,
    idle_cause.advice
FROM booked
INNER JOIN idle_cause ON booked.cause = idle_cause.cause
LEFT JOIN clipped
    ON
        booked.gpu_id IS NOT DISTINCT FROM clipped.gpu_id
        AND booked.cause = clipped.cause
INNER JOIN _gpu_window AS gpu_window ON booked.gpu_id IS NOT DISTINCT FROM gpu_window.gpu_id
ORDER BY booked.gpu_id ASC, booked.idle_ns DESC, idle_cause.position ASC
