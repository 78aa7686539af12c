-- Idle time that is the profiler's.
--
-- Over 5 % of the part.
-- Needs  _idle_gap
-- Finding
--     says  The profiler itself takes {total_ns} of the idle time.
--     do  Trace less; a run without it does not have this time.
-- Columns
--     gap_count   BIGINT   -- Gaps.
--     longest_ns  BIGINT   -- The longest.
--     nvtx_path   VARCHAR  -- NVTX ranges of most of it.
--     function    VARCHAR  -- Function of most of it.
SELECT
    part.part_id,
    part.gpu_id,
    'profiler' AS subject,
    sum(idle.idle_ns)::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'at most' AS bound,
    'certain' AS certainty,
    false AS once,
    'profiler' AS claims,
    sum(idle.gap_count)::BIGINT AS gap_count,
    max(idle.longest_ns)::BIGINT AS longest_ns,
    arg_max(idle.nvtx_path, idle.idle_ns) AS nvtx_path,
    arg_max(idle.function, idle.idle_ns) AS function
FROM part
INNER JOIN part_idle AS idle ON part.part_id = idle.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND idle.claim = 'profiler'
GROUP BY part.part_id, part.gpu_id, part.step_count
HAVING
    (part.step_count IS NULL OR 2 * count(DISTINCT idle.step) >= part.step_count)
    AND sum(idle.idle_ns) > 0.05 * any_value(part.length_ns)
ORDER BY part.part_id
