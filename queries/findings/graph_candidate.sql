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
WITH call AS (
    SELECT
        part_id,
        sum(count) FILTER (WHERE cause = 'launch') AS launch_count,
        coalesce(sum(count) FILTER (WHERE cause = 'sync'), 0) AS sync_count,
        coalesce(sum(count) FILTER (WHERE cause = 'memory_management'), 0) AS allocation_count
    FROM part_call
    GROUP BY part_id
)

SELECT
    bound.part_id,
    bound.gpu_id,
    'launches' AS subject,
    bound.idle_ns AS total_ns,
    (least.graph_saving * bound.launch_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'short' AS claims,
    bound.step_count,
    (call.launch_count / bound.step_count)::BIGINT AS launches_a_step
FROM _launch_bound AS bound
CROSS JOIN thresholds AS least
INNER JOIN call ON bound.part_id = call.part_id
WHERE
    bound.step_count >= least.graph_step_count
    AND call.launch_count >= least.graph_launches * bound.step_count
    AND call.launch_count >= 2 * least.graph_launches * call.sync_count
    AND 2 * call.allocation_count < bound.step_count
ORDER BY bound.part_id
