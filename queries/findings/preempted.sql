-- The launching thread is ready and another thread has its CPU.
--
-- By the kernel's scheduling events.
-- Needs  _idle_gap
-- Finding
--     says  The launching thread lost its CPU: {total_ns} of idle time in {gap_count} gaps.
--     do  Give it a core: fewer busy threads, CPU affinity, no oversubscribed container.
-- Columns
--     gap_count   BIGINT   -- Gaps.
--     longest_ns  BIGINT   -- The longest.
--     nvtx_path   VARCHAR  -- NVTX ranges of most of it.
--     function    VARCHAR  -- Function of most of it.
SELECT
    part.part_id,
    part.gpu_id,
    'launching thread' AS subject,
    sum(idle.idle_ns)::BIGINT AS total_ns,
    sum(idle.idle_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'long' AS claims,
    sum(idle.gap_count)::BIGINT AS gap_count,
    max(idle.longest_ns)::BIGINT AS longest_ns,
    arg_max(idle.nvtx_path, idle.idle_ns) AS nvtx_path,
    arg_max(idle.function, idle.idle_ns) AS function
FROM part
INNER JOIN part_idle AS idle ON part.part_id = idle.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND idle.cause = 'preempted'
GROUP BY part.part_id, part.gpu_id, part.step_count
HAVING (part.step_count IS NULL OR 2 * count(DISTINCT idle.step) >= part.step_count)
ORDER BY part.part_id
