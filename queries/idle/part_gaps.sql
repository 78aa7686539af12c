-- A gap of a part of the capture, among those with most idle time of a kind.
--
-- Idle time is that of the gap within the part, of the kind or cause asked for; the evidence is that of its longest piece.
-- Needs  _idle_gap
-- Parameters
--     part   BIGINT = NULL    -- Only this part (view part).
--     claim  VARCHAR = NULL   -- Only this kind, as in view part_idle: once, allocation, sync, short, long and so on.
--     cause  VARCHAR = NULL   -- Only this cause (query idle_causes).
--     top    BIGINT = NULL    -- Gaps to keep; NULL keeps all.
-- Columns
--     part_id          BIGINT   -- The part.
--     gpu_id           BIGINT   -- Physical GPU.
--     gap_id           BIGINT   -- Number of the gap in the export.
--     start_ns         BIGINT   -- When the GPU fell idle, clipped to the part.
--     gap_ns           BIGINT   -- Length of the gap, not clipped.
--     idle_ns          BIGINT   -- Idle time of what is asked for.
--     cause            VARCHAR  -- The cause with most of it.
--     drained_by_row   BIGINT   -- Position of the blocking call after which the GPU ran dry; NULL if none.
--     evidence_table   VARCHAR  -- NVIDIA's table of the evidence; NULL where no row is the evidence.
--     evidence_row_id  BIGINT   -- Position in that table.
SELECT
    part_id,
    gpu_id,
    gap_id,
    min(start_ns) AS start_ns,
    any_value(gap_ns) AS gap_ns,
    sum(idle_ns)::BIGINT AS idle_ns,
    arg_max(cause, idle_ns) AS cause,
    any_value(drained_by_row) AS drained_by_row,
    arg_max_null(evidence_table, idle_ns) AS evidence_table,
    arg_max_null(evidence_row_id, idle_ns) AS evidence_row_id
FROM _part_piece
WHERE
    ($part IS NULL OR part_id = $part)
    AND ($claim IS NULL OR claim = $claim)
    AND ($cause IS NULL OR cause = $cause)
GROUP BY part_id, gpu_id, gap_id
ORDER BY idle_ns DESC, gap_id ASC, part_id ASC
LIMIT $top
