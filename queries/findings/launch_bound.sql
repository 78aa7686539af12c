-- Short gaps between launches: the CPU launches more slowly than the GPU works.
--
-- At least 20 gaps below 200 us, in steps three; in such gaps the host launches for over 15 % of the part, and their
-- median is over 0.3 times that of the kernels. Gaps after blocking calls count with the share that would remain without
-- the calls, and not at all if nearly each launch is followed by one.
-- Needs  _idle_gap, _kernel_ids
-- Finding
--     says if is_latency  {gap_count} gaps of {median_gap_ns} between kernels of {median_kernel_ns} (medians): the kernels are so short that launch latency dominates.
--     says  {gap_count} gaps of {median_gap_ns} between kernels of {median_kernel_ns} (medians): the GPU waits for the next launch.
--     do if is_repeated  A larger batch or fused kernels: fewer launches for the same work; or a CUDA graph (graph-candidate).
--     do if is_torch  CUDA graphs, torch.compile(mode="reduce-overhead"), a larger batch or fused kernels: fewer launches for the same work.
--     do  CUDA graphs, a larger batch or fused kernels: fewer launches for the same work.
-- Columns
--     gap_count         BIGINT   -- Gaps.
--     median_gap_ns     BIGINT   -- Median gap.
--     median_kernel_ns  BIGINT   -- Median kernel.
--     is_latency        BOOLEAN  -- Most of it is launch latency.
--     is_repeated       BOOLEAN  -- A CUDA graph can replay its steps (graph-candidate).
--     is_torch          BOOLEAN  -- A Python program launches PyTorch's kernels.
SELECT
    bound.part_id,
    bound.gpu_id,
    'launches' AS subject,
    bound.idle_ns AS total_ns,
    bound.launch_ns AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'short' AS claims,
    bound.gap_count,
    bound.median_gap_ns,
    bound.median_kernel_ns,
    bound.is_latency,
    bound.launches_a_step IS NOT NULL AS is_repeated,
    torch.part_id IS NOT NULL AS is_torch
FROM _launch_bound AS bound
LEFT JOIN _torch_part AS torch ON bound.part_id = torch.part_id
ORDER BY bound.part_id
