-- Launches that return only after their kernels end.
--
-- The host prepares no launch while a kernel runs, as with CUDA_LAUNCH_BLOCKING=1 or in a debugger. At least 20 kernels,
-- in steps three, 90 % of which end before the call that launches them returns, and take most of the time in the calls
-- or of its variance: calls are longer by as much as their kernels. Without it, kernels and launching overlap: that
-- saves at most the idle time, and at most the time of the kernels.
-- Needs  _kernel_ids, _idle_gap, _api_call_ids
-- Finding
--     says  {count} launches return only after their kernels end: the GPU is idle for {total_ns}.
--     do  Unset CUDA_LAUNCH_BLOCKING; record without a debugger or sanitizer.
-- Columns
--     count  BIGINT  -- Kernels that end before their call returns.
SELECT
    part.part_id,
    part.gpu_id,
    'launches' AS subject,
    part.idle_ns AS total_ns,
    least(part.idle_ns, part.busy_ns) AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'launch' AS claims,
    work.blocking_count AS count
FROM part
INNER JOIN _part_work AS work ON part.part_id = work.part_id AND work.is_blocking
WHERE part.kind IN ('series', 'rest', 'work')
ORDER BY part.part_id
