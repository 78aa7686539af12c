-- Parts in which code is compiled again and again between GPU work, outside of steps: no start-up.
--
-- Three gaps of the GPU in which the driver loads new code (claim `once`), the last after half of its work; and the GPU works
-- 15 % of the time. Programs compile what they need in their first steps, before they have worked for long.
-- Needs  _idle_gap
-- Engine  table
-- Columns
--     part_id  BIGINT  -- The part.
WITH worked AS (
    SELECT
        gpu_id,
        min(start_ns) AS start_ns,
        sum(length_ns) AS length_ns,
        sum(busy_ns) AS busy_ns
    FROM part
    WHERE kind IN ('startup', 'series', 'pause', 'rest', 'work')
    GROUP BY gpu_id
),

compiling AS (
    SELECT
        part.gpu_id,
        count(*) AS count,
        max(gap.start_ns) AS last_ns
    FROM _part_gap AS gap
    SEMI JOIN _compiling_gap AS known ON gap.part_id = known.part_id AND gap.gap_id = known.gap_id
    INNER JOIN part ON gap.part_id = part.part_id
    WHERE part.kind IN ('rest', 'work')
    GROUP BY part.gpu_id
),

idle AS (  -- before the last of them
    SELECT
        compiling.gpu_id,
        sum(gap.end_ns - gap.start_ns) AS before_ns
    FROM _part_gap AS gap
    INNER JOIN compiling ON gap.gpu_id IS NOT DISTINCT FROM compiling.gpu_id AND gap.start_ns < compiling.last_ns
    GROUP BY compiling.gpu_id
)

SELECT part.part_id
FROM part
INNER JOIN worked ON part.gpu_id IS NOT DISTINCT FROM worked.gpu_id
INNER JOIN compiling ON part.gpu_id IS NOT DISTINCT FROM compiling.gpu_id
LEFT JOIN idle ON part.gpu_id IS NOT DISTINCT FROM idle.gpu_id
WHERE
    part.kind IN ('rest', 'work')
    AND worked.busy_ns > WORKING_SHARE * worked.length_ns
    AND compiling.count >= RECURRING_COUNT
    AND 2 * (compiling.last_ns - worked.start_ns - coalesce(idle.before_ns, 0)) > worked.busy_ns
