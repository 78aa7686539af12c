-- Launches that repeat without synchronization: a CUDA graph can replay them.
--
-- Launch-bound, at least ten steps of at least five launches, ten launches between two synchronizations, allocations in fewer
-- than half of the steps.
-- Needs  _idle_gap, _kernel_ids
-- Finding
--     says  {step_count} steps of {launches_a_step} launches repeat with few synchronizations.
--     do  Capture a step as a CUDA graph and replay it.
-- Columns
--     step_count       BIGINT   -- Steps.
--     launches_a_step  BIGINT   -- Launches of each.
WITH gap AS (
    SELECT
        part_id,
        sum(idle_ns) AS idle_ns,
        sum(idle_ns) FILTER (WHERE cause IN ('host_code', 'launch_call', 'launch_latency', 'other_cuda_api'))
            AS launch_ns,
        sum(gap_count) AS gap_count
    FROM part_idle
    WHERE claim = 'short'
    GROUP BY part_id
),

middle AS (
    SELECT
        part_id,
        count(*) AS gap_count,
        median(end_ns - start_ns) AS median_ns
    FROM _part_gap
    WHERE drained_by_row IS NULL AND gap_ns < 200000
    GROUP BY part_id
),

length AS (
    SELECT
        part_id,
        count(*) AS kernel_count,
        median(end_ns - start_ns) AS median_ns
    FROM _part_activity
    WHERE kind = 'kernel'
    GROUP BY part_id
),

call AS (
    SELECT
        part_id,
        sum(count) FILTER (WHERE cause = 'launch') AS launch_count,
        coalesce(sum(count) FILTER (WHERE cause = 'sync'), 0) AS sync_count,
        coalesce(sum(count) FILTER (WHERE cause = 'memory_management'), 0) AS allocation_count
    FROM part_call
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'launches' AS subject,
    gap.idle_ns::BIGINT AS total_ns,
    (0.9 * gap.launch_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'short' AS claims,
    part.step_count,
    (call.launch_count / part.step_count)::BIGINT AS launches_a_step
FROM part
INNER JOIN gap ON part.part_id = gap.part_id
INNER JOIN middle ON part.part_id = middle.part_id
INNER JOIN length ON part.part_id = length.part_id
LEFT JOIN call ON part.part_id = call.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND middle.gap_count >= 50
    AND gap.launch_ns > 0.15 * part.length_ns
    AND middle.median_ns > 0.3 * length.median_ns
    AND part.step_count >= 10
    AND call.launch_count >= 5 * part.step_count
    AND call.launch_count >= 10 * call.sync_count
    AND 2 * call.allocation_count < part.step_count
ORDER BY part.part_id
