-- The host reads unified memory page by page after the last kernel.
--
-- The GPU's work is over: only later host code waits for it.
-- Needs  _idle_gap
-- Finding
--     says  The host reads managed memory page by page: {total_ns} in {gap_count} intervals.
--     do  Call cudaMemPrefetchAsync to the host before it reads.
-- Columns
--     gap_count  BIGINT   -- Gaps.
SELECT
    part.part_id,
    part.gpu_id,
    'unified memory' AS subject,
    sum(gap.end_ns - gap.start_ns)::BIGINT AS total_ns,
    sum(gap.end_ns - gap.start_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    true AS once,
    'managed' AS claims,
    count(*) AS gap_count
FROM part
INNER JOIN _part_gap AS gap ON part.part_id = gap.part_id
WHERE gap.is_after_work
GROUP BY part.part_id, part.gpu_id
ORDER BY part.part_id
