-- Idle time after blocking calls that let the GPU run dry, by call, cause, and whether the call waited for a copy to the host.
--
-- Gaps belong to calls as in idle_drains. A call waited for a copy to the host if the gap begins at the end of a
-- Device-to-Host copy, during the call or up to 20 us after its return (CPU and GPU clocks differ slightly).
-- Needs  _idle_gap
-- Parameters
--     idle_drain_calls: gpu, start_ns, end_ns, per_process
-- Columns
--     usual: gpu_id, drained_by
--     is_after_copy  BOOLEAN  -- It waited for a copy to the host.
--     cause          VARCHAR  -- The cause.
--     gap_count      BIGINT   -- Gaps that follow and have idle time of the cause.
--     idle_ns        BIGINT   -- Their idle time of the cause.
WITH emptied AS (
    SELECT
        gap.gap_id,
        gap.gpu_id,
        call.name_id,
        coalesce(
            gap.previous_kind = 'memcpy'
            AND gap.previous_detail_id = 2
            AND gap.start_ns BETWEEN call.start_ns AND call.end_ns + 20000,
            false
        ) AS is_after_copy,
        within_ns(gap.start_ns, gap.end_ns, $start_ns, $end_ns) < gap.end_ns - gap.start_ns AS is_clipped
    FROM _idle_gap AS gap
    INNER JOIN _drain_call AS call ON gap.gpu_id IS NOT DISTINCT FROM call.gpu_id AND gap.drained_by_row = call.row_id
    WHERE
        gap.drained_by_row IS NOT NULL
        AND is_asked(gap.start_ns, gap.end_ns, $start_ns, $end_ns, gap.gpu_id, $gpu)
),

piece AS NOT MATERIALIZED (
    SELECT
        emptied.*,
        record.cause,
        record.is_first,
        within_ns(record.start_ns, record.end_ns, $start_ns, $end_ns) AS dur_ns
    FROM emptied
    INNER JOIN _idle_piece AS record ON emptied.gap_id = record.gap_id
    WHERE is_within(record.start_ns, record.end_ns, $start_ns, $end_ns)
),

booked AS (
    SELECT
        gpu_id,
        name_id,
        is_after_copy,
        cause,
        count(*) FILTER (WHERE is_first AND NOT is_clipped) AS gap_count,
        sum(dur_ns) AS idle_ns
    FROM piece
    GROUP BY gpu_id, name_id, is_after_copy, cause
    UNION ALL
    -- The first piece of a cause can be outside of the interval if the gap is clipped.
    SELECT
        gpu_id,
        name_id,
        is_after_copy,
        cause,
        count(DISTINCT gap_id) AS gap_count,
        0 AS idle_ns
    FROM piece
    WHERE is_clipped
    GROUP BY gpu_id, name_id, is_after_copy, cause
)

SELECT
    booked.gpu_id,
    _api_cause.name AS drained_by,
    booked.is_after_copy,
    booked.cause,
    sum(booked.gap_count)::BIGINT AS gap_count,
    sum(booked.idle_ns)::BIGINT AS idle_ns
FROM booked
LEFT JOIN _api_cause ON booked.name_id = _api_cause.id
GROUP BY booked.gpu_id, _api_cause.name, booked.is_after_copy, booked.cause
ORDER BY booked.gpu_id ASC, idle_ns DESC, drained_by ASC, booked.is_after_copy ASC, booked.cause ASC
