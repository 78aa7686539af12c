-- Launches that repeat with few synchronizations, so that a CUDA graph can replay them.
--
-- In launch-bound parts with at least three steps; on average at least five launches a step, ten launches per blocking call,
-- and less than one allocation in two steps. The bound is 90 % of the launch-bound time: a graph is launched, too.
-- Needs  _idle_gap, _kernel_ids
-- Finding
--     says  {step_count} steps of {launches_a_step} launches repeat with few synchronizations: another way to save the time of launch-bound.
--     do if is_torch  Capture a step as a CUDA graph and replay it: torch.compile(mode="reduce-overhead"), or torch.cuda.graph.
--     do  Capture a step as a CUDA graph and replay it.
-- Columns
--     step_count       BIGINT   -- Steps.
--     launches_a_step  BIGINT   -- Launches a step, on average.
--     is_torch         BOOLEAN  -- A Python program launches PyTorch's kernels.
SELECT
    bound.part_id,
    bound.gpu_id,
    'launches' AS subject,
    bound.idle_ns AS total_ns,
    (GRAPH_SAVING * bound.launch_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'short' AS claims,
    bound.step_count,
    bound.launches_a_step,
    torch.part_id IS NOT NULL AS is_torch
FROM _launch_bound AS bound
LEFT JOIN _torch_part AS torch ON bound.part_id = torch.part_id
WHERE bound.launches_a_step IS NOT NULL
ORDER BY bound.part_id
