-- Gaps of a GPU with the part and step that each is in; a gap across parts has a row in each.
--
-- Engine  table
-- Columns
--     usual: part_id, gpu_id
--     step            BIGINT   -- Number of the steady step; NULL outside of steps.
--     gap_id          BIGINT   -- The gap.
--     start_ns        BIGINT   -- Start of the gap, clipped to the part.
--     end_ns          BIGINT   -- End, clipped.
--     gap_ns          BIGINT   -- Length of the gap, not clipped.
--     drained_by_row  BIGINT   -- The blocking call after which the queue was empty; NULL if none.
--     is_after_work   BOOLEAN  -- The host reads unified memory at the end of the work.
--     next_kind       VARCHAR  -- Kind of the activity that ends the gap.
--     thread_id       BIGINT   -- Thread that launched it.
WITH placed AS (
    SELECT
        span.part_id,
        gap.gpu_id,
        gap.gap_id,
        greatest(gap.start_ns, span.start_ns) AS start_ns,
        least(gap.end_ns, span.end_ns) AS end_ns,
        gap.end_ns - gap.start_ns AS gap_ns,
        gap.drained_by_row,
        gap.is_after_work,
        gap.next_kind,
        gap.thread_id
    FROM _idle_gap AS gap
    INNER JOIN _part_span AS span
        ON gap.gpu_id IS NOT DISTINCT FROM span.gpu_id AND gap.start_ns < span.end_ns AND gap.end_ns > span.start_ns
)

SELECT
    placed.part_id,
    placed.gpu_id,
    step.step,
    placed.* EXCLUDE (part_id, gpu_id)
FROM placed
ASOF LEFT JOIN _part_step AS step ON placed.part_id = step.part_id AND placed.start_ns >= step.start_ns
