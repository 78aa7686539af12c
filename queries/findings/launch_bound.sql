-- Short gaps between launches: the CPU launches more slowly than the GPU works.
--
-- At least 50 gaps below 200 us that follow no synchronization have over 15 % of the part, and the median gap is over 0.3
-- of the median kernel.
-- Needs  _idle_gap, _kernel_ids
-- Finding
--     says  {gap_count} gaps of {median_gap_ns} (median) between kernels of {median_kernel_ns}: the GPU waits for the next launch.
--     do  CUDA graphs, torch.compile(mode="reduce-overhead"), a larger batch or fused kernels: fewer launches for the same work.
-- Columns
--     gap_count         BIGINT   -- Gaps.
--     median_gap_ns     BIGINT   -- Median gap.
--     median_kernel_ns  BIGINT   -- Median kernel.
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
)

SELECT
    part.part_id,
    part.gpu_id,
    'launches' AS subject,
    gap.idle_ns::BIGINT AS total_ns,
    gap.launch_ns::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'short' AS claims,
    middle.gap_count,
    middle.median_ns::BIGINT AS median_gap_ns,
    length.median_ns::BIGINT AS median_kernel_ns
FROM part
INNER JOIN gap ON part.part_id = gap.part_id
INNER JOIN middle ON part.part_id = middle.part_id
INNER JOIN length ON part.part_id = length.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND middle.gap_count >= 50
    AND gap.launch_ns > 0.15 * part.length_ns
    AND middle.median_ns > 0.3 * length.median_ns
ORDER BY part.part_id
