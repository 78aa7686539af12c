-- Long gaps in which the launching thread runs code in no traced call.
--
-- Gaps of at least 200 us that follow no synchronization.
-- Needs  _idle_gap
-- Finding
--     says  The launching thread runs {subject} while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do  Prepare the next work while the GPU computes, or make this code faster; --sample=process-tree names its functions.
-- Columns
--     gap_count   BIGINT   -- Gaps.
--     longest_ns  BIGINT   -- The longest.
--     nvtx_path   VARCHAR  -- NVTX ranges of most of it.
--     function    VARCHAR  -- Function of most of it.
SELECT
    part.part_id,
    part.gpu_id,
    coalesce(arg_max(coalesce(idle.function, idle.nvtx_path), idle.idle_ns), 'host code') AS subject,
    sum(idle.idle_ns)::BIGINT AS total_ns,
    sum(idle.idle_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    CASE WHEN bool_or(idle.function IS NOT NULL) THEN 'likely' ELSE 'possible' END AS certainty,
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
    AND idle.claim IN ('long', 'sync')
    AND idle.cause = 'host_code'
    AND (idle.claim = 'long' OR idle.longest_ns >= 200000)
GROUP BY part.part_id, part.gpu_id, part.step_count
HAVING (part.step_count IS NULL OR 2 * count(DISTINCT idle.step) >= part.step_count)
ORDER BY part.part_id
