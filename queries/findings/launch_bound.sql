-- Short gaps between launches: the CPU launches more slowly than the GPU works.
--
-- At least 20 gaps below 200 us have over 15 % of the part, and the median gap is over 0.3 of the median kernel. Gaps after
-- a synchronization count as far as they would be there without it, but not if there is one after each launch.
-- Needs  _idle_gap, _kernel_ids
-- Finding
--     says if is_latency  {gap_count} gaps of {median_gap_ns} (median) between kernels of {median_kernel_ns}: the kernels are so short that the time to start the next one counts.
--     says  {gap_count} gaps of {median_gap_ns} (median) between kernels of {median_kernel_ns}: the GPU waits for the next launch.
--     do  CUDA graphs, torch.compile(mode="reduce-overhead"), a larger batch or fused kernels: fewer launches for the same work.
-- Columns
--     gap_count         BIGINT   -- Gaps.
--     median_gap_ns     BIGINT   -- Median gap.
--     median_kernel_ns  BIGINT   -- Median kernel.
--     is_latency        BOOLEAN  -- Most of it is launch latency.
SELECT
    part_id,
    gpu_id,
    'launches' AS subject,
    idle_ns AS total_ns,
    launch_ns AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'short' AS claims,
    gap_count,
    median_gap_ns,
    median_kernel_ns,
    is_latency
FROM _launch_bound
ORDER BY part_id
