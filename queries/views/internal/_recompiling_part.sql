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

gap AS (
    SELECT
        part_id,
        gpu_id,
        gap_id,
        start_ns,
        sum(end_ns - start_ns) OVER (PARTITION BY gpu_id ORDER BY start_ns) - (end_ns - start_ns) AS idle_before_ns
    FROM _part_gap
),

found AS (
    SELECT worked.gpu_id
    FROM worked
    INNER JOIN gap ON worked.gpu_id IS NOT DISTINCT FROM gap.gpu_id
    INNER JOIN part ON gap.part_id = part.part_id
    SEMI JOIN _compiling_gap AS compiling ON gap.part_id = compiling.part_id AND gap.gap_id = compiling.gap_id
    CROSS JOIN thresholds AS least
    WHERE part.kind IN ('rest', 'work') AND worked.busy_ns > least.working_share * worked.length_ns
    GROUP BY worked.gpu_id, worked.start_ns, worked.busy_ns, least.recurring_count
    HAVING
        count(*) >= least.recurring_count
        AND 2 * max(gap.start_ns - worked.start_ns - gap.idle_before_ns) > worked.busy_ns
)

SELECT part.part_id
FROM part
SEMI JOIN found ON part.gpu_id IS NOT DISTINCT FROM found.gpu_id
WHERE part.kind IN ('rest', 'work')
