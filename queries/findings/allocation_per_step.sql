-- Memory allocated and freed in the loop.
--
-- At least ten gaps, the longest below half of their sum.
-- Needs  _idle_gap
-- Finding
--     says  Memory is allocated or freed ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do  Allocate once and reuse: a caching allocator, or a memory pool with a release threshold.
-- Columns
--     gap_count   BIGINT   -- Gaps.
--     longest_ns  BIGINT   -- The longest.
--     nvtx_path   VARCHAR  -- NVTX ranges of most of it.
--     function    VARCHAR  -- Function of most of it.
SELECT
    part.part_id,
    part.gpu_id,
    coalesce(arg_max(idle.call_name, idle.idle_ns), 'allocation') AS subject,
    sum(idle.idle_ns)::BIGINT AS total_ns,
    sum(idle.idle_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'certain' AS certainty,
    false AS once,
    'allocation' AS claims,
    sum(idle.gap_count)::BIGINT AS gap_count,
    max(idle.longest_ns)::BIGINT AS longest_ns,
    arg_max(idle.nvtx_path, idle.idle_ns) AS nvtx_path,
    arg_max(idle.function, idle.idle_ns) AS function
FROM part
INNER JOIN part_idle AS idle ON part.part_id = idle.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND idle.claim = 'allocation'
GROUP BY part.part_id, part.gpu_id, part.step_count
HAVING
    (part.step_count IS NULL OR 2 * count(DISTINCT idle.step) >= part.step_count)
    AND sum(idle.gap_count) >= 10 AND 2 * max(idle.longest_ns) < sum(idle.idle_ns)
ORDER BY part.part_id
