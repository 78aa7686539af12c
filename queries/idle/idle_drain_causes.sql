-- Idle time after calls that emptied the GPU's queue, by cause, and whether such a call waited for a copy to the host.
--
-- Gaps go under calls as in idle_drains. A call waited for a copy to the host where the gap begins at the end of a
-- Device-to-Host copy, within the call or up to 20 us after its return (the clocks of CPU and GPU differ by some).
-- Needs  _idle_gap
-- Parameters
--     gpu          BIGINT = NULL    -- Only this GPU.
--     start_ns     BIGINT = NULL    -- Narrow to what is at or after this time; gaps are clipped.
--     end_ns       BIGINT = NULL    -- Narrow to what is before this time; gaps are clipped.
--     per_process  BOOLEAN = false  -- Keep each process's devices apart; gpu_id is then pid * 1000 + ordinal.
-- Columns
--     gpu_id         BIGINT   -- Physical GPU.
--     drained_by     VARCHAR  -- The blocking call, without suffix.
--     is_after_copy  BOOLEAN  -- It waited for a copy to the host.
--     cause          VARCHAR  -- The cause.
--     gap_count      BIGINT   -- Gaps that follow and have idle time of the cause.
--     idle_ns        BIGINT   -- Their idle time of the cause.
WITH emptied AS (
    SELECT
        gap.gap_id,
        gap.gpu_id,
        call.name_id,
        gap.previous_kind = 'memcpy'
        AND gap.previous_detail_id = 2
        AND gap.start_ns BETWEEN call.start_ns AND call.end_ns + 20000 AS is_after_copy
    FROM _idle_gap AS gap
    INNER JOIN _drain_call AS call
        ON
            gap.gpu_id IS NOT DISTINCT FROM call.gpu_id
            AND gap.drained_by_row = call.row_id
    WHERE
        gap.start_ns < coalesce($end_ns, gap.end_ns)
        AND gap.end_ns > coalesce($start_ns, gap.start_ns)
        AND ($gpu IS NULL OR gap.gpu_id = $gpu)
)

SELECT
    emptied.gpu_id,
    _api_cause.name AS drained_by,
    coalesce(emptied.is_after_copy, false) AS is_after_copy,
    piece.cause,
    count(DISTINCT piece.gap_id) AS gap_count,
    sum(
        least(piece.end_ns, coalesce($end_ns, piece.end_ns))
        - greatest(piece.start_ns, coalesce($start_ns, piece.start_ns))
    )::BIGINT AS idle_ns
FROM emptied
INNER JOIN _idle_piece AS piece ON emptied.gap_id = piece.gap_id
LEFT JOIN _api_cause ON emptied.name_id = _api_cause.id
WHERE
    piece.start_ns < coalesce($end_ns, piece.end_ns)
    AND piece.end_ns > coalesce($start_ns, piece.start_ns)
GROUP BY emptied.gpu_id, _api_cause.name, coalesce(emptied.is_after_copy, false), piece.cause
ORDER BY emptied.gpu_id ASC, idle_ns DESC, drained_by ASC, is_after_copy ASC, piece.cause ASC
